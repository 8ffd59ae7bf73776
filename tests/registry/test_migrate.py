"""Registries of every earlier version open, keep their rows, and take new ones."""

from __future__ import annotations

import contextlib
from pathlib import Path

import duckdb
import pytest
from registry_processes import start
from registry_samples import sealable

from eigen_cli.api.errors import RegistryError
from eigen_registry import open_registry
from eigen_registry.codec import EPISODES
from eigen_registry.migrate import Step, known_steps, migrate, schema_version

VERSIONS = Path(__file__).parent / "versions"
LATEST = known_steps()[-1].version
WIDEN = Step(LATEST + 1, "note", "ALTER TABLE generations ADD COLUMN note VARCHAR DEFAULT 'none';")
BROKEN = Step(LATEST + 2, "broken", "CREATE TABLE half (i INTEGER); SELECT no_such_function();")


def test_steps_are_numbered_from_one_without_gaps() -> None:
    assert [step.version for step in known_steps()] == list(range(1, LATEST + 1))
    assert known_steps()[0].name == "generations"
    assert all(step.sql.strip() for step in known_steps())


def test_no_step_makes_an_index_that_would_block_a_later_one() -> None:
    assert not any("CREATE INDEX" in step.sql.upper() for step in known_steps())


def registry_of_version(folder: Path, version: int) -> None:
    """Make a registry as eigen did while `version` was the latest."""
    with contextlib.closing(duckdb.connect(folder / "registry.duckdb")) as con:
        migrate(con, known_steps()[:version])
        con.execute((VERSIONS / f"{version:04d}.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", range(1, LATEST))
def test_a_registry_of_every_earlier_version_opens_with_what_it_held(tmp_path: Path, version: int) -> None:
    """`versions/NNNN.sql` holds rows as eigen wrote them while NNNN was the latest version; never edit an old one."""
    registry_of_version(tmp_path, version)
    store = open_registry(tmp_path)
    (old,) = store.generations()
    assert (old.id, old.body.domain, old.body.round, old.observed.run) == ("gen-0001", "airline", 1, "run-1")
    assert [record.status for record in store.plans("latest")] == ["used", "used", "rejected"]
    (task,) = store.tasks("latest")
    assert task.scenario.goals[0].intent == "cancel"
    assert [record.key for record in store.rejected("latest")] == ["1/4", "1/5"]
    (episode,) = store.episodes("latest")
    assert (episode.episode.task, episode.verdict.reward, episode.usage.calls) == (task.id, 1.0, 20)
    assert [fault.fault for fault in store.faults("latest")] == ["wrong_argument", "breach"]
    assert (list(store.openings("latest")), store.toolsets("latest")) == ([], [])
    store.verify("latest")
    assert store.seal(*sealable(2, parent=old.hash)).parent_id == "gen-0001"
    assert tuple(store.episodes("gen-0002")) == sealable(2)[2].episodes


def test_a_step_keeps_rows_and_is_applied_once(tmp_path: Path) -> None:
    open_registry(tmp_path).seal(*sealable(1))
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        assert schema_version(con) == LATEST
        migrate(con, (*known_steps(), WIDEN))
        migrate(con, (*known_steps(), WIDEN))
        assert schema_version(con) == LATEST + 1
        assert con.execute("SELECT count(*), min(note) FROM generations").fetchall() == [(1, "none")]
        assert con.execute("SELECT name FROM schema_versions ORDER BY version").fetchall()[-1] == ("note",)


def test_a_step_that_fails_leaves_no_trace_and_the_ones_before_it_stay(tmp_path: Path) -> None:
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        with pytest.raises(duckdb.Error, match="no_such_function"):
            migrate(con, (*known_steps(), WIDEN, BROKEN))
        assert schema_version(con) == LATEST + 1
        assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'half'").fetchall() == [(0,)]


def test_a_kill_right_after_a_step_leaves_a_registry_that_opens(tmp_path: Path) -> None:
    path = tmp_path / "registry.duckdb"
    open_registry(tmp_path).seal(*sealable(1))
    script = (
        "import os, signal, sys, duckdb\nfrom eigen_registry.migrate import Step, known_steps, migrate\n"
        f"migrate(duckdb.connect(sys.argv[1]), (*known_steps(), Step({WIDEN.version}, 'note', {WIDEN.sql!r})))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with start(script, path) as process:
        assert process.wait() == -9
    with contextlib.closing(duckdb.connect(path)) as con:
        assert schema_version(con) == LATEST + 1
        assert con.execute("SELECT count(*) FROM generations WHERE note = 'none'").fetchall() == [(1,)]


def test_moving_contents_out_leaves_a_small_catalogue_and_the_same_bytes(tmp_path: Path) -> None:
    """A generation of some megabytes, as version 2 stored it."""
    _, _, contents = sealable(1, tasks=60, trials=8, size=8000)
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        migrate(con, known_steps()[:2])
        con.execute((VERSIONS / "0002.sql").read_text(encoding="utf-8"))
        con.execute("DELETE FROM episodes")
        appender = con.appender("episodes")
        for ordinal, record in enumerate(contents.episodes):
            light = EPISODES.light_of(record)[:-1]
            appender.append_row(1, ordinal, *light, *(column.decode() for column in EPISODES.stored_of(record)))
        appender.flush()
    before = (tmp_path / "registry.duckdb").stat().st_size
    store = open_registry(tmp_path)
    records = store.episodes("gen-0001")
    assert [next(records) for _ in contents.episodes] == list(contents.episodes)
    # They are not those the old generation was sealed with; moving made that no better and no worse.
    with pytest.raises(RegistryError, match="gen-0001 is damaged: its 480 episodes are not those"):
        next(records)
    assert (tmp_path / "registry.duckdb").stat().st_size < before / 2
    assert store.seal(*sealable(2, parent=store.generation("latest").hash)).parent_id == "gen-0001"
