"""Blame by evidence: who caused a failure, as far as code can show it.

Every finding has a turn; the earliest one wins, because what follows a first fault may follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain, FactKind
from eigen_cli.api.episodes import AGENT_STOPS, USER_STOPS
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Scenario
from eigen_cli.api.verdicts import Blame, Part
from eigen_cli.episode.guards import Breach
from eigen_cli.episode.record import executed_calls
from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.episode.state import EpisodeState
from eigen_cli.roles.context import RoleContext

_CLAIMS = re.compile(
    r"\b(?:(?:has|have|had) been|(?:is|are) (?:now|all)|i(?:'ve| have)(?: now| just| successfully)*|successfully|"
    r"all set|done|completed?|confirmed|went through|you're (?:now )?booked)\b",
    re.IGNORECASE,
)
"""How agents say that something was carried out."""
_DECLINES = re.compile(
    r"\b(?:can(?:no|')t|cannot|unable|not (?:able|possible|eligible|allowed|permitted)|won't be able|unfortunately)\b",
    re.IGNORECASE,
)
"""How agents decline."""
_OFFERS = re.compile(r"\b(?:anything|something) else\b|\bfurther\b.*\?", re.IGNORECASE)
"""How agents ask whether that was all."""


def blame_by_evidence(
    context: RoleContext,
    state: EpisodeState,
    *,
    parts: Sequence[Part],
    breaches: Sequence[Breach],
    replayer: GoldReplayer,
) -> Blame:
    """Return who is to blame for a failed episode, or `undetermined` where the evidence does not say."""
    if replayer.gold_errors():
        return Blame("task", "gold_error", replayer.gold_errors()[0])
    findings = [*_user_findings(context, state, replayer), *_agent_findings(context, state, breaches)]
    if findings:
        return min(findings, key=lambda finding: finding.turn if finding.turn is not None else state.turn)
    failed = [part for part in parts if part.score < 1 and part.verifier in state.task.reward.training]
    if not failed:
        return Blame("undetermined", "undetermined")
    evidence = "; ".join(failed[0].evidence)
    if failed[0].verifier == "state" and not _agent_answered_for_it(context, state):
        # A write is missing, but the agent neither claimed it nor declined: the user may never have asked for it.
        return Blame("undetermined", "missing_write", evidence)
    return Blame("agent", f"{failed[0].verifier}_failed", evidence)


def _user_findings(context: RoleContext, state: EpisodeState, replayer: GoldReplayer) -> Iterator[Blame]:
    """Yield what the simulated user did against its scenario."""
    yield from _invented_facts(context.domain, state.task.scenario, state.messages)
    if state.stop in USER_STOPS:
        yield Blame("user", state.stop or "", "the simulated user gave no usable turn", state.turn - 1)
    elif state.stop == "user_stop" and _stopped_early(context, state, replayer):
        yield Blame("user", "early_stop", "the user ended the call before what it asked for was done", state.turn - 1)


def _agent_findings(context: RoleContext, state: EpisodeState, breaches: Sequence[Breach]) -> Iterator[Blame]:
    """Yield what the agent did against the policy, the task or the form of the conversation."""
    for breach in breaches:
        yield Blame("agent", "policy_breach", f"{breach.clause} by {breach.tool}: {breach.what}", breach.turn)
    if state.stop in AGENT_STOPS:
        yield Blame("agent", state.stop or "", "", state.turn - 1)
    wrong = _wrong_write(context, state)
    if wrong is not None:
        yield wrong


def _wrong_write(context: RoleContext, state: EpisodeState) -> Blame | None:
    """Return the first successful write that no gold action makes, in an episode whose outcome is not gold's."""
    replayer = GoldReplayer(state.task.gold, state.initial, context.toolbox)
    if state.world.outcome_hash() == replayer.gold_world().outcome_hash():
        return None
    gold = [(action.name, action.arguments) for action in state.task.gold if action.requestor == "agent"]
    refused = {m.result.call_id for m in state.messages if m.result is not None and m.result.error}
    turn = -1
    for message in state.messages:
        turn += message.finish_reason is not None
        for call in message.tool_calls:
            if call.requestor != "agent" or call.id in refused or not context.toolbox.writes("agent", call.name):
                continue
            if (call.name, call.arguments) not in gold:
                evidence = f"{call.name} {call.raw_arguments}"
                strange = _asked_by_user(call.arguments or {}, state)
                if strange is not None:
                    return Blame(
                        "user", "changed_goal", f"asked for {strange!r}, not in its scenario: {evidence}", turn
                    )
                return Blame("agent", "wrong_write", evidence, turn)
    return None


def _asked_by_user(arguments: Mapping[str, Any], state: EpisodeState) -> str | None:
    """Return an argument's value that the user named itself and that its scenario does not hold, or None.

    Only plain words and ids can be recognised in speech; `yes` and `no` and the like say nothing by themselves.
    """
    scenario = _plain(canonical_json(state.task.scenario).decode())
    for value in arguments.values():
        words = _plain(value).replace("_", " ") if isinstance(value, str) else ""
        if len(words) < 4 or words in scenario or _plain(value) in scenario:
            continue
        pattern = re.compile(rf"\b{re.escape(words)}\b")
        first = next((m for m in state.messages if m.text and pattern.search(_plain(m.text))), None)
        if first is not None and first.speaker == "user":
            return words
    return None


def _agent_answered_for_it(context: RoleContext, state: EpisodeState) -> bool:
    """Whether the agent claimed something was done, declined it, or handed the customer over."""
    said = [message.text for message in state.messages if message.speaker == "agent"]
    if any(_CLAIMS.search(text) or _DECLINES.search(text) for text in said):
        return True
    return any(ok and call.name == context.domain.handover_tool for call, ok in executed_calls(state.messages))


def _stopped_early(context: RoleContext, state: EpisodeState, replayer: GoldReplayer) -> bool:
    """Whether the user stopped while a gold write was missing that the agent had not claimed to have made."""
    if state.world.outcome_hash() == replayer.gold_world().outcome_hash():
        return False
    wanted = [a for a in state.task.gold if a.requestor == "agent" and context.toolbox.writes("agent", a.name)]
    made = [call.name for call, ok in executed_calls(state.messages) if ok]
    for action in wanted:
        if action.name not in made:
            break
        made.remove(action.name)
    else:
        return False
    said = [message.text for message in state.messages if message.speaker == "agent" and message.text]
    last = said[-1] if said else ""
    # An agent that asks for something was still at work; one that claims, declines or offers more help was not.
    finished = _CLAIMS.search(last) or _DECLINES.search(last) or _OFFERS.search(last)
    return not finished and (last.rstrip().endswith("?") or not said)


def _invented_facts(domain: Domain, scenario: Scenario, messages: Sequence[Message]) -> Iterator[Blame]:
    """Yield each value of a recognisable kind that the user stated and could not know.

    Such a value stands neither in the scenario nor in anything said or shown to the user before.
    """
    kinds = _patterns(domain)
    known = {_plain(fact.value) for fact in scenario.facts()}
    prose = _plain(" ".join([scenario.reason, scenario.instructions, *(goal.request for goal in scenario.goals)]))
    heard: list[str] = [prose, *(_plain(fact.text) for fact in scenario.facts())]
    turn = -1
    for message in messages:
        turn += message.finish_reason is not None
        if message.speaker == "agent":
            heard.append(_plain(message.text))
        elif message.result is not None and message.result.requestor == "user":
            heard.append(_plain(message.result.content))
        elif message.speaker == "user":
            for kind, pattern in kinds:
                for value in _values(pattern, message.text):
                    if value not in known and not any(value in text for text in (*known, *heard)):
                        yield Blame("user", "invented_fact", f"{kind.name} {value!r} is not in its scenario", turn)


@lru_cache(maxsize=8)
def _patterns(domain: Domain) -> tuple[tuple[FactKind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(kind.pattern)) for kind in domain.fact_kinds if kind.pattern)


def _values(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield _plain(match[1] if pattern.groups else match[0])


def _plain(value: object) -> str:
    return str(value).strip().lower()
