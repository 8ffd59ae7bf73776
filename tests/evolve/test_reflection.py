"""Whether a plan's child is taken over, by what both came to on the probe."""

from __future__ import annotations

from eigen_cli.api.plans import ProbeFigures
from eigen_cli.evolve.reflection import verdict_on_child


def _figures(learnable: int, coverage: int, accepted: int = 6) -> ProbeFigures:
    return ProbeFigures(proposed=6, accepted=accepted, learnable=learnable, coverage=coverage, agent="x")


def test_a_child_must_not_be_worse_on_the_probe() -> None:
    parent = _figures(4, 30)
    assert verdict_on_child(_figures(4, 30), parent) is None
    assert verdict_on_child(_figures(3, 26), parent) is None, "what one task explains is not called worse"
    assert verdict_on_child(_figures(6, 24, accepted=6), parent) is not None
    assert verdict_on_child(_figures(2, 30), parent) is None, "within a standard error of the difference"
    why = verdict_on_child(_figures(1, 60), parent)
    assert why is not None and "1 learnable tasks on the probe, the parent had 4" in why
