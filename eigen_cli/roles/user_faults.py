"""What a simulated user did against its scenario, as far as its words show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain, FactKind
from eigen_cli.api.episodes import USER_STOPS
from eigen_cli.api.verdicts import Blame
from eigen_cli.episode.record import executed_calls
from eigen_cli.episode.state import EpisodeState
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.speech import SWITCHES, still_at_work, telling_words, with_turns


def user_findings(context: RoleContext, state: EpisodeState) -> Iterator[Blame]:
    """Yield the user's faults in a failed episode, each with its turn."""
    yield from _invented_facts(context, state)
    yield from _changed_goal(context, state)
    if state.stop in USER_STOPS:
        yield Blame("user", state.stop or "", "the simulated user gave no usable turn", state.turn - 1)
    elif state.stop == "user_stop" and _stopped_early(state):
        yield Blame("user", "early_stop", "the user ended the call while the agent was still asking", state.turn - 1)


def _stopped_early(state: EpisodeState) -> bool:
    """Whether the user stopped although the agent, not done and not refusing, had just asked it for something."""
    said = [message.text for message in state.messages if message.speaker == "agent" and message.text]
    return not said or still_at_work(said[-1])


def _changed_goal(context: RoleContext, state: EpisodeState) -> Iterator[Blame]:
    """Yield the first message in which the user drops its goal for another tool's business.

    Two things must come together: words that drop a request, and the word by which one writing tool differs from all
    others, where neither the gold actions nor the scenario know it.
    """
    words = _telling_words(context, state)
    if not words:
        return
    for turn, message in with_turns(state.messages):
        if message.speaker == "user" and SWITCHES.search(message.text):
            asked = words & set(re.findall(r"[a-z]+", message.text.lower()))
            if asked:
                evidence = f"asks for {min(asked)!r} instead, which is not in its scenario"
                yield Blame("user", "changed_goal", evidence, turn)
                return


def _telling_words(context: RoleContext, state: EpisodeState) -> set[str]:
    """Return the words that name, each alone, a writing tool that the task has no use for."""
    names = {
        name: set(name.split("_")) for name in context.toolbox.tools["agent"] if context.toolbox.writes("agent", name)
    }
    gold = {action.name for action in state.task.gold}
    scenario = set(re.findall(r"[a-z]+", canonical_json(state.task.scenario).decode().lower()))
    telling: set[str] = set()
    for name, words in names.items():
        if name not in gold:
            others = set().union(*(other for known, other in names.items() if known != name))
            telling |= words - others
    return telling - scenario


def _invented_facts(context: RoleContext, state: EpisodeState) -> Iterator[Blame]:
    """Yield each value of a recognisable kind that the user stated and could not know.

    Of such a value something stands neither in the scenario nor in anything said or shown to the user before: people
    say what they know in other words and in another order, so it is compared word by word (`telling_words`). A slip
    that the user puts right, by stating a value of that kind it does know, before anything was written with it, is
    forgiven.
    """
    scenario = state.task.scenario
    heard = telling_words(
        " ".join([scenario.reason, scenario.instructions, *(goal.request for goal in scenario.goals)])
    )
    for fact in scenario.facts():
        heard |= telling_words(f"{_written(fact.value)} {fact.text}")
    for turn, message in with_turns(state.messages):
        if message.speaker == "agent":
            heard |= telling_words(message.text)
        elif message.result is not None and message.result.requestor == "user":
            heard |= telling_words(message.result.content)
        elif message.speaker == "user":
            for kind, pattern in _patterns(context.domain):
                for value in _values(pattern, message.text):
                    if telling_words(value) <= heard or _put_right(context, state, pattern, value, turn=turn):
                        continue
                    yield Blame("user", "invented_fact", f"{kind.name} {value!r} is not in its scenario", turn)


def _put_right(context: RoleContext, state: EpisodeState, pattern: re.Pattern[str], value: str, *, turn: int) -> bool:
    """Whether the user later stated a value of the same kind from its scenario, and no write used the wrong one."""
    known = [telling_words(f"{_written(fact.value)} {fact.text}") for fact in state.task.scenario.facts()]
    corrected = any(
        message.speaker == "user"
        and later > turn
        and any(telling_words(again) <= words for again in _values(pattern, message.text) for words in known)
        for later, message in with_turns(state.messages)
    )
    written = any(
        ok
        and context.toolbox.writes(call.requestor, call.name)
        and value.lower() in canonical_json(call.arguments).decode().lower()
        for call, ok in executed_calls(state.messages)
    )
    return corrected and not written


def _written(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()


@lru_cache(maxsize=8)
def _patterns(domain: Domain) -> tuple[tuple[FactKind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(kind.pattern)) for kind in domain.fact_kinds if kind.pattern)


def _values(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield match[1] if pattern.groups else match[0]
