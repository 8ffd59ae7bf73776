"""Raw episodes, one JSON object a line: for analysis, counting and other people's tools (docs/rows.md).

A row says whether its episode is simulated; training formats refuse such generations, this one only labels them.
"""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.messages import Message
from eigen_cli.api.samples import SampleKind
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_jsonl.rows import row_of


class EpisodeRow(msgspec.Struct, frozen=True):
    """One line of the file, before its free values become JSON text."""

    generation: str
    """The generation's hash."""
    simulated: bool
    episode: str
    trial: int
    task: Task
    messages: tuple[Message, ...]
    stop: str
    verdict: EpisodeVerdict
    state_hash: str
    outcome_hash: str
    parent_episode: str | None
    fork_turn: int | None
    schema: int = 1


class JsonLinesExporter(Exporter):
    """Writes `EpisodeRow`s in the generation's order, as canonical JSON: equal generations give equal bytes."""

    name = "jsonl"
    kinds = ("episodes",)

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write every episode of a generation, infrastructure failures (verdicts without a reward) included."""
        rows = 0
        for task, record in source.episodes():
            row = _row(source.generation, task, record)
            out.write(canonical_json(row_of(row)) + b"\n")
            rows += 1
        return ExportReport(rows=rows)


def _row(sealed: Generation, task: Task, record: EpisodeRecord) -> EpisodeRow:
    episode = record.episode
    return EpisodeRow(
        generation=sealed.hash,
        simulated=sealed.body.simulated,
        episode=episode.id,
        trial=episode.trial,
        task=task,
        messages=episode.messages,
        stop=episode.stop,
        verdict=record.verdict,
        state_hash=episode.state_hash,
        outcome_hash=episode.outcome_hash,
        parent_episode=episode.parent_episode,
        fork_turn=episode.fork_turn,
    )
