"""`eigen push`: what is pushed, what is held back, and what is never told."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from command_line import Eigen
from commands_shared import Evolved

from eigen_cli.api.generations import GenerationContents
from eigen_cli.commands.push_assembly import released_as
from eigen_cli.testing.hub_server import HubServer, serving_hub
from eigen_cli.testing.hub_server.xet import rebuilt
from eigen_registry import open_registry

REPO = "tester/library"


@pytest.fixture
def server() -> HubServer:
    return HubServer()


@pytest.fixture
def endpoint(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("HF_TOKEN", "hf_tester")
    with serving_hub(server) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        yield url


@pytest.fixture
def registry(evolved: Evolved, tmp_path: Path) -> Path:
    """A registry of this test's own: pushes are remembered in it."""
    return Path(shutil.copytree(evolved.folder, tmp_path / "reg"))


def test_a_dry_run_shows_everything_and_asks_the_hub_nothing(
    eigen: Eigen, registry: Path, server: HubServer, endpoint: str
) -> None:
    done = eigen("push", "gen-0002", REPO, "--dry-run", "--allow-offline", "--registry", registry, "--json")
    assert (done.code, server.seen) == (0, [])
    shown = json.loads(done.out)
    assert (shown["generation"], shown["repo"], shown["tag"], shown["commit"]) == ("gen-0002", REPO, "gen-0002", None)
    assert (shown["dry_run"], shown["simulated"], shown["findings"]) == (True, True, [])
    assert list(shown["configs"]) == [
        *("agent_sft", "user_sft", "rl_tasks", "episodes", "plans"),
        *("agent_sft_compat", "user_sft_compat", "rl_tasks_compat"),
    ]
    for kind in ("agent_sft", "user_sft", "rl_tasks"):
        assert shown["configs"][kind] == shown["configs"][f"{kind}_compat"] != {}
    rows = {file["path"]: file["rows"] for file in shown["files"]}
    for config, splits in shown["configs"].items():
        folder = "generation" if config in ("episodes", "plans") else "data"
        for split, count in splits.items():
            assert rows[f"{folder}/{config}/{split}-00000-of-00001.parquet"] == count > 0
    assert "SIMULATED" in done.err


def test_it_pushes_once_and_remembers(eigen: Eigen, registry: Path, server: HubServer, endpoint: str) -> None:
    push = ("push", "gen-0001", REPO, "--allow-offline", "--private", "--license", "cc-by-4.0", "--registry", registry)
    done = eigen(*push, "--json")
    assert done.code == 0, done.err
    pushed = json.loads(done.out)
    repo = server.repo(REPO)
    assert pushed["already_pushed"] is False
    assert repo.tags == {"gen-0001": pushed["commit"]} and repo.private
    tree = repo.at("gen-0001").tree
    assert set(tree) == {file["path"] for file in pushed["files"]} | {"README.md", "manifest.json", ".gitattributes"}
    card = server.contents.blobs[tree["README.md"].oid].decode()
    assert "license: cc-by-4.0" in card and "**SIMULATED" in card
    again = eigen(*push)
    listing = open_registry(registry).listing()
    assert released_as(listing, REPO, pushed["hash"]) == "gen-0001"
    assert (released_as(listing, "else/where", pushed["hash"]), released_as(listing, REPO, None)) == ("", "")
    assert (again.code, again.out) == (
        0,
        f"gen-0001 was pushed before to {REPO}, tag gen-0001, commit {pushed['commit'][:12]}\n",
    )
    assert len(repo.commits) == 2
    assert not list(registry.glob("pushing-*"))
    rows = open_registry(registry).listing().pushes
    assert [(row.hash, row.repo, row.tag, row.commit) for row in rows] == [
        (pushed["hash"], REPO, "gen-0001", pushed["commit"])
    ]
    _rows_are_in_their_split(server, registry)


def _rows_are_in_their_split(server: HubServer, registry: Path) -> None:
    splits = {task.id: task.split for task in open_registry(registry).tasks("gen-0001")}
    seen = 0
    for path, file in server.repo(REPO).at("main").tree.items():
        if path.startswith("data/"):
            data = server.contents.large.get(file.sha256) or rebuilt(server.contents, file.sha256)
            for task in pq.read_table(io.BytesIO(data), columns=["task"]).column("task").to_pylist():
                assert splits[task] == path.split("/")[2].split("-")[0]
                seen += 1
    assert seen > 20


@pytest.mark.proof
def test_the_same_tag_for_another_generation_is_refused(
    eigen: Eigen, registry: Path, server: HubServer, endpoint: str
) -> None:
    options = ("--allow-offline", "--registry", registry)
    assert eigen("push", "gen-0001", REPO, "--tag", "best", *options).code == 0
    clash = eigen("push", "gen-0002", REPO, "--tag", "best", *options)
    assert (clash.code, clash.out) == (1, "")
    assert f"the tag best of {REPO} is taken" in clash.err and "hint: push under another name with --tag" in clash.err
    assert set(server.repo(REPO).tags) == {"best"}


def test_simulated_dialogues_are_not_pushed_unasked(
    eigen: Eigen, registry: Path, server: HubServer, endpoint: str
) -> None:
    done = eigen("push", "gen-0001", REPO, "--registry", registry)
    assert (done.code, done.out, server.seen) == (4, "", [])
    assert "SIMULATED" in done.err and "--allow-offline" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("push", "nowhere"), "'nowhere' is no dataset of the Hub"),
        (("push", "a", "b", "c/d"), "3 names"),
        (("push", "gen-0001", "../../etc"), "is no dataset of the Hub"),
        (("push", "gen-0001", REPO, "--tag", "main"), "'main' cannot be a tag"),
        (("push", "gen-0001", REPO, "--tag", "a b"), "cannot be a tag"),
        (("push", "gen-0009", REPO, "--allow-offline"), "gen-0009"),
        (("push", "gen-0001", REPO, "--allow", "everything"), "everything"),
        (("pull", "nowhere@gen-0001"), "is no dataset of the Hub"),
        (("pull", f"{REPO}@../x"), "cannot be a tag"),
    ],
)
def test_wrong_names_are_usage(
    eigen: Eigen, registry: Path, server: HubServer, endpoint: str, arguments: tuple[str, ...], words: str
) -> None:
    done = eigen(*arguments, "--registry", registry)
    assert (done.code, done.out, server.seen) == (2, "", [])
    assert words in done.err


def test_a_token_that_may_not_exits_3(
    eigen: Eigen, registry: Path, server: HubServer, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.contents.create(REPO, private=False, user="tester")
    monkeypatch.setenv("HF_TOKEN", "hf_read_tester")
    done = eigen("push", "gen-0001", REPO, "--allow-offline", "--registry", registry)
    assert (done.code, done.out) == (3, "")
    assert "eigen: error: " in done.err and "hint: " in done.err and "Traceback" not in done.err


def _leak(registry: Path, text: str) -> None:
    """Write a text into the scenario's instructions of a task by sealing the generation anew with it."""
    store = open_registry(registry)
    found = store.generation("gen-0002")
    episodes = list(store.episodes(found.hash))
    first = episodes[0].episode
    said = msgspec.structs.replace(first.messages[-1], text=f"Note this: {text}")
    changed = msgspec.structs.replace(first, messages=(*first.messages[:-1], said))
    episodes[0] = msgspec.structs.replace(episodes[0], episode=changed)
    body = msgspec.structs.replace(found.body, contents={})
    contents = GenerationContents(
        store.plans(found.hash),
        list(store.tasks(found.hash)),
        list(store.rejected(found.hash)),
        episodes,
        list(store.faults(found.hash)),
        list(store.openings(found.hash)),
        store.toolsets(found.hash),
    )
    assert store.seal(body, found.observed, contents).id == "gen-0003"


def test_what_was_found_stops_the_push_and_is_named_without_being_shown(
    eigen: Eigen, registry: Path, server: HubServer, endpoint: str
) -> None:
    secret = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"
    _leak(registry, f"{secret}, or write to jane.doe@gmail.com")
    push = ("push", "gen-0003", REPO, "--allow-offline", "--registry", registry)
    done = eigen(*push, "--json")
    assert (done.code, server.seen) == (4, [])
    found = json.loads(done.out)["findings"]
    assert {(one["kind"], one["masked"]) for one in found} == {
        ("api_key", "ghp_… (40 characters)"),
        ("email", "jane… (18 characters)"),
    }
    (place,) = [one for one in found if one["kind"] == "api_key" and "/episodes/" in one["file"]]
    assert place["row"].startswith("ep-") and place["turn"] is not None
    assert "nothing was pushed: " in done.err and "--allow KIND" in done.err
    assert secret not in done.out + done.err and "gmail" not in done.out + done.err
    assert eigen(*push, "--allow", "api_key", "--allow", "email").code == 0
    assert "gen-0003" in server.repo(REPO).tags


@pytest.mark.proof
def test_a_token_is_written_nowhere(registry: Path, server: HubServer, endpoint: str, tmp_path: Path) -> None:
    """Whatever goes right or wrong: not in the registry, the logs, the card, the commits, nor on the screen."""
    token = "hf_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7"
    name = token.removeprefix("hf_")
    environ = {
        **os.environ,
        "HF_TOKEN": token,
        "HF_HOME": str(tmp_path / "hf"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "eigen_cli", *map(str, arguments), "--registry", str(registry), "--debug"]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)

    acme = run("push", "gen-0001", "acme/library", "--allow-offline")
    refused = run("push", "gen-0001", "somebody/library", "--allow-offline")
    pulled = run("pull", "acme/library@gen-0001")
    environ["HF_ENDPOINT"] = "http://127.0.0.1:9"
    unreached = run("pull", "acme/library")
    outcomes = (acme, refused, pulled, unreached)
    assert [done.returncode for done in outcomes] == [0, 3, 0, 3], [done.stderr for done in outcomes]
    assert "Traceback" in refused.stderr and "Traceback" in unreached.stderr
    for done in outcomes:
        assert name not in done.stdout + done.stderr
    for path in [*registry.rglob("*"), *(tmp_path / "hf").rglob("*")]:
        assert not path.is_file() or name.encode() not in path.read_bytes(), path
    for data in [*server.contents.blobs.values(), *server.contents.large.values(), *server.contents.xorbs.values()]:
        assert name.encode() not in data
    for commit in server.repo("acme/library").commits.values():
        assert name not in f"{commit.title} {commit.message}"
