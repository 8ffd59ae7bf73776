"""Coverage: which of a domain's tools, tool pairs and policy clauses accepted tasks touch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import msgspec

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.generations import Coverage, CoverageCount
from eigen_cli.api.inputs import CoverageGap
from eigen_cli.api.tasks import Action, Task, WorldRef
from eigen_cli.roles.context import RoleContext

Pair = tuple[str, str]
_DRAFTS = 4
"""Drafts a template is asked for when the attainable pairs are counted."""


class Touched(msgspec.Struct, frozen=True):
    """What a set of tasks touches."""

    tools: frozenset[str] = frozenset()
    tool_pairs: frozenset[Pair] = frozenset()
    clauses: frozenset[str] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(self.tools | other.tools, self.tool_pairs | other.tool_pairs, self.clauses | other.clauses)

    @property
    def size(self) -> int:
        """How many things are touched."""
        return len(self.tools) + len(self.tool_pairs) + len(self.clauses)


def touched_by(gold: Iterable[Action], clauses: Iterable[str]) -> Touched:
    """Return what one task touches; a tool pair is two gold actions following each other."""
    names = [action.name for action in gold]
    return Touched(frozenset(names), frozenset(pairwise(names)), frozenset(clauses))


def touched_by_all(tasks: Iterable[Task]) -> Touched:
    """Return what several tasks touch."""
    touched = Touched()
    for task in tasks:
        touched |= touched_by(task.gold, task.clauses)
    return touched


def attainable(context: RoleContext, world: WorldRef) -> Touched:
    """Return what the templates can touch: all tools and clauses, and the pairs seen in a few drafts of each."""
    view = context.world(world)
    tools = frozenset(name for side in context.toolbox.tools.values() for name in side)
    touched = Touched(tools, clauses=frozenset(clause.id for clause in context.domain.clauses))
    for name, template in context.templates.items():
        rng = derive_rng("attainable", name, world.seed)
        for _ in range(_DRAFTS):
            draft = template.draft(view, rng)
            if draft is not None:
                touched |= Touched(tool_pairs=touched_by(draft.gold, ()).tool_pairs)
    return touched


def counted(touched: Touched, whole: Touched) -> Coverage:
    """Return coverage counts; `whole` must include what was touched."""
    return Coverage(
        tools=CoverageCount(len(touched.tools), len(whole.tools)),
        tool_pairs=CoverageCount(len(touched.tool_pairs), len(whole.tool_pairs)),
        clauses=CoverageCount(len(touched.clauses), len(whole.clauses)),
    )


def gap_between(whole: Touched, touched: Touched, *, slot: int = 0, slots: int = 1) -> CoverageGap:
    """Return what is missing, dealt out among plan slots so that they do not all fill the same hole."""
    return CoverageGap(
        tools=tuple(sorted(whole.tools - touched.tools)[slot::slots]),
        tool_pairs=tuple(sorted(whole.tool_pairs - touched.tool_pairs)[slot::slots]),
        clauses=tuple(sorted(whole.clauses - touched.clauses)[slot::slots]),
    )
