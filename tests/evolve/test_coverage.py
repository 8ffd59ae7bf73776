from __future__ import annotations

from bank import MOVE, MakeContext, a_task

from eigen_cli.api.generations import CoverageCount
from eigen_cli.api.tasks import Action, WorldRef
from eigen_cli.evolve.coverage import Touched, attainable, counted, gap_between, touched_by_all

LOOK = Action("get_account", {"account_id": "A0001"})


def test_pairs_are_tools_that_follow_each_other_in_one_task() -> None:
    touched = touched_by_all([a_task((LOOK, MOVE), clauses=("B1",)), a_task((MOVE, MOVE), clauses=("B2",))])
    assert touched.tools == {"get_account", "transfer"}
    assert touched.tool_pairs == {("get_account", "transfer"), ("transfer", "transfer")}
    assert touched.clauses == {"B1", "B2"} and touched.size == 6


def test_the_whole_is_what_templates_can_reach(make_context: MakeContext) -> None:
    whole = attainable(make_context(), WorldRef(1, 50))
    assert whole.clauses == {"B1", "B2"}
    assert {"transfer", "spread", "close_account", "get_account"} <= whole.tools
    again = attainable(make_context(), WorldRef(1, 50))
    assert again == whole


def test_counts_never_exceed_their_totals() -> None:
    whole = Touched(frozenset({"a", "b"}), frozenset({("a", "b")}), frozenset({"1"}))
    touched = Touched(frozenset({"a"}), frozenset({("b", "a")}), frozenset())
    coverage = counted(touched, whole | touched)
    assert coverage.tools == CoverageCount(1, 2)
    assert coverage.tool_pairs == CoverageCount(1, 2), "a pair beyond the estimate counts in both"
    assert coverage.clauses == CoverageCount(0, 1)


def test_a_gap_is_dealt_out_among_slots() -> None:
    whole = Touched(frozenset("abcde"), frozenset(), frozenset("1234"))
    gaps = [gap_between(whole, Touched(frozenset("a")), slot=slot, slots=3) for slot in range(3)]
    assert [gap.tools for gap in gaps] == [("b", "e"), ("c",), ("d",)]
    assert sorted(clause for gap in gaps for clause in gap.clauses) == list("1234")
