"""The `jsonl` exporter: every episode whole, one a line, labelled, in equal bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from eigen_tidy_library.domain import TidyLibrary
from msgspec.structs import replace

from eigen_cli.api.errors import UnknownRefError
from eigen_cli.api.generations import Generation
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Fact, RecordPatch
from eigen_cli.testing.contracts import check_exporter
from eigen_cli.testing.drafted import DraftedTask, contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import AWKWARD, seal_sample
from eigen_cli.training.source import GenerationSource
from eigen_jsonl.exporter import EpisodeRow, JsonLinesExporter
from eigen_registry import open_registry


def sample(store: Store, *, simulated: bool = False) -> Generation:
    context = contract_context(TidyLibrary())
    return seal_sample(store, context, list(drafted_tasks(context, each=2)), simulated=simulated)


def exported(store: Store, ref: str) -> tuple[int, bytes]:
    stream, source = io.BytesIO(), GenerationSource(store, store.generation(ref))
    return JsonLinesExporter().write(source, "episodes", stream).rows, stream.getvalue()


def test_it_keeps_the_contract() -> None:
    check_exporter(JsonLinesExporter(), TidyLibrary())


@pytest.mark.parametrize("simulated", [False, True])
def test_every_episode_is_a_line_that_reads_back_whole(tmp_path: Path, simulated: bool) -> None:
    store = open_registry(tmp_path)
    generation = sample(store, simulated=simulated)
    rows, written = exported(store, generation.id)
    records = list(store.episodes(generation.id))
    assert rows == len(records) == 18
    lines = written.splitlines(keepends=True)
    assert len(lines) == rows
    assert all(line.endswith(b"\n") for line in lines)
    read = [unpacked(json.loads(line)) for line in lines]
    for row, record in zip(read, records, strict=True):
        assert (row.episode, row.trial, row.messages) == (
            record.episode.id,
            record.episode.trial,
            record.episode.messages,
        )
        assert (row.verdict, row.stop) == (record.verdict, record.episode.stop)
        assert row.task == store.task(generation.id, record.episode.task)
        assert (row.generation, row.simulated, row.schema) == (generation.hash, simulated, 1)
    assert {row.verdict.reward for row in read} == {0.0, 1.0, None}


def unpacked(row: dict[str, Any]) -> EpisodeRow:
    """Return a line as records, its JSON text read where the page says that there is some."""
    task = row["task"]
    facts = [*task["scenario"]["known"], *(fact for goal in task["scenario"]["goals"] for fact in goal["facts"])]
    calls = [call for message in row["messages"] for call in message["tool_calls"] if call["arguments"] is not None]
    changes = [change for message in row["messages"] if message["result"] for change in message["result"]["changes"]]
    task["imported"] = json.loads(task["imported"])
    for held in (*task["gold"], *task["checks"], *calls):
        held["arguments"] = json.loads(held["arguments"])
    for fact in facts:
        fact["value"] = json.loads(fact["value"])
    for patch in task["patch"]:
        patch["record"] = patch["record"] and json.loads(patch["record"])
    for field in (field for change in changes for field in change["fields"]):
        field["before"], field["after"] = json.loads(field["before"]), json.loads(field["after"])
    return msgspec.convert(row, EpisodeRow)


def test_rows_have_one_shape_whatever_is_in_them() -> None:
    store = MemoryStore()
    context = contract_context(TidyLibrary())
    item = next(iter(drafted_tasks(context, each=1)))
    facts = (Fact("a", 1), Fact("b", "one"), Fact("c", [1]), Fact("d", {"deep": None}), Fact("e", Decimal("1.5")))
    patch = (RecordPatch("books", "B001"), RecordPatch("members", "M001", {"member_id": "M001", "name": "Ada"}))
    task = replace(item.task, id="task-odd", scenario=replace(item.task.scenario, known=facts), patch=patch)
    generation = seal_sample(store, context, [DraftedTask(item.template, item.draft, task), item])
    rows = [json.loads(line) for line in exported(store, generation.id)[1].splitlines()]
    assert len(rows) == 6
    merged: dict[str, set[str]] = {}
    for row in rows:
        for path, kind in kinds(row):
            merged.setdefault(path, set()).add(kind)
    assert {path: found for path, found in merged.items() if len(found - {"null"}) > 1} == {}
    assert merged["task.scenario.known.value"] == {"str"}
    assert [fact["value"] for fact in rows[0]["task"]["scenario"]["known"]] == [
        "1", '"one"', "[1]", '{"deep":null}', "1.5",
    ]  # fmt: skip
    assert [entry["record"] for entry in rows[0]["task"]["patch"]] == [None, '{"member_id":"M001","name":"Ada"}']
    assert unpacked(rows[3]).task == item.task


def kinds(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the kind of value at every path; an object's kind is its keys, so that none may be left out."""
    if isinstance(value, dict):
        yield path, f"object of {sorted(value)}"
        for key, inner in value.items():
            yield from kinds(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from kinds(inner, path)
    else:
        yield path, "null" if value is None else type(value).__name__


def test_awkward_words_stay_on_their_line() -> None:
    store = MemoryStore()
    _, written = exported(store, sample(store).id)
    for line in written.decode().split("\n")[:-1]:
        assert AWKWARD.text in [message.get("text") for message in json.loads(line)["messages"]]


def test_equal_generations_give_equal_bytes_whatever_stores_them(tmp_path: Path) -> None:
    in_memory, on_disk = MemoryStore(), open_registry(tmp_path)
    lines = []
    for store in (in_memory, on_disk):
        generation = sample(store)
        rows = [json.loads(line) for line in exported(store, generation.id)[1].splitlines()]
        # Only the stores' own hashes of the whole generation differ.
        lines.append([{**row, "generation": ""} for row in rows])
        assert exported(store, generation.id) == exported(store, generation.hash)
    assert lines[0] == lines[1]


def test_an_unknown_generation_is_the_stores_error(tmp_path: Path) -> None:
    store = open_registry(tmp_path)
    sample(store)
    with pytest.raises(UnknownRefError):
        exported(store, "gen-0007")
