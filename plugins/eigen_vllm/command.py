"""The command line of one server."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping

from eigen_cli.api.errors import ConfigError
from eigen_vllm.families import family_of
from eigen_vllm.options import Options

HOST = "127.0.0.1"


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


def serve_command(model: str, options: Options, *, port: int) -> list[str]:
    """Return the arguments that serve a model; tool calls, reasoning and prefix caching set as the model wants them."""
    command = [*runner_of(options), "serve", model, "--host", HOST, "--port", str(port)]
    command += ["--served-model-name", model, "--enable-prefix-caching"]
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
    family = family_of(model)
    tools = options.tool_parser or (family.tools if family else "")
    if not tools:
        raise ConfigError(
            f"the name {model} does not tell how it writes tool calls",
            hint='name vLLM\'s parser: [backend] options = { tool_parser = "hermes" } (or "none" for no tool calls)',
        )
    reasoning = options.reasoning_parser or (family.reasoning if family else "")
    return ("" if tools == "none" else tools), ("" if reasoning == "none" else reasoning)


def server_environment(options: Options, replica: int) -> Mapping[str, str]:
    """Return a server's environment: ours, the GPUs that are its own, and what the options set."""
    environment = {**os.environ, "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if options.replicas > 1 and "CUDA_VISIBLE_DEVICES" not in options.env:
        given = os.environ.get("CUDA_VISIBLE_DEVICES")
        wanted = range(replica * options.tensor_parallel, (replica + 1) * options.tensor_parallel)
        gpus = given.split(",") if given else [str(gpu) for gpu in range(options.replicas * options.tensor_parallel)]
        if len(gpus) < options.replicas * options.tensor_parallel:
            raise ConfigError(
                f"{options.replicas} replicas on {options.tensor_parallel} GPUs each need "
                f"{options.replicas * options.tensor_parallel}, and CUDA_VISIBLE_DEVICES names {len(gpus)}"
            )
        environment["CUDA_VISIBLE_DEVICES"] = ",".join(gpus[gpu] for gpu in wanted)
    return {**environment, **options.env}
