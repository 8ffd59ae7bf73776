"""A telecom task's initial state as record patches: data merged into the databases, then functions run in order."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from eigen_cli.api.domain import TableSpec
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Record, decode_hook
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.api.tools import Tools
from eigen_cli.api.world import WorldView
from eigen_tau2.overlay import Overlay
from eigen_tau2.telecom_faults import CarrierFaults, PhoneFaults
from eigen_tau2.telecom_records import (
    CARRIER,
    KEYS,
    Copied,
    carrier_records,
    carrier_side,
    phone_records,
    phone_side,
)
from eigen_telecom import coupling

_SIDES: Mapping[str, type[Tools]] = {"assistant": CarrierFaults, "user": PhoneFaults}
_FUNCTIONS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    side: {name: getattr(tools, name) for name in dir(tools) if hasattr(getattr(tools, name), "__eigen_tool__")}
    for side, tools in _SIDES.items()
}
_PARTS = ("initialization_data", "initialization_actions", "message_history")


def patch_of(
    state: Mapping[str, Any] | None, world: WorldView, specs: Sequence[TableSpec[Any]]
) -> tuple[RecordPatch, ...]:
    """Return what an initial state changes. Raises `ValueError`: see `Bridged.initial_patch`."""
    if not state:
        return ()
    if unknown := sorted(set(state) - set(_PARTS)):
        raise ValueError(f"the initial state has {', '.join(unknown)}; known are {', '.join(_PARTS)}")
    if state.get("message_history"):
        raise ValueError("the initial state has a message history; only data and actions are known")
    overlay = Overlay(world, specs)
    if data := state.get("initialization_data"):
        _merge(data, overlay)
    for call in state.get("initialization_actions") or ():
        _run(call, overlay)
        number = coupling.surroundings_in(overlay).phone_number
        if number is not None and coupling.line_of_phone(overlay) is None:
            raise ValueError(f"the user's phone number is {number}, which no line has")
    return overlay.patches()


def functions_of(side: str) -> Mapping[str, Callable[..., Any]]:
    """Return the functions that may prepare a side, by name: its tools among them."""
    return _FUNCTIONS[side]


def _run(call: Any, overlay: Overlay) -> None:
    if not isinstance(call, Mapping) or not {"env_type", "func_name"} <= set(call):
        raise ValueError(f"an initialization action is {call!r}; it needs env_type, func_name and arguments")
    side, name = call["env_type"], call["func_name"]
    if side not in _SIDES:
        raise ValueError(f"initialization action {name}: env_type is {side!r}; known are {', '.join(_SIDES)}")
    known = functions_of(side)
    if name not in known:
        raise ValueError(f"the {side} side has no function {name!r}; known are {', '.join(known)}")
    arguments = _fitting(known[name], name, call.get("arguments") or {})
    try:
        known[name](_SIDES[side](overlay), **arguments)
    except ToolError as error:
        raise ValueError(f"initialization action {name}: {error}") from None


@lru_cache(maxsize=128)
def _signature(method: Callable[..., Any]) -> tuple[inspect.Signature, Mapping[str, Any]]:
    return inspect.signature(method), typing.get_type_hints(method, include_extras=True)


def _fitting(method: Callable[..., Any], name: str, arguments: Any) -> dict[str, Any]:
    """Return the arguments as the function's types want them."""
    signature, hints = _signature(method)
    takes = ", ".join(list(signature.parameters)[1:]) or "nothing"
    if not isinstance(arguments, Mapping):
        raise ValueError(f"initialization action {name}: arguments are {arguments!r}; it takes {takes}")
    try:
        signature.bind(None, **arguments)
        return {key: msgspec.convert(value, hints[key], dec_hook=decode_hook) for key, value in arguments.items()}
    except TypeError as error:
        raise ValueError(f"initialization action {name}: {error}; it takes {takes}") from None
    except msgspec.ValidationError as error:
        raise ValueError(f"initialization action {name}: {error} among {dict(arguments)}") from None


def _merge(data: Any, overlay: Overlay) -> None:
    """Merge data into the databases as the benchmark does: objects field by field, lists whole."""
    if not isinstance(data, Mapping) or (unknown := sorted(set(data) - {"agent_data", "user_data"})):
        raise ValueError(f"initialization_data is {unknown or data!r}; known are agent_data, user_data")
    if agent := data.get("agent_data"):
        _replace(overlay, tuple(carrier_records(_merged(carrier_side(overlay), agent))))
    if user := data.get("user_data"):
        # Without the copies, so that those the data brings are seen: see `phone_records`.
        side = phone_side(overlay, Copied())
        side["surroundings"] = {k: v for k, v in side["surroundings"].items() if k not in Copied._fields}
        for record in phone_records(_merged(side, user)):
            overlay.table(type(record)).put(record)


def _replace(overlay: Overlay, records: Sequence[Record]) -> None:
    for name, kind in CARRIER.items():
        table = overlay.table(kind)
        wanted = {getattr(record, KEYS[name]): record for record in records if type(record) is kind}
        for key in list(table.keys()):
            if key not in wanted:
                table.delete(key)
        for record in wanted.values():
            table.put(record)
        if list(table.keys()) != list(wanted):
            raise ValueError(f"initialization_data puts new {name} before old ones, or changes their order")


def _merged(whole: Any, part: Any) -> Any:
    if not isinstance(whole, Mapping) or not isinstance(part, Mapping):
        return part
    return {**whole, **{key: _merged(whole.get(key), value) for key, value in part.items()}}
