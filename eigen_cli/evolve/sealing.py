"""Sealing: what a round made becomes the body and the contents of a generation."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from platform import node

from eigen_cli.api.backend import CallKey, Usage
from eigen_cli.api.generations import (
    EpisodeRecord,
    Generation,
    GenerationBody,
    GenerationContents,
    GenerationObserved,
    InjectedFault,
)
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.verdicts import BLAME_PARTIES
from eigen_cli.episode.record import episode_id
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.evolve.coverage import Touched, counted, touched_by_all
from eigen_cli.evolve.proposals import total_rejections
from eigen_cli.evolve.rounds import Made
from eigen_cli.evolve.runs import Run
from eigen_cli.roles.prompting import prompt_versions
from eigen_cli.version import VERSION

Faults = Sequence[tuple[CallKey, tuple[str, ...]]]


def seal(
    run: Run,
    made: Made,
    *,
    round_: int,
    parent: str | None,
    plans: Sequence[PlanRecord],
    whole: Touched,
    faults: Faults,
    usage: Mapping[str, Usage],
    started_at: float,
) -> Generation:
    """Seal a round in one transaction and return its generation; sealing the same content twice is one generation."""
    records = [record for task in made.tasks for record in made.episodes[task.id]]
    contents = GenerationContents(
        plans=tuple(plans),
        tasks=tuple(made.tasks),
        rejected=tuple(made.rejected),
        episodes=tuple(records),
        faults=tuple(_fault_records(faults, round_)),
    )
    body = _body(run, made, records, round_=round_, parent=parent, whole=whole)
    observed = GenerationObserved(
        run=run.id,
        started_at=started_at,
        sealed_at=time.time(),
        usage=dict(sorted(usage.items())),
        host=node(),
        eigen_version=VERSION,
    )
    return run.store.seal(body, observed, contents)


def usage_since(before: Mapping[str, Usage], after: Mapping[str, Usage]) -> dict[str, Usage]:
    """Return what each role used between two readings."""
    return {role: used.minus(before.get(role, Usage())) for role, used in after.items()}


def _body(
    run: Run, made: Made, records: Sequence[EpisodeRecord], *, round_: int, parent: str | None, whole: Touched
) -> GenerationBody:
    rejections = total_rejections(made.proposals)
    blame = Counter(record.verdict.blame.party for record in records if record.verdict.blame is not None)
    splits = Counter(task.split for task in made.tasks)
    return GenerationBody(
        domain=run.domain.name,
        seed=run.settings.seed,
        round=round_,
        parent=parent,
        actors=run.actors.identities,
        simulated=run.actors.simulated,
        fingerprint=run.fingerprint,
        prompts=prompt_versions(),
        verifiers=run.verifier_versions,
        settings=run.settings.content(),
        tasks_proposed=len(made.proposals),
        tasks_accepted=len(made.tasks),
        rejections=rejections,
        episodes=len(records),
        passed=sum(record.verdict.passed for record in records),
        blame={party: blame.get(party, 0) for party in BLAME_PARTIES},
        coverage=counted(touched_by_all(made.tasks), whole),
        near_duplicates=rejections.get("near_duplicate", 0),
        splits={split: splits.get(split, 0) for split in ("train", "validation", "test")},
        contents={},
    )


def _fault_records(faults: Faults, round_: int) -> list[InjectedFault]:
    """Return the side table's rows of one round, in key order; probes (round 0) are not sealed."""
    rows = []
    for key, names in faults:
        if key.round != round_:
            continue
        if key.role in ("agent", "user"):
            subject = episode_id(EpisodeKey(key.run, key.round, key.plan, key.task, key.trial, key.attempt, key.fork))
        else:
            subject = key.task
        rows += [(key.path(), InjectedFault(subject, key.role, key.turn, name)) for name in names]
    return [row for _, row in sorted(rows, key=lambda pair: (pair[0], pair[1].fault))]
