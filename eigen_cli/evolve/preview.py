"""A look at a run's first tasks before paying for the rest."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import msgspec

from eigen_cli.api.plans import Plan
from eigen_cli.evolve.planning import first_plans
from eigen_cli.evolve.proposals import Proposal, Rules, ground_all, write_and_verify
from eigen_cli.evolve.rounds import world_of
from eigen_cli.evolve.runs import Run, role_context, set_aside
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.synthesizer import Grounding
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.journal import Journal


async def preview(run: Run, count: int) -> list[Proposal]:
    """Plan round 1 and write its first proposals, at most `count`, one of each plan in turn; nothing is rolled out.

    Every reply goes to the run's journal, so the run itself pays for none of them again.
    """
    if run.settings.fresh:
        set_aside(run.journal_path)
    with Journal.open(run.journal_path) as journal:
        try:
            for backend in run.actors.distinct:
                await backend.start()
            calls = RecordedBackends(run.actors.backends, journal, concurrency=run.settings.concurrency)
            context = role_context(run, calls)
            plans = await first_plans(context, journal, slots=run.settings.plans)
            rules = Rules(run.settings.repairs, run.settings.validation)
            firsts = _first_groundings(run, context, plans)[:count]
            written = (write_and_verify(context, grounding, rules=rules) for grounding in firsts)
            return list(await asyncio.gather(*written))
        finally:
            for backend in run.actors.distinct:
                await backend.close()


def previewed(run: Run) -> Run:
    """Return the run that goes on from its preview: no longer fresh, since the preview already started anew."""
    return replace(run, settings=msgspec.structs.replace(run.settings, fresh=False))


def _first_groundings(run: Run, context: RoleContext, plans: tuple[Plan, ...]) -> list[Grounding]:
    """Return round 1's groundings, the first of every plan, then the second of every plan, and so on."""
    by_plan: list[list[Grounding]] = []
    first = 0
    for slot, plan in enumerate(plans):
        share = run.settings.share(slot)
        world = world_of(context, plan, run.settings.world_size)
        by_plan.append(ground_all(context, plan, round_=1, first=first, count=share, prefix="", world=world))
        first += share
    longest = max(map(len, by_plan), default=0)
    return [groundings[place] for place in range(longest) for groundings in by_plan if place < len(groundings)]
