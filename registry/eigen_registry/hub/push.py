"""Pushing a release: one commit and one tag, however often it is tried and whoever else pushes meanwhile."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.errors import HubRefusalError
from eigen_cli.api.releases import DATA, GENERATION, Pushed, Release, RepoSettings
from eigen_registry.hub.manifest import MANIFEST, read_manifest
from eigen_registry.hub.reaching import Reaching, status_of

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

_BRANCH = "main"
_KIND = "dataset"
_MARK = "eigen-generation: "
"""Begins the line of a commit's message that names the generation by its hash."""


class Push:
    """Brings a repository to where a release is its latest commit, or one before it, and has its tag.

    Each attempt looks at what is there and does the first thing that is missing. So it does not matter whether the
    reply to an earlier one was lost, or another pusher came between: a commit is made only on top of the head that was
    looked through, and the Hub refuses it on any other.
    """

    def __init__(self, reaching: Reaching, release: Release, settings: RepoSettings) -> None:
        self._reaching = reaching
        self._api = reaching.api
        self._repo = reaching.repo
        self._release = release
        self._settings = settings
        self._fresh = False
        self._created = False

    def run(self) -> Pushed:
        """Push, and return the commit."""
        return self._reaching.patiently(self._attempt)

    def _attempt(self) -> Pushed:
        self._settle()
        refs = self._api.list_repo_refs(self._repo, repo_type=_KIND)
        tags = {tag.name: tag.target_commit for tag in refs.tags}
        head = next((branch.target_commit for branch in refs.branches if branch.name == _BRANCH), None)
        tag = self._release.terms.tag
        if tag in tags:
            self._check_tag(tags[tag])
            return Pushed(commit=tags[tag], fresh=self._fresh)
        commit = self._found(head) if head else None
        if commit is None:
            commit = self._commit(head)
            self._fresh = True
        self._api.create_tag(
            self._repo,
            tag=tag,
            revision=commit,
            repo_type=_KIND,
            tag_message=f"{self._release.manifest.generation} {self._release.manifest.hash[:SHORT]}",
        )
        return Pushed(commit=commit, fresh=self._fresh)

    def _settle(self) -> None:
        """See that the repository is there, and as private and as gated as was asked for, before anything is in it."""
        try:
            info = self._api.dataset_info(self._repo)
        except Exception as error:
            if type(error).__name__ != "RepositoryNotFoundError" or status_of(error) != 404:
                raise
            self._api.create_repo(self._repo, repo_type=_KIND, private=self._settings.private, exist_ok=True)
            self._created = True
            info = self._api.dataset_info(self._repo)
        if self._settings.private and not info.private:
            raise HubRefusalError(
                f"{self._repo} is public, and --private was asked for",
                hint="make it private on its page, or push to another name",
            )
        if self._settings.gated is not None and info.gated != self._settings.gated:
            self._api.update_repo_settings(self._repo, repo_type=_KIND, gated=self._settings.gated)

    def _check_tag(self, commit: str) -> None:
        """Refuse a tag that names something else."""
        found = self._hash_at(commit)
        if found == self._release.manifest.hash:
            return
        what = f"another generation ({found[:SHORT]})" if found else "something that is no generation"
        raise HubRefusalError(
            f"the tag {self._release.terms.tag} of {self._repo} is taken: it names {what}",
            hint="push under another name with --tag NAME",
        )

    def _found(self, head: str) -> str | None:
        """Return the commit that already brought this generation, or None."""
        hash_ = self._release.manifest.hash
        if self._hash_at(head) == hash_:
            # As good as the commit itself, whoever rewrote the history below it.
            brought = self._marked(head)
            return brought or head
        marked = self._marked(head)
        return marked if marked and self._hash_at(marked) == hash_ else None

    def _marked(self, head: str) -> str | None:
        line = f"{_MARK}{self._release.manifest.hash}"
        commits = self._api.list_repo_commits(self._repo, repo_type=_KIND, revision=head)
        return next((commit.commit_id for commit in commits if line in commit.message.splitlines()), None)

    def _hash_at(self, commit: str) -> str | None:
        """Return the hash of the generation at a commit, or None where there is none."""
        with tempfile.TemporaryDirectory(prefix="manifest-", dir=self._release.folder.parent) as place:
            try:
                path = self._api.hf_hub_download(
                    self._repo, MANIFEST, repo_type=_KIND, revision=commit, local_dir=place
                )
            except Exception as error:
                if type(error).__name__ in ("EntryNotFoundError", "RemoteEntryNotFoundError"):
                    return None
                raise
            try:
                return read_manifest(Path(path).read_bytes()).hash
            except HubRefusalError:
                return None

    def _commit(self, head: str | None) -> str:
        manifest = self._release.manifest
        made = self._api.create_commit(
            self._repo,
            self._operations(head),
            repo_type=_KIND,
            commit_message=f"{self._release.terms.tag}: {manifest.generation} {manifest.hash[:SHORT]}",
            commit_description=f"{_MARK}{manifest.hash}",
            parent_commit=head,
        )
        return str(made.oid)

    def _operations(self, head: str | None) -> Sequence[CommitOperationAdd | CommitOperationDelete]:
        """Return the changes that leave of an earlier release nothing but what this one has too."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        folder = self._release.folder
        ours = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
        there: list[Any] = []
        if head is not None:
            there = list(self._api.list_repo_tree(self._repo, repo_type=_KIND, revision=head, recursive=True))
        # Folders have no size. Whatever people put beside a release (figures, notes) stays.
        stale = [
            entry.path
            for entry in there
            if hasattr(entry, "size")
            and entry.path.startswith((f"{DATA}/", f"{GENERATION}/"))
            and entry.path not in ours
        ]
        adding = [CommitOperationAdd(name, path) for name, path in ours.items()]
        return [*(CommitOperationDelete(name) for name in stale), *adding]
