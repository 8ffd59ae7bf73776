"""Looking through every row that is to be pushed, value by value, for secrets and personal data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from eigen_cli.api.releases import Finding, FindingKind
from eigen_registry.hub import patterns

_BATCH = 256
_JSON_BEGINS = ("{", "[")
_DEEPEST = 8
"""Levels of JSON text within JSON text that are opened."""
_LEAST_DIGITS = 10**8
"""Whole numbers below this are no phone and no card."""
_HIDDEN = "\\u00"
"""How JSON text begins to write a letter that needs no escape: such text is opened whatever the first look says."""
_ESCAPE = re.compile(r"\\+(?:u[0-9a-fA-F]{4}|.)")
"""An escape of JSON, whatever the depth of JSON text within JSON text: not part of the word beside it."""


def findings(folder: Path, *, known: Iterable[str], environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is found below a folder, file by file; the same value in one row is named once.

    `known` are texts whose personal data is invented. Values of `environ` that are secrets are looked for as they are.
    """
    scan = _Scan(known, patterns.environment_secrets(environ))
    for path in sorted(folder.rglob("*.parquet")):
        yield from scan.file(path, path.relative_to(folder).as_posix())
    for path in sorted(path for path in folder.iterdir() if path.is_file()):  # the manifest and the card
        yield from scan.text(path.read_text(encoding="utf-8"), path.name)


class _Scan:
    def __init__(self, known: Iterable[str], secrets: Mapping[str, str]) -> None:
        self._secrets = tuple(secrets)
        self._invented = {
            (kind, patterns.normal(kind, value)) for text in known for kind, value in patterns.personal(text)
        }

    def file(self, path: Path, name: str) -> Iterator[Finding]:
        import pyarrow.parquet  # 300 ms of CPU with pyarrow itself

        with pyarrow.parquet.ParquetFile(path) as file:
            columns = file.schema_arrow.names
            for batch in file.iter_batches(batch_size=_BATCH, use_threads=False):
                values = [_plain(batch.column(index)) for index in range(len(columns))]
                for row in zip(*values, strict=True):
                    yield from self._row(name, dict(zip(columns, row, strict=True)))

    def text(self, text: str, name: str) -> Iterator[Finding]:
        for kind, value in dict.fromkeys(self._found(text)):
            yield Finding(kind, name, "", None, patterns.masked(value))

    def _row(self, name: str, row: Mapping[str, Any]) -> Iterator[Finding]:
        # One look at the whole row, as it is written: nearly all rows end here.
        written = "\n".join(_written(row.values()))
        suspected = dict.fromkeys(self._found(_ESCAPE.sub(" ", written)))
        if not suspected and _HIDDEN not in written:
            return
        row_id = str(row.get("id") or row.get("episode") or row.get("ordinal") or "")
        named: dict[tuple[FindingKind, str], int | None] = {}
        for column, value in row.items():
            for turn, text in _placed(column, value):
                for found in self._found(text):
                    named.setdefault(found, turn)
        for kind, value in named or suspected:
            yield Finding(kind, name, row_id, named.get((kind, value)), patterns.masked(value))

    def _found(self, text: str) -> Iterator[tuple[FindingKind, str]]:
        for kind, value in patterns.matches(text):
            if kind not in patterns.PERSONAL or (kind, patterns.normal(kind, value)) not in self._invented:
                yield kind, value
        for secret in self._secrets:
            if secret in text:
                yield "environment", secret


def _plain(column: Any) -> list[Any]:
    """Return a column as Python values; JSON columns as their text."""
    import pyarrow

    if isinstance(column.type, pyarrow.BaseExtensionType):
        column = column.storage
    elif pyarrow.types.is_list(column.type) and isinstance(column.type.value_type, pyarrow.BaseExtensionType):
        column = column.cast(pyarrow.list_(column.type.value_type.storage_type))
    plain: list[Any] = column.to_pylist()
    return plain


def _written(values: Iterable[Any]) -> Iterator[str]:
    """Yield the values of a row as they are written; JSON is not opened."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from map(str, value)
        elif value is not None:
            yield str(value)


def _placed(column: str, value: Any) -> Iterator[tuple[int | None, str]]:
    """Yield a value's texts, each with the message it stands in: of a list of messages, or of an episode's."""
    opened = _opened(value)
    messages = opened.get("messages") if isinstance(opened, dict) else opened if column == "messages" else None
    if not isinstance(messages, list):
        yield from ((None, text) for text in _texts(opened))
        return
    for turn, message in enumerate(messages):
        yield from ((turn, text) for text in _texts(message))
    if isinstance(opened, dict):
        rest = {key: kept for key, kept in opened.items() if key != "messages"}
        yield from ((None, text) for text in _texts(rest))


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every text in a value: keys and values, whatever JSON text holds more, and numbers as long as a phone's."""
    if isinstance(value, str):
        opened = _opened(value) if depth < _DEEPEST else value
        if opened is value or isinstance(opened, str):
            yield value
        else:
            yield from _texts(opened, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item, depth)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, depth)
    elif isinstance(value, int) and not isinstance(value, bool) and value >= _LEAST_DIGITS:
        yield str(value)


def _opened(value: Any) -> Any:
    """Return what a JSON text holds; anything else as it is."""
    if isinstance(value, str) and value.lstrip().startswith(_JSON_BEGINS):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return value
