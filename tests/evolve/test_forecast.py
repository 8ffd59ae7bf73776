"""What a run will cost, told from its first tasks."""

from __future__ import annotations

import pytest

from eigen_cli.api.backend import Usage
from eigen_cli.evolve.forecast import ENOUGH, Forecast, Forecaster, foretold, proposals
from eigen_cli.evolve.settings import EvolveSettings

SETTINGS = EvolveSettings(rounds=2, tasks=10, trials=1, plans=2, probe=3)


def used(usd: float, tokens: int) -> Usage:
    return Usage(calls=1, prompt_tokens=tokens, cost_usd=usd)


def test_rounds_and_probes_are_counted() -> None:
    assert proposals(SETTINGS, 1) == 2 * 10 + 2 * 2 * 3
    assert proposals(SETTINGS, 3) == 2 * 10 + 3 * 2 * 2 * 3
    assert proposals(EvolveSettings(rounds=1, tasks=7), 1) == 7


def test_equal_tasks_leave_no_spread_and_the_other_roles_go_along() -> None:
    used = {"agent": Usage(cost_usd=3.0), "user": Usage(cost_usd=1.0), "synthesizer": Usage(cost_usd=1.0)}
    found = foretold([Usage(cost_usd=0.5, completion_tokens=10)] * 5, used, tasks=40)
    assert (found.usd, found.usd_low, found.usd_high) == pytest.approx((25.0, 25.0, 25.0))
    assert found.tokens == 400


def test_the_interval_is_two_standard_errors_of_the_mean() -> None:
    found = foretold([Usage(cost_usd=cost) for cost in (1, 2, 3, 4, 5)], {}, tasks=10)
    error = (2.5 / 5) ** 0.5
    assert found.usd == pytest.approx(30)
    assert (found.usd_low, found.usd_high) == pytest.approx((30 - 20 * error, 30 + 20 * error))


def test_it_is_told_once_when_there_are_enough_tasks() -> None:
    told: list[Forecast] = []
    forecaster = Forecaster(SETTINGS, 1, usage=dict, tell=told.append)
    for _ in range(ENOUGH - 1):
        forecaster.task_done(used(0.3, 200))
    assert not told
    for _ in range(3):
        forecaster.task_done(used(0.3, 200))
    (found,) = told
    assert found.tasks == ENOUGH
    assert found.usd == pytest.approx(0.3 * 32)
    assert found.tokens == 200 * 32
