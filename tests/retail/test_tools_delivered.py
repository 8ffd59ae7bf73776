"""Returns and exchanges: what is noted, where money may go, and that none moves yet."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from eigen_retail.records import User

PAYPAL, CARD, GIFT = "paypal_3333333", "credit_card_1111111", "gift_card_4444444"
NAVY_M, NAVY_L, RED_M, RED_L, OLIVE_M = "1000000000", "1000000001", "1000000010", "1000000011", "1000000020"
SMALL_POT, BIG_POT = "2000000000", "2000000001"


def returned(items: list[str], payment: str = PAYPAL, order_id: str = "#W0000002") -> dict[str, Any]:
    return {"order_id": order_id, "item_ids": items, "payment_method_id": payment}


def exchanged(old: list[str], new: list[str], payment: str = PAYPAL, order_id: str = "#W0000002") -> dict[str, Any]:
    return {**returned(old, payment, order_id), "new_item_ids": new}


def test_a_return_is_noted_and_no_money_moves(desk: Any) -> None:
    order = desk.call("return_delivered_order_items", **returned([SMALL_POT, NAVY_M]))
    assert order["status"] == "return requested"
    assert order["return_items"] == [NAVY_M, SMALL_POT] and order["return_payment_method_id"] == PAYPAL
    assert len(order["payment_history"]) == 1
    assert [change.table for change in desk.changes] == ["orders"]


def test_both_of_two_alike_can_go_back_but_not_three(desk: Any) -> None:
    assert "2 times, not 3" in desk.refused("return_delivered_order_items", **returned([NAVY_M] * 3))
    assert desk.call("return_delivered_order_items", **returned([NAVY_M] * 2))["return_items"] == [NAVY_M] * 2


def test_refunds_go_back_or_onto_a_gift_card(desk: Any) -> None:
    assert "to a gift card" in desk.refused("return_delivered_order_items", **returned([NAVY_M], CARD))
    assert "not in the profile" in desk.refused(
        "return_delivered_order_items", **returned([NAVY_M], "gift_card_5555555")
    )
    order = desk.call("return_delivered_order_items", **returned([NAVY_M], GIFT))
    assert order["return_payment_method_id"] == GIFT
    assert desk.world.table(User).get("ada_moss_1234").payment_methods[GIFT].balance == untouched_balance()


def untouched_balance() -> Decimal:
    return Decimal("150.55")


@pytest.mark.parametrize("order_id", ["#W0000001", "#W0000003", "#W0000004", "#W0000006", "#W0000007"])
def test_only_delivered_orders(desk: Any, order_id: str) -> None:
    assert "only delivered" in desk.refused("return_delivered_order_items", **returned([SMALL_POT], CARD, order_id))
    assert "only delivered" in desk.refused(
        "exchange_delivered_order_items", **exchanged([SMALL_POT], [BIG_POT], CARD, order_id)
    )


def test_an_exchange_is_noted_with_its_difference(desk: Any) -> None:
    order = desk.call("exchange_delivered_order_items", **exchanged([SMALL_POT, NAVY_M], [BIG_POT, RED_M]))
    assert order["status"] == "exchange requested"
    assert order["exchange_items"] == [NAVY_M, SMALL_POT]
    assert order["exchange_new_items"] == [RED_M, BIG_POT]
    assert order["exchange_payment_method_id"] == PAYPAL
    assert order["exchange_price_difference"] == 3.95
    assert [item["item_id"] for item in order["items"]] == [NAVY_M, NAVY_M, SMALL_POT]
    assert len(order["payment_history"]) == 1


def test_exchange_near_misses(desk: Any) -> None:
    def refused(old: list[str], new: list[str], payment: str = PAYPAL, order_id: str = "#W0000002") -> str:
        return str(desk.refused("exchange_delivered_order_items", **exchanged(old, new, payment, order_id)))

    assert "not available" in refused([NAVY_M], [RED_L])
    assert "is no Rain Jacket" in refused([NAVY_M], [BIG_POT])
    assert "cannot become 0" in refused([NAVY_M], [])
    assert "0 times" in refused([OLIVE_M], [RED_M])
    assert "not in the profile" in refused([NAVY_M], [RED_M], "credit_card_7777777")
    assert "holds only 5" in refused([NAVY_L], [OLIVE_M], "gift_card_5555555", "#W1000002")


def test_two_alike_become_two_different_ones(desk: Any) -> None:
    order = desk.call("exchange_delivered_order_items", **exchanged([NAVY_M, NAVY_M], [RED_M, OLIVE_M]))
    assert order["exchange_price_difference"] == 21.75


def test_a_gift_card_is_looked_at_and_not_charged(desk: Any) -> None:
    desk.call("exchange_delivered_order_items", **exchanged([NAVY_M], [OLIVE_M], GIFT))
    assert desk.world.table(User).get("ada_moss_1234").payment_methods[GIFT].balance == untouched_balance()


def test_one_request_an_order(desk: Any) -> None:
    desk.call("exchange_delivered_order_items", **exchanged([NAVY_M], [OLIVE_M]))
    assert "exchange requested" in desk.refused("return_delivered_order_items", **returned([SMALL_POT]))
    assert "exchange requested" in desk.refused("exchange_delivered_order_items", **exchanged([SMALL_POT], [BIG_POT]))
