"""World engine figures, with the garbage collector on: `make bench`.

Ratios between two things measured in this run, or CPU time; never a test's pass or fail.
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import time
from collections.abc import Callable

from eigen_airline.domain import Airline
from eigen_airline.records import Reservation, User
from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import Base, build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import Transaction, World


def cpu_us(work: Callable[[], object], *, number: int, repeat: int = 7) -> float:
    """Return the median CPU microseconds of one call of `work`."""
    samples = []
    for _ in range(repeat):
        started = time.process_time()
        for _ in range(number):
            work()
        samples.append((time.process_time() - started) / number * 1e6)
    return statistics.median(samples)


def open_hash_close(base: Base) -> None:
    """Open an untouched world, hash it and drop it."""
    World(base).state_hash()


def scale(toolbox: Toolbox, large: int) -> None:
    """Compare opening over a thousand records and over a million."""
    small_base = build_base(toolbox.domain, WorldRef(1, 1_000))
    started = time.process_time()
    large_base = build_base(toolbox.domain, WorldRef(1, large))
    built = time.process_time() - started
    records = sum(len(table.rows) for table in large_base.tables.values())
    small = cpu_us(lambda: open_hash_close(small_base), number=20_000)
    big = cpu_us(lambda: open_hash_close(large_base), number=20_000)
    print(f"base of {records:,} records: {built:.1f} s of CPU to generate, index and hash")
    print(
        f"open + hash + close: {small:.2f} us over 1,000 records, {big:.2f} us over {records:,}: "
        f"{big / small:.2f}x (limit 1.3x)"
    )


def calls(toolbox: Toolbox, base: Base) -> None:
    """Measure what a call costs beyond the domain's own code."""
    world = World(base)
    user = next(iter(world.table(User).values()))
    reservation = next(r for r in world.table(Reservation).values() if r.status is None and r.cabin != "basic_economy")
    read, write = {"user_id": user.user_id}, {"reservation_id": reservation.reservation_id}
    for label, name, arguments, limit in (
        ("read call", "get_user_details", read, 30),
        ("write call with hash", "cancel_reservation", write, 60),
    ):
        tool = toolbox.tools["agent"][name]

        def engine(name: str = name, arguments: dict[str, str] = arguments) -> None:
            outcome = toolbox.call(world, name, arguments)
            assert not outcome.error, outcome.content
            if outcome.changes:
                outcome.world.state_hash()

        def domain(
            method: object = tool.method, tools: type = tool.tools, arguments: dict[str, str] = arguments
        ) -> None:
            method(tools(Transaction(world)), **arguments)  # type: ignore[operator]

        size = len(toolbox.call(world, name, arguments).content)
        own, whole = cpu_us(domain, number=2_000), cpu_us(engine, number=2_000)
        print(
            f"{label}: {whole:.1f} us, domain {own:.1f} us, beyond it {whole - own:.1f} us (limit {limit}); "
            f"result {size} bytes"
        )


def open_episodes(toolbox: Toolbox, base: Base, count: int) -> None:
    """Measure the memory of open episodes of ten calls and three writes each."""
    start = World(base)
    keys = list(base.tables["reservations"].rows)
    rng = derive_rng("bench")
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    opened, writes = [], 0
    for _ in range(count):
        world, results = start, []
        for number in range(7):
            results.append(
                toolbox.call(world, "get_reservation_details", {"reservation_id": keys[rng.randrange(len(keys))]})
            )
            del number
        done = 0
        while done < 3:
            outcome = toolbox.call(world, "cancel_reservation", {"reservation_id": keys[rng.randrange(len(keys))]})
            if not outcome.error and outcome.changes:
                world, done = outcome.world, done + 1
                results.append(outcome)
        writes += done
        opened.append((world, [(result.content, result.changes) for result in results]))
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{count:,} open episodes, 10 calls and 3 writes each: {used:.0f} MB beyond the base (limit 300 for 10,000)")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--episodes", type=int, default=10_000)
    options = parser.parse_args()
    toolbox = Toolbox(Airline())
    base = build_base(toolbox.domain, WorldRef(1, 0))
    calls(toolbox, base)
    open_episodes(toolbox, base, options.episodes)
    scale(toolbox, options.records)


if __name__ == "__main__":
    main()
