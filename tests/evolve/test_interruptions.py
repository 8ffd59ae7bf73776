"""Two runs at once, Ctrl-C, a server that is not there: said plainly, nothing damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from running import SMALL, command, evolve, hashes, journal_size, server, start, use_server


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("evolve", "airline", *arguments), cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.proof
def test_two_different_runs_share_a_registry(tmp_path: Path) -> None:
    one = (*SMALL, "--rounds", "1")
    first, second = start(tmp_path, *one), start(tmp_path, *one, "--seed", "6")
    assert (first.wait(timeout=120), second.wait(timeout=120)) == (0, 0)
    ids = [
        evolve(tmp_path, *one)["generations"][0]["id"],
        evolve(tmp_path, *one, "--seed", "6")["generations"][0]["id"],
    ]
    assert sorted(ids) == ["gen-0001", "gen-0002"]


@pytest.mark.proof
def test_the_same_run_twice_says_who_holds_it(tmp_path: Path) -> None:
    with server(tmp_path, latency_ms=20) as (url, _):
        use_server(tmp_path, url)
        holder = start(tmp_path, *SMALL)
        while journal_size(tmp_path) < 20_000 and holder.poll() is None:
            time.sleep(0.005)
        second = _run(tmp_path, *SMALL)
        assert holder.wait(timeout=120) == 0
    assert second.returncode == 1
    assert second.stderr.count("\n") == 2 and str(holder.pid) in second.stderr, second.stderr


@pytest.mark.proof
def test_ctrl_c_leaves_a_whole_journal_and_the_next_run_resumes(tmp_path: Path) -> None:
    with server(tmp_path, latency_ms=10) as (url, _):
        use_server(tmp_path / "whole", url)
        whole = hashes(evolve(tmp_path / "whole", *SMALL))
        folder = tmp_path / "stopped"
        use_server(folder, url)
        process = subprocess.Popen(
            command("evolve", "airline", *SMALL), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while journal_size(folder) < 60_000 and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert out == "" and "Traceback" not in err and "resumes" in err
        assert journal_size(folder) >= 60_000
        assert hashes(evolve(folder, *SMALL)) == whole


def test_a_server_that_is_not_there_is_named_at_once(tmp_path: Path, unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/v1"
    started = time.monotonic()
    done = _run(tmp_path, *SMALL, "--backend", "openai", "--base-url", url, "--model", "m")
    assert done.returncode == 3 and f"127.0.0.1:{unused_tcp_port}" in done.stderr, done.stderr
    assert "hint: " in done.stderr and "Traceback" not in done.stderr
    assert time.monotonic() - started < 15, "the connect timeout is five seconds"


@pytest.mark.proof
def test_a_server_that_dies_ends_the_run_which_then_resumes(tmp_path: Path) -> None:
    with server(tmp_path) as (url, _):
        use_server(tmp_path / "whole", url)
        whole = hashes(evolve(tmp_path / "whole", *SMALL))
    folder = tmp_path / "orphan"
    with server(tmp_path, latency_ms=15) as (url, _):
        use_server(folder, url)
        process = subprocess.Popen(
            command("evolve", "airline", *SMALL),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while journal_size(folder) < 60_000 and process.poll() is None:
            time.sleep(0.005)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    with server(tmp_path) as (url, _):
        use_server(folder, url)
        assert hashes(evolve(folder, *SMALL)) == whole


def test_nobody_reading_stderr_is_no_failure(tmp_path: Path) -> None:
    line = " ".join([*command("evolve", "airline", *SMALL, "--rounds", "1"), "2>/dev/full"])
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    assert "gen-0001" in done.stdout
