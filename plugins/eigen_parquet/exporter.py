"""Rows of any kind in Parquet: what `eigen push` lays on the Hub, and what analysis reads fastest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, ClassVar

from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource
from eigen_cli.api.samples import SAMPLE_KINDS, SampleKind
from eigen_parquet.columns import COLUMNS, arrow_schema, arrow_table, encoded
from eigen_parquet.rows import Row, rows_of

ROW_GROUP_BYTES = 16 * 2**20
"""JSON text after which a row group is written: a few dozen MB of memory, whatever the number of rows."""
ROW_GROUP_ROWS = 10_000


class ParquetExporter(Exporter):
    """Writes rows with flat columns to filter by, and JSON values where the shape is free.

    `messages`, `tools` and the like are lists of Arrow's JSON type (`arrow.json`): `datasets` from 4.8 reads them as
    `List(Json)`, DuckDB as `JSON[]`, and nothing gains the None keys that nested columns give every object. Every kind
    of sample is written whole: targets, reasoning, and the tokens an episode was sampled with. Zstandard, with a page
    index and content-defined chunks, so that viewers read pages and the Hub stores again only what changed. Equal rows
    give equal bytes with one version of pyarrow; the schema's metadata names the generation and the kind.
    """

    name = "parquet"
    kinds = SAMPLE_KINDS
    as_text: ClassVar[bool] = False
    """Whether JSON is written as plain strings."""

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        """Write the rows of one kind; nothing is lost. An empty kind gives a file with columns and no rows."""
        import pyarrow.parquet as pq  # 0.2 s

        schema = arrow_schema(kind, as_text=self.as_text)
        schema = schema.with_metadata({"eigen.generation": source.generation.hash, "eigen.kind": kind})
        repeated = [name for name, column in COLUMNS[kind].items() if column == "text" and name not in ("id", "why")]
        sink, rows = _Sink(out), 0
        writer = pq.ParquetWriter(
            sink,
            schema,
            compression="zstd",
            use_dictionary=repeated,
            write_page_index=True,
            use_content_defined_chunking=True,
        )
        try:
            for group in _groups(rows_of(source, kind), kind, as_text=self.as_text):
                writer.write_table(arrow_table(group, schema), row_group_size=len(group))
                rows += len(group)
        except BaseException:
            sink.abandoned = True  # closing would complete the file, and nobody could tell that rows are missing
            raise
        finally:
            writer.close()
        return ExportReport(rows)


class CompatParquetExporter(ParquetExporter):
    """Writes the same rows with JSON as plain strings, `messages` and `tools` one text each.

    `datasets` 4.0.0, which LLaMA-Factory pins, knows no JSON type and cannot open the other file at all.
    """

    name = "parquet-compat"
    as_text = True


def _groups(rows: Iterable[Row], kind: SampleKind, *, as_text: bool) -> Iterator[list[dict[str, Any]]]:
    """Yield encoded rows, group by group."""
    group: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        done, bytes_ = encoded(row, kind, as_text=as_text)
        group.append(done)
        size += bytes_
        if size >= ROW_GROUP_BYTES or len(group) >= ROW_GROUP_ROWS:
            yield group
            group, size = [], 0
    if group:
        yield group


class _Sink:
    """A stream to write to that stays open when pyarrow is done with it, and need not know where it is (a pipe)."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self.abandoned = False
        """Whether nothing is to be written any more."""
        self._out = out
        self._written = 0

    def write(self, data: Any) -> int:
        """Write bytes, all of them."""
        size = len(memoryview(data).cast("B"))
        if not self.abandoned:
            self._out.write(data)
        self._written += size
        return size

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._written

    def flush(self) -> None:
        """Flush the stream."""
        self._out.flush()

    def close(self) -> None:
        """Leave the stream open: whoever opened it closes it."""

    def readable(self) -> bool:
        """Return False."""
        return False

    def writable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return False."""
        return False
