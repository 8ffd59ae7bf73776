"""Making a release of what is staged: its manifest, its card, and what they say of its configs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import Manifest, Release, ReleaseTerms
from eigen_registry.hub.card import COMPAT, FIRST_CONFIGS, card, folder_of
from eigen_registry.hub.manifest import MANIFEST, encoded, made_manifest
from eigen_registry.hub.payload import SPLITS

CARD = "README.md"


def make_release(generation: Generation, terms: ReleaseTerms, folder: Path, *, eigen_version: str) -> Release:
    """Write `manifest.json` and `README.md` beside staged Parquet files and return the release."""
    manifest = made_manifest(generation, folder, eigen_version)
    configs = _configs(manifest)
    (folder / MANIFEST).write_bytes(encoded(manifest))
    (folder / CARD).write_text(card(manifest, terms, configs, parent_id=generation.parent_id), encoding="utf-8")
    return Release(folder, terms, manifest, configs)


def _configs(manifest: Manifest) -> Mapping[str, Mapping[str, int]]:
    """Return rows by config and split; a kind that is only for restoring is no config."""
    counts: dict[str, dict[str, int]] = {}
    for file in manifest.files:
        folder, config, name = file.path.split("/")
        split = name.split("-")[0]
        if folder == folder_of(config) and split in SPLITS:
            rows = counts.setdefault(config, {})
            rows[split] = rows.get(split, 0) + file.rows
    order = {config: place for place, config in enumerate(FIRST_CONFIGS)}
    names = sorted(counts, key=lambda name: (name.endswith(COMPAT), order.get(name.removesuffix(COMPAT), len(order))))
    return {name: {split: counts[name][split] for split in SPLITS if split in counts[name]} for name in names}
