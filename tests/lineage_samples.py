"""Generations for tests of what is between them: bare ones, and others sealed again under another parent."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from eigen_cli.api.generations import (
    Coverage,
    CoverageCount,
    Generation,
    GenerationBody,
    GenerationContents,
    GenerationObserved,
)
from eigen_cli.api.store import Store


def bare(number: int, parent: str | None = None, *, run: str = "run-a", domain: str = "airline") -> Generation:
    """A generation whose hash is `h` and its number; `parent` is a hash."""
    nothing = CoverageCount(0, 0)
    body = GenerationBody(
        fingerprint="f",
        tasks_proposed=1,
        tasks_accepted=1,
        rejections={},
        episodes=1,
        passed=1,
        blame={},
        coverage=Coverage(nothing, nothing, nothing),
        near_duplicates=0,
        splits={},
        domain=domain,
        seed=0,
        round=number,
        parent=parent,
        actors={},
        simulated=True,
        prompts={},
        verifiers={},
        settings={},
        contents={},
    )
    return Generation(f"gen-{number:04}", f"h{number}", body, GenerationObserved(run, 0.0, 0.0, {}))


def sealed_again(
    store: Store, source: Store, ref: str, *, run: str = "branched", note: str = "", **changes: Any
) -> Generation:
    """Seal a generation of `source` once more, its body changed; `changes` name fields of the body, tasks and episodes
    stay as they are. `note` becomes a setting, so that equal bodies differ."""
    found = source.generation(ref)
    settings = {**found.body.settings, **({"note": note} if note else {})}
    body = replace(found.body, **{"contents": {}, "settings": settings, **changes})
    contents = GenerationContents(
        plans=source.plans(ref),
        tasks=source.tasks(ref),
        rejected=source.rejected(ref),
        episodes=source.episodes(ref),
        openings=source.openings(ref),
        toolsets=source.toolsets(ref),
    )
    return store.seal(body, replace(found.observed, run=run), contents)
