"""The columns of each kind of row, and how rows become Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from eigen_cli.api.json_lines import json_text
from eigen_cli.api.samples import SampleKind

if TYPE_CHECKING:
    import pyarrow as pa

Column = Literal["text", "int", "float", "bool", "ints", "thoughts", "json", "json_list"]

_ORIGIN: dict[str, Column] = {
    "generation": "text",
    "domain": "text",
    "task": "text",
    "family": "text",
    "split": "text",
    "difficulty": "int",
    "simulated": "bool",
}
_OUTCOME: dict[str, Column] = {"trial": "int", "reward": "float", "stop": "text", "blame": "text"}
_CHAT: dict[str, Column] = {
    "id": "text",
    "messages": "json_list",
    "tools": "json_list",
    "targets": "ints",
    "reasoning": "thoughts",
    **_ORIGIN,
    "episode": "text",
    **_OUTCOME,
}

COLUMNS: Mapping[SampleKind, Mapping[str, Column]] = {
    "agent_sft": _CHAT,
    "user_sft": _CHAT,
    "rl_tasks": {
        "id": "text",
        "messages": "json_list",
        "tools": "json_list",
        "user": "json_list",
        "user_tools": "json_list",
        "definition": "json",
        "trials": "int",
        "passed": "int",
        **_ORIGIN,
    },
    "episodes": {
        "id": "text",
        "messages": "json_list",
        "verdict": "json",
        **_ORIGIN,
        **_OUTCOME,
        "state_hash": "text",
        "outcome_hash": "text",
        "parent_episode": "text",
        "fork_turn": "int",
        "schema": "int",
    },
    "plans": {
        "id": "text",
        "domain": "text",
        "slot": "int",
        "status": "text",
        "parent": "text",
        "author": "text",
        "why": "text",
        "definition": "json",
        "generation": "text",
    },
}
"""By kind: every column in order. `json` is one value of free shape, `json_list` a list of them."""


def arrow_schema(kind: SampleKind, *, as_text: bool) -> pa.Schema:
    """Return the Arrow schema of a kind; with `as_text`, JSON columns are plain strings."""
    import pyarrow as pa

    json: pa.DataType = pa.string() if as_text else pa.json_()
    types: dict[Column, pa.DataType] = {
        "text": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "ints": pa.list_(pa.int64()),
        "thoughts": pa.list_(pa.struct([("message", pa.int64()), ("text", pa.string())])),
        "json": json,
        "json_list": json if as_text else pa.list_(json),
    }
    return pa.schema([(name, types[column]) for name, column in COLUMNS[kind].items()])


def encoded(row: Mapping[str, Any], kind: SampleKind, *, as_text: bool) -> tuple[dict[str, Any], int]:
    """Return a row with its JSON columns as text (a list of texts for `json_list`), and the bytes of that text."""
    done, size = dict(row), 0
    for name, column in COLUMNS[kind].items():
        if column == "json_list" and not as_text:
            done[name] = [json_text(item) for item in row[name]]
            size += sum(map(len, done[name]))
        elif column in ("json", "json_list"):
            done[name] = json_text(row[name])
            size += len(done[name])
    return done, size


def arrow_table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return encoded rows as a table."""
    import pyarrow as pa

    columns = [_array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _array(values: list[Any], of: pa.DataType) -> pa.Array:
    """Return values as an array; pyarrow does not build lists of an extension type by itself."""
    import pyarrow as pa

    if not (pa.types.is_list(of) and isinstance(of.value_type, pa.BaseExtensionType)):
        return pa.array(values, of)
    offsets = pa.array(itertools.accumulate(map(len, values), initial=0), pa.int32())
    items = pa.array(itertools.chain.from_iterable(values), of.value_type)
    return pa.ListArray.from_arrays(offsets, items, type=of)
