"""The episode verifier: executes the reward and, on failure, assigns blame; evidence first, a judge only after it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from eigen_cli.api.backend import Chat, Request
from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.inputs import JudgeInputs
from eigen_cli.api.outputs import JudgeOutput, schema_of
from eigen_cli.api.plans import Plan
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Blame, EpisodeVerdict, Part
from eigen_cli.api.verifier import EpisodeView, Replayer
from eigen_cli.episode.guards import Breach, breaches_of_episode
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.episode.state import EpisodeState
from eigen_cli.roles.blame import blame_by_evidence
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.prompting import load_prompt
from eigen_cli.roles.scenario_text import scenario_text
from eigen_cli.roles.speech import dialogue_line, with_turns
from eigen_cli.roles.structured import UnusableReplyError, ask_structured
from eigen_cli.roles.user_faults import user_findings

POLICY_PART = "policy"
POLICY_VERSION = "2"


async def verify_episode(context: RoleContext, plan: Plan, state: EpisodeState) -> EpisodeVerdict:
    """Return the verdict on a finished episode.

    An infrastructure failure has no reward. An episode the user did not end, or whose task's gold does not replay,
    earns 0 whatever the verifiers say.
    """
    if state.stop == "infrastructure":
        return EpisodeVerdict(None, blame=Blame("infrastructure", "infrastructure", state.failure))
    episode, replayer = FinishedEpisode.of(state), context.gold(state.task)
    breaches = breaches_of_episode(state.messages, state.initial, context.toolbox)
    parts = (*score(context, state.task, episode, replayer), policy_part(breaches))
    countable = state.stop == "user_stop" and not replayer.gold_errors()
    reward = combined(parts, state.task.reward.training) if countable else 0.0
    violations = tuple(user_findings(context, state))
    if reward == 1.0:
        return EpisodeVerdict(reward, parts, violations=violations)
    blame = blame_by_evidence(context, state, parts=parts, breaches=breaches, violations=violations, replayer=replayer)
    if blame.party == "undetermined":
        blame = await _judged(context, plan, state, parts)
    return EpisodeVerdict(reward, parts, blame, violations)


def score(context: RoleContext, task: Task, episode: EpisodeView, replayer: Replayer) -> tuple[Part, ...]:
    """Return every verifier's part, in the order of their names."""
    return tuple(verifier.verify(task, episode, replayer) for _, verifier in sorted(context.verifiers.items()))


def combined(parts: Sequence[Part], basis: Sequence[str]) -> float:
    """Return the product of the scores in a reward basis."""
    return prod(part.score for part in parts if part.verifier in basis)


def policy_part(breaches: Sequence[Breach]) -> Part:
    """Return the guarded clauses' part."""
    evidence = tuple(f"{breach.clause} by {breach.tool}: {breach.what}" for breach in breaches)
    return Part(POLICY_PART, POLICY_VERSION, 0.0 if breaches else 1.0, evidence)


async def _judged(context: RoleContext, plan: Plan, state: EpisodeState, parts: Sequence[Part]) -> Blame:
    """Ask the judge to narrow what evidence left open; its word is marked as such, and its silence changes nothing."""
    findings = tuple(f"{part.verifier}: {line}" for part in parts for line in part.evidence)
    prompt = load_prompt("judge")
    scenario = state.task.scenario
    text = prompt.render(
        scenario=scenario_text(context.domain, scenario),
        policy=context.policy,
        findings="\n".join(f"- {finding}" for finding in findings) or "(nothing)",
        criteria="\n".join(f"- {criterion.text}" for criterion in plan.body.evaluation.criteria) or "(nothing special)",
        conversation="\n".join(f"{turn}. {dialogue_line(message)}" for turn, message in with_turns(state.messages)),
    )
    key = state.key
    request = Request(
        role="judge",
        key=context.key("judge", round_=key.round, plan=key.plan, task=key.task, trial=key.trial, turn=state.turn),
        inputs=JudgeInputs(context.domain, plan, scenario, state.messages, findings),
        chat=Chat.of({"role": "user", "content": text}),
        schema=schema_of(JudgeOutput),
        prompt_version=prompt.version,
    )
    try:
        output, _, _ = await ask_structured(context.completer, request, JudgeOutput, repairs=context.repairs)
    except BackendUnreachableError:
        raise
    except (UnusableReplyError, BackendError) as error:
        return Blame("undetermined", "undetermined", f"the judge gave no usable answer: {error}")
    return Blame(output.party, output.reason, output.evidence, by="judge")
