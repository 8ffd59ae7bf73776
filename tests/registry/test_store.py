"""Generations come back as they were sealed, under every name they have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from registry_samples import episode_record, sealable, task

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import RegistryError, UnknownRefError
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_registry import open_registry
from eigen_registry.hashing import contents_digests, generation_hash
from eigen_registry.rows import PAGE


def contents_of(store: Store, generation: Generation) -> Path:
    return store.folder / "generations" / f"{generation.hash}.duckdb"


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, list[Generation]]:
    """A registry of three generations, each the parent of the next, the second with more episodes than a page."""
    store: Store = open_registry(tmp_path_factory.mktemp("registry") / "deep" / ".eigen")
    first = store.seal(*sealable(1))
    second = store.seal(*sealable(2, parent=first.hash, tasks=240, trials=9, size=40))
    third = store.seal(*sealable(3, parent=second.hash, tasks=12, trials=1))
    return store, [first, second, third]


def test_importing_the_package_imports_no_duckdb() -> None:
    script = "import sys, eigen_registry; eigen_registry.open_registry; print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_record_comes_back_equal(sealed: tuple[Store, list[Generation]]) -> None:
    store, _ = sealed
    _, _, contents = sealable(1)
    assert tuple(store.plans("gen-0001")) == contents.plans
    assert tuple(store.tasks("gen-0001")) == contents.tasks
    assert tuple(store.rejected("gen-0001")) == contents.rejected
    assert tuple(store.episodes("gen-0001")) == contents.episodes
    assert tuple(store.faults("gen-0001")) == contents.faults


def test_a_generation_comes_back_with_its_contents_filled_in(sealed: tuple[Store, list[Generation]]) -> None:
    store, (first, second, third) = sealed
    body, observed, contents = sealable(1)
    assert first.body == msgspec.structs.replace(body, contents=contents_digests(contents))
    assert first.hash == generation_hash(first.body)
    assert first.observed == observed
    assert [generation.id for generation in (first, second, third)] == ["gen-0001", "gen-0002", "gen-0003"]
    assert [generation.parent_id for generation in (first, second, third)] == [None, "gen-0001", "gen-0002"]
    assert store.generations() == [first, second, third]


def test_stored_bytes_are_the_canonical_ones(sealed: tuple[Store, list[Generation]]) -> None:
    import duckdb

    store, (first, *_) = sealed
    with duckdb.connect(store.folder / "registry.duckdb", read_only=True) as con:
        body = con.execute("SELECT body FROM generations WHERE number = 1").fetchall()[0][0]
    _, _, contents = sealable(1)
    with duckdb.connect(contents_of(store, first), read_only=True) as con:
        light = con.execute(
            "SELECT id, task, trial, stop, reward, passed, blame, turns FROM episodes ORDER BY ordinal"
        ).fetchall()
        stored = con.execute("SELECT body, verdict FROM episodes ORDER BY ordinal").fetchall()
        tasks = con.execute("SELECT * EXCLUDE (reason, body) FROM tasks ORDER BY ordinal LIMIT 1").fetchall()
        ((reason,),) = con.execute("SELECT reason FROM tasks WHERE ordinal = 2").fetchall()
        outcomes = con.execute("FROM outcomes").fetchall()
    assert stored == [
        (canonical_json(record.episode).decode(), canonical_json(record.verdict).decode())
        for record in contents.episodes
    ]
    assert tasks == [
        (
            0,
            "task-01000-a",
            "airline",
            "cancel-0",
            "train",
            "plan-0123456789ab",
            "cancel",
            2,
            ["3.1", "4.2"],
            ["get_user_details", "cancel_reservation"],
        )
    ]
    assert reason == "a trip fell through \u2014 \u65e5\u672c, \ufffd and \U0001f6eb"
    assert outcomes == [(0, 2, 1), (1, 1, 1), (2, 1, 0)]
    assert body.encode() == canonical_json(first.body)
    assert light[:3] == [
        ("ep-01000-a-0", "task-01000-a", 0, "user_stop", 1.0, True, None, 1),
        ("ep-01000-a-1", "task-01000-a", 1, "agent_turn_limit", 0.5, False, "agent", 1),
        ("ep-01001-b-0", "task-01001-b", 0, "infrastructure", None, False, "infrastructure", 1),
    ]


def test_long_generations_come_back_whole_and_in_order(sealed: tuple[Store, list[Generation]]) -> None:
    store, _ = sealed
    _, _, contents = sealable(2, tasks=240, trials=9, size=40)
    assert tuple(store.episodes("gen-0002")) == contents.episodes
    assert len(contents.episodes) == 2160 > PAGE


def test_an_unfinished_iteration_does_not_keep_writers_out(tmp_path: Path) -> None:
    store = open_registry(tmp_path, patience=1.0)
    store.seal(*sealable(1, tasks=240, trials=9, size=40))
    episodes = store.episodes("latest")
    first = next(episodes)
    second = store.seal(*sealable(2))
    assert second.id == "gen-0002"
    assert [first, *episodes] == list(store.episodes("gen-0001"))


def test_one_tasks_episodes(sealed: tuple[Store, list[Generation]]) -> None:
    store, _ = sealed
    of_task = [record for record in store.episodes("gen-0002") if record.episode.task == "task-02042-a"]
    assert len(of_task) == 9
    assert list(store.episodes("gen-0002", task="task-02042")) == of_task
    with pytest.raises(UnknownRefError, match="no task 'task-0299'") as caught:
        store.episodes("gen-0002", task="task-0299")
    assert caught.value.hint and "task-020" in caught.value.hint


def test_one_tasks_episodes_among_those_of_others(tmp_path: Path) -> None:
    body, observed, contents = sealable(1)
    by_trial = tuple(sorted(contents.episodes, key=lambda record: record.episode.trial))
    store = open_registry(tmp_path)
    store.seal(body, observed, msgspec.structs.replace(contents, episodes=by_trial))
    assert list(store.episodes("latest", task="task-01001-b")) == [by_trial[1], by_trial[4]]


def test_tasks_and_episodes_are_found_by_id_and_by_unique_prefix(sealed: tuple[Store, list[Generation]]) -> None:
    store, _ = sealed
    assert store.task("gen-0003", "task-03004-b") == store.task("gen-0003", "task-03004") == task(4, 3)
    assert store.episode("gen-0001", "ep-01001-b-1") == episode_record(3, task(1), 1)
    assert store.episode("gen-0003", "ep-03011") == episode_record(11, task(11, 3), 0)
    with pytest.raises(UnknownRefError, match="'task-03' names more than one task") as caught:
        store.task("gen-0003", "task-03")
    assert caught.value.hint and "task-03000-a" in caught.value.hint and "…" in caught.value.hint
    with pytest.raises(UnknownRefError, match="gen-0001 has no episode 'ep-01001-b-7'") as caught:
        store.episode("gen-0001", "ep-01001-b-7")
    assert caught.value.hint == "did you mean `ep-01001-b-0`?"
    for far in ("task-zzzzz-z", "task-", "x", "task-9"):
        with pytest.raises(UnknownRefError) as caught:
            store.task("gen-0001", far)
        assert "did you mean" not in (caught.value.hint or "")
    # The task is in another generation than the one that was named.
    with pytest.raises(UnknownRefError, match="gen-0001 has no task 'task-03004'") as caught:
        store.task("gen-0001", "task-03004")
    assert caught.value.hint is None or "task-03" not in caught.value.hint


def test_a_full_id_wins_over_the_ids_it_begins(tmp_path: Path) -> None:
    body, observed, contents = sealable(1, tasks=2, trials=1)
    short, long = (msgspec.structs.replace(contents.tasks[i], id=id_) for i, id_ in enumerate(("task-1", "task-10")))
    store = open_registry(tmp_path)
    store.seal(body, observed, msgspec.structs.replace(contents, tasks=(long, short)))
    assert store.task("latest", "task-1") == short
    assert store.task("latest", "task-10") == long


@pytest.mark.parametrize("name", ["gen-0002", "gen-2", "gen-00002", "hash", "prefix", "PREFIX"])
def test_a_generation_has_several_names(sealed: tuple[Store, list[Generation]], name: str) -> None:
    store, (_, second, _) = sealed
    names = {"hash": second.hash, "prefix": second.hash[:6], "PREFIX": second.hash[:12].upper()}
    assert store.generation(names.get(name, name)) == second


def test_latest_is_the_last_sealed(sealed: tuple[Store, list[Generation]]) -> None:
    store, (_, _, third) = sealed
    assert store.generation("latest") == third


def test_a_wrong_name_gets_the_nearest_right_one(sealed: tuple[Store, list[Generation]]) -> None:
    store, (first, *_) = sealed
    for ref, hint in (("gen-0042", "gen-0001 to gen-0003"), ("lastest", "`latest`"), ("gen_0001", "`gen-0001`")):
        with pytest.raises(UnknownRefError, match=f"no generation is called '{ref}'") as caught:
            store.generation(ref)
        assert caught.value.hint and hint in caught.value.hint
    typo = first.hash[:9] + ("0" if first.hash[9] != "0" else "1") + first.hash[10:16]
    with pytest.raises(UnknownRefError, match=f"no generation is called '{typo}'") as caught:
        store.tasks(typo)
    assert caught.value.hint == f"did you mean `{first.hash[:16]}`?"
    with pytest.raises(UnknownRefError, match="too short") as caught:
        store.generation(first.hash[:5])
    with pytest.raises(UnknownRefError) as caught:
        store.generation("zzzzzzzzz")
    assert caught.value.hint == "`eigen generations` lists them"


def test_sealing_the_same_hash_again_returns_the_stored_generation(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    body, observed, contents = sealable(1)
    first = store.seal(body, observed, contents)
    again = store.seal(body, msgspec.structs.replace(observed, run="another", started_at=5.0), contents)
    assert again == first and again.observed.run == "run-1"
    assert store.generations() == [first]
    assert len(list(store.episodes("latest"))) == len(contents.episodes)


def test_a_parent_elsewhere_has_no_local_id_until_it_arrives(tmp_path: Path) -> None:
    parent = open_registry(tmp_path / "other").seal(*sealable(1))
    store = open_registry(tmp_path / "here")
    body, observed, contents = sealable(2, parent=parent.hash)
    # One that was made elsewhere brings its digests.
    child = store.seal(msgspec.structs.replace(body, contents=contents_digests(contents)), observed, contents)
    assert (child.id, child.parent_id, child.body.parent) == ("gen-0001", None, parent.hash)
    assert store.seal(*sealable(1)).id == "gen-0002"
    assert store.generation(child.hash).parent_id == "gen-0002"


def test_a_body_that_pins_its_contents_must_bring_these(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    body, observed, contents = sealable(1)
    pinned = msgspec.structs.replace(body, contents=contents_digests(contents))
    changed = msgspec.structs.replace(contents, tasks=contents.tasks[::-1])
    with pytest.raises(RegistryError, match="not those its body pins: tasks"):
        store.seal(pinned, observed, changed)
    assert store.generations() == []
    assert store.seal(pinned, observed, contents).hash == store.seal(body, observed, contents).hash


def test_an_id_used_twice_is_refused_and_nothing_stays(tmp_path: Path) -> None:
    store = open_registry(tmp_path / "none")
    body, observed, contents = sealable(1)
    for name in ("tasks", "episodes"):
        twice = msgspec.structs.replace(contents, **{name: (*getattr(contents, name), getattr(contents, name)[0])})
        with pytest.raises(RegistryError, match=f"are both {name[:-1]} '"):
            store.seal(body, observed, twice)
    assert store.generations() == []
    assert [path.name for path in (tmp_path / "none").rglob("*")] == ["generations"]


def test_a_failure_while_sealing_leaves_nothing(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    first = store.seal(*sealable(1))
    body, observed, contents = sealable(2)
    broken = msgspec.structs.replace(contents, episodes=(*contents.episodes[:2], None))
    with pytest.raises(AttributeError):
        store.seal(body, observed, broken)
    assert store.generations() == [first]
    assert store.seal(body, observed, contents).id == "gen-0002"
    assert tuple(store.episodes("gen-0002")) == contents.episodes


def test_reading_where_there_is_no_registry_makes_none(tmp_path: Path) -> None:
    store = open_registry(tmp_path / ".eigen")
    assert store.generations() == []
    for read in (store.generation, store.plans, store.tasks, store.rejected, store.episodes, store.faults):
        with pytest.raises(UnknownRefError, match="there is no registry in") as caught:
            read("latest")
        assert caught.value.hint and "eigen evolve" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
    assert store.folder == tmp_path / ".eigen"
