"""The way to the Hugging Face Hub and back; implements `eigen_cli.api.releases.Hub`.

What is pushed is written (`payload`, `shards`), looked through (`scanning`, `patterns`), described (`manifest`,
`card`) and brought there as one commit (`push`); what is pulled is fetched, verified and sealed (`pull`). Only
`reaching` knows the Hub's client.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import Finding, Pushed, Release, ReleaseTerms, RepoSettings
from eigen_cli.api.store import Store


class HuggingFaceHub:
    """Pushes to the Hugging Face Hub, or one like it, and pulls from it."""

    def __init__(self, *, eigen_version: str, endpoint: str | None = None, pause: float = 1.0) -> None:
        """`endpoint`: the Hub's URL if it is not the public one. `pause`: seconds before a second attempt."""
        self._eigen_version = eigen_version
        self._endpoint = endpoint
        self._pause = pause

    def write_generation(self, store: Store, ref: str, folder: Path) -> None:
        """Write the records of a generation below `folder/generation`; no network.

        Raises `RegistryError` where they are not those it was sealed with.
        """
        from eigen_registry.hub.payload import write_generation

        write_generation(store, ref, folder)

    def findings(self, folder: Path, *, known: Iterable[str], environ: Mapping[str, str]) -> Iterator[Finding]:
        """Look through every row below a folder for secrets and personal data; no network.

        The token that the Hub's client has stored is one of the secrets.
        """
        from huggingface_hub import get_token  # 400 ms of CPU

        from eigen_registry.hub.scanning import findings

        token = get_token()
        return findings(folder, known=known, environ={**environ, **({"HF_TOKEN": token} if token else {})})

    def release(self, generation: Generation, terms: ReleaseTerms, folder: Path) -> Release:
        """Write manifest and card beside the staged files and return the release; no network."""
        from eigen_registry.hub.release import make_release

        return make_release(generation, terms, folder, eigen_version=self._eigen_version)

    def push(self, release: Release, settings: RepoSettings) -> Pushed:
        """Push a release as one commit and one tag; again, beside others or after lost replies, it does so once."""
        from eigen_registry.hub.push import Push
        from eigen_registry.hub.reaching import Reaching

        reaching = Reaching(release.terms.repo, wants="write to", endpoint=self._endpoint, pause=self._pause)
        return Push(reaching, release, settings).run()

    def pull(self, store: Store, repo: str, *, revision: str | None = None) -> Generation:
        """Fetch a generation, verify it and seal it; `revision` is a tag, or None for the latest pushed one."""
        from eigen_registry.hub.pull import Pull
        from eigen_registry.hub.reaching import Reaching

        reaching = Reaching(repo, wants="read", endpoint=self._endpoint, pause=self._pause)
        return Pull(reaching, store).run(revision)
