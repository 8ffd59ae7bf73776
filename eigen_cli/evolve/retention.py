"""Which generations may be collected: a rule that can be said in one sentence, and the reason for every one kept.

Kept is what has a tag, what was pushed, what an evaluation here is about, the newest few of every domain, and
everything any of these was made from. The rest, the tips of lines nobody marked, may go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from eigen_cli.api.generations import Generation
from eigen_cli.evolve.lineage import Lineage

NEWEST = 10
"""Generations of each domain that are kept for being new."""


class Fate(msgspec.Struct, frozen=True):
    """What becomes of a generation."""

    generation: Generation
    kept: bool
    why: str
    """The first reason to keep it, or that there is none."""


def fates(
    generations: Sequence[Generation],
    *,
    newest: int = NEWEST,
    tags: Mapping[str, str],
    pushed: Iterable[str],
    evaluated: Mapping[str, str],
) -> list[Fate]:
    """Return what becomes of every generation, in the order of their ids, which is the order they are given in.

    `newest`: at least 1. `tags`: hash by tag. `pushed`: hashes. `evaluated`: an evaluation's id by the hash it names.
    """
    if newest < 1:
        raise ValueError("the newest generation of a domain is always kept")
    tagged, on_the_hub = _tags_by_hash(tags), set(pushed)
    lineage, seen = Lineage(generations), Counter[str]()
    reasons: dict[str, str] = {}
    for generation in reversed(generations):
        hash_ = generation.hash
        seen.update(list(generation.body.by_domain))
        recent = [name for name in generation.body.by_domain if seen[name] <= newest]
        if hash_ in tagged:
            reasons[hash_] = f"tagged {', '.join(tagged[hash_])}"
        elif hash_ in on_the_hub:
            reasons[hash_] = "pushed"
        elif hash_ in evaluated:
            reasons[hash_] = f"evaluated: {evaluated[hash_]}"
        elif recent:
            reasons[hash_] = f"among the newest {newest} of {recent[0]}"
    for generation in generations:
        if generation.hash in reasons:
            for ancestor in lineage.ancestors(generation):
                if ancestor.hash in reasons:
                    break  # its own ancestors are followed from it
                reasons[ancestor.hash] = f"ancestor of {generation.id}"
    return [
        Fate(generation, generation.hash in reasons, reasons.get(generation.hash, "nothing keeps it"))
        for generation in generations
    ]


def removal_order(doomed: Sequence[Generation]) -> list[Generation]:
    """Return generations children first: none is removed while another here was made from it."""
    lineage = Lineage(doomed)
    order: list[Generation] = []
    waiting = [generation for generation in doomed if generation.body.parent not in lineage.by_hash]
    while waiting:
        generation = waiting.pop()
        order.append(generation)
        waiting += lineage.children[generation.hash]
    return order[::-1]


def _tags_by_hash(tags: Mapping[str, str]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for tag in sorted(tags):
        named.setdefault(tags[tag], []).append(tag)
    return named
