"""What the official verifiers were meant to decide: the same questions, without the benchmark's defects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.tasks import Action, Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replay, Replayer
from eigen_tau2.bridged import Bridged
from eigen_tau2.criteria import criteria_of_task
from eigen_tau2.known_ids import tool_kinds
from eigen_tau2.task_json import REQUESTORS, ExpectedAction
from eigen_tau2.verifiers import MOST, BridgedVerifier, differences


class StateVerifier(BridgedVerifier):
    """`tau2-state`: what the episode did and what gold does come to the same, by tools without the upstream defects.

    Calls that succeeded are run again with the corrected tools, both sides synchronised after each; calls that were
    refused changed nothing and are left out. Outcomes are compared as ours are (what was paid, not in how many
    entries); a phone has no outcome of its own there, so users' databases are compared field by field.

    A write that succeeded only through a defect fails the episode. A task whose gold makes a write that is refused has
    no target state: nothing passes it. Refused reads change nothing, in gold or in an episode.
    """

    name = "tau2-state"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Run both again and compare."""
        criteria = criteria_of_task(task)
        if criteria.actions is None and criteria.env_assertions is None:
            return self.nothing()
        corrected = domain.corrected()
        gold = replayer.replay(task.gold, domain=corrected)
        if invalid := _refused_writes(domain, task.gold, gold):
            return self.all_or_nothing(tuple(f"the task is invalid: its gold {line}" for line in invalid))
        calls = [call for call, ok in episode.calls if ok]
        final = replayer.replay(calls, domain=corrected)
        if defective := _refused_writes(domain, calls, final):
            return self.all_or_nothing(tuple(f"an upstream defect let this through: {line}" for line in defective))
        wanted, got = domain.touched_sides(gold.world), domain.touched_sides(final.world)
        if gold.world.outcome_hash() == final.world.outcome_hash() and _users(wanted) == _users(got):
            return self.all_or_nothing(())
        evidence = tuple(line for _, line in zip(range(MOST), differences(wanted, got), strict=False))
        return self.all_or_nothing(evidence or ("the outcomes differ",))


class StrictActionVerifier(BridgedVerifier):
    """`tau2-strict-action`: every gold call was made, successfully, by the side it belongs to.

    `compare_args` names the arguments that must be equal; without it all of them must, on both sides. An argument that
    is null counts as left out.
    """

    name = "tau2-strict-action"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Look for each gold call among those that succeeded."""
        del replayer, domain
        expected = criteria_of_task(task).actions
        if not expected:
            return self.nothing()
        made = [call for call, ok in episode.calls if ok]
        return self.all_or_nothing(
            tuple(
                f"the {REQUESTORS[action.requestor]} did not call {action.name} {_text(action.arguments)}"
                for action in expected
                if not any(_equal(action, call) for call in made)
            )
        )


def _refused_writes(domain: Bridged, actions: Sequence[Action], replay: Replay) -> list[str]:
    """Return each write that was refused, in words."""
    kinds = tool_kinds(domain)
    return [
        f"{action.name} {_text(action.arguments)} is refused: {outcome.content}"
        for action, outcome in zip(actions, replay.outcomes, strict=True)
        if outcome.error and kinds.get(action.requestor, {}).get(action.name) == "write"
    ]


def _users(sides: Mapping[str, Any]) -> bytes:
    return canonical_json(sides.get("user"))


def _equal(action: ExpectedAction, call: Action) -> bool:
    if action.name != call.name or REQUESTORS[action.requestor] != call.requestor:
        return False
    names = action.compare_args
    return _counted(action.arguments, names) == _counted(call.arguments, names)


def _counted(arguments: Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None and (names is None or name in names)}


def _text(arguments: Mapping[str, Any]) -> str:
    return canonical_json(arguments).decode()
