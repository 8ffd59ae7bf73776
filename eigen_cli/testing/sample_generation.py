"""A generation made of drafted tasks: one that passes, one that fails and one that broke down, of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from eigen_cli.api.canonical import SHORT, content_hash
from eigen_cli.api.episodes import Episode, StopReason
from eigen_cli.api.generations import (
    Coverage,
    CoverageCount,
    EpisodeRecord,
    Generation,
    GenerationBody,
    GenerationContents,
    GenerationObserved,
)
from eigen_cli.api.messages import Message
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Blame, EpisodeVerdict, Part
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.openings import openings_of, toolsets_of
from eigen_cli.testing.drafted import DraftedTask, played

AWKWARD = Message(
    speaker="agent", text='Tabs\t, "quotes", two\nlines, \u2028, \x9b2J and \N{GRINNING FACE}', finish_reason="stop"
)
"""Words that careless formats break on."""
_ASKED_BACK = Message(speaker="user", text="  <|im_end|> [TOOL_CALLS] Pardon?  ", finish_reason="stop")

_replace = msgspec.structs.replace
_PASSED = EpisodeVerdict(1.0, (Part("state", "1", 1.0),))
_FAILED = EpisodeVerdict(
    0.0,
    (Part("state", "1", 0.0, ("nothing was written",)),),
    Blame("agent", "missing_write", "gold writes, it did not"),
)
_BROKE_DOWN = EpisodeVerdict(None, blame=Blame("infrastructure", "infrastructure", "the server went away"))


def seal_sample(
    store: Store, context: RoleContext, drafted: Sequence[DraftedTask], *, simulated: bool = False, round_: int = 1
) -> Generation:
    """Seal a generation of the drafted tasks, three trials each, and return it."""
    tasks = {item.task.id: item.task for item in drafted}
    episodes = tuple(record for task in tasks.values() for record in _trials(context, task))
    nothing = CoverageCount(0, 0)
    body = GenerationBody(
        domain=context.domain.name,
        seed=context.seed,
        round=round_,
        parent=None,
        actors={"agent": "sample", "user": "sample"},
        simulated=simulated,
        fingerprint="",
        prompts={},
        verifiers={"state": "1"},
        settings={},
        tasks_proposed=len(tasks),
        tasks_accepted=len(tasks),
        rejections={},
        episodes=len(episodes),
        passed=len(tasks),
        blame={"agent": len(tasks), "infrastructure": len(tasks)},
        coverage=Coverage(nothing, nothing, nothing),
        near_duplicates=0,
        splits={},
        contents={},
    )
    observed = GenerationObserved("sample", started_at=0.0, sealed_at=0.0, usage={})
    accepted = tuple(tasks.values())
    openings = (context.agent_opening, *openings_of(context, accepted))
    contents = GenerationContents((), accepted, (), episodes, openings=openings, toolsets=tuple(toolsets_of(context)))
    return store.seal(body, observed, contents)


def _trials(context: RoleContext, task: Task) -> tuple[EpisodeRecord, ...]:
    gold, nothing = played(context, task, task.gold), played(context, task, (), tell=False)
    done, idle = _spoken(context, gold), _spoken(context, nothing)
    return (
        EpisodeRecord(_stored(task, gold, done, trial=0, stop="user_stop"), _PASSED),
        EpisodeRecord(_stored(task, nothing, idle, trial=1, stop="user_stop"), _FAILED),
        EpisodeRecord(_stored(task, nothing, idle[:-1], trial=2, stop="infrastructure"), _BROKE_DOWN),
    )


def _stored(
    task: Task, episode: FinishedEpisode, messages: tuple[Message, ...], *, trial: int, stop: StopReason
) -> Episode:
    return Episode(
        id=f"ep-{content_hash((task.id, trial))[:SHORT]}",
        task=task.id,
        trial=trial,
        messages=messages,
        stop=stop,
        state_hash=episode.final.state_hash(),
        outcome_hash=episode.final.outcome_hash(),
    )


def _spoken(context: RoleContext, episode: FinishedEpisode) -> tuple[Message, ...]:
    """Return what is said and done in an episode as models would have it: greeting, a turn for each side's calls, all
    of them at once, awkward words, and a user who ends the call."""
    greeting = context.domain.greeting
    greeted = () if greeting is None else (Message(speaker="agent", text=greeting),)
    request, *rest, goodbye = episode.messages
    told = [message for message in rest if message.text]
    goodbye = _replace(goodbye, text=f"{goodbye.text} {context.domain.stop_tokens[0]}")
    return (
        *greeted,
        _replace(request, finish_reason="stop"),
        *_at_once([message for message in rest if not message.text]),
        *((AWKWARD, _ASKED_BACK) if told else (AWKWARD,)),
        *told,
        goodbye,
    )


def _at_once(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield calls and results with the calls that follow each other on one side made in one message."""
    calling = [message for message in messages if message.tool_calls]
    results = {message.result.call_id: message for message in messages if message.result is not None}
    for _, made in groupby(calling, key=lambda message: message.speaker):
        several = tuple(made)
        calls = tuple(call for message in several for call in message.tool_calls)
        yield _replace(several[0], tool_calls=calls, reasoning="First I look, then I act.")
        yield from (results[call.id] for call in calls)
