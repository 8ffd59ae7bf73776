"""Pulling: the same generation, or a refusal in clear words and nothing sealed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hub_shared import Staging

from eigen_cli.api.errors import HubError, HubRefusalError
from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import Hub, RepoSettings
from eigen_cli.api.store import Store
from eigen_cli.testing.hub_server import HubFault, HubFile, HubServer
from eigen_registry import open_hub, open_registry

REPO = "tester/agents"


@pytest.fixture
def pushed(hub: Hub, generation: Generation, staged: Staging) -> Generation:
    """A generation that is on the Hub."""
    hub.push(staged(generation), RepoSettings())
    return generation


@pytest.fixture
def here(tmp_path: Path) -> Store:
    """A registry in which nothing is sealed yet."""
    return open_registry(tmp_path / "here")


def _left(store: Store) -> list[str]:
    """Return what lies in a registry's folder, apart from the locks of pulls and an empty catalogue."""
    return sorted(path.name for path in store.folder.rglob("*") if path.is_file() and path.name != ".lock")


def test_what_is_pulled_hashes_as_what_was_pushed(
    hub: Hub, server: HubServer, store: Store, pushed: Generation, here: Store
) -> None:
    pulled = hub.pull(here, REPO, revision="gen-0001")
    assert (pulled.hash, pulled.body) == (pushed.hash, pushed.body)
    place = f"{REPO}@gen-0001, commit {server.repo(REPO).tags['gen-0001'][:12]}"
    assert pulled.observed == msgspec.structs.replace(pushed.observed, host="", endpoints={}, pulled_from=place)
    assert list(here.episodes(pulled.hash)) == list(store.episodes(pushed.hash))
    assert list(here.tasks(pulled.hash)) == list(store.tasks(pushed.hash))
    assert here.plans(pulled.hash) == store.plans(pushed.hash)
    assert list(here.rejected(pulled.hash)) == list(store.rejected(pushed.hash))
    assert list(here.faults(pulled.hash)) == list(store.faults(pushed.hash))
    assert list(here.openings(pulled.hash)) == list(store.openings(pushed.hash)) != []
    assert msgspec.json.encode(here.toolsets(pulled.hash)) == msgspec.json.encode(store.toolsets(pushed.hash))
    here.verify(pulled.hash)
    assert not [path for path in (here.folder / "pulls").iterdir() if path.is_dir()]


def test_without_a_tag_it_is_the_last_one_even_without_its_parent(
    hub: Hub, store: Store, pushed: Generation, here: Store, staged: Staging
) -> None:
    second = store.generation("gen-0002")
    hub.push(staged(second), RepoSettings())
    pulled = hub.pull(here, REPO)
    assert (pulled.hash, pulled.id, pulled.parent_id) == (second.hash, "gen-0001", None)
    assert pulled.body.parent == pushed.hash


def test_what_is_here_already_is_not_fetched(hub: Hub, server: HubServer, pushed: Generation, here: Store) -> None:
    first = hub.pull(here, REPO)
    server.seen.clear()
    assert hub.pull(here, REPO) == first
    assert [seen.path for seen in server.seen if ".parquet" in seen.path] == []
    assert len(here.generations()) == 1


def test_only_what_restores_is_fetched(hub: Hub, server: HubServer, pushed: Generation, here: Store) -> None:
    repo = server.repo(REPO)
    tree = dict(repo.at("main").tree)
    for name in ("agents.py", "weights.pkl", "run.sh"):
        tree[name] = server.contents.keep(b"import os; os.abort()")
    repo.commit("main", tree, title="", message="", user="tester")
    server.seen.clear()
    assert hub.pull(here, REPO).hash == pushed.hash
    fetched = {seen.path.split("/resolve/")[1].partition("/")[2] for seen in server.seen if "/resolve/" in seen.path}
    assert all(path == "manifest.json" or path.startswith("generation/") for path in fetched)


def _replaced(server: HubServer, path: str, data: bytes, *, large: bool) -> None:
    """Change a file on the server, as someone who may write there would."""
    repo = server.repo(REPO)
    tree = dict(repo.at("main").tree)
    tree[path] = server.contents.keep(data)
    if large:
        import hashlib

        sha256 = hashlib.sha256(data).hexdigest()
        server.contents.large[sha256] = data
        tree[path] = HubFile(tree[path].oid, len(data), sha256)
    repo.commit("main", tree, title="edit", message="", user="tester")


def _bytes(server: HubServer, path: str) -> bytes:
    from eigen_cli.testing.hub_server.xet import rebuilt

    file = server.repo(REPO).at("main").tree[path]
    if not file.sha256:
        return server.contents.blobs[file.oid]
    return server.contents.large.get(file.sha256) or rebuilt(server.contents, file.sha256)


@pytest.mark.parametrize("large", [True, False])
def test_a_tampered_file_is_refused(hub: Hub, server: HubServer, pushed: Generation, here: Store, large: bool) -> None:
    path = next(name for name in server.repo(REPO).at("main").tree if "/episodes/" in name)
    data = bytearray(_bytes(server, path))
    data[len(data) // 2] ^= 1
    _replaced(server, path, bytes(data), large=large)
    with pytest.raises(HubRefusalError, match=f"{path} is not the file that was pushed with gen-0001"):
        hub.pull(here, REPO)
    assert _left(here) == []
    # The tag still names what was pushed.
    assert hub.pull(here, REPO, revision="gen-0001").hash == pushed.hash


def test_files_and_manifest_changed_together_are_refused_by_the_hash(
    hub: Hub, server: HubServer, pushed: Generation, here: Store, tmp_path: Path
) -> None:
    """The files agree with their manifest, and the generation's own digests do not."""
    import hashlib

    import pyarrow.parquet as pq

    path = next(name for name in server.repo(REPO).at("main").tree if "/plans/" in name)
    place = tmp_path / "plans.parquet"
    place.write_bytes(_bytes(server, path))
    table = pq.read_table(place)
    bodies = [body.replace('"slot":0', '"slot":7') for body in table.column("body").to_pylist()]
    assert bodies != table.column("body").to_pylist()
    pq.write_table(table.set_column(table.schema.get_field_index("body"), "body", [bodies]), place)
    data = place.read_bytes()
    manifest = msgspec.json.decode(_bytes(server, "manifest.json"))
    (entry,) = [entry for entry in manifest["files"] if entry["path"] == path]
    entry |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    _replaced(server, path, data, large=True)
    _replaced(server, "manifest.json", msgspec.json.encode(manifest), large=False)
    with pytest.raises(Exception, match=r"gen-0001 is not what it claims: .*: plans"):
        hub.pull(here, REPO)
    assert here.generations() == []


def test_a_manifest_that_does_not_match_is_refused(
    hub: Hub, server: HubServer, pushed: Generation, here: Store
) -> None:
    manifest = msgspec.json.decode(_bytes(server, "manifest.json"))
    manifest["body"]["passed"] += 1
    _replaced(server, "manifest.json", msgspec.json.encode(manifest), large=False)
    with pytest.raises(HubRefusalError, match="does not have the hash"):
        hub.pull(here, REPO)
    manifest["files"][0]["path"] = "../../evil.parquet"
    _replaced(server, "manifest.json", msgspec.json.encode(manifest), large=False)
    with pytest.raises(HubRefusalError, match="Parquet files in its own folders alone"):
        hub.pull(here, REPO)
    assert _left(here) == []


def test_a_file_that_is_missing_is_named(hub: Hub, server: HubServer, pushed: Generation, here: Store) -> None:
    repo = server.repo(REPO)
    tree = {name: file for name, file in repo.at("main").tree.items() if "/tasks/" not in name}
    repo.commit("main", tree, title="", message="", user="tester")
    with pytest.raises(HubRefusalError, match=r"lacks generation/tasks/part-00000-of-00001\.parquet"):
        hub.pull(here, REPO)


def test_a_dataset_of_somebody_elses_making_is_refused(hub: Hub, server: HubServer, here: Store) -> None:
    server.contents.create(REPO, private=False, user="tester")
    with pytest.raises(HubRefusalError, match=r"has no manifest\.json: it was not pushed by eigen"):
        hub.pull(here, REPO)


@pytest.mark.parametrize(
    ("token", "revision", "words"),
    [
        ("hf_tester", "gen-0009", "no such tag"),
        ("hf_bad", None, "does not accept the token"),
        ("hf_other", None, "is gated: the Hub lets nobody in without permission"),
        ("", None, "asks who you are|is gated"),
    ],
)
def test_what_cannot_be_had_is_said(
    hub: Hub,
    server: HubServer,
    pushed: Generation,
    here: Store,
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    revision: str | None,
    words: str,
) -> None:
    server.repo(REPO).gated = "manual"
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    else:
        monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(HubError, match=words) as refused:
        hub.pull(here, REPO, revision=revision)
    assert not isinstance(refused.value, HubRefusalError)
    assert here.generations() == []


def test_a_dataset_that_is_not_there_is_said(hub: Hub, here: Store) -> None:
    with pytest.raises(HubError, match="there is no dataset tester/none that this token may see"):
        hub.pull(here, "tester/none")


def test_a_half_pulled_generation_is_not_seen_and_goes_on(
    hub: Hub, server: HubServer, pushed: Generation, here: Store
) -> None:
    server.faults.add(HubFault(match="/resolve/.*/tasks/", status=403, count=1000))
    with pytest.raises(HubError, match=f"this token may not read {REPO}"):
        hub.pull(here, REPO)
    assert here.generations() == []
    fetched = {path.name for path in (here.folder / "pulls").rglob("*.parquet")}
    assert fetched
    server.faults.clear()
    server.seen.clear()
    assert hub.pull(here, REPO).hash == pushed.hash
    again = {seen.path.rsplit("/", 1)[-1] for seen in server.seen if seen.method == "GET" and ".parquet" in seen.path}
    assert not again & {"train-00000-of-00001.parquet"}
    assert not list((here.folder / "pulls").rglob("*.parquet"))


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.parametrize("xet", ["0", pytest.param("1", marks=pytest.mark.proof)])
def test_a_disk_that_fills_leaves_nothing_sealed(endpoint: str, pushed: Generation, tmp_path: Path, xet: str) -> None:
    """No file may grow beyond 20 kB here: the first larger one meets what a full disk answers."""
    environ = {**os.environ, "HF_ENDPOINT": endpoint, "HF_TOKEN": "hf_tester", "HF_HUB_DISABLE_XET": str(1 - int(xet))}
    command = [sys.executable, "-m", "eigen_cli", "pull", REPO, "--registry", str(tmp_path / "full")]
    full = subprocess.run(command, env=environ, preexec_fn=_limited, capture_output=True, text=True, check=False)
    assert (full.returncode, full.stdout) == (1, "")
    assert "Traceback" not in full.stderr
    assert "disk" in full.stderr or "file too large" in full.stderr
    here = open_registry(tmp_path / "full")
    assert here.generations() == []
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert here.generation("latest").hash == pushed.hash


def test_room_is_looked_for_before_anything_is_fetched(
    endpoint: str, server: HubServer, pushed: Generation, here: Store
) -> None:
    manifest = msgspec.json.decode(_bytes(server, "manifest.json"))
    entry = next(entry for entry in manifest["files"] if "/tasks/" in entry["path"])
    entry["size"] = 10**18
    _replaced(server, "manifest.json", msgspec.json.encode(manifest), large=False)
    # The Hub's own record of the size speaks first: a manifest cannot make anyone reserve room.
    with pytest.raises(HubRefusalError, match="is not the file that was pushed"):
        open_hub(eigen_version="1", endpoint=endpoint).pull(here, REPO)
