"""`eigen pull`: a generation from the Hub, sealed under the hash it was pushed with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from command_line import Eigen
from commands_shared import Evolved
from third_party import install_library

from eigen_cli.testing.hub_server import HubRepo, HubServer, serving_hub

REPO = "tester/library"


@pytest.fixture(scope="module")
def origin(evolved: Evolved, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HubServer, str]]:
    """A Hub to which both generations of the library were pushed, and where it is."""
    server, place = HubServer(), tmp_path_factory.mktemp("origin")
    registry = shutil.copytree(evolved.folder, place / "reg")
    with serving_hub(server) as url:
        path = os.pathsep.join(install_library(place / "site"))
        environ = {
            **os.environ,
            "PYTHONPATH": path,
            "HF_TOKEN": "hf_tester",
            "HF_ENDPOINT": url,
            "HF_HOME": str(place / "hf"),
        }
        for generation in ("gen-0001", "gen-0002"):
            push = ("push", generation, REPO, "--allow-offline", "--registry", str(registry))
            command = [sys.executable, "-m", "eigen_cli", *push]
            done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        yield server, url


@pytest.fixture
def server(origin: tuple[HubServer, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """The same Hub, which a test may change: it is put right afterwards."""
    server, url = origin
    monkeypatch.setenv("HF_TOKEN", "hf_tester")
    monkeypatch.setenv("HF_ENDPOINT", url)
    before = msgspec.msgpack.encode(server.repo(REPO))
    yield server
    server.contents.repos[REPO] = msgspec.msgpack.decode(before, type=HubRepo)


@pytest.fixture
def pushed(server: HubServer, evolved: Evolved) -> list[str]:
    """The hashes of what was pushed."""
    return [generation["hash"] for generation in evolved.report["generations"]]


def test_what_comes_back_is_what_went(eigen: Eigen, pushed: list[str], tmp_path: Path) -> None:
    here = tmp_path / "here"
    done = eigen("pull", REPO, "--registry", here, "--json")
    assert done.code == 0, done.err
    pulled = json.loads(done.out)
    assert (pulled["repo"], pulled["revision"]) == (REPO, None)
    assert (pulled["generation"]["id"], pulled["generation"]["hash"]) == ("gen-0001", pushed[1])
    assert "SIMULATED" in done.err
    first = eigen("pull", f"{REPO}@gen-0001", "--registry", here)
    assert (first.code, first.out) == (0, f"gen-0002  {pushed[0][:12]}  tidy-library, pulled from {REPO}@gen-0001\n")
    listed = json.loads(eigen("generations", "--registry", here, "--json").out)
    assert [generation["hash"] for generation in listed["generations"]] == [pushed[1], pushed[0]]
    assert eigen("verify-registry", "--registry", here).code == 0
    shown = json.loads(eigen("show", "gen-0002", "--registry", here, "--json").out)["generation"]["pulled_from"]
    assert re.fullmatch(rf"{REPO}@gen-0001, commit [0-9a-f]{{12}}", shown)
    text = " ".join(eigen("show", "gen-0002", "--registry", here).out.split())
    assert f" pulled from {shown} run " in text
    latest = json.loads(eigen("show", "gen-0001", "--registry", here, "--json").out)["generation"]["pulled_from"]
    assert latest.startswith(f"{REPO}, commit ")
    again = eigen("pull", REPO, "--registry", here)
    assert again.code == 0
    assert again.out.startswith("gen-0001 ")


def test_a_tampered_release_exits_1_and_seals_nothing(
    eigen: Eigen, pushed: list[str], server: HubServer, tmp_path: Path
) -> None:
    repo = server.repo(REPO)
    tree = dict(repo.at("main").tree)
    path = next(name for name in tree if "/episodes/" in name)
    tree[path] = server.contents.keep(b"PAR1 something else PAR1")
    repo.commit("main", tree, title="", message="", user="tester")
    done = eigen("pull", REPO, "--registry", tmp_path / "here")
    assert (done.code, done.out) == (1, "")
    assert f"{path} is not the file that was pushed with gen-0002" in done.err
    assert "nothing was sealed" in done.err
    assert eigen("generations", "--registry", tmp_path / "here").out.strip() == ""


@pytest.mark.parametrize(
    ("name", "token", "words"),
    [
        (f"{REPO}@gen-0007", "hf_tester", "has no such tag"),
        ("tester/nothing", "hf_tester", "there is no dataset tester/nothing"),
        (REPO, "hf_bad", "does not accept the token"),
        (REPO, "hf_other", "is gated"),
    ],
)
def test_what_cannot_be_had_exits_3(
    eigen: Eigen,
    pushed: list[str],
    server: HubServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    token: str,
    words: str,
) -> None:
    server.repo(REPO).gated = "auto"
    monkeypatch.setenv("HF_TOKEN", token)
    done = eigen("pull", name, "--registry", tmp_path / "here")
    assert (done.code, done.out) == (3, "")
    assert words in done.err and "hint: " in done.err
