"""Replayed gold as text: one line a task, a line more for every error and broken check, and a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.tasks import SkippedTask
from eigen_cli.commands.dialogue import action_text
from eigen_cli.console import Line
from eigen_cli.evaluation.replaying import ReplayedTask

_TEXT_SHOWN = 200
_INDENT = " " * 11


class Tally:
    """Counts of replayed tasks, kept while they stream by."""

    def __init__(self) -> None:
        self.tasks = self.actions = self.errors = self.with_errors = self.checks = self.broken = 0

    def counted(self, tasks: Iterable[ReplayedTask]) -> Iterator[ReplayedTask]:
        """Yield the tasks as they come, counting them."""
        for task in tasks:
            self.tasks += 1
            self.actions += len(task.actions)
            self.errors += len(task.errors)
            self.with_errors += bool(task.errors)
            self.checks += len(task.checks)
            self.broken += len(task.broken)
            yield task


def task_lines(task: ReplayedTask) -> Iterator[Line]:
    """Yield a replayed task."""
    sides = "".join(f"  {side} {value[:SHORT]}" for side, value in task.tau2_hash.items())
    outcome = "broken" if task.broken else _count(len(task.errors), "error") if task.errors else "ok"
    head = f"{outcome:>9}  {_count(len(task.actions), 'action'):>10}  state {task.state_hash[:SHORT]}{sides}  {task.id}"
    yield Line(head, "red" if task.broken else "yellow" if task.errors else None)
    for number, action in enumerate(task.actions, start=1):
        if action.error:
            by = " by the user" if action.requestor == "user" else ""
            call = action_text(action.name, action.arguments)
            yield Line(f"{_INDENT}!! {number}. {call}{by}: {_on_one_line(action.content)}", "yellow")
    for check in task.broken:
        why = check.problem or "does not hold"
        yield Line(f"{_INDENT}?? {action_text(check.name, check.arguments)}: {_on_one_line(why)}", "red")


def skipped_lines(skipped: Sequence[SkippedTask]) -> Iterator[Line]:
    """Yield the tasks that could not be used, each with its reason."""
    for one in skipped:
        yield Line(f"  skipped  {one.id}: {_on_one_line(one.why)}", "yellow")


def summary_line(tally: Tally, skipped: int) -> Line:
    """Return the counts of a whole replay."""
    where = f" in {_count(tally.with_errors, 'task')}" if tally.errors else ""
    parts = [
        _count(tally.tasks, "task"),
        _count(tally.actions, "action"),
        f"{_count(tally.errors, 'error')}{where}",
        f"{tally.checks - tally.broken} of {_count(tally.checks, 'check')} {'holds' if tally.checks == 1 else 'hold'}",
    ]
    if not tally.checks:
        parts[-1] = "no checks"
    if skipped:
        parts.append(f"{skipped} skipped")
    return Line(", ".join(parts), "red" if tally.broken else "bold")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _on_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_SHOWN else f"{line[: _TEXT_SHOWN - 1]}…"
