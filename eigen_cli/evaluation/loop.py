"""`eigen eval`: trials of every task, sealed as one evaluation a domain; resumable at any instant."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence
from contextlib import aclosing
from typing import Protocol

from eigen_cli.api.backend import Backend
from eigen_cli.api.evaluations import EvaluatedEpisode, Evaluation
from eigen_cli.evaluation.runs import EvalRun
from eigen_cli.evaluation.sealing import seal
from eigen_cli.evaluation.trials import evaluated
from eigen_cli.roles.context import RoleContext
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.journal_files import set_aside
from eigen_cli.run.ordered import OpenWork, in_order

SEALED = "sealed-evaluation"
"""Kind of the journal notes that name sealed evaluations, by the run's id."""


class Progress(Protocol):
    """Told how far an evaluation is; decides nothing."""

    def __call__(self, domain: str, stage: str, done: int, total: int) -> None:
        """Note that `done` of `total` pieces of a domain's stage are finished."""


async def evaluate(runs: Sequence[EvalRun], *, progress: Progress) -> list[Evaluation]:
    """Return the evaluation of every run, in order; runs share one set of actors.

    A completed run is returned as stored, without a single call; where a cassette is recorded, it runs once more from
    its journal. Raises `BackendUnreachableError` when no backend
    answers and `RegistryError` when another process holds a journal; everything acknowledged is kept.
    """
    started: list[Backend] = []
    try:
        return [await _evaluate(run, progress, started) for run in runs]
    finally:
        for backend in started:
            await backend.close()
        if runs and runs[0].terms.cassette is not None:
            runs[0].terms.cassette.close()


async def _evaluate(run: EvalRun, progress: Progress, started: list[Backend]) -> Evaluation:
    if run.settings.fresh:
        set_aside(run.journal_path)
    with Journal.open(run.journal_path) as journal:
        if journal.damaged:
            progress(run.part.domain.name, "damaged", journal.damaged, 0)
        known = _sealed(run, journal)
        if known is not None and run.terms.cassette is None:
            return known
        for backend in () if known is not None else run.actors.distinct:  # a cassette is filled from the journal alone
            if backend not in started:
                started.append(backend)
                await backend.start()
        began = time.time()
        settings = run.settings
        async with RecordedBackends(
            run.actors.backends, journal, concurrency=settings.concurrency, terms=run.terms
        ) as calls:
            context = run.part.context(settings, calls, run.actors)
            episodes = await _trials(run, context, progress)
        evaluation = seal(run, context, episodes, usage=calls.usage, started_at=began)
        journal.note(SEALED, run.id, evaluation.hash.encode())
        return evaluation


def _sealed(run: EvalRun, journal: Journal) -> Evaluation | None:
    """Return the run's evaluation if it was sealed before and the registry still has it."""
    hashes = {hash_ for id_, hash_ in journal.texts(SEALED) if id_ == run.id}
    if not hashes:
        return None
    return next((evaluation for evaluation in run.store.evaluations() if evaluation.hash in hashes), None)


async def _trials(run: EvalRun, context: RoleContext, progress: Progress) -> list[EvaluatedEpisode]:
    work, settings = OpenWork(run.settings.concurrency), run.settings
    tasks = run.selection.tasks

    def trial(place: int) -> Awaitable[EvaluatedEpisode]:
        task, number = tasks[place // settings.trials], place % settings.trials
        return work.run(lambda: evaluated(context, task, number, attempts=settings.attempts, judge=run.judge))

    total = len(tasks) * settings.trials
    episodes: list[EvaluatedEpisode] = []
    async with aclosing(in_order([trial(place) for place in range(total)])) as results:
        async for record in results:
            episodes.append(record)
            progress(run.part.domain.name, "trials", len(episodes), total)
    return episodes
