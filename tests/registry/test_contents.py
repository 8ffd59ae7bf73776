"""Contents files: everything is read once and comes back; whatever happens to one is told in clear words."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from evaluation_samples import evaluation
from registry_samples import Sealable, sealable

from eigen_cli.api.canonical import canonical_json, digest
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import Generation, GenerationContents, Opening, ToolSet
from eigen_registry.hashing import contents_digests
from eigen_registry.store import DuckStore

OPENINGS = (
    Opening("agent", "airline", "be kind"),
    *(Opening("user", "airline", "you are hurried", "Hi!", f"task-0100{index}-{'abc'[index]}") for index in range(3)),
)
TOOLS = (
    {"type": "function", "function": {"name": "z", "description": "d", "parameters": {"b": 1, "a": [None, {"z": 1}]}}},
    {"type": "function", "function": {"parameters": {}, "name": "a"}},
)
TOOLSETS = (ToolSet("agent", "airline", TOOLS), ToolSet("user", "airline", ()))


def with_openings() -> Sealable:
    body, observed, contents = sealable(1)
    return body, observed, msgspec.structs.replace(contents, openings=OPENINGS, toolsets=TOOLSETS)


def file_of(folder: Path, generation: Generation) -> Path:
    return folder / "generations" / f"{generation.hash}.duckdb"


def refusal(attempt: Any) -> RegistryError:
    with pytest.raises(RegistryError) as caught:
        attempt()
    assert "\n" not in caught.value.message and caught.value.hint
    return caught.value


def test_openings_and_tools_come_back_with_keys_in_their_order(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    sealed = store.seal(*with_openings())
    assert tuple(store.openings("latest")) == OPENINGS
    assert tuple(store.openings("latest", side="user")) == OPENINGS[1:]
    found = store.toolsets("latest")
    assert tuple(found) == TOOLSETS
    assert msgspec.json.encode(found[0].tools) == msgspec.json.encode(TOOLS)
    assert list(sealed.body.contents) == ["episodes", "openings", "plans", "rejected", "tasks", "toolsets"]
    assert sealed.body.contents["openings"] == digest(*(digest(canonical_json(opening)) for opening in OPENINGS))
    store.verify("latest")
    plain = store.seal(*sealable(1))
    assert list(plain.body.contents) == ["episodes", "plans", "rejected", "tasks"]
    assert (list(store.openings(plain.hash)), store.toolsets(plain.hash)) == ([], [])


def test_every_kind_is_read_once(tmp_path: Path) -> None:
    body, observed, contents = with_openings()
    reads: list[str] = []

    def once(name: str) -> Iterator[Any]:
        reads.append(name)
        yield from getattr(contents, name)

    fields = GenerationContents.__struct_fields__
    store = DuckStore(tmp_path)
    sealed = store.seal(body, observed, GenerationContents(**{name: once(name) for name in fields}))
    assert sorted(reads) == sorted(fields)
    assert sealed.body.contents == contents_digests(contents)
    assert tuple(store.episodes("latest")) == contents.episodes
    assert tuple(store.faults("latest")) == contents.faults


def test_a_body_that_pins_its_contents_must_bring_exactly_these_kinds(tmp_path: Path) -> None:
    body, observed, contents = with_openings()
    digests = contents_digests(contents)
    store = DuckStore(tmp_path)
    for changed, kinds in (
        ({"openings": ()}, "openings"),
        ({"toolsets": TOOLSETS[:1]}, "toolsets"),
        ({"openings": (), "plans": ()}, "openings, plans"),
    ):
        pinned = msgspec.structs.replace(body, contents=digests)
        error = refusal(lambda: store.seal(pinned, observed, msgspec.structs.replace(contents, **changed)))  # noqa: B023
        assert error.message == f"the generation's contents are not those its body pins: {kinds}"
    without = {kind: value for kind, value in digests.items() if kind != "openings"}
    error = refusal(lambda: store.seal(msgspec.structs.replace(body, contents=without), observed, contents))
    assert error.message.endswith("pins: openings")
    unknown = {**digests, "dreams": "0" * 64}
    error = refusal(lambda: store.seal(msgspec.structs.replace(body, contents=unknown), observed, contents))
    assert error.message.endswith("pins: dreams")
    assert (store.generations(), list((tmp_path / "generations").iterdir())) == ([], [])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE tasks SET reason = 'another' WHERE ordinal = 1", "what lists show of task task-01001-b"),
        ("UPDATE episodes SET turns = 9 WHERE ordinal = 0", "what lists show of episode ep-01000-a-0"),
        ("UPDATE episodes SET reward = 0.75 WHERE ordinal = 1", "what lists show of episode ep-01000-a-1"),
        ("UPDATE outcomes SET passed = 2", "what its tasks came to is not what its episodes say"),
        ("DELETE FROM episode_ids WHERE ordinal = 3", "its index of episode ids is wrong"),
        ("INSERT INTO task_ids VALUES ('task-x', 1)", "its index of task ids is wrong"),
        ("UPDATE openings SET body = replace(body, 'be kind', 'be rude')", "its openings are not those"),
        ("DELETE FROM toolsets", "its toolsets are not those it was sealed with"),
        ("DELETE FROM proposals WHERE ordinal = 0", "the order of its proposals is lost"),
        ("UPDATE episodes SET verdict = replace(verdict, 'is open', 'is shut')", "its episodes are not those"),
        ("UPDATE plans SET body = '{}' WHERE ordinal = 0", "a stored PlanRecord cannot be read"),
    ],
)
def test_verifying_finds_what_was_changed(tmp_path: Path, change: str, said: str) -> None:
    store = DuckStore(tmp_path)
    path = file_of(tmp_path, store.seal(*with_openings()))
    store.verify("gen-0001")
    with duckdb.connect(path) as con:
        con.execute(change)
    error = refusal(lambda: store.verify("gen-0001"))
    assert error.message.startswith("gen-0001 is damaged: ") and said in error.message and str(path) in error.message
    assert error.hint and "pull the generation again" in error.hint


def test_evaluations_are_verified_too(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    sealed = store.seal_evaluation(*evaluation())
    store.verify_evaluation("latest")
    with duckdb.connect(tmp_path / "evaluations" / f"{sealed.hash}.duckdb") as con:
        con.execute("UPDATE tasks SET body = replace(body, 'hurried', 'relaxed') WHERE ordinal = 0")
    assert "eval-0001 is damaged: its tasks are not" in refusal(lambda: store.verify_evaluation("latest")).message


def test_a_missing_file_is_named_and_sealing_again_puts_it_back(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first = store.seal(*sealable(1))
    path = file_of(tmp_path, first)
    path.unlink()
    assert store.generations() == [first]
    for attempt in (
        lambda: store.plans("latest"),
        lambda: store.episodes("latest"),
        lambda: store.task("latest", "task-01000-a"),
        lambda: store.verify("latest"),
        lambda: store.outline("latest"),
    ):
        error = refusal(attempt)
        assert error.message == f"the contents of gen-0001 are gone: there is no {path}"
        assert error.hint and error.hint.startswith("put a copy of the file back, or pull the generation again")
    assert store.seal(*sealable(1)) == first
    store.verify("latest")


def test_a_file_that_is_not_the_generations_is_refused_and_replaced_by_sealing_again(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    first, second = store.seal(*sealable(1)), store.seal(*sealable(2))
    path = file_of(tmp_path, first)
    shutil.copy(file_of(tmp_path, second), path)
    error = refusal(lambda: store.tasks("gen-0001"))
    assert error.message == f"{path} does not hold the contents of gen-0001, whose hash it is named by"
    for content in (b"", b"garbage" * 5000, path.read_bytes()[:20_000]):
        path.write_bytes(content)
        for attempt in (lambda: list(store.tasks("gen-0001")), lambda: store.verify("gen-0001")):
            error = refusal(attempt)
            assert error.message.startswith("gen-0001 ") and str(path) in error.message
        assert list(store.tasks("gen-0002"))
    assert store.seal(*sealable(1)) == first
    store.verify("gen-0001")


def test_an_outline_counts_what_tasks_touch_and_how_trials_went(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    store.seal(*sealable(1))
    outline = store.outline("latest")
    assert outline.tools == {"airline": ("cancel_reservation", "get_user_details")}
    assert outline.tool_pairs == {"airline": (("get_user_details", "cancel_reservation"),)}
    assert outline.clauses == {"airline": ("3.1", "4.2")}
    assert [(count.trials, count.passed, count.tasks) for count in outline.trials] == [(1, 0, 1), (1, 1, 1), (2, 1, 1)]
    assert outline.stops == {"agent_turn_limit": 2, "infrastructure": 2, "user_stop": 2}
