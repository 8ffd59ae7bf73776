"""Changing repositories: creating them, committing to them, tagging, and their settings."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from eigen_cli.testing.hub_server.access import Access
from eigen_cli.testing.hub_server.exchange import HubReply, HubRequest, RefusedError, json_reply
from eigen_cli.testing.hub_server.repos import LFS_SUFFIXES, HubContents, HubFile, HubRepo, git_oid, lfs_pointer

_REGULAR_MOST = 10 * 2**20
"""Bytes from which even a text file goes to LFS."""
_NAME = re.compile(r"[A-Za-z0-9][\w.\-]{0,95}")


class Writing:
    """Answers what changes a repository, apart from large files."""

    def __init__(self, contents: HubContents, access: Access) -> None:
        self._contents = contents
        self._access = access

    def create(self, request: HubRequest) -> HubReply:
        """Make a repository; 409 if it is there already."""
        user, sent = self._access.user(request, writes=True), request.json()
        name = str(sent.get("name", ""))
        repo_id = name if "/" in name else f"{sent.get('organization') or user}/{name}"
        namespace, _, short = repo_id.partition("/")
        if not self._access.owns(user, namespace):
            raise RefusedError(403, f'You don\'t have the rights to create a dataset under the namespace "{namespace}"')
        if not _NAME.fullmatch(short) or ".." in short or "--" in short:
            raise RefusedError(400, "Invalid repo name")
        url = f"{request.base}/datasets/{repo_id}"
        if repo_id in self._contents.repos:
            return json_reply({"error": "You already created this dataset repo", "url": url}, status=409)
        private = sent.get("visibility") == "private" or bool(sent.get("private"))
        self._contents.create(repo_id, private=private, user=user)
        return json_reply({"url": url, "name": repo_id})

    def answer(self, request: HubRequest, repo_id: str, *, what: str, rest: tuple[str, ...]) -> HubReply | None:
        """Answer a request below `/api/datasets/ID`; None if nothing of that name can be changed."""
        routes: Mapping[tuple[str, str], Callable[[HubRequest, HubRepo, tuple[str, ...]], HubReply]] = {
            ("POST", "preupload"): self._preupload,
            ("POST", "commit"): self._commit,
            ("POST", "tag"): self._tag,
            ("DELETE", "tag"): self._untag,
            ("PUT", "settings"): self._settings,
            ("POST", "user-access-request"): self._grant,
        }
        route = routes.get((request.method, what))
        return route and route(request, self._access.repo(request, repo_id, writes=True), rest)

    def _preupload(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        """Say of each file whether git keeps it or it is to be uploaded as a large one."""
        tree = repo.head(rest[0]).tree
        files = []
        for sent in request.json()["files"]:
            large = sent["path"].endswith(LFS_SUFFIXES) or sent["size"] >= _REGULAR_MOST
            known = tree.get(sent["path"])
            files.append(
                {
                    "path": sent["path"],
                    "uploadMode": "lfs" if large else "regular",
                    "shouldIgnore": False,
                    "oid": (known.sha256 or known.oid) if known else None,
                }
            )
        return json_reply({"files": files})

    def _commit(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        """Commit lines of JSON: a header, then one operation each; all of them or none."""
        lines = [msgspec.json.decode(line) for line in request.body.splitlines() if line.strip()]
        if not lines or lines[0].get("key") != "header":
            raise RefusedError(400, "first line must be the header")
        header, head = lines[0]["value"], repo.head(rest[0])
        expected = header.get("parentCommit")
        if expected and not head.id.startswith(expected):
            raise RefusedError(412, "A commit has happened since. Please refresh and try again.")
        tree = dict(head.tree)
        for line in lines[1:]:
            self._apply(tree, kind=line["key"], value=line["value"])
        commit = repo.commit(
            rest[0].removeprefix("refs/heads/"),
            tree,
            title=header.get("summary", ""),
            message=header.get("description", ""),
            user=self._access.user(request),
        )
        url = f"{request.base}/datasets/{repo.id}/commit/{commit.id}"
        return json_reply({"success": True, "commitOid": commit.id, "commitUrl": url, "hookOutput": ""})

    def _apply(self, tree: dict[str, HubFile], *, kind: str, value: Mapping[str, Any]) -> None:
        path = str(value["path"])
        if path.startswith("/") or ".." in path.split("/") or path.split("/")[0] == ".git":
            raise RefusedError(400, f"Invalid path: {path}")
        if kind == "file":
            encoded = value.get("encoding") == "base64"
            data = base64.b64decode(value["content"]) if encoded else str(value["content"]).encode()
            tree[path] = self._contents.keep(data)
        elif kind == "lfsFile":
            sha256, size = str(value["oid"]), self._large_size(str(value["oid"]))
            if size is None:
                raise RefusedError(400, f"LFS object {sha256} of {path} was not uploaded")
            tree[path] = HubFile(git_oid(lfs_pointer(sha256, size)), size, sha256)
        elif kind == "deletedFile":
            if tree.pop(path, None) is None:
                raise RefusedError(404, "A file with this name doesn't exist", code="EntryNotFound")
        else:
            raise RefusedError(400, f"unknown operation {kind}")

    def _large_size(self, sha256: str) -> int | None:
        """Return the size of an uploaded file, or None; what came in through Xet lies in xorbs."""
        if sha256 in self._contents.large:
            return len(self._contents.large[sha256])
        xet = self._contents.xet_hashes.get(sha256)
        return None if xet is None else int(self._contents.xet_files[xet].size)

    def _tag(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        name, target = str(request.json()["tag"]), repo.at(rest[0]).id
        if name in repo.tags:
            raise RefusedError(409, f"Reference refs/tags/{name} already exists")
        repo.tags[name] = target
        return json_reply({})

    def _untag(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        del request
        if repo.tags.pop(rest[0], None) is None:
            raise RefusedError(404, f"Invalid rev id: {rest[0]}", code="RevisionNotFound")
        return json_reply({})

    def _settings(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        del rest
        sent = request.json()
        repo.gated = sent.get("gated", repo.gated)
        if "private" in sent or "visibility" in sent:
            repo.private = sent.get("visibility") == "private" or bool(sent.get("private"))
        return json_reply({})

    def _grant(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        if rest != ("grant",):
            raise RefusedError(404, "there is only `grant`")
        repo.granted.append(str(request.json()["user"]))
        return json_reply({})
