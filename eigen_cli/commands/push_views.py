"""What a push is about to do or did, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import asdict

from eigen_cli.api.releases import Finding, Pushed, Release
from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.console import aligned

_SHOWN = 20
"""Findings that are shown one by one."""
_SPLITS = ("train", "validation", "test")
_MB = 10**6


def release_text(release: Release) -> str:
    """Return a release's configs with their rows, and its files."""
    rows = [[config, *(f"{splits.get(split, 0):,}" for split in _SPLITS)] for config, splits in release.configs.items()]
    files = [[file.path, f"{file.rows:,}", f"{file.size:,}"] for file in release.manifest.files]
    total = sum(file.size for file in release.manifest.files)
    return "\n".join(
        (
            aligned(rows, header=["config", *_SPLITS], right=(1, 2, 3)),
            "",
            aligned(files, header=["file", "rows", "bytes"], right=(1, 2)),
            "",
            f"{len(files)} files, {total / _MB:,.1f} MB, with README.md and manifest.json",
        )
    )


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield where each of the first findings stands, and how many there are of each kind."""
    for finding in findings[:_SHOWN]:
        row = f", row {finding.row}" if finding.row else ""
        turn = "" if finding.turn is None else f", message {finding.turn}"
        yield f"{finding.kind} {finding.masked} in {finding.file}{row}{turn}"
    if len(findings) > _SHOWN:
        yield f"and {len(findings) - _SHOWN:,} more"


def counted(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each kind."""
    counts = Counter(finding.kind for finding in findings)
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))


def push_json(release: Release, findings: Sequence[Finding], *, dry_run: bool, pushed: Pushed | None) -> dict[str, Any]:
    """Return what `eigen push --json` prints."""
    return {
        "schema": SCHEMA,
        "generation": release.manifest.generation,
        "hash": release.manifest.hash,
        "repo": release.terms.repo,
        "tag": release.terms.tag,
        "license": release.terms.license,
        "simulated": release.manifest.body.simulated,
        "dry_run": dry_run,
        "configs": {config: dict(splits) for config, splits in release.configs.items()},
        "files": [asdict(file) for file in release.manifest.files],
        "findings": [asdict(finding) for finding in findings],
        "commit": pushed.commit if pushed else None,
        "already_pushed": not pushed.fresh if pushed else None,
    }
