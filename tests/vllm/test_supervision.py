"""Supervision, against a real process that stands in for vLLM: it loads, serves, dies, will not die, has workers."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import Request
from eigen_cli.api.errors import BackendUnreachableError
from eigen_cli.testing.backend_contract import backend_breaches
from eigen_cli.testing.drafted import contract_context
from eigen_vllm.server import Server, free_ports

Ask = Callable[..., Request]
Run = Callable[..., Any]
NAME = "acme/qwen3-tiny-instruct"
LOG = Path(".eigen/logs/vllm-acme-qwen3-tiny-instruct-0.log")


async def gone(standin: Any) -> list[str]:
    """Return who is still there after a while."""
    for _ in range(200):
        if not standin.alive():
            break
        await asyncio.sleep(0.05)
    return list(standin.alive())


async def test_a_server_runs_for_the_length_of_a_command_and_leaves_nobody(
    run: Run, standin: Any, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "eigen.vllm")
    backend = run()
    assert backend.identity == f"vllm/{NAME}"
    await backend.start()
    ((gpus, *arguments),) = standin.starts()
    assert gpus == ""
    assert arguments[:2] == ["serve", NAME]
    assert arguments[-2:] == ["--tool-call-parser", "hermes"]
    reply = await backend.complete(ask("Hello."))
    assert (reply.completion.text, reply.completion.model) == ("You said: Hello.", NAME)
    (telemetry,) = backend.telemetry().values()
    assert telemetry.total.calls == 1
    assert len(standin.alive()) == 2
    await backend.close()
    assert standin.alive() == []
    assert backend.telemetry() == {}
    assert LOG.read_text() == "serving\n"
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith(f"vLLM loads {NAME} on port ")
    assert "is ready after" in said[-1]


async def test_it_keeps_the_contract_of_backends(run: Run, standin: Any) -> None:
    assert await backend_breaches(run(), contract_context(Airline())) == []
    assert standin.alive() == []


async def test_one_that_ignores_sigterm_is_killed_with_its_worker(standin: Any, tmp_path: Path) -> None:
    server = _server(standin, tmp_path, stubborn=1)
    await server.start()
    assert len(standin.alive()) == 2
    await server.stop()
    assert standin.alive() == []


async def test_one_that_never_comes_up_ends_with_what_its_log_says(run: Run, standin: Any) -> None:
    LOG.parent.mkdir(parents=True)
    LOG.write_text("error: of another day\n")
    why = "ended with code 1 before it was ready: RuntimeError: the GPU is on fire"
    with pytest.raises(BackendUnreachableError, match=why) as caught:
        await run(starts=0).start()
    assert caught.value.hint == f"its whole log is {LOG}"
    assert await gone(standin) == []


async def test_one_that_loads_for_too_long_is_stopped(run: Run, standin: Any) -> None:
    with pytest.raises(BackendUnreachableError, match=r"was not ready within 0\.2 s"):
        await run({"ready_timeout": 0.2}, load=60).start()
    assert await gone(standin) == []


async def test_a_start_that_is_interrupted_leaves_nobody(run: Run, standin: Any) -> None:
    starting = asyncio.ensure_future(run(load=60).start())
    while not standin.starts():
        await asyncio.sleep(0.02)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert standin.alive() == []


async def test_a_port_that_somebody_else_serves_is_not_taken_for_ours(run: Run, standin: Any) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(BackendUnreachableError, match=f"cannot listen on port {port}"):
            await run({"port": port}).start()
    assert standin.starts() == []


async def test_one_that_dies_is_started_again_and_the_call_is_answered(
    run: Run, standin: Any, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "eigen.vllm")
    backend = run()
    await backend.start()
    (server,) = [process for process in standin.alive() if process.endswith(".server")]
    os.kill(int(server.removesuffix(".server")), signal.SIGKILL)
    reply = await backend.complete(ask("Still there?"))
    assert reply.completion.text == "You said: Still there?"
    assert len(standin.starts()) == 2
    assert len(standin.alive()) == 2  # the first one's worker did not outlive it
    (warning,) = [record.getMessage() for record in caplog.records if record.name == "eigen.vllm"]
    assert warning.endswith("it is started again, once")


async def test_a_second_death_ends_every_call_at_once(run: Run, standin: Any, ask: Ask) -> None:
    backend = run(starts=1)
    await backend.start()
    with pytest.raises(BackendUnreachableError, match="before it was ready: RuntimeError: the GPU is on fire"):
        await backend.complete(ask("Die."))
    with pytest.raises(BackendUnreachableError, match="the GPU is on fire"):
        await backend.complete(ask("Hello."))
    assert await gone(standin) == []


async def test_replicas_have_gpus_of_their_own_and_one_can_go_without_the_other(
    run: Run, standin: Any, ask: Ask
) -> None:
    backend = run({"replicas": 2, "tensor_parallel": 2}, starts=2)
    await backend.start()
    assert [start[0] for start in standin.starts()] == ["0,1", "2,3"]
    tasks = [f"task-{number}" for number in range(12)]
    await asyncio.gather(*(backend.complete(ask("Hello.", task=task)) for task in tasks))
    calls = [telemetry.total.calls for telemetry in backend.telemetry().values()]
    assert sum(calls) == 12
    assert min(calls) > 0
    server = next(process for process in standin.alive() if process.endswith(".server"))
    os.kill(int(server.removesuffix(".server")), signal.SIGKILL)
    replies = await asyncio.gather(*(backend.complete(ask("And now?", task=task)) for task in tasks))
    assert {reply.completion.text for reply in replies} == {"You said: And now?"}


async def test_backends_that_serve_a_model_alike_share_its_server(run: Run, standin: Any, ask: Ask) -> None:
    first, second = run(), run({"strict_tools": True, "backoff": 0.02})
    await first.start()
    await second.start()
    assert len(standin.starts()) == 1
    await first.close()
    assert (await second.complete(ask("Hello."))).completion.text == "You said: Hello."
    await second.close()
    assert standin.alive() == []


PARENT = """
import asyncio, sys
from pathlib import Path
from eigen_vllm.server import Server


async def main():
    log = Path({log!r})
    server = Server({command!r}, port={port}, environment={environment!r}, log=log, ready_timeout=60, patience=0.3)
    await server.start()
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("stubborn", [False, True])
async def test_killing_eigen_outright_leaves_no_orphan(standin: Any, tmp_path: Path, stubborn: bool) -> None:
    behaviour = {"stubborn": 1} if stubborn else {}
    (port,) = free_ports(1)
    source = PARENT.format(
        command=_arguments(standin, port),
        port=port,
        environment={**os.environ, **standin.environment(**behaviour)},
        log=str(tmp_path / "log"),
    )
    parent = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert await asyncio.to_thread(parent.stdout.readline) == "ready\n"
    parent.stdout.close()
    assert len(standin.alive()) == 2
    parent.kill()
    parent.wait()
    assert await gone(standin) == []


def _server(standin: Any, folder: Path, **behaviour: object) -> Server:
    (port,) = free_ports(1)
    environment = {**os.environ, **standin.environment(**behaviour)}
    return Server(
        _arguments(standin, port),
        port=port,
        environment=environment,
        log=folder / "log",
        ready_timeout=60.0,
        patience=0.3,
    )


def _arguments(standin: Any, port: int) -> list[str]:
    return [*standin.command, "serve", NAME, "--served-model-name", NAME, "--port", str(port)]
