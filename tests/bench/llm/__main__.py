"""The openai backend under load, against a bare client on the same server: `make bench-llm`.

The figures decide nothing; the targets stand beside them. The server is a process of its own, the clients are this one.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bare import bare_loop
from episodes import CALLS, TURNS, bench_context, bodies_of_an_episode, drive, first_task, user_of

HERE = Path(__file__).parent
CYCLE = 3
"""Calls from one customer's text to the next."""


@contextlib.contextmanager
def stub(latency: float, user: str) -> Iterator[str]:
    """Run the server; give its base URL."""
    command = [sys.executable, str(HERE / "stub.py"), str(latency), user]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.terminate()


def plain_loop() -> float:
    """Return the CPU milliseconds of a million additions: how fast this machine is now (an idle Zen 4 core: 45)."""
    started, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number
    return (time.process_time() - started) * 1000


def row(what: str, figures: list[float], unit: str, target: str) -> None:
    """Print the median, all runs, and the target."""
    runs = " ".join(f"{figure:.3g}" for figure in figures)
    print(f"{what:58} {statistics.median(figures):8.3g} {unit:6} {target:12} [{runs}]", flush=True)


def throughput(concurrency: int, runs: int, latency: float) -> None:
    """Compare episodes with a bare loop that sends the same bytes, one after the other, `runs` times."""
    context = bench_context()
    with stub(latency, user_of(first_task(context))) as url, tempfile.TemporaryDirectory() as folder:
        bodies = asyncio.run(bodies_of_an_episode(context, url, Path(folder) / "one.journal"))
        asked = [body for body in bodies if b'"tools":[' in body]
        sizes = f"{len(asked[0]) / 1000:.0f} to {len(asked[-1]) / 1000:.0f} KB"
        print(f"\n{concurrency} in flight, {latency * 1000:.0f} ms, agents' prompts of {sizes} over {TURNS} turns")
        ratios, shares, cpu, bare_cpu, per_second, speed = [], [], [], [], [], []
        for number in range(runs):
            episodes = 3 * concurrency
            bare = asyncio.run(bare_loop(url, bodies, concurrency=concurrency, calls=concurrency * CALLS))
            run = asyncio.run(
                drive(
                    context,
                    url,
                    Path(folder) / f"{number}.journal",
                    concurrency=concurrency,
                    episodes=episodes,
                )
            )
            ratios.append(run.throughput / bare.throughput)
            shares.append(run.in_flight / concurrency)
            cpu.append(run.cpu / run.calls * 1000)
            bare_cpu.append(bare.cpu_ms)
            per_second.append(run.throughput)
            speed.append(plain_loop())
        row("calls a second", per_second, "/s", f"of {concurrency / latency:.0f}")
        row("throughput / that of the bare loop", ratios, "", ">= 0.9")
        row("mean calls in flight / allowed, while episodes remain", shares, "", ">= 0.95")
        row("CPU a call, everything included", cpu, "ms", "<= 1")
        row("CPU a call of the bare loop", bare_cpu, "ms", "")
        row("CPU of a plain loop, for the machine's speed (idle: 45)", speed, "ms", "")


def growth(concurrency: int, runs: int, latency: float) -> None:
    """Compare what the last calls of an episode cost with what the early ones do; episodes run in step."""
    context = bench_context()
    early, late = [], []
    with stub(latency, user_of(first_task(context))) as url, tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            journal = Path(folder) / f"{number}.journal"
            run = asyncio.run(drive(context, url, journal, concurrency=concurrency, episodes=concurrency))
            early.append(sum(run.lap_cpu[CYCLE : 2 * CYCLE]) / CYCLE / concurrency * 1000)
            late.append(sum(run.lap_cpu[-CYCLE:]) / CYCLE / concurrency * 1000)
    print("\nthe same at the start and at the end of an episode")
    row("CPU a call around the agent's turn 3", early, "ms", "")
    row(f"CPU a call around the agent's turn {TURNS}", late, "ms", "")
    row("the latter / the former", [b / a for a, b in zip(early, late, strict=True)], "", "<= 1.5")


def memory(episodes: int, latency: float) -> None:
    """Print what this process took at most while so many episodes were in flight, nothing else having run in it."""
    context = bench_context()
    with stub(latency, user_of(first_task(context))) as url, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.journal"
        asyncio.run(drive(context, url, path, concurrency=episodes, episodes=episodes))
    print(f"\n{episodes} episodes in flight, each to its last turn")
    row(
        "memory of the whole process at most",
        [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024],
        "MB",
        "< 500",
    )


def main() -> None:
    """Measure and print; each part in a process of its own, so that none inherits another's memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--latency-ms", type=float, default=200.0)
    parser.add_argument("--part", choices=("32", "128", "growth", "memory"))
    arguments = parser.parse_args()
    latency = arguments.latency_ms / 1000
    if arguments.part is None:
        print(f"{'':58} {'median':>8} {'':6} {'target':12} [every run]", flush=True)
        for part in ("32", "128", "growth", "memory"):
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--part", part], check=True)
    elif arguments.part == "growth":
        growth(64, arguments.runs, latency)
    elif arguments.part == "memory":
        memory(1000, latency)
    else:
        throughput(int(arguments.part), arguments.runs, latency)


if __name__ == "__main__":
    main()
