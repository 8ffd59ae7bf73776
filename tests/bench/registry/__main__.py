"""The registry at its everyday size, and with `--million` at its limit: `make bench-registry`.

The figures decide nothing; the targets stand beside them. What takes memory runs in a process of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import msgspec
from synthetic import Clock, Synthetic, case, task_id

from eigen_cli.api.browsing import EpisodeFilter, TaskFilter
from eigen_cli.api.generations import GenerationObserved
from eigen_registry import appending, open_registry
from eigen_registry.appending import FLUSH_EVERY
from eigen_registry.codec import EPISODES, TASKS
from eigen_registry.contents_file import ROW_GROUP, WRITER_MEMORY, tables
from eigen_registry.kinds import GENERATIONS

HERE = Path(__file__).parent
EIGEN = Path(sys.executable).parent / "eigen"
FLOOR, LIST_MS, DIFF_MS, CPU_MS, MEMORY_MB = 0.7, 150, 500, 300, 600
"""The targets."""


def main() -> None:
    """Seal two generations, look into them, and print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--part", choices=("raw", "seal", "read"), help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    episodes = 1_000_000 if options.million else options.episodes
    if options.part:
        part = {"raw": raw, "seal": seal, "read": read}[options.part]
        print(json.dumps({"seconds": part(options.folder, episodes, options.seed), "mb": peak(resource.RUSAGE_SELF)}))
        return
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder), episodes)


def report(folder: Path, episodes: int) -> None:
    """Measure everything in a folder of its own."""
    evolve = ("evolve", "airline", "--rounds", "1", "--registry", str(folder))
    subprocess.run((str(EIGEN), *evolve), check=True, capture_output=True)
    print(f"{episodes:,} episodes, {-(-episodes // 4):,} tasks\n")
    appended = apart("raw", folder, episodes)
    sealed = apart("seal", folder, episodes)
    apart("seal", folder, episodes, seed=1)
    store = open_registry(folder)
    size = store.size("gen-0002")
    print(f"raw appender               {episodes / appended['seconds']:9,.0f} episodes/s, {appended['mb']:.0f} MB")
    print(
        f"seal                       {episodes / sealed['seconds']:9,.0f} episodes/s, {size / episodes:,.0f} bytes each"
    )
    line("seal / raw", appended["seconds"] / sealed["seconds"], "", FLOOR, least=True)
    line("peak memory, seal", sealed["mb"], "MB", MEMORY_MB)
    look(folder, episodes)
    line("diff of two generations", best(lambda: store.task_changes("gen-0002", "gen-0003")), "ms", DIFF_MS)
    line("eigen generations, CPU", cpu_of("generations", "--registry", str(folder)), "ms", CPU_MS)
    line("peak memory, read all", apart("read", folder, episodes)["mb"], "MB", MEMORY_MB)
    export = ("export", "gen-0002", "--registry", str(folder), "--format", "jsonl", "-o", os.devnull, "--allow-offline")
    line("peak memory, export", memory_of(*export), "MB", MEMORY_MB)


def look(folder: Path, episodes: int) -> None:
    """Measure what a person who browses waits for, each time with the opening of the registry."""
    store, ref = open_registry(folder), "gen-0002"
    for what, which in {
        "tasks": TaskFilter(),
        "tasks by pass rate": TaskFilter(order="pass_rate", descending=True),
        "tasks of a tool": TaskFilter(tool="cancel_reservation", order="difficulty"),
    }.items():
        line(what, best(lambda which=which: store.task_rows(ref, which)), "ms", LIST_MS)
    for what, filtered in {
        "episodes": EpisodeFilter(),
        "episodes the agent failed": EpisodeFilter(passed=False, blame="agent"),
        "episodes by turns": EpisodeFilter(order="turns", descending=True),
        "episodes of a task": EpisodeFilter(task=task_id(episodes // 8)),
    }.items():
        line(what, best(lambda which=filtered: store.episode_rows(ref, which)), "ms", LIST_MS)
    line(
        "episodes, far page",
        best(lambda: store.episode_rows(ref, EpisodeFilter(), offset=episodes // 2)),
        "ms",
        LIST_MS,
    )
    line("episode by id", best(lambda: store.episode(ref, f"ep-{episodes // 9:09x}-0")), "ms", LIST_MS)
    line("task by id", best(lambda: store.task(ref, task_id(episodes // 9))), "ms", LIST_MS)
    for words in ("the", "cancel reservation", f"case {case(episodes // 9)}", "reservation xyz", "refund nashv", "s"):
        line(f"search: {words}", best(lambda words=words: store.search(ref, words)), "ms", LIST_MS)


def raw(folder: Path, episodes: int, seed: int) -> float:
    """Append the same tasks and episodes, encoded before, to the same tables, and nothing else; return the seconds."""
    made, clock, path = records(folder, episodes, seed), Clock(), folder / "raw.duckdb"
    started = time.perf_counter()
    with contextlib.closing(duckdb.connect(config={"memory_limit": WRITER_MEMORY})) as con:
        con.execute(f"ATTACH '{path}' AS plain (ROW_GROUP_SIZE {ROW_GROUP})")
        con.execute(f"USE plain; {tables(GENERATIONS)}")
        con.begin()
        for layout, given in ((TASKS, made.task_records()), (EPISODES, made.episode_records())):
            appender = con.appender(layout.table)
            encoded = appending.encoded(layout, given)
            decoded = ((*row.light, *(column.decode() for column in row.stored)) for row in encoded)
            numbered = enumerate(clock.timed(decoded))
            while batch := [(ordinal, *row) for ordinal, row in itertools.islice(numbered, FLUSH_EVERY)]:
                appender.append_rows(batch)
                appender.flush()
        con.commit()
        con.execute("CHECKPOINT plain")
    seconds = time.perf_counter() - started - clock.seconds
    path.unlink()
    return seconds


def seal(folder: Path, episodes: int, seed: int) -> float:
    """Seal a synthetic generation; return the seconds, without those its records took to make."""
    made, clock = records(folder, episodes, seed), Clock()
    body = msgspec.structs.replace(made.body, contents={}, parent=None, seed=seed)
    started = time.perf_counter()
    open_registry(folder).seal(body, GenerationObserved("bench", 0.0, 0.0, {}), made.contents(clock))
    return time.perf_counter() - started - clock.seconds


def read(folder: Path, episodes: int, _: int) -> float:
    """Read every episode; return the seconds."""
    started = time.perf_counter()
    assert sum(1 for _ in open_registry(folder).episodes("gen-0002")) == episodes
    return time.perf_counter() - started


def records(folder: Path, episodes: int, seed: int) -> Synthetic:
    """Return the records, made like those of the offline round."""
    return Synthetic(open_registry(folder), "gen-0001", episodes=episodes, seed=seed)


def apart(part: str, folder: Path, episodes: int, *, seed: int = 0) -> dict[str, float]:
    """Run a part in a process of its own; return its seconds and its peak memory."""
    options = ("--part", part, "--folder", str(folder), "--episodes", str(episodes), "--seed", str(seed))
    done = subprocess.run((sys.executable, str(HERE), *options), check=True, stdout=subprocess.PIPE)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def best(work: Callable[[], object]) -> float:
    """Return the milliseconds the fastest of five tries took."""
    took = []
    for _ in range(5):
        started = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - started))
    return min(took)


def cpu_of(*arguments: str) -> float:
    """Return the milliseconds of CPU the cheapest of five runs of eigen took."""
    took = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run((str(EIGEN), *arguments), check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(took)


def memory_of(*arguments: str) -> float:
    """Return the peak memory of a run of eigen in megabytes."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run((sys.executable, "-c", code, str(EIGEN), *arguments), check=True, stdout=subprocess.PIPE)
    return int(done.stdout) / 1024


def peak(who: int) -> float:
    """Return the peak memory in megabytes."""
    return resource.getrusage(who).ru_maxrss / 1024


def line(what: str, value: float, unit: str, target: float, *, least: bool = False) -> None:
    """Print a figure beside its target."""
    shown = f"{value:9.2f}" if least else f"{value:9,.0f} {unit}"
    bound = f"{'at least' if least else 'at most'} {target} {unit}".rstrip()
    print(f"{what:<26} {shown:<14} ({bound})", flush=True)


if __name__ == "__main__":
    main()
