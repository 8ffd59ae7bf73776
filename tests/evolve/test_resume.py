"""Nothing lost: killed at any instant, the same command ends where an uninterrupted run ends."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from running import MIX, SMALL, SMALL_MIX, command, evolve, hashes, journal_size, killed_at, server, use_server

from eigen_cli.testing.openai_server import read_log

KILLS = 20
CONCURRENCY = 8


@pytest.mark.proof
def test_killed_at_twenty_points_it_ends_the_same_and_asks_nothing_twice(tmp_path: Path) -> None:
    arguments = (*SMALL, "--concurrency", str(CONCURRENCY))
    with server(tmp_path) as (url, log):
        use_server(tmp_path / "whole", url)
        whole = hashes(evolve(tmp_path / "whole", *arguments))
        total = journal_size(tmp_path / "whole")
        before = len(read_log(log))
        killed = tmp_path / "killed"
        use_server(killed, url)
        points = sorted(random.Random(1).randrange(total) for _ in range(KILLS - 3))
        # The journal is whole before a round is sealed: these three fall into sealing and the moments after it.
        late = [(total - 64, wait) for wait in (0.0, 0.02, 0.05)]
        done = [killed_at(killed, point, arguments) for point in points]
        done += [killed_at(killed, point, arguments, after=wait) for point, wait in late]
        assert sum(done) >= KILLS - 3, "most kills must have hit a run"
        outcome = evolve(killed, *arguments)
        seen = read_log(log)[before:]
    assert hashes(outcome) == whole
    assert [generation["parent"] for generation in outcome["generations"]] == [None, whole[0]]
    again = [request for request in seen if [r.trace for r in seen].index(request.trace) < seen.index(request)]
    assert len(again) <= CONCURRENCY * sum(done), "only what was in flight at a kill may be asked again"
    answered = [request.trace for request in seen if request.outcome == "answered"]
    assert len({request.trace for request in seen}) == before, "every call of the whole run, and no other"
    assert set(answered) == {request.trace for request in seen}


@pytest.mark.proof
def test_a_mixed_run_killed_in_any_lane_ends_the_same_and_asks_nothing_twice(tmp_path: Path) -> None:
    arguments = (*SMALL_MIX, "--concurrency", str(CONCURRENCY))
    with server(tmp_path) as (url, log):
        use_server(tmp_path / "whole", url)
        whole = hashes(evolve(tmp_path / "whole", *arguments, domain=MIX))
        total = journal_size(tmp_path / "whole")
        before = len(read_log(log))
        killed = tmp_path / "killed"
        use_server(killed, url)
        points = [total // 10, total // 2, total - 64]
        done = [killed_at(killed, point, arguments, domain=MIX) for point in points]
        assert sum(done) >= len(points) - 1, "most kills must have hit a run"
        outcome = evolve(killed, *arguments, domain=MIX)
        seen = [request.trace for request in read_log(log)[before:]]
    assert hashes(outcome) == whole
    assert len(seen) - len(set(seen)) <= CONCURRENCY * sum(done), "only what was in flight may be asked again"
    assert len(set(seen)) == before, "every call of the whole run, and no other"


@pytest.mark.proof
def test_a_run_from_a_generation_killed_anywhere_ends_the_same_and_asks_nothing_twice(tmp_path: Path) -> None:
    arguments = ("--from", "gen-0001", *SMALL, "--concurrency", str(CONCURRENCY))
    with server(tmp_path) as (url, log):
        use_server(tmp_path / "whole", url)
        first = hashes(evolve(tmp_path / "whole", *SMALL, "--rounds", "1"))
        shutil.rmtree(tmp_path / "whole" / ".eigen" / "journals")
        killed = Path(shutil.copytree(tmp_path / "whole", tmp_path / "killed"))
        asked = len(read_log(log))
        whole = hashes(evolve(tmp_path / "whole", *arguments))
        calls, total = len(read_log(log)) - asked, journal_size(tmp_path / "whole")
        points = [total // 20, total // 3, total // 2, 3 * total // 4, total - 64]
        done = [killed_at(killed, point, arguments) for point in points]
        assert sum(done) >= len(points) - 1, "most kills must have hit a run"
        outcome = evolve(killed, *arguments)
        seen = [request.trace for request in read_log(log)[asked + calls :]]
    assert hashes(outcome) == whole
    assert [generation["parent"] for generation in outcome["generations"]] == [*first, whole[0]]
    assert [generation["round"] for generation in outcome["generations"]] == [2, 3]
    assert len(seen) - len(set(seen)) <= CONCURRENCY * sum(done), "only what was in flight may be asked again"
    assert len(set(seen)) == calls, "every call of the whole run, and no other"


@pytest.mark.proof
def test_a_completed_run_is_printed_and_asks_nothing(tmp_path: Path) -> None:
    with server(tmp_path) as (url, log):
        use_server(tmp_path, url)
        first = evolve(tmp_path, *SMALL)
        asked = len(read_log(log))
        assert evolve(tmp_path, *SMALL) == first
        assert len(read_log(log)) == asked
    assert evolve(tmp_path, *SMALL) == first, "a completed run needs no server"


@pytest.mark.proof
def test_a_larger_number_of_rounds_extends_a_run(tmp_path: Path) -> None:
    short = (*SMALL, "--rounds", "1")
    first = evolve(tmp_path, *short)
    longer = evolve(tmp_path, *SMALL)
    assert hashes(longer)[:1] == hashes(first) and len(hashes(longer)) == 2
    assert longer["generations"][1]["parent"] == hashes(first)[0]
    assert hashes(evolve(tmp_path, *short)) == hashes(first)


@pytest.mark.proof
def test_a_journal_damaged_in_the_middle_is_mended_with_a_warning(tmp_path: Path) -> None:
    first = evolve(tmp_path, *SMALL, "--rounds", "1")
    (journal,) = (tmp_path / ".eigen" / "journals").glob("*.journal")
    damaged = bytearray(journal.read_bytes())
    damaged[len(damaged) // 3] ^= 1
    journal.write_bytes(damaged)
    done = subprocess.run(
        command("evolve", "airline", *SMALL), cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0 and "journal was damaged in 1 places" in done.stderr, done.stderr
    assert len(list(journal.parent.glob("*.damaged"))) == 1
    assert hashes(evolve(tmp_path, *SMALL))[:1] == hashes(first)
