"""Looking at repositories: what is in them, at which revision, and the bytes of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from eigen_cli.testing.hub_server.access import Access
from eigen_cli.testing.hub_server.exchange import HubReply, HubRequest, RefusedError, file_reply, json_reply
from eigen_cli.testing.hub_server.repos import HubCommit, HubContents, HubFile, HubRepo, lfs_pointer
from eigen_cli.testing.hub_server.xet import rebuilt

_PAGE = 1000
_EXPANDED_PAGE = 50


class Reading:
    """Answers what only reads."""

    def __init__(self, contents: HubContents, access: Access) -> None:
        self._contents = contents
        self._access = access

    def answer(self, request: HubRequest, repo_id: str, *, what: str, rest: tuple[str, ...]) -> HubReply | None:
        """Answer a request below `/api/datasets/ID`; None if there is nothing of that name to read."""
        routes: Mapping[str, Callable[[HubRequest, HubRepo, tuple[str, ...]], HubReply]] = {
            "": self._info,
            "revision": self._info,
            "refs": self._refs,
            "tree": self._tree,
            "commits": self._commits,
            "paths-info": self._paths,
        }
        if what not in routes or not (request.reads or what == "paths-info"):
            return None
        return routes[what](request, self._access.repo(request, repo_id), rest)

    def resolve(self, request: HubRequest, repo_id: str, *, revision: str, path: str) -> HubReply:
        """Return a file's bytes, or what a client must know to fetch them through Xet."""
        repo = self._access.repo(request, repo_id, content=True)
        commit = repo.at(revision)
        file = commit.tree.get(path)
        headers = {"X-Repo-Commit": commit.id, "Accept-Ranges": "bytes"}
        if file is None:
            raise RefusedError(404, "Entry not found", code="EntryNotFound", headers=headers)
        if not file.sha256:
            return file_reply(request, self._contents.blobs[file.oid], headers={**headers, "ETag": f'"{file.oid}"'})
        tag = f'"{file.sha256}"'
        headers |= {"ETag": tag, "X-Linked-Etag": tag, "X-Linked-Size": str(file.size)}
        if xet := self._contents.xet_hashes.get(file.sha256):
            headers["X-Xet-Hash"] = xet
            token = f"{request.base}/api/datasets/{repo_id}/xet-read-token/{commit.id}"
            headers["Link"] = f'<{token}>; rel="xet-auth"'
        if request.method == "HEAD":
            return HubReply(200, b"", headers, "application/octet-stream", length=file.size)
        return file_reply(request, self._large(file), headers=headers)

    def _large(self, file: HubFile) -> bytes:
        """Return a large file's bytes; what came in through Xet is put together once for clients without it."""
        if file.sha256 not in self._contents.large:
            self._contents.large[file.sha256] = rebuilt(self._contents, file.sha256)
        return self._contents.large[file.sha256]

    def _info(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        commit = repo.at(rest[0] if rest else "main")
        siblings: list[dict[str, Any]] = []
        for path, file in sorted(commit.tree.items()):
            entry: dict[str, Any] = {"rfilename": path}
            if request.flag("blobs"):
                entry |= {"size": file.size, "blobId": file.oid}
                if file.sha256:
                    entry["lfs"] = _lfs(file, named="sha256")
            siblings.append(entry)
        return json_reply(
            {
                "_id": hashlib.sha1(repo.id.encode()).hexdigest()[:24],
                "id": repo.id,
                "author": repo.namespace,
                "sha": commit.id,
                "private": repo.private,
                "gated": repo.gated,
                "disabled": False,
                "createdAt": repo.created,
                "lastModified": commit.date,
                "downloads": 0,
                "likes": 0,
                "tags": [],
                "siblings": siblings,
            }
        )

    def _refs(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        del rest
        refs: dict[str, list[dict[str, str]]] = {"converts": []}
        for listed, kind, named in (("branches", "heads", repo.branches), ("tags", "tags", repo.tags)):
            refs[listed] = [
                {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid} for name, oid in named.items()
            ]
        if request.flag("include_prs"):
            refs["pullRequests"] = []
        return json_reply(refs)

    def _commits(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        del request
        return json_reply(
            [
                {**commit.summary, "message": commit.message, "authors": [{"user": commit.user}]}
                for commit in repo.history(rest[0])
            ]
        )

    def _paths(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        commit = repo.at(rest[0])
        form = request.form()
        paths = form.get("paths", [])
        expanded = str(form.get("expand", "")).lower() in ("true", "['true']")
        found = []
        for path in [paths] if isinstance(paths, str) else paths:
            if path in commit.tree:
                found.append(self._entry(path, commit, expanded=expanded))
            elif any(other.startswith(f"{path.rstrip('/')}/") for other in commit.tree):
                found.append(_directory(path.rstrip("/"), commit, expanded=expanded))
        return json_reply(found)

    def _tree(self, request: HubRequest, repo: HubRepo, rest: tuple[str, ...]) -> HubReply:
        commit, folder = repo.at(rest[0]), "/".join(rest[1:])
        prefix = f"{folder}/" if folder else ""
        below = {path: path[len(prefix) :].split("/") for path in sorted(commit.tree) if path.startswith(prefix)}
        if folder and not below:
            raise RefusedError(404, f"{folder} does not exist on {rest[0]}", code="EntryNotFound")
        recursive, expanded = request.flag("recursive"), request.flag("expand")
        entries = [
            self._entry(path, commit, expanded=expanded)
            for path, parts in below.items()
            if recursive or len(parts) == 1
        ]
        depth = None if recursive else 1
        folders = {
            prefix + "/".join(parts[:count]) for parts in below.values() for count in range(1, len(parts))[slice(depth)]
        }
        entries += [_directory(path, commit, expanded=expanded) for path in folders]
        entries.sort(key=lambda entry: str(entry["path"]))
        return _paged(request, entries, most=_EXPANDED_PAGE if expanded else _PAGE)

    def _entry(self, path: str, commit: HubCommit, *, expanded: bool) -> dict[str, Any]:
        file = commit.tree[path]
        entry: dict[str, Any] = {"type": "file", "oid": file.oid, "size": file.size, "path": path}
        if file.sha256:
            entry["lfs"] = _lfs(file, named="oid")
            if xet := self._contents.xet_hashes.get(file.sha256):
                entry["xetHash"] = xet
        return entry | ({"lastCommit": commit.summary} if expanded else {})


def _lfs(file: HubFile, *, named: str) -> dict[str, Any]:
    return {named: file.sha256, "size": file.size, "pointerSize": len(lfs_pointer(file.sha256, file.size))}


def _directory(path: str, commit: HubCommit, *, expanded: bool) -> dict[str, Any]:
    entry = {
        "type": "directory",
        "oid": hashlib.sha1(f"{commit.id}{path}".encode()).hexdigest(),
        "size": 0,
        "path": path,
    }
    return entry | ({"lastCommit": commit.summary} if expanded else {})


def _paged(request: HubRequest, entries: list[dict[str, Any]], *, most: int) -> HubReply:
    limit, start = min(int(request.parameter("limit", str(most))), most), int(request.parameter("cursor", "0"))
    headers = {}
    if start + limit < len(entries):
        query = urlencode({**dict(parse_qsl(request.query)), "cursor": str(start + limit)})
        headers["Link"] = f'<{request.base}{request.path}?{query}>; rel="next"'
    return json_reply(entries[start : start + limit], headers=headers)
