"""Pulling a release: fetched file by file, verified against its manifest, and sealed whole or not at all."""

from __future__ import annotations

import contextlib
import functools
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.errors import AlteredContentsError, HubError, HubRefusalError, RegistryError
from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import GENERATION, Manifest, ReleaseFile
from eigen_cli.api.store import Store
from eigen_registry.hub.manifest import MANIFEST, MOST_BYTES, read_manifest, tampered, verify_files
from eigen_registry.hub.payload import restored_contents
from eigen_registry.hub.reaching import Reaching

_KIND = "dataset"
_PATHS_A_REQUEST = 500
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
"""A folder is named by it."""


class Pull:
    """Fetches one generation into a registry.

    What is fetched lies in a folder of the registry's that outlives a failed pull: the next one goes on from there.
    """

    def __init__(self, reaching: Reaching, store: Store) -> None:
        self._reaching = reaching
        self._api = reaching.api
        self._repo = reaching.repo
        self._store = store

    def run(self, revision: str | None) -> Generation:
        """Pull what a revision names, or the latest pushed generation, and return it as it is sealed here."""
        info = self._reaching.patiently(lambda: self._api.dataset_info(self._repo, revision=revision))
        commit = str(info.sha)
        if not _COMMIT.fullmatch(commit):
            raise HubRefusalError(f"{self._repo} names no commit: {commit!r}")
        with self._place(commit) as folder:
            manifest = self._manifest(commit, folder)
            # One that is here and whole need not be fetched; one that is damaged is put right by what is fetched.
            with contextlib.suppress(RegistryError):
                self._store.verify(manifest.hash)
                return self._store.generation(manifest.hash)
            fetched = self._checked(commit, manifest)
            _check_room(folder, fetched)
            for file in fetched:
                self._fetch(commit, file.path, folder)
            verify_files(manifest, folder, fetched)
            observed = msgspec.structs.replace(manifest.observed, pulled_from=self._origin(revision, commit))
            try:
                return self._store.seal(manifest.body, observed, restored_contents(folder))
            except AlteredContentsError as error:
                raise HubRefusalError(
                    f"{manifest.generation} is not what it claims: {error.message}",
                    hint="its records were changed on the Hub; nothing was sealed",
                ) from error

    def _origin(self, revision: str | None, commit: str) -> str:
        name = f"{self._repo}@{revision}" if revision else self._repo
        return f"{name}, commit {commit[:SHORT]}"

    @contextlib.contextmanager
    def _place(self, commit: str) -> Iterator[Path]:
        """Lend the folder for a commit's files; it stays only where going on from it could help."""
        import filelock  # the Hub's client needs it too

        root = self._store.folder / "pulls"
        root.mkdir(parents=True, exist_ok=True)
        folder = root / commit[:SHORT]
        with filelock.FileLock(root / ".lock"):
            folder.mkdir(exist_ok=True)
            try:
                yield folder
            except HubRefusalError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            shutil.rmtree(folder, ignore_errors=True)

    def _manifest(self, commit: str, folder: Path) -> Manifest:
        entry = self._entries(commit, [MANIFEST]).get(MANIFEST)
        if entry is None:
            raise HubRefusalError(
                f"{self._repo} has no {MANIFEST}: it was not pushed by eigen", hint="`eigen push` makes what this reads"
            )
        if entry.size > MOST_BYTES:
            raise HubRefusalError(f"{MANIFEST} of {self._repo} is {entry.size:,} bytes: no manifest is that large")
        return read_manifest(self._fetch(commit, MANIFEST, folder).read_bytes())

    def _checked(self, commit: str, manifest: Manifest) -> list[ReleaseFile]:
        """Return the files to fetch, after holding the Hub's own record of every file against the manifest."""
        entries = self._entries(commit, [file.path for file in manifest.files])
        for file in manifest.files:
            entry = entries.get(file.path)
            if entry is None:
                raise HubRefusalError(f"{self._repo} lacks {file.path}", hint="the release is not whole: push it again")
            known = entry.lfs.sha256 if entry.lfs else None
            if entry.size != file.size or known not in (None, file.sha256):
                raise tampered(file.path, manifest)
        return [file for file in manifest.files if file.path.startswith(f"{GENERATION}/")]

    def _entries(self, commit: str, paths: list[str]) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for start in range(0, len(paths), _PATHS_A_REQUEST):
            some = paths[start : start + _PATHS_A_REQUEST]
            ask = functools.partial(self._api.get_paths_info, self._repo, some, repo_type=_KIND, revision=commit)
            entries = self._reaching.patiently(ask)
            found |= {entry.path: entry for entry in entries if hasattr(entry, "size")}
        return found

    def _fetch(self, commit: str, path: str, folder: Path) -> Path:
        """Download one file; one that is there already and whole is not fetched again."""
        return Path(
            self._reaching.patiently(
                lambda: self._api.hf_hub_download(self._repo, path, repo_type=_KIND, revision=commit, local_dir=folder)
            )
        )


def _check_room(folder: Path, files: list[ReleaseFile]) -> None:
    needed, free = sum(file.size for file in files), shutil.disk_usage(folder).free
    if needed > free:
        raise HubError(f"the release takes {needed:,} bytes, and {free:,} are free in {folder}", hint="free some space")
