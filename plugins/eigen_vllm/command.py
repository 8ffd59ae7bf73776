"""The command line and the environment of one server."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from eigen_cli.api.errors import ConfigError
from eigen_vllm.families import family_of
from eigen_vllm.options import Options

HOST = "127.0.0.1"
_GPUS = "CUDA_VISIBLE_DEVICES"
_KEY_WANTED = "VLLM_API_KEY"
"""Meant for servers that others reach: with it, ours would turn our own calls away."""


def runner_of(options: Options) -> tuple[str, ...]:
    """Return how vLLM is run; raises `ConfigError` where it is nowhere to be found."""
    words = tuple(shlex.split(options.command) if isinstance(options.command, str) else options.command) or ("vllm",)
    if shutil.which(words[0]) is None:
        raise ConfigError(
            f"vLLM cannot be started: there is no {words[0]!r}",
            hint="install it into an environment of its own and name it: "
            '[backend] options = { command = "/path/to/env/bin/vllm" }, or give the --base-url of a running server',
        )
    return words


def served_name(model: str) -> str:
    """Return the name a model is asked for by: its own, and of a folder the last part of the path.

    Raises `ConfigError` for a path at which there is no folder.
    """
    if model.startswith(("/", "./", "../", "~")) and not Path(model).expanduser().is_dir():
        raise ConfigError(f"there is no model at {model}", hint="name a folder with weights, or a model of the Hub")
    return Path(model).resolve().name if Path(model).expanduser().is_dir() else model


def serve_command(model: str, options: Options, *, port: int) -> list[str]:
    """Return the arguments that serve a model; tool calls, reasoning and prefix caching set as the model wants them."""
    command = [*runner_of(options), "serve", str(Path(model).expanduser()), "--host", HOST, "--port", str(port)]
    command += ["--served-model-name", served_name(model)]
    command += ["--enable-prefix-caching", "--enable-prompt-tokens-details"]  # and say how much of a prompt was cached
    command += ["--uvicorn-log-level", "warning"]  # otherwise a line for every call
    if options.tensor_parallel > 1:
        command += ["--tensor-parallel-size", str(options.tensor_parallel)]
    tools, reasoning = parsers_of(model, options)
    if tools:
        command += ["--enable-auto-tool-choice", "--tool-call-parser", tools]
    if reasoning:
        command += ["--reasoning-parser", reasoning]
    return [*command, *options.serve_args]


def parsers_of(model: str, options: Options) -> tuple[str, str]:
    """Return the names of the tool-call and the reasoning parser; empty ones are not asked for.

    Raises `ConfigError` for a model whose family is unknown and whose tool parser is not named: without one, every tool
    call would come back as text, and every episode would fail for the wrong reason.
    """
    family = family_of(served_name(model))
    tools = options.tool_parser or (family.tools if family else "")
    if not tools:
        raise ConfigError(
            f"the name {model} does not tell how it writes tool calls",
            hint='name vLLM\'s parser: [backend] options = { tool_parser = "hermes" } (or "none" for no tool calls)',
        )
    reasoning = options.reasoning_parser or (family.reasoning if family else "")
    return ("" if tools == "none" else tools), ("" if reasoning == "none" else reasoning)


def server_environment(options: Options, replica: int) -> Mapping[str, str]:
    """Return a server's environment: ours, what the options set, and of several replicas the GPUs that are its own.

    They are dealt from those `CUDA_VISIBLE_DEVICES` names, or from 0 on. Raises `ConfigError` where it names too few.
    """
    ours = {name: value for name, value in os.environ.items() if name != _KEY_WANTED}
    environment = {**ours, "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", **options.env}
    given = environment.get(_GPUS)
    if options.replicas == 1 or given == "":  # an empty one hides every GPU, and so it stays
        return environment
    each = options.tensor_parallel
    needed = options.replicas * each
    gpus = given.split(",") if given else [str(gpu) for gpu in range(needed)]
    if len(gpus) < needed:
        raise ConfigError(
            f"{options.replicas} replicas with {each} GPUs each need {needed}, and {_GPUS} names {len(gpus)}"
        )
    return {**environment, _GPUS: ",".join(gpus[replica * each : (replica + 1) * each])}
