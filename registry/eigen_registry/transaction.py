"""All or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@contextlib.contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what the block did, or, if anything at all raises, leave no trace of it."""
    con.begin()
    try:
        yield
        con.commit()
    except BaseException:
        # A commit that failed (a full disk) has already ended its transaction: there is nothing to roll back then.
        with contextlib.suppress(Exception):
            con.rollback()
        raise
