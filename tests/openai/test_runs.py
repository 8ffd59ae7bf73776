"""`eigen evolve` in a process of its own, against a server in another that dies, storms, or stops taking the key."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import command, evolve, hashes, journal_size

from eigen_cli.testing.openai_server import read_log

RUN = ("--rounds", "1", "--tasks", "3", "--trials", "1", "--plans", "1", "--seed", "5")
KEY = "sk-live-4f9a1c7d2e-b81c"
SETTINGS = """
[backend]
name = "openai"
model = "offline"
base_url = "http://127.0.0.1:{port}/v1"
max_retries = 1
{limit}

[backend.options]
simulated_inputs = true
backoff = 0.05
patience = {patience}
"""
HALF = 12_000
"""Bytes of the journal about in the middle of the run."""


@contextmanager
def server(log: Path, port: int, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Serve the offline actors on a port until the block ends or somebody kills it."""
    arguments = ("--port", str(port), "--latency-ms", "15", "--log", str(log), *flags)
    process = subprocess.Popen(
        [sys.executable, "-m", "eigen_cli.testing.openai_server", *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith("http://")
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def settle(folder: Path, port: int, *, patience: float = 60, timeout: float | None = None) -> Path:
    """Make a folder whose `eigen.toml` sends every role to a port."""
    folder.mkdir(exist_ok=True)
    limit = f"timeout = {timeout}" if timeout else ""
    (folder / "eigen.toml").write_text(SETTINGS.format(port=port, patience=patience, limit=limit))
    return folder


@contextmanager
def running(folder: Path, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Run `eigen evolve airline` until it has made half its calls."""
    process = subprocess.Popen(
        command("evolve", "airline", *RUN, "--json", *flags),
        cwd=folder,
        env={**os.environ, "OPENAI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while journal_size(folder) < HALF and process.poll() is None:
            time.sleep(0.005)
        assert process.poll() is None, process.communicate()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def use_faults(port: int, *faults: dict[str, object]) -> None:
    """Have the server misbehave from now on."""
    address = f"http://127.0.0.1:{port}/_faults"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(faults).encode()), timeout=30) as answer:
        assert json.loads(answer.read()) == {"faults": len(faults)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, unused_tcp_port_factory: Callable[[], int]) -> list[str]:
    """Return the hashes of an undisturbed run, which every run below must end with."""
    folder, port = tmp_path_factory.mktemp("whole"), unused_tcp_port_factory()
    with server(folder / "log", port):
        outcome = hashes(evolve(settle(folder / "run", port), *RUN))
    assert journal_size(folder / "run") > HALF + 5_000
    return outcome


def finished(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return exit code and outputs."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.mark.proof
def test_a_server_that_dies_and_comes_back_is_waited_for(tmp_path, unused_tcp_port, whole):
    folder, log = settle(tmp_path / "run", unused_tcp_port), tmp_path / "log"
    with server(log, unused_tcp_port) as first, running(folder) as run:
        first.send_signal(signal.SIGKILL)
        first.wait(timeout=30)
        time.sleep(1.5)
        assert run.poll() is None, "the run waits"
        with server(log, unused_tcp_port):
            code, out, err = finished(run)
    assert code == 0, err
    assert hashes(json.loads(out)) == whole
    assert sum(usage.get("failures", 0) for usage in json.loads(out)["generations"][0]["usage"].values()) == 0


@pytest.mark.proof
def test_a_server_that_never_comes_back_ends_the_run_which_loses_nothing(tmp_path, unused_tcp_port, whole):
    folder, log = settle(tmp_path / "run", unused_tcp_port, patience=1.0), tmp_path / "log"
    with server(log, unused_tcp_port) as first, running(folder) as run:
        first.send_signal(signal.SIGKILL)
        code, out, err = finished(run)
    assert (code, out) == (3, ""), err
    assert "no good reply from 127.0.0.1" in err
    assert "the same command again" in err
    before = {entry.trace for entry in read_log(log) if entry.outcome == "answered"}
    with server(tmp_path / "second", unused_tcp_port):
        assert hashes(evolve(folder, *RUN)) == whole
    again = before & {entry.trace for entry in read_log(tmp_path / "second")}
    assert len(again) <= 2, "what was answered is not asked again, unless it was on its way when the server died"


@pytest.mark.proof
def test_a_key_that_expires_ends_the_run_and_is_written_nowhere(tmp_path, unused_tcp_port, whole):
    folder = settle(tmp_path / "run", unused_tcp_port)
    with server(tmp_path / "log", unused_tcp_port), running(folder, "--debug") as run:
        use_faults(unused_tcp_port, {"kind": "status", "status": 401})
        code, out, err = finished(run)
        assert code == 3, err
        assert "refuses us (401): Incorrect API key provided: [key]" in err
        assert "OPENAI_API_KEY, which is set" in err
        assert "Traceback" in err
        use_faults(unused_tcp_port)
        assert hashes(evolve(folder, *RUN, environment={"OPENAI_API_KEY": KEY})) == whole
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) >= 3
    for text in (out.encode(), err.encode(), *(path.read_bytes() for path in written)):
        assert KEY.encode() not in text
        assert KEY[8:].encode() not in text


@pytest.mark.proof
def test_a_storm_is_sat_out(tmp_path, unused_tcp_port, whole):
    """A second in which nobody is served, then half of the calls turned away and a third of the rest reset."""
    folder, log = settle(tmp_path / "run", unused_tcp_port), tmp_path / "log"
    with server(log, unused_tcp_port), running(folder) as run:
        use_faults(unused_tcp_port, {"kind": "status", "status": 429})
        time.sleep(1.0)
        assert run.poll() is None
        turned_away = {"kind": "status", "status": 429, "rate": 0.3, "retry_after": 0.02}
        use_faults(unused_tcp_port, turned_away, {"kind": "reset", "rate": 0.3})
        code, out, err = finished(run)
    assert code == 0, err
    outcome = json.loads(out)
    assert hashes(outcome) == whole
    usage = outcome["generations"][0]["usage"].values()
    assert sum(one.get("failures", 0) for one in usage) == 0
    met = [entry.outcome for entry in read_log(log)]
    assert met.count("status 429") > 5
    assert met.count("reset") > 2
    assert sum(one.get("retries", 0) for one in usage) == len(met) - met.count("answered")


@pytest.mark.proof
@pytest.mark.parametrize(("timeout", "retries"), [(None, 0), (20, 3)], ids=["the default timeout", "20 s"])
def test_a_minute_in_which_calls_stand_still_is_survived(tmp_path, unused_tcp_port, whole, timeout, retries):
    """Three calls get nothing for sixty real seconds: the default waits for them, a shorter timeout asks again."""
    folder, log = settle(tmp_path / "run", unused_tcp_port, timeout=timeout), tmp_path / "log"
    stall = {"kind": "stall", "seconds": 60, "nth": [20, 21, 22]}
    with server(log, unused_tcp_port, "--faults", json.dumps(stall)):
        started = time.monotonic()
        outcome = evolve(folder, *RUN)
        took = time.monotonic() - started
    assert hashes(outcome) == whole
    assert (20 <= took < 60) if timeout else (took >= 60)
    usage = outcome["generations"][0]["usage"].values()
    assert sum(one.get("retries", 0) for one in usage) == retries
    assert sum(one.get("failures", 0) for one in usage) == 0
    assert [entry.outcome for entry in read_log(log)].count("abandoned") == retries
