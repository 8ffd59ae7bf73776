"""Large files by the two ways the Hub has: LFS (a PUT of the bytes) and Xet (chunks in xorbs, files in shards)."""

from __future__ import annotations

import hashlib
import re
import time
from typing import Any

from eigen_cli.testing.hub_server.access import Access
from eigen_cli.testing.hub_server.exchange import HubReply, HubRequest, RefusedError, file_reply, json_reply
from eigen_cli.testing.hub_server.repos import HubContents
from eigen_cli.testing.hub_server.xet import XetFile, read_shard, xorb_offsets

_LFS_TYPE = "application/vnd.git-lfs+json"
_TOKEN_SECONDS = 3600


class LargeFiles:
    """Answers `…/info/lfs`, `/_lfs`, the Xet tokens, and `/_xet`, the store that Xet's clients want."""

    def __init__(self, contents: HubContents, access: Access) -> None:
        self._contents = contents
        self._access = access

    def batch(self, request: HubRequest, repo_id: str) -> HubReply:
        """Say where each object goes to; one that is here already goes nowhere."""
        sent = request.json()
        self._access.repo(request, repo_id, writes=sent["operation"] == "upload")
        objects = []
        for wanted in sent["objects"]:
            sha256 = wanted["oid"]
            entry: dict[str, Any] = {"oid": sha256, "size": wanted["size"], "authenticated": True}
            if sent["operation"] == "upload" and sha256 not in self._contents.large:
                place = f"{request.base}/_lfs/{sha256}"
                entry["actions"] = {"upload": {"href": place, "header": {}}, "verify": {"href": f"{place}/verify"}}
            objects.append(entry)
        reply = json_reply({"transfer": "basic", "objects": objects})
        return HubReply(200, reply.body, content_type=_LFS_TYPE)

    def lfs(self, request: HubRequest, rest: tuple[str, ...]) -> HubReply:
        """Take an object's bytes, or confirm that they came."""
        sha256 = rest[0]
        if request.method == "PUT":
            if hashlib.sha256(request.body).hexdigest() != sha256:
                raise RefusedError(400, "sha256 mismatch")
            self._contents.large[sha256] = request.body
            return HubReply()
        if request.method == "POST" and rest[1:] == ("verify",):
            if len(self._contents.large.get(sha256, b"")) != request.json()["size"]:
                raise RefusedError(404, "object not found")
            return json_reply({})
        raise RefusedError(404, "no such object")

    def xet_token(self, request: HubRequest, repo_id: str, *, writes: bool) -> HubReply:
        """Lend a token for the content-addressed store."""
        self._access.repo(request, repo_id, writes=writes, content=True)
        store, ends = f"{request.base}/_xet", int(time.time()) + _TOKEN_SECONDS
        headers = {"X-Xet-Cas-Url": store, "X-Xet-Access-Token": "xet", "X-Xet-Token-Expiration": str(ends)}
        return json_reply({"casUrl": store, "accessToken": "xet", "exp": ends}, headers=headers)

    def xet(self, request: HubRequest, rest: tuple[str, ...]) -> HubReply:
        """Answer for the content-addressed store.

        Chunk look-ups, upload grants and newer shards are answered 404: clients then go the plain ways.
        """
        if rest[:2] == ("v1", "telemetry"):
            return json_reply({})
        if rest[0] == "xorb" and request.reads:
            return file_reply(request, self._contents.xorbs[rest[1]], headers={})
        if not request.headers.get("Authorization"):
            raise RefusedError(401, "no xet token")
        if rest[:2] == ("v1", "xorbs") and request.method == "POST":
            inserted = rest[3] not in self._contents.xorbs
            self._contents.xorbs[rest[3]] = request.body
            return json_reply({"was_inserted": inserted})
        if rest == ("v1", "shards") and request.method == "POST":
            return self._take_shard(request.body)
        if rest[:2] == ("v1", "reconstructions") and request.reads and len(rest) == 3:
            return self._reconstruction(request, rest[2])
        raise RefusedError(404, "no such route in this store")

    def _take_shard(self, body: bytes) -> HubReply:
        files = read_shard(body)
        missing = [term.xorb for file in files for term in file.terms if term.xorb not in self._contents.xorbs]
        if missing:
            raise RefusedError(400, f"xorb {missing[0]} was not uploaded")
        for file in files:
            self._contents.xet_files[file.hash] = file
            if file.sha256:
                self._contents.xet_hashes[file.sha256] = file.hash
        return json_reply({"result": 1})

    def _reconstruction(self, request: HubRequest, xet_hash: str) -> HubReply:
        """Say which chunks of which xorbs make up a file, or a range of it."""
        file: XetFile | None = self._contents.xet_files.get(xet_hash)
        if file is None:
            raise RefusedError(404, "no such file")
        start, end = 0, file.size - 1
        if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", "")):
            start, end = int(asked[1]), min(int(asked[2] or end), end)
        if start >= file.size:
            raise RefusedError(416, "range")
        terms: list[dict[str, Any]] = []
        spans: dict[str, list[tuple[int, int]]] = {}
        position = skipped = 0
        for term in file.terms:
            if position + term.size > start and position <= end:
                skipped = skipped if terms else max(0, start - position)
                chunks = {"start": term.first, "end": term.end}
                terms.append({"hash": term.xorb, "unpacked_length": term.size, "range": chunks})
                spans.setdefault(term.xorb, []).append((term.first, term.end))
            position += term.size
        fetch = {xorb: self._fetches(request, xorb, _merged(chunks)) for xorb, chunks in spans.items()}
        return json_reply({"offset_into_first_range": skipped, "terms": terms, "fetch_info": fetch})

    def _fetches(self, request: HubRequest, xorb: str, chunks: list[tuple[int, int]]) -> list[dict[str, Any]]:
        offsets = xorb_offsets(self._contents.xorbs[xorb])
        return [
            {
                "range": {"start": first, "end": end},
                "url": f"{request.base}/_xet/xorb/{xorb}",
                "url_range": {"start": offsets[first], "end": offsets[end] - 1},
            }
            for first, end in chunks
        ]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans without overlap, which clients insist on."""
    merged: list[tuple[int, int]] = []
    for first, end in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((first, end))
    return merged
