"""What the hash of a generation or an evaluation covers, so that whoever holds the records can compute it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eigen_cli.api.canonical import canonical_json, content_hash, digest
from eigen_cli.api.evaluations import EvaluationContents
from eigen_cli.api.generations import EpisodeRecord, GenerationBody, GenerationContents
from eigen_registry.codec import verdict_of


def generation_hash(body: GenerationBody) -> str:
    """Return the hash that names a generation: that of its body, which pins its contents and its parent."""
    return content_hash(body)


def contents_digests(contents: GenerationContents) -> dict[str, str]:
    """Return the digest of each kind of content: of the hashes of its records, in the order given.

    That order must be key order (plans by slot, the rest by proposal, episodes by task and trial), or equal runs
    would differ. Episodes count with their verdicts and without what was observed of them; the simulator's fault
    table is no content.
    """
    return {
        "episodes": digest_of(_episode_hashes(contents.episodes)),
        "plans": digest_of(content_hash(plan) for plan in contents.plans),
        "rejected": digest_of(content_hash(proposal) for proposal in contents.rejected),
        "tasks": digest_of(content_hash(task) for task in contents.tasks),
    }


def evaluation_digests(contents: EvaluationContents) -> dict[str, str]:
    """Return the digest of an evaluation's tasks and of its episodes with what was found of them, in order."""
    return {
        "episodes": digest_of(
            digest(canonical_json(record.episode), canonical_json(verdict_of(record))) for record in contents.episodes
        ),
        "tasks": digest_of(content_hash(task) for task in contents.tasks),
    }


def _episode_hashes(episodes: Iterable[EpisodeRecord]) -> Iterator[str]:
    for record in episodes:
        yield digest(canonical_json(record.episode), canonical_json(record.verdict))


def digest_of(hashes: Iterable[str]) -> str:
    """Return the digest of one kind of content, from the hashes of its records in order."""
    return digest(*hashes)
