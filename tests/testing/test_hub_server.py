"""The Hub for tests answers as clients of the real one expect: access, commits, large files, faults."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from eigen_cli.testing.hub_server import HubFault, HubServer, serving_hub

REPO = "tester/data"


@pytest.fixture
def server() -> HubServer:
    return HubServer()


@pytest.fixture
def url(server: HubServer) -> Iterator[str]:
    with serving_hub(server) as url:
        yield url


def _ask(
    url: str, method: str = "GET", *, body: Any = None, token: str = "hf_tester", **headers: str
) -> tuple[int, Any]:
    """Return the status of a reply and its JSON value, or its bytes."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {token}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    request = urllib.request.Request(url, data=data, method=method, headers=sent if token else {})
    try:
        with urllib.request.urlopen(request) as reply:
            content = reply.read()
            is_json = content and "json" in reply.headers["Content-Type"]
            return reply.status, json.loads(content) if is_json else content
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("X-Error-Code")


def _commit(url: str, *, parent: str = "", files: dict[str, str], token: str = "hf_tester") -> tuple[int, Any]:
    lines: list[dict[str, Any]] = [{"key": "header", "value": {"summary": "a commit", "parentCommit": parent}}]
    lines += [{"key": "file", "value": {"path": path, "content": text}} for path, text in files.items()]
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    return _ask(f"{url}/api/datasets/{REPO}/commit/main", "POST", body=body, token=token)


def _create(url: str, **settings: Any) -> None:
    status, _ = _ask(f"{url}/api/repos/create", "POST", body={"name": "data", "type": "dataset", **settings})
    assert status == 200


@pytest.mark.parametrize(
    ("token", "status"), [("", 401), ("hf_bad1", 401), ("hf_read_tester", 403), ("hf_other", 403), ("hf_tester", 200)]
)
def test_who_may_write(url: str, server: HubServer, token: str, status: int) -> None:
    _create(url)
    assert _commit(url, files={"a.txt": "a"}, token=token)[0] == status
    assert len(server.repo(REPO).commits) == (2 if status == 200 else 1)


@pytest.mark.parametrize(
    ("settings", "token", "status", "code"),
    [
        ({"private": True}, "hf_other", 404, "RepoNotFound"),
        ({"private": True}, "", 401, "RepoNotFound"),
        ({"private": True}, "hf_read_tester", 200, None),
        ({}, "hf_other", 200, None),
    ],
)
def test_who_may_read(url: str, settings: dict[str, Any], token: str, status: int, code: str | None) -> None:
    _create(url, **settings)
    found, value = _ask(f"{url}/api/datasets/{REPO}", token=token)
    assert found == status
    assert value == code if code else value["id"] == REPO


def test_a_gated_dataset_shows_itself_and_not_its_files(url: str) -> None:
    _create(url)
    _ask(f"{url}/api/datasets/{REPO}/settings", "PUT", body={"gated": "manual"})
    assert _ask(f"{url}/api/datasets/{REPO}", token="hf_other")[1]["gated"] == "manual"
    place = f"{url}/datasets/{REPO}/resolve/main/.gitattributes"
    assert _ask(place, token="hf_other") == (403, "GatedRepo")
    _ask(f"{url}/api/datasets/{REPO}/user-access-request/grant", "POST", body={"user": "other"})
    assert _ask(place, token="hf_other")[0] == 200


def test_a_commit_on_a_stale_parent_is_refused_and_a_tag_is_given_once(url: str, server: HubServer) -> None:
    _create(url)
    first = server.repo(REPO).branches["main"]
    status, made = _commit(url, parent=first, files={"a.txt": "a"})
    assert (status, made["commitOid"]) == (200, server.repo(REPO).branches["main"])
    assert _commit(url, parent=first, files={"b.txt": "b"})[0] == 412
    assert set(server.repo(REPO).at("main").tree) == {".gitattributes", "a.txt"}
    tag = f"{url}/api/datasets/{REPO}/tag/{made['commitOid']}"
    assert [_ask(tag, "POST", body={"tag": "one"})[0] for _ in range(2)] == [200, 409]
    assert _ask(f"{url}/api/datasets/{REPO}/revision/one")[1]["sha"] == made["commitOid"]
    assert _ask(f"{url}/api/datasets/{REPO}/revision/two") == (404, "RevisionNotFound")


def test_large_files_come_by_lfs_and_are_read_in_ranges(url: str, server: HubServer) -> None:
    _create(url)
    data = bytes(range(256)) * 10
    oid = hashlib.sha256(data).hexdigest()
    asked = {"operation": "upload", "objects": [{"oid": oid, "size": len(data)}]}
    batch = f"{url}/datasets/{REPO}.git/info/lfs/objects/batch"
    upload = _ask(batch, "POST", body=asked)[1]["objects"][0]["actions"]["upload"]["href"]
    assert _ask(upload, "PUT", body=data[1:])[0] == 400
    assert _ask(upload, "PUT", body=data)[0] == 200
    assert "actions" not in _ask(batch, "POST", body=asked)[1]["objects"][0]
    line = {"key": "lfsFile", "value": {"path": "x.parquet", "algo": "sha256", "oid": oid, "size": len(data)}}
    body = b"\n".join(json.dumps(one).encode() for one in ({"key": "header", "value": {"summary": "x"}}, line))
    assert _ask(f"{url}/api/datasets/{REPO}/commit/main", "POST", body=body)[0] == 200
    place = f"{url}/datasets/{REPO}/resolve/main/x.parquet"
    assert _ask(place) == (200, data)
    assert _ask(place, Range="bytes=10-19") == (206, data[10:20])
    assert _ask(place, Range="bytes=-5") == (206, data[-5:])
    assert _ask(place, Range="bytes=9999-")[0] == 416


def test_faults_strike_as_often_as_asked(url: str, server: HubServer) -> None:
    _create(url)
    place = f"{url}/api/datasets/{REPO}/refs"
    server.faults.add(HubFault(match="GET .*/refs", status=503, skip=1, count=2))
    assert [_ask(place)[0] for _ in range(4)] == [200, 503, 503, 200]
    assert [seen.status for seen in server.seen][-4:] == [200, 503, 503, 200]


@pytest.mark.parametrize(("kind", "commits"), [("lost_reply", 2), ("refused_connection", 1)])
def test_a_lost_reply_is_to_a_request_that_was_done(url: str, server: HubServer, kind: str, commits: int) -> None:
    _create(url)
    server.faults.add(HubFault(match="POST .*/commit/", kind=kind))  # type: ignore[arg-type]
    with pytest.raises(OSError):
        _commit(url, files={"a.txt": "a"})
    assert len(server.repo(REPO).commits) == commits
    assert server.seen[-1].status == 0


PUSH_AND_READ = """
import os, sys
from huggingface_hub import CommitOperationAdd, HfApi
api, repo = HfApi(), "tester/xet"
# What packs well and what does not: chunks are stored, packed, and packed by groups of bytes.
data = os.urandom(300_000) + b"all the same " * 30_000 + b"".join(i.to_bytes(4, "little") for i in range(60_000))
if sys.argv[1] == "push":
    api.create_repo(repo, repo_type="dataset")
    add = CommitOperationAdd("data.parquet", data)
    api.create_commit(repo, [add], repo_type="dataset", commit_message="data")
import hashlib
read = api.hf_hub_download(repo, "data.parquet", repo_type="dataset")
print(hashlib.sha256(open(read, "rb").read()).hexdigest())
"""


def test_what_came_by_xet_is_there_for_clients_without(url: str, server: HubServer, tmp_path: Any) -> None:
    read = []
    for place, (what, without) in enumerate((("push", "0"), ("read", "0"), ("read", "1"))):
        environ = {
            **os.environ,
            "HF_ENDPOINT": url,
            "HF_TOKEN": "hf_tester",
            "HF_HOME": str(tmp_path / str(place)),
            "HF_HUB_DISABLE_XET": without,
        }
        command = [sys.executable, "-c", PUSH_AND_READ, what]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        read.append(done.stdout.strip())
    assert len(set(read)) == 1
    assert server.repo("tester/xet").at("main").tree["data.parquet"].sha256 == read[0]
    assert server.contents.xet_hashes and list(server.contents.large) == [read[0]]


def test_it_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "eigen_cli.testing.hub_server"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert _ask(f"{url}/api/whoami-v2", token="hf_ada")[1]["name"] == "ada"
        fault = [{"match": "whoami", "status": 500}]
        assert _ask(f"{url}/_control/faults", "POST", body=fault)[0] == 200
        assert _ask(f"{url}/api/whoami-v2")[0] == 500
        log = _ask(f"{url}/_control/log")[1]
        assert [seen["status"] for seen in log] == [200, 500]
    finally:
        process.terminate()
        process.wait(timeout=30)
        assert process.stdout is not None
        process.stdout.close()
