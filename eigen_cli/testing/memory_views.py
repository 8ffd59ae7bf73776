"""Views of a generation held in memory, worked out in the plainest way: what a store's quick ones must equal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from eigen_cli.api.browsing import (
    ContentChange,
    EpisodeFilter,
    EpisodeRow,
    Found,
    TaskChanges,
    TaskFilter,
    TaskRow,
)
from eigen_cli.api.generations import EpisodeRecord, GenerationContents
from eigen_cli.api.tasks import Task

R = TypeVar("R", TaskRow, EpisodeRow)

_EXCERPT = 160


def task_rows(contents: GenerationContents, which: TaskFilter) -> list[TaskRow]:
    """Return the rows of all tasks that pass a filter, in its order."""
    trials, passed = Counter[str](), Counter[str]()
    for record in contents.episodes:
        trials[record.episode.task] += record.verdict.reward is not None
        passed[record.episode.task] += record.verdict.passed
    rows = [
        TaskRow(
            ordinal=ordinal,
            id=task.id,
            domain=task.domain,
            family=task.family,
            split=task.split,
            plan=task.provenance.plan,
            template=task.provenance.template,
            difficulty=task.difficulty,
            reason=_line(task.scenario.reason),
            trials=trials[task.id],
            passed=passed[task.id],
        )
        for ordinal, task in enumerate(contents.tasks)
        if all(getattr(which, name) in (None, getattr(task, name)) for name in ("domain", "split", "difficulty"))
        and which.template in (None, task.provenance.template)
        and (which.clause is None or which.clause in task.clauses)
        and (which.tool is None or which.tool in (action.name for action in task.gold))
    ]

    def rank(row: TaskRow) -> float | None:
        if which.order == "pass_rate":
            return row.passed / row.trials if row.trials else None
        return float(getattr(row, which.order))

    return _ordered([(rank(row), row) for row in rows], descending=which.descending)


def episode_rows(contents: GenerationContents, which: EpisodeFilter) -> list[EpisodeRow]:
    """Return the rows of all episodes that pass a filter, in its order."""
    rows, tasks = [], None if which.tasks is None else {row.id for row in task_rows(contents, which.tasks)}
    for ordinal, record in enumerate(contents.episodes):
        episode, verdict = record.episode, record.verdict
        blame = verdict.blame.party if verdict.blame else None
        turns = sum(message.finish_reason is not None for message in episode.messages)
        light = (episode.id, episode.task, episode.trial, episode.stop, verdict.reward, verdict.passed, blame, turns)
        row = EpisodeRow(ordinal, *light)
        own = all(getattr(which, name) in (None, getattr(row, name)) for name in ("task", "passed", "blame", "stop"))
        if own and (tasks is None or row.task in tasks):
            rows.append(row)
    return _ordered([(getattr(row, which.order), row) for row in rows], descending=which.descending)


def found(contents: GenerationContents, words: str, *, limit: int) -> list[Found]:
    """Return where all the words stand together, tasks first with at least half the room."""
    wanted = words_of(words)
    if not wanted:
        return []
    texts = [("task", task.id, task.id, told(task)) for task in contents.tasks]
    tasks = [_found(*text) for text in texts if _has(text[-1], wanted)]
    spoken = [("episode", record.episode.id, record.episode.task, said(record)) for record in contents.episodes]
    episodes = [_found(*text) for text in spoken if _has(text[-1], wanted)]
    tasks = tasks[: max(limit - len(episodes), (limit + 1) // 2)]
    return [*tasks, *episodes[: limit - len(tasks)]]


def told(task: Task) -> str:
    """Return what a task's user is told."""
    scenario = task.scenario
    facts = [str(part) for fact in scenario.facts() for part in (fact.text, fact.value)]
    requests = [goal.request for goal in scenario.goals]
    return " ".join([scenario.persona, scenario.reason, *requests, *facts, scenario.instructions])


def said(record: EpisodeRecord) -> str:
    """Return what both sides said in an episode."""
    return " ".join(message.text for message in record.episode.messages)


def words_of(text: str) -> list[str]:
    """Return the words of a text without case: its runs of letters and digits."""
    return [word.casefold() for word in re.findall(r"[^\W_]+", text)]


def task_changes(before: Iterable[Task], after: Iterable[Task], *, first: int) -> TaskChanges:
    """Return how tasks differ; `first` changes of each kind are named."""
    old, new = {task.id: task for task in before}, {task.id: task for task in after}
    changed = sorted(id_ for id_ in old.keys() & new.keys() if old[id_] != new[id_])
    added, dropped = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    named = [
        *(_change("changed", new[id_], old[id_]) for id_ in changed[:first]),
        *(_change("added", new[id_]) for id_ in added[:first]),
        *(_change("dropped", old[id_]) for id_ in dropped[:first]),
    ]
    same = len(old.keys() & new.keys()) - len(changed)
    return TaskChanges(same, len(added), len(dropped), len(changed), tuple(named))


def _change(kind: Any, task: Task, old: Task | None = None) -> ContentChange:
    names = Task.__struct_fields__ if old is not None else ()
    fields = tuple(name for name in names if getattr(task, name) != getattr(old, name))
    return ContentChange(kind, task.id, task.domain, task.provenance.template, fields)


def _has(text: str, wanted: list[str]) -> bool:
    words = set(words_of(text))
    return words.issuperset(wanted[:-1]) and any(word.startswith(wanted[-1]) for word in words)


def _found(kind: Any, id_: str, task: str, text: str) -> Found:
    return Found(kind, id_, task, _line(text))


def _line(text: str) -> str:
    line = " ".join(text.split())
    shown = line if len(line) <= _EXCERPT else line[: _EXCERPT - 1].rstrip() + "…"
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)


def _ordered(ranked: list[tuple[float | None, R]], *, descending: bool) -> list[R]:
    """Return rows by rank and, of equal ones, in their own order; what has no rank comes last."""
    sign = -1 if descending else 1
    key = [(rank is None, sign * (rank or 0), row.ordinal, row) for rank, row in ranked]
    return [row for *_, row in sorted(key, key=lambda item: item[:3])]


def materialised(contents: GenerationContents) -> GenerationContents:
    """Return contents that can be read again and again."""

    def kept() -> Iterator[tuple[Any, ...]]:
        for name in GenerationContents.__struct_fields__:
            yield tuple(getattr(contents, name))

    return GenerationContents(*kept())
