"""An episode as a person reads it: who said what, what was called, what changed, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.messages import Message, RecordChange, ToolCall, ToolResult
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_cli.console import Line, Style
from eigen_cli.roles.speech import with_turns

RESULT_SHOWN = 200
"""Characters of a tool's result that a dialogue shows; `--json` has all of it."""
_VALUE_SHOWN = 60
_INDENT = " " * 10
_SPEAKERS: dict[str, Style | None] = {"agent": "cyan", "user": None}


def dialogue_lines(record: EpisodeRecord, task: Task) -> Iterator[Line]:
    """Yield a whole episode: its header, the scenario, every message, and the verdict."""
    numbers = numbers_of_turns(record.episode.messages)
    yield from _header(record, task, numbers)
    number = 0
    for message in record.episode.messages:
        number += message.speaker != "environment"
        yield from _message_lines(message, number)
    yield Line(f"{'stop':>8}  {record.episode.stop}", "dim")
    yield from _verdict_lines(record.verdict, numbers)


def numbers_of_turns(messages: Sequence[Message]) -> dict[int, int]:
    """Return the number in front of a message in the dialogue by the turn it is.

    Turns count completions from 0, as records do; numbers count messages from 1, and a greeting is a message too.
    """
    spoken = [(turn, message) for turn, message in with_turns(messages) if message.speaker != "environment"]
    return {turn: number for number, (turn, _) in enumerate(spoken, start=1)}


def outcome_text(verdict: EpisodeVerdict) -> str:
    """Return PASSED, FAILED with the reward, or NO REWARD for an infrastructure failure."""
    if verdict.reward is None:
        return "NO REWARD"
    return "PASSED" if verdict.passed else f"FAILED (reward {verdict.reward:g})"


def action_text(name: str, arguments: dict[str, Any]) -> str:
    """Return a call on one line: `cancel_reservation(reservation_id="ABC")`."""
    text = f"{name}({', '.join(f'{key}={_short_json(value)}' for key, value in arguments.items())})"
    return " ".join(text.split())  # names come from models too; a line break in one must not forge a line of ours


def failures_first(records: Iterable[EpisodeRecord], limit: int) -> list[EpisodeRecord]:
    """Return at most `limit` episodes, failures first, each task's first failure before anyone's second.

    Streams: it holds no more than `limit` failures a round of tasks and `limit` passes.
    """
    ranked: list[tuple[tuple[bool, int, int], EpisodeRecord]] = []
    seen: dict[tuple[str, bool], int] = {}
    for position, record in enumerate(records):
        passed = record.verdict.passed
        rank = seen.get((record.episode.task, passed), 0)
        seen[record.episode.task, passed] = rank + 1
        ranked.append(((passed, rank, position), record))
        if len(ranked) > 2 * limit:
            ranked = sorted(ranked, key=lambda pair: pair[0])[:limit]
    return [record for _, record in sorted(ranked, key=lambda pair: pair[0])[:limit]]


def _header(record: EpisodeRecord, task: Task, numbers: Mapping[int, int]) -> Iterator[Line]:
    episode, verdict = record.episode, record.verdict
    fork = ""
    if episode.parent_episode is not None and episode.fork_turn is not None:
        fork = f", forked from {episode.parent_episode}{_at_turn(episode.fork_turn, numbers)}"
    what = f"{episode.id}  task {task.id} ({task.family}, {task.split}), trial {episode.trial}{fork}"
    yield Line(f"{what}: {outcome_text(verdict)}", "green" if verdict.passed else "red")
    yield Line(f"{'persona':>8}  {_indented(task.scenario.persona)}", "dim")
    for goal in task.scenario.goals:
        yield Line(f"{'goal':>8}  {_indented(goal.request)}", "dim")
    for action in task.gold:
        by = " (user)" if action.requestor == "user" else ""
        yield Line(f"{'gold':>8}  {action_text(action.name, action.arguments)}{by}", "dim")


def _message_lines(message: Message, turn: int) -> Iterator[Line]:
    if message.result is not None:
        yield from _result_lines(message.result)
        return
    label = f"{turn:>2} {message.speaker:>5}"
    if message.text:
        yield Line(f"{label}  {_indented(message.text)}", _SPEAKERS.get(message.speaker))
    for position, call in enumerate(message.tool_calls):
        shown = label if position == 0 and not message.text else " " * 8
        yield Line(f"{shown}  -> {_call_text(call)}", "dim")
    if not message.text and not message.tool_calls:
        yield Line(f"{label}  (nothing, finish reason {message.finish_reason})", "red")


def _call_text(call: ToolCall) -> str:
    if call.arguments is None:
        return f"{call.name}: {call.error or 'unparsable arguments'}: {_shortened(call.raw_arguments, RESULT_SHOWN)}"
    return action_text(call.name, call.arguments)


def _result_lines(result: ToolResult) -> Iterator[Line]:
    sign = "!!" if result.error else "<-"
    yield Line(f"{_INDENT}{sign} {_shortened(result.content, RESULT_SHOWN)}", "red" if result.error else "dim")
    for change in result.changes:
        yield Line(f"{_INDENT}** {_change_text(change)}", "yellow")


def _change_text(change: RecordChange) -> str:
    if change.kind == "changed":
        fields = (f"{item.name} {_short_json(item.before)} => {_short_json(item.after)}" for item in change.fields)
    else:
        present = "after" if change.kind == "added" else "before"
        fields = (f"{item.name} {_short_json(getattr(item, present))}" for item in change.fields)
    return f"{change.table} {change.key} {change.kind}: {', '.join(fields)}"


def _at_turn(turn: int, numbers: Mapping[int, int]) -> str:
    """Return ` at turn N`, N being the number on screen; a turn that left no message stands after the last one."""
    return f" at turn {numbers.get(turn, max(numbers.values(), default=0) + 1)}"


def _verdict_lines(verdict: EpisodeVerdict, numbers: Mapping[int, int]) -> Iterator[Line]:
    for part in verdict.parts:
        score = f"{part.score:g}" if part.applicable else "not applicable"
        evidence = f": {'; '.join(part.evidence)}" if part.evidence else ""
        yield Line(
            f"{'verdict':>8}  {part.verifier} {score}{_indented(evidence)}", "dim" if part.score == 1.0 else "red"
        )
    if verdict.blame is not None:
        blame = verdict.blame
        where = "" if blame.turn is None else _at_turn(blame.turn, numbers)
        thought = ", in a judge's opinion" if blame.by == "judge" else ""
        evidence = f": {blame.evidence}" if blame.evidence else ""
        yield Line(f"{'blame':>8}  {blame.party}, {blame.reason}{where}{thought}{_indented(evidence)}", "red")


def _short_json(value: Any) -> str:
    import msgspec

    return _shortened(msgspec.json.Encoder(decimal_format="number").encode(value).decode(), _VALUE_SHOWN)


def _shortened(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _indented(text: str) -> str:
    return text.replace("\n", f"\n{_INDENT}")
