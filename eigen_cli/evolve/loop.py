"""`eigen evolve`: rounds, each sealed as a generation; resumable at any instant, equal to an uninterrupted run."""

from __future__ import annotations

import time
from collections.abc import Sequence

from eigen_cli.api.generations import Generation
from eigen_cli.api.plans import Plan, PlanRecord
from eigen_cli.evolve.coverage import Touched, attainable, gap_between, touched_by_all
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.planning import first_plans
from eigen_cli.evolve.proposals import Rules
from eigen_cli.evolve.reflection import Prober, Succession, next_plans
from eigen_cli.evolve.rounds import Batch, Made, Progress, make, world_of
from eigen_cli.evolve.runs import SEALED, Run, role_context, sealed_generations, set_aside
from eigen_cli.evolve.sealing import seal, usage_since
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal
from eigen_cli.run.ordered import OpenWork


async def evolve(run: Run, *, progress: Progress) -> list[Generation]:
    """Run the rounds and return their generations.

    A completed run is returned as stored, without a single call. Raises `BackendUnreachableError` when no backend
    answers and `RegistryError` when another process holds the run's journal; everything acknowledged is kept.
    """
    if run.settings.fresh:
        set_aside(run.journal_path)
    with Journal.open(run.journal_path) as journal:
        if journal.damaged:
            progress("damaged", journal.damaged, 0)
        sealed = sealed_generations(run, journal)
        if len(sealed) >= run.settings.rounds:
            return sealed[: run.settings.rounds]
        try:
            for backend in run.actors.distinct:
                await backend.start()
            return await Loop(run, journal, progress).rounds()
        finally:
            for backend in run.actors.distinct:
                await backend.close()


class Loop:
    """The state that goes from round to round: plans, the tasks accepted so far, what the last round taught."""

    def __init__(self, run: Run, journal: Journal, progress: Progress) -> None:
        settings = run.settings
        self._run = run
        self._journal = journal
        self._progress = progress
        self._calls = RecordedBackends(run.actors.backends, journal, concurrency=settings.concurrency)
        self._context = role_context(run, self._calls)
        self._work = OpenWork(settings.concurrency)
        self._prober = Prober(self._context, settings, self._work, run.actors.identities["agent"])
        self._index = DuplicateIndex()
        self._whole = Touched()
        self._sealed = {payload.decode() for _, payload in journal.notes(SEALED)}

    async def rounds(self) -> list[Generation]:
        """Run all rounds; those already sealed run from the journal alone and come out as they are."""
        generations: list[Generation] = []
        started, usage, faults = time.time(), dict(self._calls.usage), 0
        plans = await self._first_plans()
        made: Made | None = None
        for round_ in range(1, self._run.settings.rounds + 1):
            if made is not None and self._run.settings.evolution:
                plans = await self._succeeding_plans([s.plan for s in plans], made, round_)
            elif made is not None:
                plans = [Succession(s.plan, (PlanRecord(s.plan, "used"),)) for s in plans]
            made = await self._make([s.plan for s in plans], round_)
            self._whole |= touched_by_all(made.tasks)  # pairs no draft showed; a total never falls again
            generation = seal(
                self._run,
                made,
                round_=round_,
                parent=generations[-1].hash if generations else None,
                plans=[record for s in plans for record in s.records],
                whole=self._whole,
                faults=self._calls.faults[faults:],
                usage=usage_since(usage, self._calls.usage),
                started_at=started,
            )
            if generation.hash not in self._sealed:
                self._journal.note(SEALED, str(round_), generation.hash.encode())
            generations.append(generation)
            started, usage, faults = time.time(), dict(self._calls.usage), len(self._calls.faults)
            self._progress("generations", round_, self._run.settings.rounds)
        return generations

    async def _first_plans(self) -> list[Succession]:
        plans = await first_plans(self._context, self._journal, slots=self._run.settings.plans)
        self._whole = attainable(self._context, world_of(self._context, plans[0], self._run.settings.world_size))
        return [Succession(plan, (PlanRecord(plan, "used"),)) for plan in plans]

    async def _succeeding_plans(self, plans: Sequence[Plan], made: Made, round_: int) -> list[Succession]:
        touched, slots = touched_by_all(made.tasks), len(plans)
        gaps = [gap_between(self._whole, touched, slot=slot, slots=slots) for slot in range(slots)]
        return await next_plans(self._context, plans, made, round_=round_, gaps=gaps, prober=self._prober)

    def _batch(self, plans: Sequence[Plan], round_: int) -> Batch:
        settings = self._run.settings
        return Batch(
            round_=round_,
            shares=tuple((plan, settings.share(slot)) for slot, plan in enumerate(plans)),
            prefix="",
            trials=settings.trials,
            attempts=settings.attempts,
            rules=Rules(settings.repairs, settings.validation),
        )

    async def _make(self, plans: Sequence[Plan], round_: int) -> Made:
        return await make(
            self._context,
            self._batch(plans, round_),
            index=self._index,
            work=self._work,
            world_size=self._run.settings.world_size,
            progress=self._progress,
        )
