"""The manifest of a release: made from what is staged, read with suspicion, and held against the files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import msgspec

from eigen_cli.api.canonical import SHORT, content_hash
from eigen_cli.api.errors import HubRefusalError, RegistryError
from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import DATA, GENERATION, Manifest, ReleaseFile

MANIFEST = "manifest.json"
FORMAT = 1
MOST_BYTES = 64 * 2**20
"""A larger manifest is not read."""
_PATH = re.compile(rf"({DATA}|{GENERATION})/[a-z][a-z0-9_]*/[a-z]+-[0-9]{{5}}-of-[0-9]{{5}}\.parquet")
"""The only files there are: nothing that runs, nothing out of its folder."""
_PINNED = ("episodes", "plans", "rejected", "tasks")
_BLOCK = 2**20


def made_manifest(generation: Generation, folder: Path, eigen_version: str) -> Manifest:
    """Return the manifest of what is staged in a folder; raise `RegistryError` for a body that no longer hashes so."""
    if content_hash(generation.body) != generation.hash:
        raise RegistryError(
            f"the summary of {generation.id} does not hash as when it was sealed",
            hint="it was sealed by a much older eigen, or changed since; `eigen verify-registry` says which",
        )
    # What tells of the machine and the network it was made in stays there.
    observed = msgspec.structs.replace(generation.observed, host="", endpoints={}, pulled_from="")
    return Manifest(
        generation=generation.id,
        hash=generation.hash,
        body=generation.body,
        observed=observed,
        files=tuple(_described(folder, path) for path in sorted(folder.rglob("*.parquet"))),
        eigen_version=eigen_version,
        format=FORMAT,
    )


def encoded(manifest: Manifest) -> bytes:
    """Return a manifest as it lies on the Hub."""
    return msgspec.json.format(msgspec.json.encode(manifest, order="deterministic"), indent=1) + b"\n"


def read_manifest(data: bytes) -> Manifest:
    """Return a manifest; raise `HubRefusalError` for what is none, for another format and for any unexpected path."""
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise HubRefusalError(f"{MANIFEST} is not a manifest of eigen: {error}") from error
    if manifest.format != FORMAT:
        raise HubRefusalError(
            f"the release is of format {manifest.format}, where this eigen knows {FORMAT}",
            hint=f"it was pushed by eigen {manifest.eigen_version}: install that one, or a later one",
        )
    for file in manifest.files:
        if not is_safe(file.path):
            raise HubRefusalError(
                f"{MANIFEST} names {file.path!r}, and a release has Parquet files in its own folders alone",
                hint="nothing was fetched; whoever made this release did not make it with `eigen push`",
            )
    if content_hash(manifest.body) != manifest.hash:
        raise HubRefusalError(
            f"the summary in {MANIFEST} does not have the hash {manifest.hash[:SHORT]} that it claims",
            hint=f"it was changed, or pushed by a much newer eigen than this one ({manifest.eigen_version})",
        )
    unpinned = [kind for kind in _PINNED if kind not in manifest.body.contents]
    if unpinned:
        raise HubRefusalError(
            f"the summary in {MANIFEST} says nothing of its {', '.join(unpinned)}, which it must pin",
            hint="nothing was fetched; whoever made this release did not make it with `eigen push`",
        )
    return manifest


def is_safe(path: str) -> bool:
    """Tell whether a path is one that a release can have."""
    return _PATH.fullmatch(path) is not None


def verify_files(manifest: Manifest, folder: Path, files: Iterable[ReleaseFile]) -> None:
    """Hash files of a release; raise `HubRefusalError` for the first that is not what the manifest says."""
    for file in files:
        path = folder / PurePosixPath(file.path)
        if path.is_symlink() or not path.is_file():
            raise HubRefusalError(f"{file.path} is not an ordinary file", hint="pull again")
        if path.stat().st_size != file.size or sha256_of(path) != file.sha256:
            raise tampered(file.path, manifest)


def tampered(path: str, manifest: Manifest) -> HubRefusalError:
    """Return the error for a file that is not the one the manifest names."""
    return HubRefusalError(
        f"{path} is not the file that was pushed with {manifest.generation} ({manifest.hash[:SHORT]})",
        hint="it was changed on the Hub or on its way; nothing was sealed",
    )


def sha256_of(path: Path) -> str:
    """Return a file's SHA-256 in hex digits."""
    hasher = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            hasher.update(block)
    return hasher.hexdigest()


def _described(folder: Path, path: Path) -> ReleaseFile:
    import pyarrow.parquet  # 300 ms of CPU with pyarrow itself

    name = path.relative_to(folder).as_posix()
    if not is_safe(name):
        raise ValueError(f"{name} is no path of a release")
    rows = pyarrow.parquet.read_metadata(path).num_rows
    return ReleaseFile(path=name, size=path.stat().st_size, sha256=sha256_of(path), rows=rows)
