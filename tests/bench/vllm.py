"""Output tokens a second through the vllm backend, against `vllm bench serve` on the same server: `make bench-vllm`.

Both send the same prompts at the same concurrency for replies of the same length, by turns. The figures decide nothing;
the target is 0.95. The server is the untrained model that `make test-vllm` leaves behind: asked greedily, it never
comes to an end by itself.

EIGEN_VLLM_COMMAND names the `vllm` to use.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request
from eigen_vllm.backend import VllmBackend

CPU = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eigen" / "test-vllm"


def newest_model() -> Path | None:
    """Return the untrained model that the tests made last."""
    found = sorted(CACHE.glob("*/qwen3-untrained-instruct"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


async def ours(backend: VllmBackend, prompts: list[str], *, length: int, concurrency: int, run: int) -> float:
    """Return the output tokens a second of all prompts, so many at a time."""
    room = asyncio.Semaphore(concurrency)

    async def one(number: int) -> int:
        key = CallKey("bench", run, "", str(number), 0, "agent", 0, 0)
        chat = Chat.of({"role": "user", "content": prompts[number]})
        async with room:
            reply = await backend.complete(
                Request(role="agent", key=key, inputs=None, chat=chat, max_tokens=length, temperature=0.0)
            )
        return reply.usage.completion_tokens

    started = time.monotonic()
    tokens = sum(await asyncio.gather(*map(one, range(len(prompts)))))
    return tokens / (time.monotonic() - started)


def theirs(command: str, url: str, model: Path, prompts: Path, *, count: int, length: int, concurrency: int) -> float:
    """Return the same of vLLM's own benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(command, "bench", "serve", "--backend", "openai-chat", "--base-url", url.removesuffix("/v1")),
                *("--endpoint", "/v1/chat/completions", "--model", model.name, "--tokenizer", str(model)),
                *("--dataset-name", "custom", "--dataset-path", str(prompts), "--skip-chat-template"),
                *("--custom-output-len", str(length), "--num-prompts", str(count), "--temperature", "0"),
                *("--max-concurrency", str(concurrency), "--disable-tqdm"),
                *("--save-result", "--result-dir", folder, "--result-filename", "result.json"),
            ],
            env={**os.environ, **CPU},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"vllm bench serve failed:\n{done.stdout[-2_000:]}\n{done.stderr[-2_000:]}")
        result = json.loads((Path(folder) / "result.json").read_text())
    assert result["total_output_tokens"] == count * length, result
    return float(result["output_throughput"])


async def compare(command: str, model: Path, arguments: argparse.Namespace) -> None:
    """Serve the model and measure both, by turns."""
    count, length, concurrency = arguments.prompts, arguments.tokens, arguments.concurrency
    prompts = [f"Please send parcel P{1_000 + number} back to its sender." for number in range(count)]
    backend = VllmBackend(
        BackendSettings(
            model=str(model),
            concurrency=concurrency,
            options={
                "command": command,
                "serve_args": ["--enforce-eager", "--max-model-len", "8192", "--dtype", "float32"],
                "env": CPU,
            },
        )
    )
    await backend.start()
    try:
        (host,) = backend.telemetry()
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(json.dumps({"prompt": prompt}) + "\n" for prompt in prompts))
            file.flush()
            figures: list[tuple[float, float]] = []
            for run in range(arguments.runs):
                own = await ours(backend, prompts, length=length, concurrency=concurrency, run=run)
                other = await asyncio.to_thread(
                    theirs,
                    command,
                    f"http://{host}/v1",
                    model,
                    Path(file.name),
                    count=count,
                    length=length,
                    concurrency=concurrency,
                )
                figures.append((own, other))
                print(f"run {run}: {own:.0f} tokens/s, vllm bench serve {other:.0f}", flush=True)
    finally:
        await backend.close()
    ratio = statistics.median(own / other for own, other in figures)
    print(f"{count} replies of {length} tokens, {concurrency} at a time: {ratio:.2f} of vllm bench serve (target 0.95)")


def main() -> None:
    """Measure, where there is a vLLM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--prompts", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--runs", type=int, default=3)
    command, model = os.environ.get("EIGEN_VLLM_COMMAND"), newest_model()
    if not command or model is None:
        print("skipped: it needs a vLLM, and the model that `make test-vllm` leaves behind")
        return
    asyncio.run(compare(command, model, parser.parse_args()))


if __name__ == "__main__":
    main()
