"""What was made from what, drawn and in words."""

from __future__ import annotations

from lineage_samples import bare

from eigen_cli.evolve.lineage import Lineage


def drawing(lineage: Lineage) -> list[str]:
    return [f"{limb.graph} {limb.generation.id[-1]}" for limb in lineage.drawn()]


def test_a_run_is_a_straight_line_and_two_runs_are_two() -> None:
    generations = [bare(1), bare(2, run="run-b"), bare(3, "h1"), bare(4, "h2", run="run-b")]
    assert drawing(Lineage(generations)) == ["* 1", "* 3", "* 2", "* 4"]


def test_branches_leave_before_the_parents_own_run_goes_on() -> None:
    # Rounds 1-2-3 of one run; two rollbacks to 2, the first of which went on and was itself rolled back.
    generations = [
        bare(1),
        bare(2, "h1"),
        bare(3, "h2"),
        bare(4, "h2", run="run-b"),
        bare(5, "h4", run="run-b"),
        bare(6, "h4", run="run-d"),
        bare(7, "h2", run="run-c"),
    ]
    assert drawing(Lineage(generations)) == ["* 1", "* 2", "|-* 4", "| |-* 6", "| * 5", "|-* 7", "* 3"]


def test_a_rollback_from_the_tip_goes_straight_on() -> None:
    assert drawing(Lineage([bare(1), bare(2, "h1"), bare(3, "h2", run="run-b")])) == ["* 1", "* 2", "* 3"]


def test_a_generation_whose_parent_is_absent_begins_its_own_tree() -> None:
    lineage = Lineage([bare(1), bare(2, "elsewhere"), bare(3, "h2")])
    assert drawing(lineage) == ["* 1", "o 2", "* 3"]
    assert [lineage.orphan(generation) for generation in lineage.generations] == [False, True, False]


def test_a_child_that_was_pulled_before_its_parent_still_stands_below_it() -> None:
    assert drawing(Lineage([bare(1, "h2"), bare(2)])) == ["* 2", "* 1"]


def test_a_line_of_three_thousand_rounds_is_drawn() -> None:
    generations = [bare(1), *(bare(number, f"h{number - 1}") for number in range(2, 3001))]
    limbs = list(Lineage(generations).drawn())
    assert [limb.generation.id for limb in limbs] == [generation.id for generation in generations]
    assert {limb.graph for limb in limbs} == {"*"}


def test_relations_in_words() -> None:
    generations = [bare(1), bare(2, "h1"), bare(3, "h2"), bare(4, "h1", run="run-b"), bare(5)]
    lineage = Lineage(generations)
    one, two, three, four, five = generations
    assert lineage.relation(one, two) == "gen-0002 was made from gen-0001"
    assert lineage.relation(two, one) == "gen-0002 was made from gen-0001"
    assert lineage.relation(one, three) == "gen-0003 descends from gen-0001 by 2 rounds"
    assert lineage.relation(three, one) == "gen-0003 descends from gen-0001 by 2 rounds"
    assert lineage.relation(three, four) == "both descend from gen-0001"
    assert lineage.relation(three, five) == "they have no ancestor in common"
    assert lineage.relation(two, two) == "the same generation"
    assert [g.id for g in lineage.children["h1"]] == ["gen-0002", "gen-0004"]
