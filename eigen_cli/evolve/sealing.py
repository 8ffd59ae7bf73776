"""Sealing: what the lanes of a round made becomes the body and the contents of one generation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from platform import node

from msgspec.structs import asdict

from eigen_cli.api.backend import CallKey, Usage
from eigen_cli.api.generations import (
    EpisodeRecord,
    Generation,
    GenerationBody,
    GenerationContents,
    GenerationObserved,
    InjectedFault,
    Latency,
    Opening,
    ProposalRecord,
)
from eigen_cli.episode.record import episode_id
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.evolve.figures import added, figures_of
from eigen_cli.evolve.lanes import LaneRound
from eigen_cli.evolve.runs import Run, domain_of_call
from eigen_cli.roles.openings import openings_of, toolsets_of
from eigen_cli.roles.prompting import prompt_versions
from eigen_cli.run.shelf import Shelf
from eigen_cli.version import VERSION

Faults = Sequence[tuple[CallKey, tuple[str, ...]]]


def seal(
    run: Run,
    lanes: Sequence[LaneRound],
    shelf: Shelf,
    *,
    round_: int,
    parent: str | None,
    faults: Faults,
    usage: Mapping[str, Usage],
    latency: Mapping[str, Latency],
    started_at: float,
) -> Generation:
    """Seal a round in one transaction and return its generation; sealing the same content twice is one generation.

    Records stand domain by domain, in the order of the lanes: plans by slot, the rest in proposal and trial order. They
    are read from the shelf one by one.
    """
    contents = GenerationContents(
        plans=(record for lane in lanes for record in lane.plans),
        tasks=(task for lane in lanes for task in lane.made.tasks),
        rejected=(record for lane in lanes for record in _rejected(lane)),
        episodes=_episodes(lanes, shelf),
        faults=_fault_records(faults, round_),
        openings=_openings(lanes),
        toolsets=(tools for lane in lanes for tools in toolsets_of(lane.context)),
    )
    observed = GenerationObserved(
        run=run.id,
        started_at=started_at,
        sealed_at=time.time(),
        usage=dict(sorted(usage.items())),
        host=node(),
        eigen_version=VERSION,
        latency=latency,
        endpoints=run.actors.telemetry(),
    )
    return run.store.seal(_body(run, lanes, round_=round_, parent=parent), observed, contents)


def usage_since(before: Mapping[str, Usage], after: Mapping[str, Usage]) -> dict[str, Usage]:
    """Return what each role used between two readings."""
    return {role: used.minus(before.get(role, Usage())) for role, used in after.items()}


def _body(run: Run, lanes: Sequence[LaneRound], *, round_: int, parent: str | None) -> GenerationBody:
    domains = {lane.domain.name: figures_of(lane) for lane in lanes}
    return GenerationBody(
        **asdict(added(tuple(domains.values()))),
        domain=run.domain,
        seed=run.settings.seed,
        round=round_,
        parent=parent,
        actors=run.identities,
        simulated=run.actors.simulated,
        prompts=prompt_versions(),
        verifiers=run.verifier_versions,
        settings=run.content,
        contents={},
        domains=domains,
    )


def _episodes(lanes: Sequence[LaneRound], shelf: Shelf) -> Iterator[EpisodeRecord]:
    for lane in lanes:
        for episode in lane.episodes:
            if episode.place is not None:
                yield shelf.get(episode.place)


def _openings(lanes: Sequence[LaneRound]) -> Iterator[Opening]:
    yield from (lane.context.agent_opening for lane in lanes)
    for lane in lanes:
        yield from openings_of(lane.context, lane.made.tasks)


def _rejected(lane: LaneRound) -> Iterator[ProposalRecord]:
    for proposal in lane.made.proposals:
        if not proposal.accepted:
            yield ProposalRecord(
                key=_proposal_key(lane.domain.name, proposal.name),
                plan=proposal.plan,
                template=proposal.template,
                attempts=proposal.attempts,
                rejections=proposal.final,
                task=proposal.task,
            )


def _proposal_key(domain: str, name: str) -> str:
    """Return what names a proposal within its generation; every domain numbers its proposals from 0."""
    return f"{domain}/{name}"


def _fault_records(faults: Faults, round_: int) -> list[InjectedFault]:
    """Return the side table's rows of one round, in key order; probes (round 0) are not sealed."""
    rows = []
    for key, names in faults:
        if key.round != round_:
            continue
        if key.role in ("agent", "user"):
            subject = episode_id(EpisodeKey(key.run, key.round, key.plan, key.task, key.trial, key.attempt, key.fork))
        else:
            subject = _proposal_key(domain_of_call(key), key.task or key.plan)
        rows += [(key.path(), InjectedFault(subject, key.role, key.turn, name)) for name in names]
    return [row for _, row in sorted(rows, key=lambda pair: (pair[0], pair[1].fault))]
