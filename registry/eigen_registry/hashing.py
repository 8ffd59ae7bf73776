"""What the hash of a generation or an evaluation covers, so that whoever holds the records can compute it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from eigen_cli.api.canonical import content_hash, digest
from eigen_cli.api.generations import GenerationBody, GenerationContents
from eigen_registry.codec import OF_GENERATIONS, Layout


def generation_hash(body: GenerationBody) -> str:
    """Return the hash that names a generation: that of its body, which pins its contents and its parent."""
    return content_hash(body)


def contents_digests(contents: GenerationContents) -> dict[str, str]:
    """Return the digest of each kind of content: of the hashes of its records, in the order given.

    That order must be key order (plans by slot, the rest by proposal, episodes by task and trial), or equal runs
    would differ. Episodes count with their verdicts and without what was observed of them; the simulator's fault
    table is no content, and a kind that came later counts where there is any.
    """
    digests = {}
    for layout in OF_GENERATIONS:
        running = RunningDigest()
        if layout.pinned != "never":
            for record in getattr(contents, layout.field):
                running.add(layout.stored_of(record)[: layout.hashed])
        digests[layout.field] = (layout, running)
    return pinned(digests)


class RunningDigest:
    """The digest of one kind of content, taken while its records go by: of their hashes, each after its length."""

    def __init__(self) -> None:
        self.count = 0
        self._sha = hashlib.sha256()

    def add(self, stored: Sequence[bytes | str]) -> None:
        """Count one record, given the hashed ones of its stored columns."""
        hash_ = digest(*stored).encode()
        self._sha.update(len(hash_).to_bytes(8, "big") + hash_)
        self.count += 1

    def hexdigest(self) -> str:
        """Return the digest of all records so far."""
        return self._sha.hexdigest()


def pinned(digests: Mapping[str, tuple[Layout[Any], RunningDigest]]) -> dict[str, str]:
    """Return what a body says of its contents: the digests of the kinds it pins, in alphabetical order."""
    return {
        field: running.hexdigest()
        for field, (layout, running) in sorted(digests.items())
        if layout.pinned == "always" or (layout.pinned == "if any" and running.count)
    }
