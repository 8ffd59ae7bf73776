"""Meet every request of a push or a pull with every fault, and say what came of it: a program, for its own HF settings.

    python drive_faults.py push|pull REGISTRY OUTPUT MATCH EACH

`MATCH` is a regular expression that chooses among the requests of a clean run. With `EACH` 1 each of them meets every
fault, with 0 one of them in turn.
"""

from __future__ import annotations

import copy
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.releases import Hub, Release, ReleaseTerms, RepoSettings
from eigen_cli.testing.hub_server import HubFault, HubServer, serving_hub
from eigen_registry import open_hub, open_registry

SETTINGS = RepoSettings(private=True, gated="auto")
FAULTS: tuple[dict[str, Any], ...] = (
    {"status": 503},
    {"kind": "lost_reply"},
    {"status": 429},
    {"kind": "refused_connection"},
    {"status": 500},
    {"status": 412},
)
_NAMES = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_AT_ONCE = 12
"""Most of the time is spent waiting before another attempt, so many wait together."""


class Driver:
    """Does the same to one repository after another."""

    def __init__(self, registry: Path, place: Path, server: HubServer, hub: Hub) -> None:
        self.generation = open_registry(registry).generation("gen-0001")
        self.server = server
        self.hub = hub
        self.place = place
        self._payload = place / "payload"
        hub.write_generation(open_registry(registry), self.generation.hash, self._payload)

    def prepare(self, name: str) -> None:
        """Make what is needed before faults strike."""

    def do(self, name: str) -> None:
        """Do what is being driven to a repository of its own."""
        self.hub.push(self.release(name), SETTINGS)

    def whole(self, name: str) -> bool:
        """Tell whether what was to be done is done, once."""
        repo = self.server.repo(f"tester/{name}")
        return (
            len(repo.commits) == 2
            and repo.tags == {"gen-0001": repo.branches["main"]}
            and "manifest.json" in repo.at("main").tree
            and (repo.private, repo.gated) == (True, "auto")
        )

    def release(self, name: str) -> Release:
        """Stage the generation, with a file that the Hub has never seen."""
        folder = self.place / name
        for path in self._payload.rglob("*.parquet"):
            target = folder / path.relative_to(self._payload)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.hardlink_to(path)
        release = self.hub.release(self.generation, ReleaseTerms(f"tester/{name}", "gen-0001", "other"), folder)
        (folder / "noise.bin").write_bytes(os.urandom(30_000))
        return release

    def requests(self) -> list[str]:
        """Return the requests of a clean run as patterns, in order."""
        # Once before, so that all files but a run's own are there already, as they are in every later one.
        for name in ("before", "clean"):
            self.prepare(name)
            self.server.seen.clear()
            self.do(name)
        seen = [f"{one.method} {one.path.partition('?')[0]}" for one in self.server.seen]
        return [f"^{_NAMES.sub('[0-9a-f]+', re.escape(what)).replace('clean', '{name}')}$" for what in seen]

    def meet(self, number: int, fault: dict[str, Any], patterns: list[str]) -> dict[str, Any]:
        """Let one request of a run meet one fault; return what was met and whether the run came out whole."""
        name = f"case{number}x{'x'.join(map(str, fault.values())).replace('_', '')}"
        self.prepare(name)
        pattern = patterns[number]
        skip = patterns[:number].count(pattern)
        waiting = HubFault(match=pattern.replace("{name}", name), skip=skip, **fault)
        self.server.faults.add(waiting)
        error = ""
        try:
            self.do(name)
        except Exception as failure:
            error = f"{type(failure).__name__}: {failure}"
        return {
            "request": pattern,
            "fault": fault,
            "met": waiting.count == 0,
            "whole": not error and self.whole(name),
            "error": error,
        }


class PullDriver(Driver):
    """Pulls copies of one repository."""

    def prepare(self, name: str) -> None:
        """Put a copy of the repository on the Hub."""
        repos = self.server.contents.repos
        if "tester/origin" not in repos:
            self.hub.push(self.release("origin"), SETTINGS)
        repos[f"tester/{name}"] = copy.copy(repos["tester/origin"])

    def do(self, name: str) -> None:
        """Pull into a registry of its own."""
        self.hub.pull(open_registry(self.place / name), f"tester/{name}", revision="gen-0001")

    def whole(self, name: str) -> bool:
        """Tell whether the generation is sealed."""
        return [found.hash for found in open_registry(self.place / name).generations()] == [self.generation.hash]


def main(what: str, registry: Path, output: Path, match: str, each: bool) -> None:
    """Drive, and write the outcomes as JSON."""
    server = HubServer()
    with serving_hub(server) as endpoint:
        hub = open_hub(eigen_version="1", endpoint=endpoint, pause=0.01)
        driver = (Driver if what == "push" else PullDriver)(registry, output.parent, server, hub)
        patterns = driver.requests()
        cases = [
            (number, fault)
            for number, pattern in enumerate(patterns)
            if re.search(match, pattern)
            for fault in (FAULTS if each else [FAULTS[number % len(FAULTS)]])
        ]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            outcomes = list(pool.map(lambda case: driver.meet(*case, patterns), cases))
    output.write_bytes(msgspec.json.encode({"requests": patterns, "outcomes": outcomes}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], sys.argv[5] == "1")
