"""Which generation was made from which: the trees they form, and what one is to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from eigen_cli.api.generations import Generation


class Limb(msgspec.Struct, frozen=True):
    """A generation at its place in the drawing of its tree."""

    generation: Generation
    graph: str
    """`+` where a line begins and `*` where it goes on, behind a `|` for every line that passes it; `|-*` where one
    branches off, and `o` where it begins with one whose parent is not among these."""


@dataclass(frozen=True)
class Lineage:
    """Generations and their parents; one whose parent is absent begins a tree of its own."""

    generations: Sequence[Generation]

    @cached_property
    def by_hash(self) -> Mapping[str, Generation]:
        """Every generation by its hash."""
        return {generation.hash: generation for generation in self.generations}

    @cached_property
    def children(self) -> Mapping[str, tuple[Generation, ...]]:
        """Those made from each generation, by its hash, in the order of their ids."""
        found: dict[str, list[Generation]] = {generation.hash: [] for generation in self.generations}
        for generation in self.generations:
            if generation.body.parent in found:
                found[generation.body.parent].append(generation)
        return {hash_: tuple(made) for hash_, made in found.items()}

    def orphan(self, generation: Generation) -> bool:
        """Return whether a generation has a parent that is not here, as a pulled one may."""
        return generation.body.parent is not None and generation.body.parent not in self.by_hash

    def ancestors(self, generation: Generation) -> Iterator[Generation]:
        """Yield the parent, its parent, and so on as far as they are here."""
        parent = self.by_hash.get(generation.body.parent or "")
        while parent is not None:
            yield parent
            parent = self.by_hash.get(parent.body.parent or "")

    def relation(self, before: Generation, after: Generation) -> str:
        """Return in words what the second of two generations is to the first."""
        if before.hash == after.hash:
            return "the same generation"
        if after.body.parent == before.hash:
            return f"{after.id} was made from {before.id}"
        if before.body.parent == after.hash:
            return f"{before.id} was made from {after.id}"
        older, younger = [before, *self.ancestors(before)], [after, *self.ancestors(after)]
        if before in younger:
            return f"{after.id} descends from {before.id} by {younger.index(before)} rounds"
        if after in older:
            return f"{before.id} descends from {after.id} by {older.index(after)} rounds"
        known = {generation.hash for generation in younger}
        common = next((generation for generation in older if generation.hash in known), None)
        return "they have no ancestor in common" if common is None else f"both descend from {common.id}"

    def drawn(self) -> Iterator[Limb]:
        """Yield every generation once, parents before children, each tree in one piece.

        The child that the parent's own run went on to stands straight below it; branches leave before that, so that
        every line stays unbroken.
        """
        roots = [g for g in self.generations if g.body.parent is None or self.orphan(g)]
        waiting: list[tuple[Generation, str, str]] = [
            (root, "", "o" if self.orphan(root) else "+") for root in reversed(roots)
        ]
        # A stack and no recursion: a line of a thousand rounds is a tree a thousand deep.
        while waiting:
            generation, lines, mark = waiting.pop()
            yield Limb(generation, f"{lines}{mark}")
            own = lines + "| " if mark == "|-*" else lines
            children = self._trunk_first(generation)
            waiting += [(trunk, own, "*") for trunk in children[:1]]
            waiting += [(branch, own, "|-*") for branch in reversed(children[1:])]

    def _trunk_first(self, generation: Generation) -> list[Generation]:
        """Return a generation's children, the one of its own run first, else the oldest."""
        return sorted(self.children[generation.hash], key=lambda child: child.observed.run != generation.observed.run)
