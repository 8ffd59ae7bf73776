"""Rows in Parquet files of bounded size, written as they come and read a batch at a time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from eigen_cli.api.errors import HubRefusalError

if TYPE_CHECKING:
    import pyarrow

ColumnType = Literal["text", "integer", "number", "truth", "texts"]
Columns = Mapping[str, ColumnType]

_GROUP_BYTES = 32 * 2**20
"""Text of a row group: viewers read one at a time, and so do we."""
_SHARD_BYTES = 400 * 2**20
"""Text of a file, which compresses to less: the Hub advises against files of many gigabytes."""
_BATCH = 512
"""Rows read at a time."""


def shard_name(stem: str, index: int, count: int) -> str:
    """Return a shard's file name, as `datasets` writes them."""
    return f"{stem}-{index:05d}-of-{count:05d}.parquet"


class ShardWriter:
    """Writes rows to `FOLDER/STEM-00000-of-00001.parquet` and on; no row, no file."""

    def __init__(
        self,
        folder: Path,
        stem: str,
        columns: Columns,
        *,
        group_bytes: int = _GROUP_BYTES,
        shard_bytes: int = _SHARD_BYTES,
    ) -> None:
        """`group_bytes`: text of a row group; `shard_bytes`: text after which another file is begun."""
        self._folder = folder
        self._stem = stem
        self._schema = _schema(columns)
        self._group_bytes = group_bytes
        self._shard_bytes = shard_bytes
        self._rows: list[tuple[Any, ...]] = []
        self._pending = 0
        self._written = 0
        self._shards: list[Path] = []
        self._file: Any = None

    def add(self, row: tuple[Any, ...]) -> None:
        """Add a row: values in the order of the columns, `ordinal` first."""
        self._rows.append(row)
        self._pending += sum(len(value) for value in row if isinstance(value, str))
        if self._pending >= self._group_bytes:
            self._flush()

    def close(self) -> list[Path]:
        """Write what is left and return the files, whose names now say how many there are."""
        self._flush()
        self._end_shard()
        named = []
        for index, path in enumerate(self._shards):
            named.append(path.rename(self._folder / shard_name(self._stem, index, len(self._shards))))
        return named

    def _flush(self) -> None:
        if not self._rows:
            return
        import pyarrow  # 150 ms of CPU, and pyarrow.parquet as much again: only a push or a pull should pay
        import pyarrow.parquet

        columns = [
            pyarrow.array(values, type=field.type)
            for field, values in zip(self._schema, zip(*self._rows, strict=True), strict=True)
        ]
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{self._stem}-{len(self._shards):05d}.writing"
            # Chunks cut by content let an unchanged row be stored once on the Hub, however often it is pushed.
            self._file = pyarrow.parquet.ParquetWriter(
                path, self._schema, compression="zstd", write_page_index=True, use_content_defined_chunking=True
            )
            self._shards.append(path)
        self._file.write_table(pyarrow.Table.from_arrays(columns, schema=self._schema))
        self._written += self._pending
        self._rows, self._pending = [], 0
        if self._written >= self._shard_bytes:
            self._end_shard()

    def _end_shard(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file, self._written = None, 0


def read_rows(paths: Sequence[Path], columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of several series of files in the order of their ordinals, which are 0, 1, 2 and so on.

    `columns` begin with `ordinal`. Raises `HubRefusalError` for a file that is no Parquet, that has other columns or
    other types, and where an ordinal is missing or comes twice. Only plain columns are read: nothing is unpickled.
    """
    series: dict[str, list[Path]] = {}
    for path in sorted(paths):
        series.setdefault(path.name.split("-")[0], []).append(path)
    # One without an ordinal comes first, and is not the one expected there.
    rows = heapq.merge(*(_series_rows(files, columns) for files in series.values()), key=lambda row: row[0] or 0)
    for expected, row in enumerate(rows):
        if row[0] != expected:
            raise HubRefusalError(
                f"{_place(paths)}: row {expected} is missing or comes twice",
                hint="the release is not whole: pull again",
            )
        yield row


def _series_rows(paths: Sequence[Path], columns: Columns) -> Iterator[tuple[Any, ...]]:
    for path in paths:
        yield from _file_rows(path, columns)


def _file_rows(path: Path, columns: Columns) -> Iterator[tuple[Any, ...]]:
    import pyarrow
    import pyarrow.parquet

    wanted = _schema(columns)
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            _check(path, file.schema_arrow, wanted)
            for batch in file.iter_batches(batch_size=_BATCH, columns=wanted.names, use_threads=False):
                yield from zip(*(batch.column(name).to_pylist() for name in wanted.names), strict=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, OSError, UnicodeDecodeError) as error:
        first = str(error).strip().partition("\n")[0]
        raise HubRefusalError(f"{path.name} cannot be read as Parquet: {first}") from error


def _check(path: Path, found: pyarrow.Schema, wanted: pyarrow.Schema) -> None:
    for field in wanted:
        index = found.get_field_index(field.name)
        if index < 0 or found.field(index).type != field.type:
            raise HubRefusalError(f"{path.name} has no column {field.name!r} of type {field.type}")


def _schema(columns: Columns) -> pyarrow.Schema:
    import pyarrow

    types = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "truth": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.string()),
    }
    return pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])


def _place(paths: Sequence[Path]) -> str:
    return paths[0].parent.name if paths else "the release"
