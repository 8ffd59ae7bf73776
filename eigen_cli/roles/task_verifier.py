"""The task verifier: accepts or rejects a task with named reasons, all executed, before any rollout is paid for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.checks import checks_of
from eigen_cli.api.errors import VerifierError
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Action, Task
from eigen_cli.api.verdicts import Rejection, TaskVerdict
from eigen_cli.episode.guards import breaches_of_gold
from eigen_cli.episode.record import FinishedEpisode
from eigen_cli.episode.replay import Replayed, replay
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import combined, score
from eigen_cli.world.arguments import ref_of
from eigen_cli.world.world import World

VERSION = "2"
MOST_ACTIONS = 64
"""Gold actions a task may have; the longest of tau2-bench has 19. Replaying costs up to the square of their number."""
_REFUSAL = "I am sorry, but I cannot help you with that request."
_SUMMARY = "The customer asks for something I cannot do."


def verify_task(context: RoleContext, task: Task) -> TaskVerdict:
    """Return every reason found to reject a task.

    Order: form, gold replay, stability, policy, facts, benchmark entities, positive checks, null policies; what needs a
    working gold is not asked when gold does not work.
    """
    rejections = list(_form(context, task))
    if rejections:
        return TaskVerdict(tuple(rejections))
    initial = context.initial_world(task)
    gold = context.gold(task).replayed
    if gold.errors:
        return TaskVerdict((Rejection("gold_error", gold.errors[0]),))
    if replay(task.gold, initial, context.toolbox).world.state_hash() != gold.world.state_hash():
        rejections.append(Rejection("gold_unstable", "replaying gold twice gives two different states"))
    for breach in breaches_of_gold(task.gold, initial, context.toolbox)[:1]:
        rejections.append(Rejection("policy_breach", f"clause {breach.clause}, {breach.tool}: {breach.what}"))
    rejections += _missing_facts(context, task, gold)
    rejections += _benchmark_overlap(context, task)
    rejections += _reward_problems(context, task, initial, gold)
    return TaskVerdict(tuple(rejections))


def _form(context: RoleContext, task: Task) -> Iterator[Rejection]:
    """Yield references to checks and clauses the domain does not have, and empty scenarios."""
    if len(task.gold) > MOST_ACTIONS:
        yield Rejection("invalid_output", f"gold has {len(task.gold)} actions; {MOST_ACTIONS} are enough for any call")
    known = checks_of(context.domain)
    for check in task.checks:
        if check.name not in known:
            yield Rejection("invalid_output", f"there is no check {check.name!r}; there are {', '.join(sorted(known))}")
    clauses = {clause.id for clause in context.domain.clauses}
    for clause in task.clauses:
        if clause not in clauses:
            yield Rejection("invalid_output", f"there is no clause {clause!r}")
    if not task.scenario.goals or not all(goal.request.strip() for goal in task.scenario.goals):
        yield Rejection("invalid_output", "the scenario has no goal, or a goal without a request")


def _missing_facts(context: RoleContext, task: Task, gold: Replayed) -> Iterator[Rejection]:
    """Yield a rejection for a value the gold actions need and nobody could supply.

    An entity key in a gold call must stand in the scenario, follow from the results of earlier calls as the only
    candidate of its kind, or follow from them and be of a kind the scenario says the user does not know.
    """
    scenario = task.scenario
    told = canonical_json([fact.value for fact in scenario.facts()]).decode().lower()
    told += " ".join([scenario.reason, scenario.instructions, *(goal.request for goal in scenario.goals)]).lower()
    unknown = set(scenario.unknown)
    kinds = [(kind.name, re.compile(kind.pattern)) for kind in context.domain.fact_kinds if kind.pattern]
    seen = ""
    for action, outcome in zip(task.gold, gold.outcomes, strict=True):
        for value in _needed_values(context, action):
            if value.lower() in told:
                continue
            kind = next(((name, pattern) for name, pattern in kinds if pattern.fullmatch(value)), None)
            if kind is None and value in seen:
                continue
            if kind is not None and ((kind[0] in unknown and value in seen) or _only_candidate(kind[1], value, seen)):
                continue
            yield Rejection(
                "missing_fact", _what_is_missing(action, value, kind[0] if kind else "value", value in seen)
            )
            return
        seen += outcome.content


def _what_is_missing(action: Action, value: str, kind: str, in_results: bool) -> str:
    missing = (
        f"{action.name} needs the {kind} {value!r}, which the user is never told: give it as the `value` of a fact"
    )
    found = f", or name {kind} in `unknown` and say in a request what tells it apart from the others the agent finds"
    return missing + (found if in_results else "")


def _needed_values(context: RoleContext, action: Action) -> Iterator[str]:
    """Yield the entity keys among a gold action's arguments."""
    tool = context.toolbox.tool(action.requestor, action.name)
    if tool is None:
        return
    for name, value in action.arguments.items():
        if isinstance(value, str) and ref_of(tool.parameters.hints.get(name)) is not None:
            yield value
        elif isinstance(value, list):
            yield from _payment_like(value)


def _payment_like(values: Sequence[Any]) -> Iterator[str]:
    """Yield the values of `*_id` fields in a list of objects (payments and the like are keyed that way)."""
    for item in values:
        if isinstance(item, dict):
            yield from (value for name, value in item.items() if name.endswith("_id") and isinstance(value, str))


def _only_candidate(pattern: re.Pattern[str], value: str, seen: str) -> bool:
    candidates = {match[1] if pattern.groups else match[0] for match in pattern.finditer(seen)}
    return candidates == {value}


def _benchmark_overlap(context: RoleContext, task: Task) -> Iterator[Rejection]:
    reserved = context.domain.benchmark_entities
    if not reserved:
        return
    text = canonical_json((task.gold, task.scenario, task.patch)).decode()
    touched = sorted(entity for entity in reserved if entity in text)
    if touched:
        yield Rejection("benchmark_overlap", f"touches the benchmark's test entity {touched[0]}")


def _reward_problems(context: RoleContext, task: Task, initial: World, gold: Replayed) -> Iterator[Rejection]:
    """Yield what is wrong with the task's measure: gold fails it, nothing is measured, or doing nothing passes it."""
    replayer = context.gold(task)
    calls = tuple((action, True) for action in task.gold)
    told = tuple(Message(speaker="agent", text=f"{item.label}: {item.value}") for item in task.communicate)

    def reward(messages: Sequence[Message], made: Sequence[tuple[Action, bool]], final: World) -> float:
        episode = FinishedEpisode(messages, made, initial, final, "user_stop")
        return combined(score(context, task, episode, replayer), task.reward.training)

    try:
        if reward(told, calls, gold.world) != 1.0:
            yield Rejection("gold_error", "the gold actions do not pass the task's own checks")
            return
    except (VerifierError, TypeError) as error:  # a check called with arguments it does not take
        yield Rejection("invalid_output", f"a check cannot be run: {error}")
        return
    changes_nothing = gold.world.outcome_hash() == initial.outcome_hash()
    if changes_nothing and not task.checks and not task.communicate:
        yield Rejection("missing_positive_check", "gold changes nothing and neither a check nor a fact proves the work")
        return
    for name, messages, made, final in _null_policies(context, task, initial):
        if reward(messages, made, final) == 1.0:
            yield Rejection("null_policy_passes", f"the null policy '{name}' earns the full reward")
            return


NullPolicy = tuple[str, Sequence[Message], Sequence[tuple[Action, bool]], World]


def _null_policies(context: RoleContext, task: Task, initial: World) -> Iterator[NullPolicy]:
    """Yield agents that must not pass: silence, instant refusal, instant hand-over, gold minus one write."""
    yield "silence", (), (), initial
    yield "instant refusal", (Message(speaker="agent", text=_REFUSAL),), (), initial
    handover = context.domain.handover_tool
    if handover is not None:
        outcome = context.toolbox.call(initial, handover, {"summary": _SUMMARY})
        yield "instant hand-over", (), ((Action(handover, {"summary": _SUMMARY}), not outcome.error),), outcome.world
    told = tuple(Message(speaker="agent", text=f"{item.label}: {item.value}") for item in task.communicate)
    for place, action in enumerate(task.gold):
        if context.toolbox.writes(action.requestor, action.name):
            rest = (*task.gold[:place], *task.gold[place + 1 :])
            replayed = replay(rest, initial, context.toolbox)
            made = tuple((act, not done.error) for act, done in zip(rest, replayed.outcomes, strict=True))
            yield f"gold without its {action.name}", told, made, replayed.world
