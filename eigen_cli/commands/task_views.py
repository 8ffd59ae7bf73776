"""A task as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.tasks import Fact, Task
from eigen_cli.commands.dialogue import action_text, outcome_text
from eigen_cli.console import Line, fitted, wrapped


def task_lines(task: Task, records: Sequence[EpisodeRecord], *, width: int) -> Iterator[Line]:
    """Yield a task and what became of its trials."""
    scenario = task.scenario
    head = f"{task.id}  {task.domain}, {task.family}, {task.split}, difficulty {task.difficulty}"
    yield Line(wrapped(head, width), "bold")
    rows = [
        ("persona", scenario.persona),
        ("reason", scenario.reason),
        *(("knows", _fact_text(fact)) for fact in scenario.known),
        *(("does not know", name) for name in scenario.unknown),
        ("instructions", scenario.instructions),
    ]
    for goal in scenario.goals:
        rows.append(("goal", goal.request))
        rows.extend(("", _fact_text(fact)) for fact in goal.facts)
    rows += [("gold", f"{action_text(action.name, action.arguments)} by {action.requestor}") for action in task.gold]
    rows += [("must say", f"{item.kind} {item.value} {item.label}".rstrip()) for item in task.communicate]
    rows += [("check", action_text(check.name, check.arguments)) for check in task.checks]
    rows += [("patch", f"{patch.table} {patch.key}{'' if patch.record else ' removed'}") for patch in task.patch]
    rows += [
        ("clauses", ", ".join(task.clauses)),
        ("reward", f"training: {', '.join(task.reward.training)}; evaluation: {', '.join(task.reward.evaluation)}"),
        ("made by", f"{task.provenance.plan}, proposal {task.provenance.proposal}, attempt {task.provenance.attempt}"),
    ]
    yield Line(fitted([row for row in rows if row[1]], width, whole_words=False))
    for record in records:
        blame = record.verdict.blame
        why = f", {blame.party}: {blame.reason}" if blame else ""
        what = f"trial {record.episode.trial}: {outcome_text(record.verdict)}, {record.episode.stop}{why}"
        yield Line(fitted([(record.episode.id, what)], width), "green" if record.verdict.passed else "red")


def _fact_text(fact: Fact) -> str:
    return action_text("", {fact.name: fact.value})[1:-1] + (f" ({fact.text})" if fact.text else "")
