"""A grounded draft in words: what a task writer has to build on, and what the conversation will be measured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, WorldRef
from eigen_cli.episode.replay import replay
from eigen_cli.roles.context import RoleContext
from eigen_cli.world.toolbox import CallOutcome

_MOST_RETURNED = 24_000
"""Characters of results shown in all; what is longer is cut, each result to an equal share."""
_MEASURES: Mapping[str, str] = {
    "state": "the database ends up as the gold actions leave it",
    "actions": "the gold calls were made",
    "checks": "every check holds",
    "communicate": "the agent has told the customer every value in `communicate`",
    "policy": "no clause was broken",
}


def success_text(basis: Sequence[str]) -> str:
    """Return what a reward basis asks for; verifiers that are not built in go by their names."""
    measures = [_MEASURES.get(name, f"`{name}` is satisfied") for name in basis]
    return f"{', '.join(measures[:-1])} and {measures[-1]}" if len(measures) > 1 else "".join(measures)


def draft_text(draft: Draft) -> str:
    """Return a draft as JSON, in the form in which the task is to be written."""
    shown = {
        "goals": draft.goals,
        "known": draft.known,
        "unknown": draft.unknown,
        "gold": draft.gold,
        "communicate": draft.communicate,
        "checks": draft.checks,
        "clauses": draft.clauses,
        "instructions": draft.instructions,
    }
    return msgspec.json.format(canonical_json(shown), indent=1).decode()


def returned_text(context: RoleContext, world: WorldRef, draft: Draft) -> str:
    """Return what the gold actions of a draft return, in their order."""
    return outcomes_text(
        draft.gold, replay(draft.gold, context.world(world).patched(draft.patch), context.toolbox).outcomes
    )


def outcomes_text(actions: Sequence[Action], outcomes: Sequence[CallOutcome]) -> str:
    """Return actions and what each returned, one a line."""
    share = _MOST_RETURNED // max(1, len(outcomes))
    lines = []
    for action, outcome in zip(actions, outcomes, strict=True):
        content = outcome.content if len(outcome.content) <= share else f"{outcome.content[:share]}… (cut)"
        arguments = canonical_json(action.arguments).decode()
        lines.append(f"- {action.requestor}'s {action.name}({arguments}): {content}")
    return "\n".join(lines) or "(no actions)"
