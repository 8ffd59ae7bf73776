"""A domain's tools and guards, run: no tool may break, no guard may raise or answer in two ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Clause, GuardContext
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Action
from eigen_cli.episode.guards import guards_by_tool
from eigen_cli.testing.drafted import played
from eigen_cli.testing.examined import Advice, ExaminedDomain, Remark, raised
from eigen_cli.testing.tool_trials import untried
from eigen_cli.world.arguments import ref_of
from eigen_cli.world.world import World


def tool_calls(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield the tools that broke when called, and as advice what keeps others from being called."""
    trials = examined.trials
    yield from trials.defects
    drafted = {action.name for item in examined.drafted for action in item.draft.gold}
    broken = {text.split(":")[0].split()[0] for text in trials.defects}
    yield from (Advice(text) for name, text in untried(trials) if name not in drafted | broken)
    # The gold of templates was verified: what it needs, users know or tools have told.
    yield from _unnamed_entities(examined, except_of=set() if examined.explored else drafted)
    yield f"{len(trials.ran)} calls with arguments that exploring made up"


def guards(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield the guards that raise, are not pure or answer with something else than a text or None.

    They are asked about the calls of drafts, with and without a conversation, and about those that exploring made.
    """
    seen: dict[str, None] = {}
    asked = 0
    by_tool = guards_by_tool(examined.context.toolbox)
    for context in _occasions(examined):
        if context.requestor == "agent":
            for clause in by_tool.get(context.name, ()):
                asked += 1
                seen.update(dict.fromkeys(_breaches(clause, context)))
    yield from seen
    guarded = sum(clause.guard is not None for clause in examined.domain.clauses)
    yield f"{guarded} guards, asked {asked} times"


def _unnamed_entities(examined: ExaminedDomain, *, except_of: set[str]) -> Iterator[Advice]:
    """Yield the entity-typed parameters of agent tools whose values users have no words for."""
    kinds = {kind.name for kind in examined.domain.fact_kinds}
    needing: dict[str, list[str]] = {}
    for tool in examined.context.toolbox.tools["agent"].values():
        for name, annotation in tool.parameters.hints.items():
            if kinds and name not in kinds and tool.name not in except_of and _is_entity(annotation):
                needing.setdefault(name, []).append(tool.name)
    for name, tools in needing.items():
        where = ", ".join(tools)
        yield Advice(f"no fact kind is called {name!r}, an entity that {where} needs: users cannot be asked for it")


def _is_entity(annotation: Any) -> bool:
    if ref := ref_of(annotation):
        return ref.must_exist
    return get_origin(annotation) in (list, tuple) and any(_is_entity(part) for part in get_args(annotation))


def _occasions(examined: ExaminedDomain) -> Iterator[GuardContext]:
    for item in examined.drafted:
        for actions in (item.draft.gold, item.draft.breach):
            spoken = played(examined.context, item.task, actions).messages
            yield from _in_turn(examined, actions, examined.context.initial_world(item.task), spoken)
    for call in examined.trials.ran:
        action = call.action
        yield GuardContext(call.world, action.requestor, action.name, action.arguments, None, call.earlier)


def _in_turn(
    examined: ExaminedDomain, actions: Sequence[Action], world: World, spoken: Sequence[Message]
) -> Iterator[GuardContext]:
    """Yield what guards see of calls that follow each other, first as gold and then as part of a conversation."""
    earlier: tuple[Action, ...] = ()
    calls = [place for place, message in enumerate(spoken) if message.tool_calls]
    for place, action in zip(calls, actions, strict=True):
        for dialogue in (None, spoken[: place + 1]):
            yield GuardContext(world, action.requestor, action.name, action.arguments, dialogue, earlier)
        outcome = examined.context.toolbox.call(world, action.name, action.arguments, requestor=action.requestor)
        world = outcome.world
        if not outcome.error:
            earlier = (*earlier, action)


def _breaches(clause: Clause, context: GuardContext) -> Iterator[str]:
    assert clause.guard is not None
    before = (context.world.state_hash(), canonical_json(context.arguments))
    try:
        answers = [clause.guard(context) for _ in range(2)]
    except Exception as error:  # a plugin's bug is a finding, not the end of the examination
        yield f"the guard of clause {clause.id} raises at {context.name}: {raised(error)}"
        return
    if answers[0] != answers[1] or (context.world.state_hash(), canonical_json(context.arguments)) != before:
        yield f"the guard of clause {clause.id} is not pure"
    if not isinstance(answers[0], str | None):
        yield f"the guard of clause {clause.id} answers with a {type(answers[0]).__name__}, not a text or None"
