"""What was made from what, drawn and in words."""

from __future__ import annotations

import random

import pytest
from lineage_samples import bare

from eigen_cli.api.generations import Generation
from eigen_cli.evolve.lineage import Lineage


def drawing(lineage: Lineage) -> list[str]:
    return [f"{limb.graph} {limb.generation.id[-1]}" for limb in lineage.drawn()]


def test_a_run_is_a_straight_line_and_two_runs_are_two() -> None:
    generations = [bare(1), bare(2, run="run-b"), bare(3, "h1"), bare(4, "h2", run="run-b")]
    assert drawing(Lineage(generations)) == ["+ 1", "* 3", "+ 2", "* 4"]


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
    assert drawing(Lineage(generations)) == ["+ 1", "* 2", "|-* 4", "| |-* 6", "| * 5", "|-* 7", "* 3"]


@pytest.mark.parametrize(
    ("shape", "drawn"),
    [
        pytest.param(["2a<1", "3a<2", "4b<1"], "+ 1\n|-* 4\n* 2\n* 3", id="at the root"),
        pytest.param(["2a<1", "3a<2", "4b<1", "5b<4"], "+ 1\n|-* 4\n| * 5\n* 2\n* 3", id="at the root, going on"),
        pytest.param(["2a<1", "3a<2", "4a<3", "5b<2"], "+ 1\n* 2\n|-* 5\n* 3\n* 4", id="in the middle"),
        pytest.param(
            ["2a<1", "3a<2", "4b<2", "5c<2", "6b<4"], "+ 1\n* 2\n|-* 4\n| * 6\n|-* 5\n* 3", id="two at one place"
        ),
        pytest.param(
            ["2a<1", "3a<2", "4b<1", "5c<2", "6b<4"], "+ 1\n|-* 4\n| * 6\n* 2\n|-* 5\n* 3", id="two at two places"
        ),
        pytest.param(
            ["2a<1", "3b<1", "4b<3", "5c<3", "6c<5"], "+ 1\n|-* 3\n| |-* 5\n| | * 6\n| * 4\n* 2", id="of a branch"
        ),
        pytest.param(["2b<1", "3c<1", "4b<2"], "+ 1\n|-* 3\n* 2\n* 4", id="no run of its own"),
        pytest.param(["2a", "3a<2", "4b<1", "5a<x", "6a"], "+ 1\n* 4\n+ 2\n* 3\no 5\n+ 6", id="several trees"),
    ],
)
def test_the_drawing_of_a_tree(shape: list[str], drawn: str) -> None:
    assert "\n".join(drawing(Lineage([bare(1), *map(shaped, shape)]))) == drawn


def shaped(text: str) -> Generation:
    """`4b<2` is generation 4 of run b, made from 2."""
    name, _, parent = text.partition("<")
    return bare(int(name[:-1]), f"h{parent}" if parent else None, run=f"run-{name[-1]}")


def test_every_line_leads_from_parent_to_child_and_nowhere_else() -> None:
    rng = random.Random(7)
    for _ in range(200):
        parents = [None if rng.random() < 0.15 else f"h{rng.randint(1, number)}" for number in range(1, 12)]
        generations = [
            bare(1),
            *(bare(n, parent, run=f"run-{rng.randint(1, 3)}") for n, parent in enumerate(parents, 2)),
        ]
        limbs = list(Lineage(generations).drawn())
        rows = [limb.graph for limb in limbs]
        for place, limb in enumerate(limbs):
            if limb.graph == "+":
                assert limb.generation.body.parent is None
                continue
            column = len(limb.graph) - (3 if limb.graph.endswith("|-*") else 1)
            above = next(row for row in range(place - 1, -1, -1) if rows[row][column : column + 1] != "|")
            assert rows[above][column] in "+*" and len(rows[above]) == column + 1
            assert limb.generation.body.parent == limbs[above].generation.hash


def test_a_rollback_from_the_tip_goes_straight_on() -> None:
    assert drawing(Lineage([bare(1), bare(2, "h1"), bare(3, "h2", run="run-b")])) == ["+ 1", "* 2", "* 3"]


def test_a_generation_whose_parent_is_absent_begins_its_own_tree() -> None:
    lineage = Lineage([bare(1), bare(2, "elsewhere"), bare(3, "h2")])
    assert drawing(lineage) == ["+ 1", "o 2", "* 3"]
    assert [lineage.orphan(generation) for generation in lineage.generations] == [False, True, False]


def test_a_child_that_was_pulled_before_its_parent_still_stands_below_it() -> None:
    assert drawing(Lineage([bare(1, "h2"), bare(2)])) == ["+ 2", "* 1"]


def test_a_line_of_three_thousand_rounds_is_drawn() -> None:
    generations = [bare(1), *(bare(number, f"h{number - 1}") for number in range(2, 3001))]
    limbs = list(Lineage(generations).drawn())
    assert [limb.generation.id for limb in limbs] == [generation.id for generation in generations]
    assert [limb.graph for limb in limbs] == ["+", *"*" * 2999]


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
