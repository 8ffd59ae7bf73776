"""The comparison itself notices calls that end otherwise, states that differ, and those that only one side reached."""

from __future__ import annotations

import pytest
from engine_pair import EnginePair
from engine_pairs import retail_pair

from eigen_cli.world.toolbox import Toolbox

ORDER = "#W6779827"  # pending, paid by gift card
CANCEL = ("cancel_pending_order", {"order_id": ORDER, "reason": "no longer needed"})


@pytest.fixture
def skewed(monkeypatch: pytest.MonkeyPatch) -> EnginePair:
    """Return the shop in both engines, ours with the corrected tools."""
    pair = retail_pair()
    monkeypatch.setattr(pair, "toolbox", Toolbox(pair.domain.corrected()))
    return pair


def test_a_call_that_ends_otherwise(skewed: EnginePair) -> None:
    with pytest.raises(AssertionError, match="upstream_error=False"):
        skewed.play([("calculate", {"expression": "2 ** 3"})])


def test_a_result_that_differs(skewed: EnginePair) -> None:
    skewed.reset()
    outcome = skewed.call("get_order_details", {"order_id": ORDER})
    assert not outcome.our_error and skewed.differences() == []
    with pytest.raises(AssertionError, match="calculate"):
        skewed.play([("calculate", {"expression": "9007199254740993 - 0.0 - 9007199254740992"})])


def test_a_state_that_only_one_side_reached(skewed: EnginePair, monkeypatch: pytest.MonkeyPatch) -> None:
    skewed.play([CANCEL])
    skewed.reset()
    skewed.call(*CANCEL)
    monkeypatch.setattr(skewed, "world", skewed.initial)
    assert next(text.split(":")[0] for text in sorted(skewed.differences())) == f"orders {ORDER}"
    skewed.reset()
    assert skewed.differences() == [] and skewed.environment.get_db_hash() == skewed.initial_hash


def test_a_state_that_only_ours_reached(skewed: EnginePair) -> None:
    skewed.reset()
    skewed.world = skewed.toolbox.call(skewed.initial, *CANCEL).world
    assert any(text.startswith(f"orders {ORDER}") for text in skewed.differences())
