"""Rows as they stand in Parquet: flat columns to filter by, and JSON for what has no fixed shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from eigen_cli.api.exporter import ExportSource
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.samples import ChatSample, Origin, RlTask, SampleKind
from eigen_cli.api.tasks import Task

Row = dict[str, Any]


def rows_of(source: ExportSource, kind: SampleKind) -> Iterator[Row]:
    """Iterate over the rows of a kind, in the generation's order.

    Values of free shape are handed on as they are.
    """
    if kind in ("agent_sft", "user_sft"):
        return (chat_row(sample) for sample in source.chats(kind))
    if kind == "rl_tasks":
        return (task_row(sample) for sample in source.rl_tasks())
    if kind == "plans":
        return (plan_row(record, source.generation.hash) for record in source.plans())
    sealed = source.generation
    return (
        episode_row(record, task, generation=sealed.hash, simulated=sealed.body.simulated)
        for task, record in source.episodes()
    )


def chat_row(sample: ChatSample) -> Row:
    """Return a dialogue as one side's model saw it."""
    return {
        "id": sample.id,
        "messages": sample.messages,
        "tools": sample.tools,
        "targets": sample.targets,
        "reasoning": [{"message": index, "text": text} for index, text in sorted(sample.reasoning.items())],
        **_flat(sample.origin),
        "episode": sample.episode,
        "trial": sample.trial,
        "reward": sample.reward,
        "stop": sample.stop,
        "blame": sample.blame,
    }


def task_row(sample: RlTask) -> Row:
    """Return a task to roll out."""
    return {
        "id": sample.id,
        "messages": sample.messages,
        "tools": sample.tools,
        "user": sample.user,
        "user_tools": sample.user_tools,
        "definition": sample.task,
        "trials": sample.trials,
        "passed": sample.passed,
        **_flat(sample.origin),
    }


def plan_row(record: PlanRecord, generation: str) -> Row:
    """Return a plan as its generation keeps it."""
    body = record.plan.body
    return {
        "id": record.plan.id,
        "domain": body.domain,
        "slot": body.slot,
        "status": record.status,
        "parent": body.parent,
        "author": body.author,
        "why": record.why,
        "definition": record,
        "generation": generation,
    }


def episode_row(record: EpisodeRecord, task: Task, *, generation: str, simulated: bool) -> Row:
    """Return an episode with its verdict, in the neutral form it is stored in: `{**row, "id": …}` loses nothing."""
    episode = record.episode
    origin = Origin(generation, task.domain, task.id, task.family, task.split, task.difficulty, simulated)
    return {
        "id": episode.id,
        "messages": episode.messages,
        "verdict": record.verdict,
        **_flat(origin),
        "trial": episode.trial,
        "reward": record.verdict.reward,
        "stop": episode.stop,
        "blame": record.verdict.blame.party if record.verdict.blame else None,
        "state_hash": episode.state_hash,
        "outcome_hash": episode.outcome_hash,
        "parent_episode": episode.parent_episode,
        "fork_turn": episode.fork_turn,
        "schema": episode.schema,
    }


def _flat(origin: Origin) -> Row:
    return msgspec.structs.asdict(origin)
