"""Tools that take arguments as the benchmark's do: as they come, checked nowhere but inside.

A tool of ours offers its parameters with types, and the engine converts what a model wrote. The benchmark passes it on
raw, so that a wrong type is refused late, silently stored, or never noticed. A bridged tool says the same to the model
as our tool of that name does, and receives what the model wrote.
"""

from __future__ import annotations

import functools
import json
import typing
from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from eigen_cli.api.errors import ToolError
from eigen_cli.api.tools import Examples, Ref


def upstream(ours: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a method the bridged form of a tool of ours: same name, kind, texts and schema, arguments raw.

    A `ValueError` inside it is a refusal.
    """
    hints = typing.get_type_hints(ours, include_extras=True)

    def bridged(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                value = method(*args, **kwargs)
            except ValueError as error:
                raise ToolError(str(error)) from None
            # Written by the library the benchmark uses, which spells infinite amounts too.
            return value if isinstance(value, str) else json.dumps(value)

        call.__doc__ = ours.__doc__
        call.__annotations__ = {name: Any if name == "return" else _raw(hint) for name, hint in hints.items()}
        call.__eigen_tool__ = ours.__eigen_tool__  # type: ignore[attr-defined]
        return call

    return bridged


def _raw(hint: Any) -> Any:
    """Return the type that takes anything and shows the schema of a hint."""
    shown = msgspec.Meta(extra_json_schema=_inlined(msgspec.json.schema(hint)))
    annotated: Any = Annotated[Any, shown]
    for extra in getattr(hint, "__metadata__", ()):
        if isinstance(extra, Ref):
            annotated = Annotated[annotated, Ref(extra.table, must_exist=False)]
        elif isinstance(extra, Examples):
            annotated = Annotated[annotated, extra]
    return annotated


def _inlined(schema: Any, definitions: Any = None) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = schema.get("$defs", definitions)
    if "$ref" in schema:
        found = _inlined(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
        return {name: value for name, value in found.items() if name != "title"}
    return {name: _inlined(value, definitions) for name, value in schema.items() if name != "$defs"}
