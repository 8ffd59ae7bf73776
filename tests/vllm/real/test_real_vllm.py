"""A real vLLM plays the agent: started, supervised and stopped by eigen, or attached to; good, malformed, strict."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from eigen_vllm.families import FAMILIES

VLLM = os.environ.get("EIGEN_VLLM_COMMAND", "")
SMALL = ("--rounds", "1", "--tasks", "8", "--trials", "2", "--plans", "2", "--seed", "0")

REGISTERED = """
import json
from vllm.reasoning import ReasoningParserManager
from vllm.tool_parsers import ToolParserManager
print(json.dumps([sorted(ToolParserManager.list_registered()), sorted(ReasoningParserManager.list_registered())]))
"""


def evolved(desk: Any) -> tuple[dict[str, Any], str]:
    """Run one small round; return its generation and what was said on stderr."""
    done = desk.eigen("evolve", "parcels", *SMALL, "--json")
    assert done.returncode == 0, done.stderr
    (generation,) = json.loads(done.stdout)["generations"]
    return generation, done.stderr


def turns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return everything the agent said or called."""
    return [message for row in rows for message in row["messages"] if message["speaker"] == "agent"]


def test_vllm_knows_every_parser_we_name() -> None:
    done = subprocess.run(
        [Path(VLLM).with_name("python"), "-c", REGISTERED], capture_output=True, text=True, check=True
    )
    tools, reasoning = json.loads(done.stdout.splitlines()[-1])
    assert {family.tools for family in FAMILIES} <= set(tools)
    assert {family.reasoning for family in FAMILIES} - {""} <= set(reasoning)


def test_a_trained_model_does_its_job_on_a_server_that_lives_as_long_as_the_command(desk: Any, models: Any) -> None:
    desk.supervised(models.tiny)
    generation, said = evolved(desk)
    assert "vLLM loads qwen3-tiny-instruct on port" in said
    assert "is ready after" in said
    assert desk.processes() == {}
    assert generation["actors"]["agent"].startswith("vllm/qwen3-tiny-instruct@")
    assert generation["infrastructure"] == 0
    assert generation["episodes"] >= 12
    assert generation["passed"] > 0.75 * generation["episodes"]
    usage = generation["usage"]["agent"]
    spoken = turns(desk.rows())
    assert usage["calls"] == len(spoken)
    assert usage["prompt_tokens"] > 10 * len(spoken)
    assert usage["completion_tokens"] > 3 * len(spoken)
    assert {message["model"] for message in spoken} == {"qwen3-tiny-instruct"}
    calls = [call for message in spoken for call in message["tool_calls"]]
    assert {call["name"] for call in calls} == {"keep_parcel", "return_parcel"}
    # What one pays for is in the journal: the same command again asks nobody, and starts nothing.
    again, said = evolved(desk)
    assert again["hash"] == generation["hash"]
    assert "vLLM" not in said


def test_killing_eigen_outright_takes_vllm_and_its_engine_along(desk: Any, models: Any) -> None:
    desk.supervised(models.tiny)
    eigen = subprocess.Popen(
        [sys.executable, "-m", "eigen_cli", "evolve", "parcels", *SMALL],
        cwd=desk.folder,
        env=desk.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # eigen, the keeper, the API server, and the engine that holds the weights
    while len(desk.processes()) < 4:
        assert eigen.poll() is None
        time.sleep(0.2)
    os.kill(eigen.pid, signal.SIGKILL)
    eigen.wait()
    left = desk.processes()
    for _ in range(300):
        left = desk.processes()
        if not left:
            break
        time.sleep(0.1)
    assert left == {}


def test_what_an_untrained_model_writes_is_rows_of_failures(desk: Any, models: Any, untrained_server: str) -> None:
    agent = {"model": models.untrained.name, "base_url": untrained_server, "temperature": 1.0}
    desk.settings(agent, {})
    generation, said = evolved(desk)
    assert "vLLM loads" not in said
    rows = desk.rows()
    assert len(rows) == generation["episodes"] == 2 * generation["tasks_accepted"]
    assert generation["episodes"] >= 8
    assert (generation["passed"], generation["infrastructure"]) == (0, 0)
    assert {row["verdict"]["reward"] for row in rows} == {0.0}
    assert generation["blame"]["agent"] == generation["episodes"]
    assert any(message["text"] for message in turns(rows))


def test_strict_tools_hold_even_an_untrained_model_to_valid_calls(
    desk: Any, models: Any, untrained_server: str
) -> None:
    agent = {"model": models.untrained.name, "base_url": untrained_server, "temperature": 1.0}
    desk.settings(agent, {"strict_tools": True})
    generation, _ = evolved(desk)
    assert generation["actors"]["agent"] == f"vllm/{models.untrained.name}+strict at 1"
    spoken = turns(desk.rows())
    calls = [call for message in spoken for call in message["tool_calls"]]
    assert len(calls) > 10
    for call in calls:
        assert call["name"] in ("keep_parcel", "return_parcel")
        assert call["error"] is None
        assert list(json.loads(call["arguments"])) == ["parcel_id"]
    said = [message["text"] for message in spoken if not message["tool_calls"]]
    assert said
    assert not [text for text in said if "tool_call" in text]
    assert all(len(message["tool_calls"]) + bool(message["text"]) == 1 for message in spoken)
