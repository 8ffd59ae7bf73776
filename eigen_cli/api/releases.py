"""Releases: a generation as it lies on the Hugging Face Hub, and who takes it there and back.

`eigen_registry.hub` implements `Hub`; only `commands/wiring.py` makes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, Protocol, get_args

import msgspec

from eigen_cli.api.generations import Generation, GenerationBody, GenerationObserved
from eigen_cli.api.store import Store

FindingKind = Literal[
    "huggingface_token",
    "api_key",
    "private_key",
    "jwt",
    "bearer",
    "environment",
    "email",
    "phone",
    "card",
]
"""What must not leave: credentials, the values of this environment's own, and personal data."""
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)

DATA = "data"
"""Folder of a release with the rows of exporters: `data/CONFIG/SPLIT-00000-of-00001.parquet`."""
GENERATION = "generation"
"""Folder of a release with the records that restore the generation."""


class Finding(msgspec.Struct, frozen=True):
    """A secret or a piece of personal data, and where it stands. `masked` shows enough to find it and no more."""

    kind: FindingKind
    file: str
    row: str
    """The id of the row: an episode, a task, a plan."""
    turn: int | None
    """The message of the row, where it stands in one."""
    masked: str


class ReleaseFile(msgspec.Struct, frozen=True):
    """A file of a release. `path` is relative, with slashes; `rows` are those of a Parquet file."""

    path: str
    size: int
    sha256: str
    rows: int


class Manifest(msgspec.Struct, frozen=True):
    """What a release says of itself, in `manifest.json`: enough to restore the generation and to prove it whole.

    `body` hashes to `hash`; `observed` is without what tells of the place it was made in.
    """

    generation: str
    """Its id where it was pushed from."""
    hash: str
    body: GenerationBody
    observed: GenerationObserved
    files: tuple[ReleaseFile, ...]
    eigen_version: str
    format: int = 1


class ReleaseTerms(msgspec.Struct, frozen=True):
    """What whoever pushes decides about a release."""

    repo: str
    tag: str
    license: str
    parent_tag: str = ""
    """The release of the generation's parent in the same repository, if it is known to have one."""


class Release(msgspec.Struct, frozen=True):
    """A release staged in a folder: everything to push, `README.md` and `manifest.json` among it."""

    folder: Path
    terms: ReleaseTerms
    manifest: Manifest
    configs: Mapping[str, Mapping[str, int]]
    """Rows by config and split."""


class Pushed(msgspec.Struct, frozen=True):
    """What a push came to. `fresh` tells whether this push made the commit."""

    commit: str
    fresh: bool


class RepoSettings(msgspec.Struct, frozen=True):
    """How the repository is to be; what is None stays as it is."""

    private: bool = False
    """A repository made now is private, and one that is public already is refused."""
    gated: Literal["auto", "manual"] | None = None


class Hub(Protocol):
    """The way to the Hub and back. Methods that reach for the network raise `HubError`, refusals `HubRefusalError`."""

    def write_generation(self, store: Store, ref: str, folder: Path) -> None:
        """Write the records of a generation below `folder/generation`; no network.

        Raises `RegistryError` where they are not those it was sealed with.
        """

    def findings(self, folder: Path, *, known: Iterable[str], environ: Mapping[str, str]) -> Iterator[Finding]:
        """Look through every row below a folder for secrets and personal data; no network.

        `known` are texts whose personal data is invented: generated records, scenarios. `environ` has the values
        that are secrets because of their variable's name.
        """

    def release(self, generation: Generation, terms: ReleaseTerms, folder: Path) -> Release:
        """Write manifest and card beside the staged files and return the release; no network."""

    def push(self, release: Release, settings: RepoSettings) -> Pushed:
        """Push a release as one commit and one tag; again, beside others or after lost replies, it does so once."""

    def pull(self, store: Store, repo: str, *, revision: str | None = None) -> Generation:
        """Fetch a generation, verify it and seal it; `revision` is a tag, or None for the latest pushed one."""
