"""The contract of a verifier: pure, in [0, 1], just to gold and to near misses."""

from __future__ import annotations

from collections.abc import Iterator

from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import Verifier
from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import DraftedTask, drafted_tasks, played

_TASKS_EACH = 2


def verifier_breaches(verifier: Verifier, context: RoleContext) -> Iterator[str]:
    """Yield how a verifier breaks its contract over a domain's drafted tasks."""
    if not verifier.name or not verifier.version:
        yield "a verifier has a name and a version"
    judged = rejected = 0
    for item in drafted_tasks(context, each=_TASKS_EACH):
        gold = _judged(verifier, context, item, drop_last_write=False, silent=False)
        yield from _malformed(verifier, gold, item)
        if _judged(verifier, context, item, drop_last_write=False, silent=False) != gold:
            yield f"{item.template.name}: judging the same episode twice gives two parts"
        if not gold.applicable:
            continue
        judged += 1
        if gold.score != 1.0:
            yield f"it gives {gold.score} to the gold actions of {item.template.name}: {'; '.join(gold.evidence)}"
        for silent in (False, True):
            miss = _judged(verifier, context, item, drop_last_write=True, silent=silent)
            yield from _malformed(verifier, miss, item)
            rejected += miss.score < 1.0
    if judged and not rejected:
        yield f"it gives full marks to every near miss of the {judged} tasks it applies to"


def _judged(
    verifier: Verifier, context: RoleContext, item: DraftedTask, *, drop_last_write: bool, silent: bool
) -> Part:
    actions = () if silent else item.draft.gold
    if drop_last_write:
        writes = [
            place for place, action in enumerate(actions) if context.toolbox.writes(action.requestor, action.name)
        ]
        actions = tuple(action for place, action in enumerate(actions) if place not in writes[-1:])
    episode = played(context, item.task, actions, tell=not silent)
    replayer = GoldReplayer(item.task.gold, context.initial_world(item.task), context.toolbox)
    return verifier.verify(item.task, episode, replayer)


def _malformed(verifier: Verifier, part: Part, item: DraftedTask) -> Iterator[str]:
    name = item.template.name
    if (part.verifier, part.version) != (verifier.name, verifier.version):
        yield f"{name}: its part is signed {part.verifier} {part.version}, not {verifier.name} {verifier.version}"
    if not 0.0 <= part.score <= 1.0:
        yield f"{name}: the score {part.score} is not in [0, 1]"
    if part.score < 1.0 and not part.evidence:
        yield f"{name}: it takes marks off without evidence"
    if not part.applicable and part.score != 1.0:
        yield f"{name}: a part that does not apply has the score 1, not {part.score}"
