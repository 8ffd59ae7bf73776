"""What the server keeps: repositories as trees of files, commits and refs, and blobs by their hash. All in memory."""

from __future__ import annotations

import datetime
import hashlib
import re
from typing import Any

import msgspec

from eigen_cli.testing.hub_server.exchange import RefusedError

LFS_SUFFIXES = (".parquet", ".arrow", ".bin", ".gz", ".zip", ".zst", ".tar", ".pkl", ".pt", ".safetensors", ".duckdb")
_SHORTEST_REVISION = 7


def git_oid(data: bytes) -> str:
    """Return the id git gives a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def lfs_pointer(sha256: str, size: int) -> bytes:
    """Return the text that stands in git for a large file."""
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()


class HubFile(msgspec.Struct, frozen=True):
    """A file of a tree; `sha256` is empty for one that git keeps itself."""

    oid: str
    size: int
    sha256: str = ""


class HubCommit(msgspec.Struct, frozen=True):
    """A commit: the whole tree it leaves, and what was said of it."""

    id: str
    parent: str | None
    tree: dict[str, HubFile]
    title: str
    message: str
    user: str
    date: str

    @property
    def summary(self) -> dict[str, str]:
        """What a listing of files says of the last commit."""
        return {"id": self.id, "title": self.title, "date": self.date}


class HubRepo(msgspec.Struct):
    """A dataset repository."""

    id: str
    private: bool
    created: str
    gated: str | bool = False
    granted: list[str] = []
    branches: dict[str, str] = {}
    tags: dict[str, str] = {}
    commits: dict[str, HubCommit] = {}

    @property
    def namespace(self) -> str:
        """The user or organisation it belongs to."""
        return self.id.split("/")[0]

    def commit(self, branch: str, tree: dict[str, HubFile], *, title: str, message: str, user: str) -> HubCommit:
        """Put a commit on top of a branch and return it."""
        parent, date = self.branches.get(branch), moment()
        described = [parent, title, message, user, date, len(self.commits), sorted(tree)]
        oid = hashlib.sha1(msgspec.json.encode(described)).hexdigest()
        made = HubCommit(oid, parent, tree, title, message, user, date)
        self.commits[oid] = made
        self.branches[branch] = oid
        return made

    def at(self, revision: str) -> HubCommit:
        """Return the commit that a branch, a tag or (the beginning of) an id names."""
        bare = re.sub(r"^refs/(heads|tags)/", "", revision)
        named = self.branches.get(bare) or self.tags.get(bare)
        if named is not None:
            return self.commits[named]
        found = [oid for oid in self.commits if len(revision) >= _SHORTEST_REVISION and oid.startswith(revision)]
        if len(found) != 1:
            raise RefusedError(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
        return self.commits[found[0]]

    def head(self, branch: str) -> HubCommit:
        """Return the last commit of a branch."""
        name = branch.removeprefix("refs/heads/")
        if name not in self.branches:
            raise RefusedError(404, f"Invalid rev id: {branch}", code="RevisionNotFound")
        return self.commits[self.branches[name]]

    def history(self, revision: str) -> list[HubCommit]:
        """Return the commits up to a revision, the latest first."""
        commits = [self.at(revision)]
        while (parent := commits[-1].parent) is not None:
            commits.append(self.commits[parent])
        return commits


class HubContents:
    """Everything on the server: repositories, files that git keeps, large files, and what Xet made of them."""

    def __init__(self) -> None:
        self.repos: dict[str, HubRepo] = {}
        self.blobs: dict[str, bytes] = {}
        """By git's id."""
        self.large: dict[str, bytes] = {}
        """By SHA-256: what came in through LFS."""
        self.xorbs: dict[str, bytes] = {}
        self.xet_files: dict[str, Any] = {}
        """By Xet hash: how a file is put together from xorbs."""
        self.xet_hashes: dict[str, str] = {}
        """By SHA-256."""

    def keep(self, data: bytes) -> HubFile:
        """Keep a small file and return its entry."""
        oid = git_oid(data)
        self.blobs[oid] = data
        return HubFile(oid, len(data))

    def create(self, repo_id: str, *, private: bool, user: str) -> HubRepo:
        """Make a repository with the first commit that the Hub makes."""
        repo = HubRepo(repo_id, private, moment())
        attributes = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LFS_SUFFIXES)
        tree = {".gitattributes": self.keep(attributes.encode())}
        repo.commit("main", tree, title="initial commit", message="", user=user)
        self.repos[repo_id] = repo
        return repo


def moment() -> str:
    """Return the present in the Hub's spelling."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
