"""`eigen play`: a person's lines come from a pipe, everything else is real."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def play(folder: Path, *arguments: str, typed: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eigen_cli", "play", *arguments]
    return subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True, timeout=120)


def test_a_person_plays_the_customer_and_sees_how_it_went(tmp_path: Path) -> None:
    done = play(tmp_path, "airline", "--as", "user", typed="Hello, I am just looking around.\n/stop\n")
    assert done.returncode == 0, done.stderr
    assert "you are the user, the other is offline" in done.stderr
    assert "agent  " in done.stderr, "what the agent says is shown as it comes"
    assert "###STOP###" in done.stdout
    assert "stop  user_stop" in done.stdout
    assert "verdict  state" in done.stdout


def test_a_person_plays_the_agent_with_real_tools(tmp_path: Path) -> None:
    typed = "/tools calculate\n/call calculate expression=2*21\nIt is 42.\n" + "That is all I can do.\n" * 8
    done = play(tmp_path, "airline", "--json", typed=typed)
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout)
    results = [message["result"]["content"] for message in played["episode"]["messages"] if "result" in message]
    assert results[0] == "42.0"
    assert "result  42.0" in done.stderr
    assert played["verdict"]["reward"] == 0.0
    assert {"state", "communicate"} <= {part["verifier"] for part in played["verdict"]["parts"]}


def test_leaving_and_an_empty_terminal_have_exits_of_their_own(tmp_path: Path) -> None:
    assert play(tmp_path, "airline", typed="/quit\n").returncode == 130
    gone = play(tmp_path, "airline", typed="")
    assert (gone.returncode, "nobody is at the terminal" in gone.stderr) == (3, True)


def test_a_task_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = play(tmp_path, "airline", "--task", "zzz", typed="")
    assert done.returncode == 2
    assert "eigen: error: there is no task zzz" in done.stderr
