"""Evaluations come back as they were sealed, beside the generations, in new registries and in old ones."""

from __future__ import annotations

import contextlib
from pathlib import Path

import duckdb
import msgspec
import pytest
from evaluation_samples import evaluation, relabelled
from registry_samples import sealable

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import canonical_json, content_hash
from eigen_cli.api.errors import RegistryError, UnknownRefError
from eigen_cli.api.store import Store
from eigen_cli.testing.memory_store import MemoryStore
from eigen_registry import open_registry
from eigen_registry.migrate import known_steps, migrate, schema_version
from eigen_registry.rows import PAGE

VERSIONS = Path(__file__).parent / "versions"


@pytest.fixture(params=["duckdb", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return open_registry(tmp_path / ".eigen") if request.param == "duckdb" else MemoryStore(tmp_path)


def test_every_record_comes_back_equal(store: Store) -> None:
    body, observed, contents = evaluation()
    sealed = store.seal_evaluation(body, observed, contents)
    assert (sealed.id, sealed.observed) == ("eval-0001", observed)
    assert msgspec.structs.replace(sealed.body, contents={}) == body
    assert set(sealed.body.contents) == {"episodes", "tasks"}
    assert sealed.hash == content_hash(sealed.body)
    assert tuple(store.evaluation_tasks("eval-0001")) == contents.tasks
    assert tuple(store.evaluation_episodes("eval-0001")) == contents.episodes
    assert [record.missing for record in contents.episodes] == [False, False, True] * 2


def test_they_are_numbered_apart_from_generations_and_listed_in_order(store: Store) -> None:
    store.seal(*sealable(1))
    first = store.seal_evaluation(*evaluation())
    second = store.seal_evaluation(*relabelled(evaluation(), "sft-2"))
    store.seal(*sealable(2, parent=store.generation("latest").hash))
    assert store.evaluations() == [first, second]
    assert [generation.id for generation in store.generations()] == ["gen-0001", "gen-0002"]
    assert store.evaluation("latest") == store.evaluation(second.hash[:8]) == store.evaluation("eval-0002") == second


def test_sealing_the_same_content_again_returns_the_stored_one(store: Store) -> None:
    body, observed, contents = evaluation()
    first = store.seal_evaluation(body, observed, contents)
    slower = tuple(msgspec.structs.replace(record, usage=Usage(calls=99)) for record in contents.episodes)
    again = store.seal_evaluation(
        body, msgspec.structs.replace(observed, run="another"), msgspec.structs.replace(contents, episodes=slower)
    )
    assert again == first
    assert store.evaluations() == [first]
    better = msgspec.structs.replace(contents.episodes[0], rewards={"official": 0.0})
    other = store.seal_evaluation(
        body, observed, msgspec.structs.replace(contents, episodes=(better, *contents.episodes[1:]))
    )
    assert (other.id, other.hash == first.hash) == ("eval-0002", False)


def test_a_wrong_name_gets_the_nearest_right_one(store: Store) -> None:
    store.seal(*sealable(1))
    with pytest.raises(UnknownRefError, match="evaluation"):
        store.evaluation("latest")
    store.seal_evaluation(*evaluation())
    for wrong in ("eval-0002", "gen-0001", "abcdef"):
        with pytest.raises(UnknownRefError, match=f"no evaluation is called '{wrong}'"):
            store.evaluation(wrong)
        with pytest.raises(UnknownRefError):
            store.evaluation_episodes(wrong)


def test_hints_name_the_commands_of_evaluations(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    store.seal(*sealable(1))
    with pytest.raises(UnknownRefError, match="holds no evaluation yet") as caught:
        store.evaluation("latest")
    assert caught.value.hint == "`eigen eval DOMAIN` seals a first one"
    store.seal_evaluation(*evaluation())
    with pytest.raises(UnknownRefError) as caught:
        store.evaluation("eval-0009")
    assert caught.value.hint == "there is only eval-0001"
    with pytest.raises(UnknownRefError) as caught:
        store.evaluation("zzzzzzzzz")
    assert caught.value.hint == "`eigen evaluations` lists them"


def test_stored_bytes_are_the_canonical_ones(tmp_path: Path) -> None:
    sealed = open_registry(tmp_path).seal_evaluation(*evaluation())
    with duckdb.connect(tmp_path / "registry.duckdb", read_only=True) as con:
        row = con.execute("SELECT body, domain, split, generation, checkpoint FROM evaluations").fetchall()[0]
    with duckdb.connect(tmp_path / "evaluations" / f"{sealed.hash}.duckdb", read_only=True) as con:
        light = con.execute("SELECT task, trial, stop, reward FROM episodes ORDER BY ordinal").fetchall()
    assert row[0].encode() == canonical_json(sealed.body)
    assert row[1:] == ("tau2-airline", "test", "a" * 64, "sft-1")
    assert light[1:3] == [("task-01000-a", 1, "agent_turn_limit", 0.5), ("task-01001-b", 0, "infrastructure", None)]


def test_long_evaluations_come_back_whole_and_in_order(tmp_path: Path) -> None:
    body, observed, contents = evaluation(tasks=260, trials=8, size=40)
    store = open_registry(tmp_path)
    store.seal_evaluation(body, observed, contents)
    assert tuple(store.evaluation_episodes("latest")) == contents.episodes
    assert len(contents.episodes) == 2080 > PAGE


def test_damage_is_found(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    sealed = store.seal_evaluation(*evaluation())
    with contextlib.closing(duckdb.connect(tmp_path / "evaluations" / f"{sealed.hash}.duckdb")) as con:
        con.execute("UPDATE episodes SET verdict = replace(verdict, '0.5', '1.0') WHERE ordinal = 1")
    with pytest.raises(RegistryError, match="eval-0001 is damaged: its 6 episodes are not those"):
        list(store.evaluation_episodes("latest"))
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        con.execute("UPDATE evaluations SET body = replace(body, 'sft-1', 'sft-2')")
    with pytest.raises(RegistryError, match="eval-0001 is damaged: its content does not have the hash"):
        store.evaluation("latest")


def test_an_id_used_twice_is_refused(tmp_path: Path) -> None:
    store = open_registry(tmp_path / "none")
    body, observed, contents = evaluation()
    for name in ("tasks", "episodes"):
        twice = msgspec.structs.replace(contents, **{name: (*getattr(contents, name), getattr(contents, name)[0])})
        with pytest.raises(RegistryError, match=f"are both {name[:-1]} '"):
            store.seal_evaluation(body, observed, twice)
    assert store.evaluations() == []


def test_digests_cover_rewards_and_order_and_not_what_was_observed(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    body, observed, contents = evaluation()

    def changed_kinds(**fields: object) -> set[str]:
        other = store.seal_evaluation(body, observed, msgspec.structs.replace(contents, **fields)).body.contents
        return {kind for kind in digests if other[kind] != digests[kind]}

    digests = store.seal_evaluation(body, observed, contents).body.contents
    first, *others = contents.episodes
    slower = msgspec.structs.replace(first, usage=Usage(calls=99))
    judged = msgspec.structs.replace(first, judgements=())
    assert changed_kinds(episodes=(slower, *others)) == set()
    assert changed_kinds(episodes=(judged, *others)) == {"episodes"}
    assert changed_kinds(tasks=contents.tasks[::-1]) == {"tasks"}


def test_a_registry_from_before_evaluations_takes_them(tmp_path: Path) -> None:
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        migrate(con, known_steps()[:1])
        con.execute((VERSIONS / "0001.sql").read_text(encoding="utf-8"))
    store = open_registry(tmp_path)
    assert store.evaluations() == []
    (old,) = store.generations()
    body, observed, contents = evaluation()
    sealed = store.seal_evaluation(msgspec.structs.replace(body, generation=old.hash), observed, contents)
    assert store.evaluation("latest").body.generation == old.hash
    assert tuple(store.evaluation_episodes(sealed.id)) == contents.episodes
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        assert schema_version(con) == known_steps()[-1].version


def test_evaluations_that_version_2_wrote_are_read(tmp_path: Path) -> None:
    """`versions/0002.sql` holds rows as eigen wrote them while 0002 was the latest version; never edit it."""
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        migrate(con, known_steps()[:2])
        con.execute((VERSIONS / "0002.sql").read_text(encoding="utf-8"))
    store = open_registry(tmp_path)
    (found,) = store.evaluations()
    assert (found.id, found.body.domain, found.body.checkpoint, found.observed.usd) == (
        "eval-0001",
        "tau2-airline",
        "sft-1",
        1.25,
    )
    assert found.body.scorings["official"].pass_hat_k["1"].low == 0.25
    (task,) = store.evaluation_tasks("latest")
    first, second = store.evaluation_episodes("latest")
    assert (first.episode.task, first.rewards, second.undetermined) == (
        task.id,
        {"corrected": 0.5, "official": 1.0},
        ("corrected",),
    )
