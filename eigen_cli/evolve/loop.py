"""`eigen evolve` and `eigen rollback`: rounds, each sealed as a generation; resumable at any instant, equal to an
uninterrupted run."""

from __future__ import annotations

import time
from collections.abc import Callable

from eigen_cli.api.generations import Generation
from eigen_cli.evolve.forecast import Forecast, Forecaster
from eigen_cli.evolve.lanes import lanes_of, together
from eigen_cli.evolve.progress import Progress, SharedProgress
from eigen_cli.evolve.runs import SEALED, Run, sealed_generations
from eigen_cli.evolve.sealing import seal, usage_since
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.journal_files import set_aside
from eigen_cli.run.shelf import Shelf


async def evolve(
    run: Run, *, progress: Progress, forecast: Callable[[Forecast], None] = lambda _: None
) -> list[Generation]:
    """Run the rounds and return their generations. `forecast` is told once what the run will cost.

    A completed run is returned as stored, without a single call; one that is recorded runs once more, from its journal.
    Raises `BackendUnreachableError` when no backend answers, `BudgetReachedError` before a budget could be passed, and
    `RegistryError` when another process holds the run's journal; everything acknowledged is kept.
    """
    if run.settings.fresh:
        set_aside(run.journal_path)
    with Journal.open(run.journal_path) as journal:
        if journal.damaged:
            progress("damaged", journal.damaged, 0)
        sealed = sealed_generations(run, journal)
        if len(sealed) >= run.settings.rounds and run.terms.cassette is None:
            return sealed[: run.settings.rounds]
        try:
            for backend in run.actors.distinct:
                await backend.start()
            async with run.calls(journal) as calls:
                return await _rounds(run, calls, journal, progress, forecast)
        finally:
            for backend in run.actors.distinct:
                await backend.close()
            if run.terms.cassette is not None:
                run.terms.cassette.close()


async def _rounds(
    run: Run,
    calls: RecordedBackends,
    journal: Journal,
    progress: Progress,
    forecast: Callable[[Forecast], None],
) -> list[Generation]:
    """Run all rounds; those already sealed run from the journal alone and come out as they are."""
    forecaster = Forecaster(
        run.settings,
        len(run.domains),
        usage=lambda: calls.usage,
        tell=forecast,
        continued=run.parent is not None,
    )
    lanes = lanes_of(run, calls, journal, watch=forecaster.task_done)
    known = {hash_ for _, hash_ in journal.texts(SEALED)}
    generations: list[Generation] = []
    parent = run.parent.generation.hash if run.parent else None
    started, usage, faults = time.time(), dict(calls.usage), 0
    await together(lane.plan() for lane in lanes)
    for round_ in range(run.first, run.last + 1):
        shared = SharedProgress(progress)
        with Shelf(run.store.folder) as shelf:
            made = await together(lane.make_round(round_, shared.of(lane.domain.name), shelf) for lane in lanes)
            generation = seal(
                run,
                made,
                shelf,
                round_=round_,
                parent=parent,
                faults=calls.faults[faults:],
                usage=usage_since(usage, calls.usage),
                latency=calls.latency(),
                started_at=started,
            )
        if generation.hash not in known:
            journal.note(SEALED, str(round_), generation.hash.encode())
        generations.append(generation)
        parent = generation.hash
        started, usage, faults = time.time(), dict(calls.usage), len(calls.faults)
        progress("generations", round_, run.last)
    return generations
