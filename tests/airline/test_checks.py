"""Named checks: each accepts what it is for and rejects its near miss."""

from __future__ import annotations

from typing import Any

from eigen_airline.checks import CHECKS
from eigen_cli.api.domain import CheckContext
from eigen_cli.api.tasks import Action

READ = Action("get_reservation_details", {"reservation_id": "AAAA01"})
OTHER = Action("get_reservation_details", {"reservation_id": "AAAA02"})
CANCEL = Action("cancel_reservation", {"reservation_id": "AAAA01"})
TRANSFER = Action("transfer_to_human_agents", {"summary": "x"})


def holds(desk: Any, name: str, *calls: tuple[Action, bool], **arguments: Any) -> bool:
    return CHECKS[name](CheckContext(desk.world, desk.world, (), calls), **arguments)


def test_transferred(desk: Any) -> None:
    assert holds(desk, "transferred", (READ, True), (TRANSFER, True))
    assert not holds(desk, "transferred", (READ, True), (TRANSFER, False))
    assert holds(desk, "not_transferred", (READ, True))
    assert not holds(desk, "not_transferred", (TRANSFER, True))


def test_no_writes(desk: Any) -> None:
    assert holds(desk, "no_writes", (READ, True), (CANCEL, False), (TRANSFER, True))
    assert not holds(desk, "no_writes", (CANCEL, True))


def test_read_made_before_any_write(desk: Any) -> None:
    wanted = {"tool": READ.name, "arguments": READ.arguments}
    assert holds(desk, "read_made", (OTHER, True), (READ, True), (CANCEL, True), **wanted)
    assert holds(desk, "read_made", (CANCEL, False), (READ, True), **wanted)
    assert not holds(desk, "read_made", (CANCEL, True), (READ, True), **wanted)
    assert not holds(desk, "read_made", (OTHER, True), **wanted)
    assert not holds(desk, "read_made", (READ, False), **wanted)


def test_reservations_read(desk: Any) -> None:
    both = {"reservation_ids": ["AAAA01", "AAAA02"]}
    assert holds(desk, "reservations_read", (OTHER, True), (READ, True), **both)
    assert not holds(desk, "reservations_read", (OTHER, True), (READ, False), **both)


def test_written_only(desk: Any) -> None:
    assert holds(desk, "written_only", (READ, True), (CANCEL, True), tools=["cancel_reservation"])
    assert not holds(desk, "written_only", (CANCEL, True), (CANCEL, True), tools=["cancel_reservation"])
    assert not holds(desk, "written_only", (READ, True), tools=["cancel_reservation"])
