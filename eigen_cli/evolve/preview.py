"""A look at a run's first tasks before paying for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from eigen_cli.evolve.lanes import lanes_of, together
from eigen_cli.evolve.proposals import Proposal
from eigen_cli.evolve.runs import Run
from eigen_cli.run.journal import Journal
from eigen_cli.run.journal_files import set_aside


async def preview(run: Run, count: int) -> Mapping[str, list[Proposal]]:
    """Plan round 1 and write each domain's first proposals, at most `count`; return them by domain.

    Every reply goes to the run's journal, so the run itself pays for none of them again.
    """
    if run.settings.fresh:
        set_aside(run.journal_path)
    # A model server that plays the dialogues alone would be loaded for nothing.
    writing = run.actors.of(("planner", "synthesizer", "task_verifier"))
    with Journal.open(run.journal_path) as journal:
        try:
            for backend in writing:
                await backend.start()
            async with run.calls(journal) as calls:
                lanes = lanes_of(run, calls, journal)
                await together(lane.plan() for lane in lanes)
                written = await together(lane.preview(count) for lane in lanes)
            return {lane.domain.name: proposals for lane, proposals in zip(lanes, written, strict=True)}
        finally:
            for backend in writing:
                await backend.close()


def previewed(run: Run) -> Run:
    """Return the run that goes on from its preview: no longer fresh, since the preview already started anew."""
    return replace(run, settings=msgspec.structs.replace(run.settings, fresh=False))
