"""Budget, cassette and cache from the command line, against a real server on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from eigen_cli.testing.openai_server import OpenAIServer, serving

RUN = ("evolve", "airline", "--rounds", "1", "--tasks", "3", "--plans", "1", "--trials", "1")


@dataclass(frozen=True)
class Running:
    """A server and its address."""

    server: OpenAIServer
    base_url: str

    @property
    def requests(self) -> int:
        """How many chats it was asked."""
        return len(self.server.log.requests)


@pytest.fixture
def server() -> Iterator[Running]:
    running = OpenAIServer(models=("m",))
    with serving(running) as url:
        yield Running(running, url)


def eigen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eigen_cli", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def settings(folder: Path, server: Running) -> None:
    (folder / "eigen.toml").write_text(
        f'[backend]\nname = "openai"\nmodel = "m"\nbase_url = "{server.base_url}"\n'
        "options = { simulated_inputs = true }\n"
        "[prices.m]\nprompt = 1.0\ncompletion = 10.0\n"
    )


def test_a_budget_stops_the_run_which_then_goes_on_without_asking_twice(tmp_path: Path, server: Running) -> None:
    settings(tmp_path, server)
    stopped = eigen(tmp_path, *RUN, "--budget-usd", "0.08")
    assert stopped.returncode == 4, stopped.stderr
    assert "the next call could pass the budget of 0.08 USD" in stopped.stderr
    asked = server.requests
    assert asked > 0
    done = eigen(tmp_path, *RUN, "--budget-usd", "5", "--json")
    assert done.returncode == 0, done.stderr
    (generation,) = json.loads(done.stdout)["generations"]
    spent = sum(usage["cost_usd"] for usage in generation["usage"].values())
    assert 0.08 < spent < 5
    assert server.requests == sum(usage["calls"] for usage in generation["usage"].values()), "nothing was asked twice"


@pytest.mark.proof
def test_a_cassette_replays_the_run_without_a_server_to_the_same_hash(tmp_path: Path, server: Running) -> None:
    settings(tmp_path, server)
    recorded = eigen(tmp_path, *RUN, "--record", "run.cassette.gz", "--json")
    assert recorded.returncode == 0, recorded.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    asked = server.requests
    (elsewhere / "eigen.toml").write_text('[backend]\nname = "replay"\noptions = { cassette = "../run.cassette.gz" }\n')
    replayed = eigen(elsewhere, *RUN, "--json")
    assert replayed.returncode == 0, replayed.stderr
    hashes = [json.loads(done.stdout)["generations"][0]["hash"] for done in (recorded, replayed)]
    assert hashes[0] == hashes[1]
    assert server.requests == asked
    other = eigen(elsewhere, *RUN, "--seed", "1")
    assert other.returncode == 3
    assert "the cassette run.cassette.gz has no answer to" in other.stderr


@pytest.mark.proof
def test_a_cache_saves_another_registry_the_calls(tmp_path: Path, server: Running) -> None:
    settings(tmp_path, server)
    first = eigen(tmp_path, *RUN, "--cache", "kept", "--registry", "one", "--json")
    asked = server.requests
    second = eigen(tmp_path, *RUN, "--cache", "kept", "--registry", "two", "--json")
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert server.requests == asked
    generations = [json.loads(done.stdout)["generations"][0] for done in (first, second)]
    assert generations[0]["hash"] == generations[1]["hash"]
    assert sum(usage["calls"] for usage in generations[1]["usage"].values()) == 0
