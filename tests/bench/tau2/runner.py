"""`eigen eval` and `tau2 run` on the same tasks and the same model server, concurrency 64: `make bench-tau2-runner`.

Both are the real command lines, each a process of its own in its own environment; the model is a process that answers
after a fixed time and plays both sides of a real dialogue of every task (see `model_server`). The figures decide
nothing, the targets stand beside them. CPU is that of the whole process and its children, user and system; what lies
before its first request (imports, data, and for us the shared world) is also shown apart.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from model_server import Line, Script, Seen
from ours import Ours, script_of

HERE = Path(__file__).parent
SHARE, LESS_CPU = 0.9, 20
"""Targets: our share of what the latency allows, and how many times less CPU an episode takes."""
POLL = 0.02
BARE_CALLS, BARE_WORDS = 25, 2000
"""Calls of each lane of the bare client, and the size of what it sends: some 14 KB, an agent's request half way."""
LITELLM = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or it asks the network for prices when it is imported
    "LITELLM_TELEMETRY": "False",
    "OPENAI_API_KEY": "none",
}


@dataclass(frozen=True)
class Run:
    """One command's run."""

    seen: Seen
    cpu: float
    """CPU seconds of the whole process."""
    cpu_before: float
    """Of these, before its first request."""
    cpu_after: float
    """Of these, after the last answer."""
    wall: float
    memory: float
    """MB at most."""
    reward: float = 0.0
    """In the mean, as the runner says."""

    @property
    def episodes(self) -> int:
        """Return how many were begun."""
        return sum(self.seen.episodes.values())

    @property
    def calls_each(self) -> float:
        """Return the mean number of calls an episode takes."""
        return self.seen.calls / self.episodes

    def share(self, concurrency: int, latency: float) -> float:
        """Return episodes a second over what the latency allows, from first answer until the last episode began.

        Not a number where so few episodes were run that they all began at once, or nearly.
        """
        if self.episodes < 2 * concurrency:
            return math.nan
        span = self.seen.all_started - self.seen.first - latency
        return self.seen.calls_by_then / span / (concurrency / latency)

    def share_to_the_end(self, concurrency: int, latency: float) -> float:
        """Return the same from the first request to the last answer, when fewer and fewer episodes are left."""
        return self.seen.calls / (self.seen.last - self.seen.first) / (concurrency / latency)


class Clock(threading.Thread):
    """Reads a process's CPU time every few milliseconds, so that it can be told for any moment later."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._stat = Path(f"/proc/{pid}/stat")
        self._readings: list[tuple[float, float]] = []
        self.start()

    def run(self) -> None:
        """Read until the process is gone."""
        ticks = os.sysconf("SC_CLK_TCK")
        with contextlib.suppress(OSError, IndexError):
            while True:
                fields = self._stat.read_text().rpartition(")")[2].split()
                if fields[0] == "Z":
                    return
                self._readings.append((time.monotonic(), (int(fields[11]) + int(fields[12])) / ticks))
                time.sleep(POLL)

    def at(self, moment: float) -> float:
        """Return the CPU seconds spent by a moment."""
        place = bisect_left(self._readings, (moment, 0.0))
        return self._readings[min(place, len(self._readings) - 1)][1]


@contextlib.contextmanager
def model(scripts: Path, latency: float, small_talk: int) -> Iterator[str]:
    """Run the model server; give its address."""
    command = [sys.executable, str(HERE / "model_server.py"), str(scripts), str(latency), str(small_talk)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def timed(command: Sequence[str], *, url: str, variables: Mapping[str, str], folder: Path) -> Run:
    """Run a command to its end, its output going to files; raises `SystemExit` if it fails."""
    seen_at(url)
    began = time.monotonic()
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env={**os.environ, **variables}
        )
        clock = Clock(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall, cpu, seen = time.monotonic() - began, used.ru_utime + used.ru_stime, seen_at(url)
    if process.returncode or not seen.calls or seen.strange:
        said = "".join((folder / name).read_text()[-2000:] for name in ("stdout", "stderr"))
        raise SystemExit(f"{command[:4]} ended with {process.returncode}; {seen.strange} strange requests\n{said}")
    return Run(
        seen=seen,
        cpu=cpu,
        cpu_before=clock.at(seen.first),
        cpu_after=cpu - clock.at(seen.last),
        wall=wall,
        memory=used.ru_maxrss / 1024,
    )


async def bare(url: str, task: str, *, concurrency: int, latency: float) -> float:
    """Return the share of what the latency allows that a client reaches which does nothing but send the same bytes.

    It says what this machine has left for anybody at this moment.
    """
    messages = [
        {"role": "system", "content": "policy " * BARE_WORDS},
        {"role": "assistant", "content": "Hi! How can I help you today?"},
        {"role": "user", "content": f"(conversation {task}) I need help."},
    ]
    body = msgspec.json.encode({"model": "agent", "messages": messages})

    async def loop(session: aiohttp.ClientSession) -> None:
        for _ in range(BARE_CALLS):
            async with session.post(f"{url}/v1/chat/completions", data=body) as response:
                await response.read()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        started = time.monotonic()
        await asyncio.gather(*(loop(session) for _ in range(concurrency)))
        return BARE_CALLS * latency / (time.monotonic() - started)


def seen_at(url: str) -> Seen:
    """Return what the model server saw since it was last asked."""
    with urllib.request.urlopen(f"{url}/") as response:
        return msgspec.json.decode(response.read(), type=Seen)


def spread(tasks: Sequence[Any], wanted: int) -> list[Any]:
    """Return as many tasks as wanted, evenly spread; 0 is all."""
    wanted = min(wanted, len(tasks)) or len(tasks)
    return [tasks[place * len(tasks) // wanted] for place in range(wanted)]


def scripts_of(ours: Ours, tasks: Sequence[Any]) -> list[Script]:
    """Return the dialogue of every task, as our oracle plays it, with what tells its customer's instructions apart."""
    official = {str(task["id"]): task["user_scenario"]["instructions"] for task in ours.domain.files.tasks()}
    scripts = []
    for task, (state, reward) in zip(tasks, ours.played(tasks), strict=True):
        assert reward == 1.0, task.id
        told = tuple(text for name, text in official[task.id].items() if name != "domain" and text)
        lines = [Line(line.side, line.text, line.calls) for line in script_of(state)]
        scripts.append(Script(task.id, told, lines))
    return scripts


def eigen(bench: argparse.Namespace, tasks: Sequence[Any], *, url: str, folder: Path) -> Run:
    """Run our command."""
    command = [sys.executable, "-m", "eigen_cli", "eval", f"tau2-{bench.domain}", "--split", "base", "--json"]
    command += ["--trials", str(bench.trials), "--concurrency", str(bench.concurrency), "--scoring", "official"]
    command += ["--agent", "openai:agent", "--user", "openai:user", "--base-url", f"{url}/v1"]
    command += ["--registry", str(folder / "registry")]
    for task in tasks:
        command += ["--task", task.id]
    run = timed(command, url=url, variables={"OPENAI_API_KEY": "none"}, folder=folder)
    found = json.loads((folder / "stdout").read_bytes())
    return replace(run, reward=found["pass_hat_k"]["1"]["mean"])


def tau2(bench: argparse.Namespace, tasks: Sequence[Any], *, url: str, folder: Path) -> Run:
    """Run its command."""
    command = [str(bench.tau2), "run", "--domain", bench.domain, "--num-trials", str(bench.trials)]
    command += ["--agent-llm", "openai/agent", "--user-llm", "openai/user"]
    command += ["--max-concurrency", str(bench.concurrency), "--results-dir", str(folder), "--save-to", "results"]
    command += ["--task-ids", *(task.id for task in tasks)]
    variables = {**LITELLM, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_BASE": f"{url}/v1"}
    run = timed(command, url=url, variables=variables, folder=folder)
    rewards = [one["reward_info"]["reward"] for one in json.loads((folder / "results.json").read_text())["simulations"]]
    return replace(run, reward=statistics.mean(rewards))


def row(what: str, ours: float, theirs: float | None, *, unit: str = "", aim: str = "") -> None:
    """Print one quantity on both sides."""
    other = "" if theirs is None else f"{theirs:12,.3f}"
    print(f"  {what:62} {ours:12,.3f} {other:>12} {unit:4} {aim}".rstrip())


def report(ours: Run, theirs: Run | None, *, concurrency: int, latency: float) -> None:
    """Print what one run of each took."""

    def compared(what: str, of: Callable[[Run], float], *, unit: str = "", aim: str = "") -> None:
        row(what, of(ours), None if theirs is None else of(theirs), unit=unit, aim=aim)

    most = concurrency / (ours.calls_each * latency)
    print(f"  {'':62} {'eigen eval':>12} {'tau2 run' if theirs else '':>12}")
    compared("episodes", lambda run: run.episodes)
    compared("mean reward", lambda run: run.reward)
    compared("calls an episode", lambda run: run.calls_each)
    compared("requests in flight at most, as the server saw", lambda run: run.seen.in_flight_at_most)
    compared("wall clock of the command", lambda run: run.wall, unit="s")
    aim = f">= {SHARE}: {verdict(ours.share(concurrency, latency) >= SHARE)}"
    print(
        f"  the latency allows {most:.2f} episodes a second, {concurrency} / ({ours.calls_each:.1f} x {latency:.3g} s);"
        " of these"
    )
    compared("  while there was work for all", lambda run: run.share(concurrency, latency), aim=aim)
    compared("  until the last answer", lambda run: run.share_to_the_end(concurrency, latency))
    compared("CPU an episode, whole process", lambda run: run.cpu / run.episodes * 1000, unit="ms")
    compared("CPU an episode without start-up", lambda run: (run.cpu - run.cpu_before) / run.episodes * 1000, unit="ms")
    compared("CPU before the first request", lambda run: run.cpu_before, unit="s")
    compared("CPU after the last answer", lambda run: run.cpu_after, unit="s")
    compared("memory at most", lambda run: run.memory, unit="MB")
    if theirs is not None:
        whole = theirs.cpu / ours.cpu
        bare = (theirs.cpu - theirs.cpu_before) / (ours.cpu - ours.cpu_before)
        row("times less CPU an episode, whole process", whole, None, aim=f">= {LESS_CPU}: {verdict(whole >= LESS_CPU)}")
        row("times less CPU an episode without start-up", bare, None, aim=f">= {LESS_CPU}: {verdict(bare >= LESS_CPU)}")
        print(f"  both ran the same tasks as often: {'yes' if ours.seen.episodes == theirs.seen.episodes else 'NO'}")


def verdict(met: bool) -> str:
    """Return how a target stands."""
    return "met" if met else "MISSED"


def main() -> None:
    """Run both as often as asked for and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", choices=("retail", "airline"), default="retail")
    parser.add_argument("--tasks", type=int, default=96, help="tasks of base, evenly spread; 0 is all")
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=200.0)
    parser.add_argument("--small-talk", type=int, default=4, help="exchanges of words after a task is done")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--tau2", type=Path, help="the other side's command; without it only ours runs")
    bench = parser.parse_args()
    latency = bench.latency_ms / 1000
    ours = Ours(bench.domain)
    tasks = spread(ours.tasks, bench.tasks)
    with tempfile.TemporaryDirectory() as folder:
        scripts = Path(folder) / "scripts.json"
        scripts.write_bytes(msgspec.json.encode(scripts_of(ours, tasks)))
        with model(scripts, latency, bench.small_talk) as url:
            for number in range(bench.runs):
                print(f"\n{bench.domain}, {len(tasks)} tasks x {bench.trials} of {ours.release}")
                print(f"  load of the machine before: {os.getloadavg()[0]:.1f}")
                left = asyncio.run(bare(url, tasks[0].id, concurrency=bench.concurrency, latency=latency))
                print(f"  a bare client reaches {left:.3f} of what the latency allows", flush=True)
                runs = []
                for side in (eigen, tau2) if bench.tau2 else (eigen,):
                    place = Path(folder) / f"{side.__name__}-{number}"
                    place.mkdir()
                    runs.append(side(bench, tasks, url=url, folder=place))
                report(runs[0], runs[1] if bench.tau2 else None, concurrency=bench.concurrency, latency=latency)


if __name__ == "__main__":
    main()
