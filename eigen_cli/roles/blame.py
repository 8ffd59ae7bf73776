"""Blame by evidence: who caused a failure, as far as code can show it.

Every finding has a turn; the earliest one wins, because what follows a first fault may follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigen_cli.api.episodes import AGENT_STOPS
from eigen_cli.api.verdicts import Blame, Part
from eigen_cli.episode.guards import Breach
from eigen_cli.episode.record import executed_calls
from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.episode.state import EpisodeState
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.speech import CLAIMS, DECLINES, with_turns


def blame_by_evidence(
    context: RoleContext,
    state: EpisodeState,
    *,
    parts: Sequence[Part],
    breaches: Sequence[Breach],
    violations: Sequence[Blame],
    replayer: GoldReplayer,
) -> Blame:
    """Return who is to blame for a failed episode, or `undetermined` where the evidence does not say.

    `violations` are the user's, as `user_findings` gives them.
    """
    if replayer.gold_errors():
        return Blame("task", "gold_error", replayer.gold_errors()[0])
    if state.defects:
        return Blame("task", "tool_defect", state.defects[0])
    findings = [*violations, *_agent_findings(context, state, breaches, replayer)]
    if findings:
        return min(findings, key=lambda finding: finding.turn if finding.turn is not None else state.turn)
    basis = state.task.reward.training
    # In the order of the basis: what was done says more than what was told of it.
    failed = sorted((p for p in parts if p.score < 1 and p.verifier in basis), key=lambda p: basis.index(p.verifier))
    if not failed:
        return Blame("undetermined", "undetermined")
    evidence = "; ".join(failed[0].evidence)
    if not _agent_answered_for_it(
        context, state, done=failed[0].verifier != "state" and _writes_in_gold(context, state)
    ):
        # Something is missing, and the agent neither claimed it nor declined: the user may never have asked for it.
        return Blame("undetermined", f"{failed[0].verifier}_failed", evidence)
    return Blame("agent", f"{failed[0].verifier}_failed", evidence)


def _agent_findings(
    context: RoleContext, state: EpisodeState, breaches: Sequence[Breach], replayer: GoldReplayer
) -> Iterator[Blame]:
    """Yield what the agent did against the policy, the task or the form of the conversation."""
    for breach in breaches:
        yield Blame("agent", "policy_breach", f"{breach.clause} by {breach.tool}: {breach.what}", breach.turn)
    if state.stop in AGENT_STOPS:
        yield Blame("agent", state.stop or "", "", state.turn - 1)
    if state.world.outcome_hash() != replayer.gold_world().outcome_hash():
        yield from _wrong_writes(context, state)


def _wrong_writes(context: RoleContext, state: EpisodeState) -> Iterator[Blame]:
    """Yield the successful writes that no gold action makes."""
    gold = [(action.name, action.arguments) for action in state.task.gold if action.requestor == "agent"]
    refused = {m.result.call_id for m in state.messages if m.result is not None and m.result.error}
    for turn, message in with_turns(state.messages):
        for call in message.tool_calls:
            if call.requestor != "agent" or call.id in refused or not context.toolbox.writes("agent", call.name):
                continue
            if (call.name, call.arguments) not in gold:
                yield Blame("agent", "wrong_write", f"{call.name} {call.raw_arguments}", turn)


def _writes_in_gold(context: RoleContext, state: EpisodeState) -> bool:
    return any(context.toolbox.writes(action.requestor, action.name) for action in state.task.gold)


def _agent_answered_for_it(context: RoleContext, state: EpisodeState, *, done: bool) -> bool:
    """Whether the agent claimed what is missing, declined it, or handed the customer over.

    Of several wishes, what the agent claimed after a write or declined may be another than the missing one, which the
    user perhaps never raised; unless all that was to be `done` was done, so that every wish was raised.
    """
    said = [message.text for message in state.messages if message.speaker == "agent"]
    made = [call for call, ok in executed_calls(state.messages) if ok and call.requestor == "agent"]
    if any(call.name == context.domain.handover_tool for call in made):
        return True
    claimed, declined = (any(words.search(text) for text in said) for words in (CLAIMS, DECLINES))
    if claimed and not any(context.toolbox.writes("agent", call.name) for call in made):
        return True
    return (claimed or declined) and (done or len(state.task.scenario.goals) == 1)
