"""The generation a run goes on from: what is known of its line, and what cannot go on from it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from eigen_cli.api.episodes import Limits
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.generations import Coverage, CoverageCount, Generation, GenerationBody, GenerationObserved
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, PlanRecord, SynthesisPlan
from eigen_cli.evolve.parent import Parent, limits_of
from eigen_cli.evolve.settings import EvolveSettings

NOTHING = CoverageCount(0, 0)
SETTINGS = EvolveSettings(plans=2)


def generation(round_: int, *, parent: str | None = "earlier", **changes: object) -> Generation:
    body = GenerationBody(
        fingerprint="",
        tasks_proposed=0,
        tasks_accepted=0,
        rejections={},
        episodes=0,
        passed=0,
        blame={},
        coverage=Coverage(NOTHING, NOTHING, NOTHING),
        near_duplicates=0,
        splits={},
        domain="airline,telecom",
        seed=0,
        round=round_,
        parent=parent,
        actors={},
        simulated=False,
        prompts={},
        verifiers={},
        settings=SETTINGS.content(),
        contents={},
    )
    return Generation(f"gen-{round_:04}", f"hash-{round_}", replace(body, **changes), GenerationObserved("", 0, 0, {}))


def plan(domain: str, slot: int, status: str = "used") -> PlanRecord:
    body = PlanBody(domain, slot, SynthesisPlan(status, ()), EvaluationPlan())
    return PlanRecord(Plan.of(body), status)  # type: ignore[arg-type]


PLANS = (
    plan("airline", 1, "adopted"),
    plan("airline", 0),
    plan("airline", 0, "rejected"),
    plan("telecom", 0),
    plan("telecom", 1),
)


def parent(*line: Generation, plans: Sequence[PlanRecord] = PLANS) -> Parent:
    return Parent(line[0], line[1:], tuple(plans))


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ((generation(1, parent=None),), 0),
        ((generation(3), generation(2), generation(1, parent=None)), 0),
        ((generation(3), generation(2)), 1),
        ((generation(7),), 6),
        ((generation(7), generation(6)), 5),
    ],
)
def test_missing_ancestors_are_counted_from_the_oldest_known(line: tuple[Generation, ...], missing: int) -> None:
    found = parent(*line)
    assert found.missing == missing
    assert found.content() == ({"ancestors_missing": missing} if missing else {})
    assert found.identity == f"{line[0].hash}/{missing}"


def test_used_plans_stand_in_slot_order_without_rejected_ones() -> None:
    used = parent(generation(2)).used("airline")
    assert [(record.plan.body.slot, record.status) for record in used] == [(0, "used"), (1, "adopted")]


def test_equal_settings_and_domains_fit() -> None:
    parent(generation(2)).check("airline,telecom", SETTINGS)
    parent(generation(2)).check("airline,telecom", replace(SETTINGS, tasks=9, trials=1, seed=5, rounds=9))


@pytest.mark.parametrize(
    ("domain", "settings", "error", "hint"),
    [
        ("airline", SETTINGS, "gen-0002 is of airline,telecom, not of airline", "eigen evolve airline,telecom --from"),
        ("airline,telecom", replace(SETTINGS, plans=3), "gen-0002 has 2 plans of airline, not 3", "--plans 2; `eigen"),
        (
            "airline,telecom",
            replace(SETTINGS, validation=False),
            "gen-0002 was made with validation",
            "leave --no-validation out; `eigen rollback gen-0002` takes over what it was made with",
        ),
        ("airline,telecom", replace(SETTINGS, evolution=False), "gen-0002 was made with evolution", "--no-evolution"),
    ],
)
def test_what_cannot_go_on_is_said(domain: str, settings: EvolveSettings, error: str, hint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parent(generation(2)).check(domain, settings)
    assert refused.value.message == error
    assert refused.value.hint is not None and hint in refused.value.hint


def test_ablations_go_on_as_ablations() -> None:
    ablated = generation(2, settings=replace(SETTINGS, evolution=False).content())
    parent(ablated).check("airline,telecom", replace(SETTINGS, evolution=False))
    with pytest.raises(ConfigError, match="made without evolution") as refused:
        parent(ablated).check("airline,telecom", SETTINGS)
    assert refused.value.hint is not None and refused.value.hint.startswith("add --no-evolution")


def test_nothing_goes_on_without_plans() -> None:
    with pytest.raises(ConfigError, match="gen-0002 has 0 plans of airline"):
        parent(generation(2), plans=()).check("airline,telecom", SETTINGS)


def test_limits_are_those_it_was_made_with() -> None:
    strict = replace(SETTINGS, limits=Limits(agent_turns=7, seconds=60))
    assert limits_of(generation(2, settings=strict.content())) == Limits(agent_turns=7, seconds=60.0)
    assert limits_of(generation(2, settings={"agent_turns": 7})) == Limits(agent_turns=7)
    assert limits_of(generation(2, settings={})) == Limits()
