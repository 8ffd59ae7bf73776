"""What may be collected: every rule by itself, and the order in which things go."""

from __future__ import annotations

import pytest
from lineage_samples import bare

from eigen_cli.api.generations import Generation
from eigen_cli.evolve.retention import fates, removal_order

# Two abandoned runs of airline (1-2, 3-4), one of retail (5), and today's (6-7-8).
GENERATIONS = [
    bare(1),
    bare(2, "h1"),
    bare(3),
    bare(4, "h3"),
    bare(5, domain="retail"),
    bare(6),
    bare(7, "h6"),
    bare(8, "h7"),
]


def why(
    newest: int = 1,
    *,
    tags: dict[str, str] | None = None,
    pushed: tuple[str, ...] = (),
    evaluated: dict[str, str] | None = None,
    generations: list[Generation] = GENERATIONS,
) -> dict[int, str]:
    found = fates(generations, newest=newest, tags=tags or {}, pushed=pushed, evaluated=evaluated or {})
    assert [fate.generation for fate in found] == generations
    assert all(fate.kept == (fate.why != "nothing keeps it") for fate in found)
    return {int(fate.generation.hash[1:]): fate.why for fate in found if fate.kept}


def test_the_newest_of_each_domain_and_its_ancestors_stay() -> None:
    assert why() == {
        5: "among the newest 1 of retail",
        6: "ancestor of gen-0008",
        7: "ancestor of gen-0008",
        8: "among the newest 1 of airline",
    }


def test_with_enough_to_keep_nothing_goes() -> None:
    assert len(why(10)) == len(GENERATIONS)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"tags": {"best": "h2", "a": "h2"}}, "tagged a, best"),
        ({"pushed": ("h2", "gone")}, "pushed"),
        ({"evaluated": {"h2": "eval-0004"}}, "evaluated: eval-0004"),
    ],
)
def test_what_somebody_marked_stays_with_what_it_was_made_from(names: dict[str, object], reason: str) -> None:
    found = why(**names)  # type: ignore[arg-type]
    assert (found[1], found[2]) == ("ancestor of gen-0002", reason)
    assert 3 not in found and 4 not in found


def test_a_mark_on_a_parent_does_not_keep_its_children() -> None:
    assert 1 in (found := why(tags={"base": "h1"}))
    assert 2 not in found


def test_a_generation_of_two_domains_is_new_in_either() -> None:
    from msgspec.structs import replace

    mixed = bare(9, domain="airline,retail")
    figures = mixed.body
    mixed = replace(mixed, body=replace(figures, domains={"airline": figures, "retail": figures}))
    found = why(generations=[bare(1), mixed, bare(10)])
    assert found == {9: "among the newest 1 of retail", 10: "among the newest 1 of airline"}


def test_an_ancestor_marked_itself_keeps_its_own_reason_and_its_own_ancestors() -> None:
    line = [bare(1), bare(2, "h1"), bare(3, "h2"), bare(4, "h3")]
    assert why(tags={"mid": "h3"}, generations=line) == {
        1: "ancestor of gen-0003",
        2: "ancestor of gen-0003",
        3: "tagged mid",
        4: "among the newest 1 of airline",
    }


def test_children_go_before_their_parents() -> None:
    doomed = [bare(1), bare(2, "h1"), bare(3, "h2"), bare(4, "h2"), bare(5, "kept")]
    order = [generation.hash for generation in removal_order(doomed)]
    assert sorted(order) == ["h1", "h2", "h3", "h4", "h5"]
    for child, parent in (("h2", "h1"), ("h3", "h2"), ("h4", "h2")):
        assert order.index(child) < order.index(parent)


def test_keeping_none_is_refused() -> None:
    with pytest.raises(ValueError, match="always kept"):
        fates(GENERATIONS, newest=0, tags={}, pushed=(), evaluated={})
