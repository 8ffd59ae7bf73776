"""The records of a generation as Parquet: the same records come back, in files as loaders and viewers want them."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import HubRefusalError, RegistryError
from eigen_cli.api.generations import Generation, Opening, ToolSet
from eigen_cli.api.store import Store
from eigen_registry.codec import EPISODES, OPENINGS, TOOLSETS
from eigen_registry.hub.payload import read_records, restored_contents, write_generation, write_records
from eigen_registry.hub.shards import ShardWriter, read_rows

COLUMNS = {"ordinal": "integer", "body": "text"}


def test_every_record_comes_back_as_it_was(store: Store, generation: Generation, payloads: dict[str, Path]) -> None:
    restored = restored_contents(payloads[generation.hash])
    assert list(restored.plans) == store.plans(generation.hash)
    assert list(restored.tasks) == list(store.tasks(generation.hash))
    assert list(restored.rejected) == list(store.rejected(generation.hash)) != []
    assert list(restored.episodes) == list(store.episodes(generation.hash))
    assert list(restored.faults) == list(store.faults(generation.hash)) != []
    assert list(restored.openings) == list(store.openings(generation.hash))
    assert list(restored.toolsets) == store.toolsets(generation.hash)


def test_what_was_sent_to_models_keeps_the_order_of_its_keys(tmp_path: Path) -> None:
    tools = ToolSet(
        "agent", "bank", ({"type": "function", "function": {"name": "pay", "parameters": {"b": 1, "a": 2}}},)
    )
    opening = Opening("user", "bank", "You are a customer.", "Hello.", "task-1")
    write_records(tmp_path, TOOLSETS, [tools], split=lambda _: "part")
    write_records(tmp_path, OPENINGS, [opening], split=lambda _: "part")
    assert list(read_records(tmp_path, OPENINGS)) == [opening]
    (restored,) = read_records(tmp_path, TOOLSETS)
    assert msgspec.json.encode(restored) == msgspec.json.encode(tools)


def test_episodes_lie_in_a_file_for_each_split_with_columns_to_filter_by(
    store: Store, generation: Generation, payloads: dict[str, Path]
) -> None:
    splits = {task.id: task.split for task in store.tasks(generation.hash)}
    folder = payloads[generation.hash] / "generation" / "episodes"
    assert {path.name.split("-")[0] for path in folder.iterdir()} == set(splits.values())
    ordinals = []
    for path in folder.iterdir():
        rows = pq.read_table(path).to_pylist()
        assert {splits[row["task"]] for row in rows} == {path.name.split("-")[0]}
        assert all((row["reward"] == 1.0) == row["passed"] for row in rows)
        ordinals += [row["ordinal"] for row in rows]
    records = list(store.episodes(generation.hash))
    assert sorted(ordinals) == list(range(len(records)))
    first = next(row for path in folder.iterdir() for row in pq.read_table(path).to_pylist() if row["ordinal"] == 0)
    assert first["body"].encode() == canonical_json(records[0].episode)


def test_files_are_compressed_and_have_a_page_index(payloads: dict[str, Path], generation: Generation) -> None:
    for path in payloads[generation.hash].rglob("*.parquet"):
        column = pq.ParquetFile(path).metadata.row_group(0).column(0)
        assert (column.compression, column.has_offset_index, column.has_column_index) == ("ZSTD", True, True)


def test_shards_are_bounded_and_read_back_as_one_series(tmp_path: Path) -> None:
    # Two splits take turns, and their text passes the size of a group and of a shard several times.
    writers = {
        stem: ShardWriter(tmp_path, stem, COLUMNS, group_bytes=2_000, shard_bytes=10_000) for stem in ("train", "test")
    }
    rows = [(number, f"{number:04d}" * 25) for number in range(600)]
    for row in rows:
        writers["test" if row[0] % 3 == 0 else "train"].add(row)
    names = [path.name for writer in writers.values() for path in writer.close()]
    assert names == [f"train-{n:05d}-of-00004.parquet" for n in range(4)] + [
        f"test-{n:05d}-of-00002.parquet" for n in range(2)
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert max(pq.read_metadata(path).num_rows for path in tmp_path.iterdir()) <= 120
    assert list(read_rows(list(tmp_path.iterdir()), COLUMNS)) == rows


def test_no_row_makes_no_file(tmp_path: Path) -> None:
    assert ShardWriter(tmp_path / "none", "train", COLUMNS).close() == []
    assert not (tmp_path / "none").exists()
    assert list(read_records(tmp_path, EPISODES)) == []


@pytest.mark.parametrize("ordinals", [[0, 2], [0, 0, 1], [1, 2], [1, 0]])
def test_a_row_that_is_missing_or_comes_twice_is_noticed(tmp_path: Path, ordinals: list[int]) -> None:
    path = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(pa.table({"ordinal": ordinals, "body": ["{}"] * len(ordinals)}), path)
    with pytest.raises(HubRefusalError, match="missing or comes twice"):
        list(read_rows([path], COLUMNS))


def test_other_types_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(pa.table({"ordinal": [0], "body": [b"\x80\x04"]}), path)
    with pytest.raises(HubRefusalError, match="no column 'body' of type string"):
        list(read_rows([path], COLUMNS))
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(HubRefusalError, match="cannot be read as Parquet"):
        list(read_rows([path], COLUMNS))


def test_a_body_that_is_no_record_is_refused(tmp_path: Path, payloads: dict[str, Path], generation: Generation) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(payloads[generation.hash], folder)
    path = next((folder / "generation" / "tasks").iterdir())
    table = pq.read_table(path)
    bodies = ['{"no":"task"}', *table.column("body").to_pylist()[1:]]
    index = table.schema.get_field_index("body")
    pq.write_table(table.set_column(index, "body", pa.array(bodies)), path)
    with pytest.raises(HubRefusalError, match="row 0 of tasks is no record"):
        list(restored_contents(folder).tasks)


class _Changed:
    """A store that gives other episodes than were sealed, as one would whose records this eigen writes differently."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def episodes(self, ref: str) -> object:
        return list(self._store.episodes(ref))[1:]


def test_records_that_no_longer_hash_as_sealed_are_not_written(
    store: Store, generation: Generation, tmp_path: Path
) -> None:
    with pytest.raises(RegistryError, match="the episodes of gen-0001 are not those it was sealed with"):
        write_generation(_Changed(store), generation.hash, tmp_path)  # type: ignore[arg-type]
