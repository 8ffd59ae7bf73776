"""The generations of a registry as a tree: what was made from what, and what people call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from eigen_cli.api.browsing import Damaged, Listing, Push
from eigen_cli.api.canonical import SHORT
from eigen_cli.api.generations import Generation
from eigen_cli.commands.generation_views import (
    FIGURES,
    FIRST_TO_GO,
    ablations,
    actors_text,
    domain_text,
    figure_cells,
)
from eigen_cli.commands.tables import table_within
from eigen_cli.evolve.lineage import Limb, Lineage

LATEST = "latest"
"""The tag that moves by itself."""
_RUN_SHOWN = 8


class Names(NamedTuple):
    """What people and the Hub call the generations of a registry, by hash."""

    tags: Mapping[str, Sequence[str]]
    pushes: Mapping[str, Sequence[Push]]
    damaged: Mapping[str, Damaged] = {}
    """Generations that have names and can be no part of the tree."""

    @classmethod
    def of(cls, listing: Listing) -> Names:
        """Return the names of everything in a registry."""
        tags: dict[str, list[str]] = {}
        for tag, hash_ in sorted(listing.tags.items()):
            tags.setdefault(hash_, []).append(tag)
        if listing.latest is not None:
            tags.setdefault(listing.latest, []).append(LATEST)
        pushes: dict[str, list[Push]] = {}
        for push in listing.pushes:
            pushes.setdefault(push.hash, []).append(push)
        return cls(tags, pushes, {one.hash: one for one in listing.damaged})

    def json(self, generation: Generation) -> dict[str, Any]:
        """Return a generation's names as `--json` prints them."""
        pushed = [{"repo": push.repo, "tag": push.tag, "commit": push.commit} for push in self._pushes(generation)]
        return {"tags": list(self.tags.get(generation.hash, ())), "pushed": pushed}

    def texts(self, generation: Generation | Damaged) -> list[str]:
        """Return a generation's tags, and where it was pushed, each place once."""
        places = dict.fromkeys(f"pushed {push.repo}@{push.tag}" for push in self._pushes(generation))
        return [*self.tags.get(generation.hash, ()), *places]

    def _pushes(self, generation: Generation | Damaged) -> Sequence[Push]:
        return self.pushes.get(generation.hash, ())


def lineage_json(generation: Generation, lineage: Lineage, names: Names) -> dict[str, Any]:
    """Return what a generation is among the others: its names, and those made from it."""
    return {**names.json(generation), "children": [child.id for child in lineage.children[generation.hash]]}


def lineage_table(limbs: Sequence[Limb], lineage: Lineage, names: Names, *, width: int) -> str:
    """Return one line a generation behind the drawing of its tree; columns go where the width is too small.

    Below stand those that are damaged: nobody knows where they belong.
    """
    columns: dict[str, list[str]] = {
        "": [limb.graph for limb in limbs],
        "id": [limb.generation.id for limb in limbs],
        "hash": [limb.generation.hash[:SHORT] for limb in limbs],
        "domain": [domain_text(limb.generation.body) for limb in limbs],
        "seed": [str(limb.generation.body.seed) for limb in limbs],
        "round": [str(limb.generation.body.round) for limb in limbs],
    }
    figures = [figure_cells(limb.generation.body) for limb in limbs]
    columns |= {name: [cells[place] for cells in figures] for place, name in enumerate(FIGURES)}
    columns["actors"] = [_actors(limb.generation) for limb in limbs]
    without = [", ".join(ablations(limb.generation)) or "-" for limb in limbs]
    if any(text != "-" for text in without):
        columns["without"] = without
    columns["run"] = [limb.generation.observed.run[:_RUN_SHOWN] for limb in limbs]
    columns["names"] = [_names(limb.generation, lineage, names) for limb in limbs]
    for damaged in names.damaged.values():
        known = {"": "?", "id": damaged.id, "hash": damaged.hash[:SHORT]}
        for name, cells in columns.items():
            cells.append(known.get(name, "-"))
        columns["names"][-1] = ", ".join(["damaged", *names.texts(damaged)])
    if not any(columns["names"]):
        del columns["names"]
    return table_within(columns, width=width, first_to_go=FIRST_TO_GO, right=("seed", "round", *FIGURES))


def _names(generation: Generation, lineage: Lineage, names: Names) -> str:
    parent = generation.body.parent or ""
    absent = []
    if parent in names.damaged:
        absent = [f"parent {names.damaged[parent].id} is damaged"]
    elif lineage.orphan(generation):
        absent = [f"parent {parent[:SHORT]} is not here"]
    return ", ".join([*names.texts(generation), *absent])


def _actors(generation: Generation) -> str:
    return "SIMULATED" if generation.body.simulated else actors_text(generation.body.actors)
