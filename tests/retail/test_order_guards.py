"""Guards that look at orders: each lets its near miss pass and catches its breach."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.tasks import Action

CARD, PAYPAL, GIFT = "credit_card_1111111", "paypal_3333333", "gift_card_4444444"
NAVY_M, NAVY_L, RED_M, RED_L, OLIVE_M = "1000000000", "1000000001", "1000000010", "1000000011", "1000000020"
SMALL_POT, BIG_POT = "2000000000", "2000000001"
ADDRESS = {"address1": "1 Canal Road", "address2": "", "city": "Tampa", "state": "FL", "country": "USA", "zip": "33612"}
FOUND = Action("find_user_id_by_email", {"email": "ada.moss@mail.example"})
BOB = Action("find_user_id_by_email", {"email": "bob.kerr@mail.example"})


def broken(desk: Any, name: str, arguments: dict[str, Any], *earlier: Action) -> set[str]:
    """Return the clauses a call breaks without a dialogue, after the look-up and the reading of its order."""
    order_id = arguments.get("order_id", "")
    caller = BOB if str(order_id).startswith("#W1") else FOUND
    done = earlier or (caller, Action("get_order_details", {"order_id": order_id}))
    context = GuardContext(desk.world, "agent", name, arguments, None, done)
    return {
        clause.id
        for clause in desk.toolbox.domain.clauses
        if clause.guard is not None and (not clause.tools or name in clause.tools) and clause.guard(context) is not None
    }


def cancel(order_id: str) -> dict[str, Any]:
    return {"order_id": order_id, "reason": "no longer needed"}


def test_orders_are_read_before_they_are_changed(desk: Any) -> None:
    read = Action("get_order_details", {"order_id": "#W0000001"})
    other = Action("get_order_details", {"order_id": "#W0000002"})
    assert broken(desk, "cancel_pending_order", cancel("#W0000001"), FOUND, read) == set()
    assert broken(desk, "cancel_pending_order", cancel("#W0000001"), FOUND) == {"3.1"}
    assert broken(desk, "cancel_pending_order", cancel("#W0000001"), FOUND, other) == {"3.1"}
    assert broken(desk, "cancel_pending_order", cancel("#W0000001"), read) == {"2.1"}
    assert broken(desk, "modify_user_address", {"user_id": "ada_moss_1234", **ADDRESS}, FOUND) == set()


@pytest.mark.parametrize(
    ("order_id", "pending", "delivered"),
    [
        ("#W0000001", set(), {"3.2"}),
        ("#W0000002", {"3.2"}, set()),
        ("#W0000003", {"3.2"}, {"3.2"}),
        ("#W0000004", {"3.3"}, set()),
        ("#W0000006", {"3.2"}, {"3.2"}),
        ("#W0000007", {"3.2"}, {"3.2"}),
        ("#W9999999", set(), set()),
    ],
)
def test_what_can_be_done_when(desk: Any, order_id: str, pending: set[str], delivered: set[str]) -> None:
    assert broken(desk, "cancel_pending_order", cancel(order_id)) == pending
    assert broken(desk, "modify_pending_order_address", {"order_id": order_id, **ADDRESS}) == pending
    back = {"order_id": order_id, "item_ids": [SMALL_POT], "payment_method_id": GIFT}
    assert broken(desk, "return_delivered_order_items", back) == delivered


def test_some_item_is_named(desk: Any) -> None:
    back = {"order_id": "#W0000002", "payment_method_id": PAYPAL}
    assert broken(desk, "return_delivered_order_items", {**back, "item_ids": []}) == {"3.4"}
    assert broken(desk, "return_delivered_order_items", {**back, "item_ids": f'["{NAVY_M}"]'}) == set()
    assert broken(desk, "return_delivered_order_items", {**back, "item_ids": "soon"}) == {"3.4"}


@pytest.mark.parametrize("part", ["address1", "city", "state", "country", "zip"])
def test_addresses_are_complete(desk: Any, part: str) -> None:
    for name, key in (
        ("modify_pending_order_address", {"order_id": "#W0000001"}),
        ("modify_user_address", {"user_id": "ada_moss_1234"}),
    ):
        assert broken(desk, name, {**key, **ADDRESS}) == set()
        assert broken(desk, name, {**key, **ADDRESS, part: " "}) == {"5.1"}


@pytest.mark.parametrize(
    ("order_id", "payment", "clauses"),
    [
        ("#W0000001", PAYPAL, set()),
        ("#W0000001", GIFT, set()),
        ("#W0000001", CARD, {"5.2"}),
        ("#W0000001", "credit_card_7777777", {"5.2"}),
        ("#W1000001", "credit_card_7777777", set()),
        ("#W1000001", "gift_card_5555555", {"5.2"}),
    ],
)
def test_one_other_method(desk: Any, order_id: str, payment: str, clauses: set[str]) -> None:
    arguments = {"order_id": order_id, "payment_method_id": payment}
    assert broken(desk, "modify_pending_order_payment", arguments) == clauses


@pytest.mark.parametrize(
    ("old", "new", "payment", "clauses"),
    [
        ([NAVY_M], [RED_M], PAYPAL, set()),
        ([NAVY_M, SMALL_POT], [RED_M, BIG_POT], PAYPAL, set()),
        ([NAVY_M], [NAVY_M], PAYPAL, {"5.3"}),
        ([NAVY_M], [RED_L], PAYPAL, {"5.3"}),
        ([NAVY_M], [BIG_POT], PAYPAL, {"5.3"}),
        ([NAVY_M, SMALL_POT], [RED_M, SMALL_POT], PAYPAL, {"5.3"}),
        ([NAVY_M], [OLIVE_M], "gift_card_5555555", {"5.4"}),
        ([NAVY_M], [OLIVE_M], GIFT, set()),
        ([], [], PAYPAL, {"3.4"}),
    ],
)
def test_swaps_stay_within_the_product(
    desk: Any, old: list[str], new: list[str], payment: str, clauses: set[str]
) -> None:
    arguments = {"order_id": "#W0000002", "item_ids": old, "new_item_ids": new, "payment_method_id": payment}
    assert broken(desk, "exchange_delivered_order_items", arguments) == clauses


def test_differences_are_covered(desk: Any) -> None:
    arguments = {"order_id": "#W1000001", "item_ids": [NAVY_M], "payment_method_id": "gift_card_5555555"}
    # Bought at 80: navy L is 14.10 dearer, and the gift card holds 5.
    assert broken(desk, "modify_pending_order_items", {**arguments, "new_item_ids": [NAVY_L]}) == {"5.4"}
    assert (
        broken(
            desk,
            "modify_pending_order_items",
            {**arguments, "new_item_ids": [NAVY_L], "payment_method_id": "credit_card_7777777"},
        )
        == set()
    )


@pytest.mark.parametrize(
    ("payment", "clauses"), [(PAYPAL, set()), (GIFT, set()), (CARD, {"6.1"}), ("gift_card_5555555", {"6.1"})]
)
def test_refunds_go_back_or_to_a_gift_card(desk: Any, payment: str, clauses: set[str]) -> None:
    back = {"order_id": "#W0000002", "item_ids": [NAVY_M], "payment_method_id": payment}
    assert broken(desk, "return_delivered_order_items", back) == clauses
