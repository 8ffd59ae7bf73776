"""The command line and the environment of a server, and what a model in a folder is called."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.errors import ConfigError
from eigen_vllm.backend import VllmBackend
from eigen_vllm.command import parsers_of, runner_of, serve_command, server_environment
from eigen_vllm.options import Options

QWEN = "Qwen/Qwen3-8B"


def options(**given: Any) -> Options:
    return Options.of({"command": sys.executable, **given})[0]


def test_a_model_is_served_under_its_name_with_what_its_family_needs() -> None:
    assert serve_command(QWEN, options(tensor_parallel=2, serve_args=["--max-model-len", "8192"]), port=8000) == [
        *(sys.executable, "serve", QWEN, "--host", "127.0.0.1", "--port", "8000"),
        *("--served-model-name", QWEN, "--enable-prefix-caching", "--enable-prompt-tokens-details"),
        *("--uvicorn-log-level", "warning"),
        *("--tensor-parallel-size", "2", "--enable-auto-tool-choice", "--tool-call-parser", "hermes"),
        *("--reasoning-parser", "qwen3", "--max-model-len", "8192"),
    ]


def test_named_parsers_override_the_family_and_none_asks_for_none() -> None:
    assert parsers_of(QWEN, options(tool_parser="qwen3_xml", reasoning_parser="none")) == ("qwen3_xml", "")
    assert parsers_of("acme/own", options(tool_parser="none")) == ("", "")
    assert "--enable-auto-tool-choice" not in serve_command("acme/own", options(tool_parser="none"), port=1)


def test_a_model_whose_parser_nobody_knows_is_refused() -> None:
    with pytest.raises(ConfigError, match="acme/own does not tell how it writes tool calls") as caught:
        parsers_of("acme/own", options())
    assert "tool_parser" in str(caught.value.hint)


def test_the_command_may_be_a_line_of_words() -> None:
    assert runner_of(options(command=f"{sys.executable} -m 'vllm cli'")) == (sys.executable, "-m", "vllm cli")


def test_a_vllm_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match="there is no '/nowhere/vllm'"):
        VllmBackend(BackendSettings(model=QWEN, options={"command": "/nowhere/vllm"}))


def test_replicas_get_gpus_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def dealt(**given: Any) -> list[str]:
        chosen = options(**given)
        return [server_environment(chosen, replica)["CUDA_VISIBLE_DEVICES"] for replica in range(chosen.replicas)]

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert dealt(replicas=2) == ["0", "1"]
    assert dealt(replicas=2, tensor_parallel=2) == ["0,1", "2,3"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,GPU-7a,2")
    assert dealt(replicas=3) == ["5", "GPU-7a", "2"]
    assert dealt(replicas=2, env={"CUDA_VISIBLE_DEVICES": "8,9"}) == ["8", "9"]
    assert dealt(replicas=1, tensor_parallel=2) == ["5,GPU-7a,2"]
    with pytest.raises(ConfigError, match="2 replicas with 2 GPUs each need 4, and CUDA_VISIBLE_DEVICES names 3"):
        dealt(replicas=2, tensor_parallel=2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert dealt(replicas=2) == ["", ""]


def test_a_server_has_our_environment_and_what_the_options_add(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", "/models")
    monkeypatch.setenv("VLLM_API_KEY", "for-others")
    environment = server_environment(options(env={"VLLM_CPU_KVCACHE_SPACE": "1"}), 0)
    assert environment["HF_HOME"] == "/models"
    assert environment["VLLM_CPU_KVCACHE_SPACE"] == "1"
    assert environment["VLLM_NO_USAGE_STATS"] == "1"
    assert "VLLM_API_KEY" not in environment


def folder(at: Path, weights: bytes) -> str:
    at.mkdir(parents=True)
    (at / "config.json").write_text("{}")
    (at / "model.safetensors").write_bytes(weights)
    return str(at)


def identity(model: str, **given: Any) -> str:
    return VllmBackend(BackendSettings(model=model, options={"command": sys.executable, **given})).identity


def test_a_folder_is_known_by_its_name_and_its_weights_wherever_it_lies(tmp_path: Path) -> None:
    header = b"h" * 200_000  # longer than what is read of an end
    first = folder(tmp_path / "a" / "qwen3-4b-instruct", header + b"\x01")
    second = folder(tmp_path / "b" / "qwen3-4b-instruct", header + b"\x02")
    shutil.copytree(first, tmp_path / "c" / "qwen3-4b-instruct")
    assert identity(first).startswith("vllm/qwen3-4b-instruct@")
    assert identity(first) == identity(str(tmp_path / "c" / "qwen3-4b-instruct"))
    assert identity(first) != identity(second)
    assert identity(first, strict_tools=True) == identity(first) + "+strict"
    command = serve_command(first, options(), port=1)
    assert command[2] == first
    assert command[command.index("--served-model-name") + 1] == "qwen3-4b-instruct"


def test_a_folder_that_is_not_there_is_no_model_of_the_hub() -> None:
    with pytest.raises(ConfigError, match="there is no model at /nowhere/qwen3-4b"):
        identity("/nowhere/qwen3-4b")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"replcas": 2}, "no option 'replcas'"),
        ({"replicas": 0}, "replicas"),
        ({"strict_tools": "often"}, "strict_tools"),
        ({"backoff": -1}, "backoff"),
    ],
)
def test_wrong_options_are_refused_before_anything_starts(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        identity(QWEN, **given)


def test_a_model_is_needed() -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        identity("")
