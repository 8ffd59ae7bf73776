"""Stands in for the `vllm` executable: a real process that serves on a port, and misbehaves as its environment says.

STANDIN_FOLDER gets a file for every process, named by its id; the first is `<pid>.server` and holds the arguments.
STANDIN_LOAD   seconds before it serves
STANDIN_STARTS how many starts succeed; later ones end with an error in the log
STANDIN_STUBBORN ignores SIGTERM, and so does the worker it starts

Asked "Die.", it dies at once; asked anything else, it answers with what it was asked.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

WORKER = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


def main(arguments: list[str]) -> None:
    """Serve as `vllm serve MODEL --port N …` would, or print a version."""
    if arguments == ["--version"]:
        print("0.0.0+standin")
        return
    folder = Path(os.environ["STANDIN_FOLDER"])
    if os.environ.get("STANDIN_STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker = subprocess.Popen([sys.executable, "-S", "-c", WORKER])
    (folder / f"{worker.pid}.worker").touch()
    gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    (folder / f"{os.getpid()}.server").write_text("\n".join([gpus, *arguments]))
    if len(list(folder.glob("*.server"))) > int(os.environ.get("STANDIN_STARTS", "9")):
        sys.exit("RuntimeError: the GPU is on fire")
    time.sleep(float(os.environ.get("STANDIN_LOAD", "0")))
    asyncio.run(serve(arguments))


async def serve(arguments: list[str]) -> None:
    """Serve chats for ever."""
    from eigen_cli.testing.openai_server import OpenAIServer, serving_async
    from eigen_cli.testing.openai_server.chat import ChatRequest

    def answer(request: ChatRequest) -> str:
        said = str(request.chat.messages()[-1]["content"])
        if said == "Die.":
            os._exit(3)
        return f"You said: {said}"

    given = dict(itertools.pairwise(arguments))
    server = OpenAIServer(answer, models=(given["--served-model-name"],))
    async with serving_async(server, port=int(given["--port"])):
        print("serving", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
