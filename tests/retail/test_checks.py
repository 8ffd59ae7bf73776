"""Named checks: each accepts what it is for and rejects its near miss."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.domain import CheckContext
from eigen_cli.api.tasks import Action
from eigen_retail.checks import CHECKS

READ = Action("get_order_details", {"order_id": "#W0000001"})
OTHER = Action("get_order_details", {"order_id": "#W0000002"})
CANCEL = Action("cancel_pending_order", {"order_id": "#W0000001", "reason": "no longer needed"})
TRANSFER = Action("transfer_to_human_agents", {"summary": "x"})


def holds(desk: Any, name: str, *calls: tuple[Action, bool], **arguments: Any) -> bool:
    return CHECKS[name](CheckContext(desk.world, desk.world, (), calls), **arguments)


def test_transferred(desk: Any) -> None:
    assert holds(desk, "transferred", (READ, True), (TRANSFER, True))
    assert not holds(desk, "transferred", (READ, True), (TRANSFER, False))
    assert holds(desk, "not_transferred", (READ, True))
    assert not holds(desk, "not_transferred", (TRANSFER, True))


def test_writes(desk: Any) -> None:
    assert holds(desk, "no_writes", (READ, True), (CANCEL, False), (TRANSFER, True))
    assert not holds(desk, "no_writes", (CANCEL, True))
    assert holds(desk, "written_only", (READ, True), (CANCEL, True), tools=["cancel_pending_order"])
    assert not holds(desk, "written_only", (CANCEL, True), (CANCEL, True), tools=["cancel_pending_order"])
    assert not holds(desk, "written_only", (READ, True), (CANCEL, False), tools=["cancel_pending_order"])


def test_read_made_before_any_write(desk: Any) -> None:
    wanted = {"tool": READ.name, "arguments": READ.arguments}
    assert holds(desk, "read_made", (OTHER, True), (READ, True), (CANCEL, True), **wanted)
    assert holds(desk, "read_made", (CANCEL, False), (READ, True), **wanted)
    assert not holds(desk, "read_made", (CANCEL, True), (READ, True), **wanted)
    assert not holds(desk, "read_made", (OTHER, True), **wanted)
    assert not holds(desk, "read_made", (READ, False), **wanted)


def test_orders_read(desk: Any) -> None:
    both = {"order_ids": ["#W0000001", "#W0000002"]}
    assert holds(desk, "orders_read", (OTHER, True), (READ, True), **both)
    assert not holds(desk, "orders_read", (OTHER, True), (READ, False), **both)
    assert not holds(desk, "orders_read", (CANCEL, True), (OTHER, True), **both)


@pytest.mark.parametrize(
    ("name", "arguments", "found"),
    [
        ("find_user_id_by_email", {"email": "ADA.moss@mail.example"}, True),
        ("find_user_id_by_email", {"email": "bob.kerr@mail.example"}, False),
        ("find_user_id_by_name_zip", {"first_name": "ada", "last_name": "Moss", "zip": "80333"}, True),
        ("find_user_id_by_name_zip", {"first_name": "Bob", "last_name": "Kerr", "zip": "80333"}, False),
        ("get_user_details", {"user_id": "ada_moss_1234"}, False),
    ],
)
def test_identified(desk: Any, name: str, arguments: dict[str, Any], found: bool) -> None:
    assert holds(desk, "identified", (Action(name, arguments), True), user_id="ada_moss_1234") is found
    assert not holds(desk, "identified", (Action(name, arguments), False), user_id="ada_moss_1234")


def test_item_looked_up_alone_or_with_its_product(desk: Any) -> None:
    wanted = {"item_id": "1000000000", "product_id": "9000000001"}
    item, product = (
        Action("get_item_details", {"item_id": "1000000000"}),
        Action("get_product_details", {"product_id": "9000000001"}),
    )
    assert holds(desk, "item_looked_up", (item, True), **wanted)
    assert holds(desk, "item_looked_up", (product, True), **wanted)
    assert not holds(desk, "item_looked_up", (product, False), (READ, True), **wanted)
    assert not holds(desk, "item_looked_up", (Action("get_item_details", {"item_id": "1000000001"}), True), **wanted)
