"""What a task of a domain without environment functions can say of the state it starts in: data laid over rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from eigen_cli.api.record import Record
from eigen_cli.api.tasks import RecordPatch
from eigen_cli.api.world import WorldView
from eigen_tau2.rows import REMAINDERS, Form, Remainder, merged, row_of

R = TypeVar("R", bound=Record)


def requested_data(initial_state: Mapping[str, Any] | None, *, tables: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the rows an initial state lays over the database, by table and key.

    Raises `ValueError` for other tables, for users' data, and for functions to be called: these domains have none.
    """
    state = initial_state or {}
    actions = [str(action.get("func_name")) for action in state.get("initialization_actions") or ()]
    if actions:
        raise ValueError(f"initial state: it calls {', '.join(actions)}; this domain starts from data alone")
    data = state.get("initialization_data") or {}
    if data.get("user_data"):
        raise ValueError("initial state: it has user_data; users of this domain have no database")
    change = data.get("agent_data") or {}
    unknown = [table for table in change if table not in tables]
    if unknown:
        raise ValueError(f"initial state: there is no table {', '.join(unknown)}; there are {', '.join(tables)}")
    for table, rows in change.items():
        if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
            raise ValueError(f"initial state: {table} should hold objects by key")
    return dict(change)


def patched_rows(world: WorldView, form: Form[R], changes: Mapping[str, Any]) -> Iterator[RecordPatch]:
    """Yield the patches that lay changes over rows, or make new ones; raises `ValueError` where none can be read."""
    remainders = world.table(Remainder)
    for key, change in changes.items():
        before = row_of(world, form, key)
        after = change if before is None else merged(before, change)
        patches = form.patches(key, after)
        if len(patches) == 1 and form.remainder_key(key) in remainders:
            yield RecordPatch(REMAINDERS.name, form.remainder_key(key))
        yield from patches


def no_assertions(domain: str, assertion: Mapping[str, Any]) -> NoReturn:
    """Raise `ValueError` for an environment assertion: the domain has no function to assert by."""
    raise ValueError(f"{domain} has no environment assertions, and so no '{assertion.get('func_name')}'")
