"""The world a domain generates, and how its records are compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.tasks import WorldRef
from eigen_cli.testing.drafted import world_of
from eigen_cli.testing.examined import ExaminedDomain, Remark
from eigen_cli.testing.fresh_process import world_hash_elsewhere
from eigen_cli.world.base import build_base

_CANONICAL_SAMPLE = 50


def generator(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield how a generator depends on anything but its seed and size."""
    domain, ref = examined.domain, world_of(examined.context)
    shared = random.getstate()
    base = examined.context.bases.get(domain, ref)
    if random.getstate() != shared:
        yield "the generator draws from the shared random generator; derive one from the seed"
    if build_base(domain, ref, freeze=False).hash != base.hash:
        yield "the same seed gives different worlds"
    others = not domain.fixed_world
    if others and build_base(domain, WorldRef(ref.seed + 1, ref.size), freeze=False).hash == base.hash:
        yield "another seed gives the same world"
    records = sum(len(table.rows) for table in base.tables.values())
    if not records:
        yield "the default world is empty"
    elsewhere = world_hash_elsewhere(domain, ref)
    if elsewhere is not None and elsewhere != base.hash:
        yield "another process gives another world: something depends on the hash seed, such as the order of a set"
    alone = "" if elsewhere else "; one process, as the domain's module cannot be imported in another"
    yield f"{records} records{alone}"


def canonical_records(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield whether `canonical()` gives two answers or changes a record."""
    tables = examined.context.world(world_of(examined.context)).base.tables.values()
    records = [record for table in tables for record in islice(table.rows.values(), _CANONICAL_SAMPLE)]
    for record in records:
        before = canonical_json(record)
        twice = [canonical_json(examined.domain.canonical(record)) for _ in range(2)]
        if twice[0] != twice[1] or canonical_json(record) != before:
            yield f"canonical() of a {type(record).__name__} is not pure"
            break
    yield f"{len(records)} records"
