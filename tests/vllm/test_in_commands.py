"""The vllm backend as commands use it: what they say, and what they refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Eigen

from eigen_cli.testing.openai_server import OpenAIServer, serving

NAME = "acme/qwen3-tiny-instruct"
EVOLVE = ("evolve", "airline", "--rounds", "1", "--tasks", "3", "--plans", "1", "--trials", "1")


def settings(folder: Path, *lines: str, options: dict[str, Any]) -> None:
    environment = options.pop("env", {})
    text = ["[roles.agent]", 'backend = "vllm"', f'model = "{NAME}"', *lines, "[roles.agent.options]"]
    text += [f"{name} = {json.dumps(value)}" for name, value in options.items()]
    text += ["[roles.agent.options.env]", *(f"{name} = {json.dumps(value)}" for name, value in environment.items())]
    (folder / "eigen.toml").write_text("\n".join(text) + "\n")


def test_a_run_says_that_a_server_is_loading_and_leaves_none(eigen: Eigen, tmp_path: Path, standin: Any) -> None:
    settings(tmp_path, options={"command": list(standin.command), "env": standin.environment()})
    done = eigen(*EVOLVE)
    assert done.code == 0, done.err
    assert f"vLLM loads {NAME} on port " in done.err
    assert " is ready after " in done.err
    assert standin.alive() == []
    shown = eigen("show", "gen-0001", "--json")
    generation = json.loads(shown.out)["generation"]
    assert generation["actors"]["agent"] == f"vllm/{NAME}"
    assert generation["usage"]["agent"]["calls"] > 0


def test_a_quiet_run_keeps_that_to_itself(eigen: Eigen, tmp_path: Path, standin: Any) -> None:
    settings(tmp_path, options={"command": list(standin.command), "env": standin.environment()})
    done = eigen(*EVOLVE, "--quiet")
    assert (done.code, done.err) == (0, "")


def test_a_server_that_does_not_come_up_is_exit_3_with_its_log(eigen: Eigen, tmp_path: Path, standin: Any) -> None:
    settings(tmp_path, options={"command": list(standin.command), "env": standin.environment(starts=0)})
    done = eigen(*EVOLVE)
    assert done.code == 3
    assert "before it was ready: RuntimeError: the GPU is on fire" in done.err
    assert "hint: its whole log is .eigen/logs/vllm-acme-qwen3-tiny-instruct-0.log" in done.err


def test_an_evaluation_refuses_strict_tools(eigen: Eigen, tmp_path: Path) -> None:
    with serving(OpenAIServer(models=(NAME,))) as url:
        settings(tmp_path, f'base_url = "{url}"', options={"strict_tools": True})
        done = eigen("eval", "airline", "--trials", "1")
    assert done.code == 2
    error, hint = done.err.splitlines()
    assert error == (
        f"eigen: error: vllm/{NAME}+strict helps its model along, and an evaluation scores the model by itself"
    )
    assert "strict" in hint


@pytest.mark.parametrize(
    ("command", "status", "detail"),
    [
        ([], "ok", f"vllm/{NAME}"),
        ([sys.executable, "-c", "raise SystemExit('no CUDA here')"], "failed", "vLLM does not run: no CUDA here"),
        (["/nowhere/vllm"], "failed", "vLLM cannot be started: there is no '/nowhere/vllm'"),
    ],
)
def test_doctor_says_what_is_missing_without_loading_a_model(
    eigen: Eigen, tmp_path: Path, standin: Any, command: list[str], status: str, detail: str
) -> None:
    settings(tmp_path, options={"command": command or list(standin.command), "env": standin.environment()})
    found = json.loads(eigen("doctor", "--json").out)
    (check,) = [check for check in found["checks"] if check["name"] == "backend vllm"]
    assert check["status"] == status
    assert check["detail"].startswith(detail)
    assert standin.starts() == []
