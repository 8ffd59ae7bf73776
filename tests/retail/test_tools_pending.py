"""Pending orders: payments, balances, items, and what stays as it was."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.record import to_json
from eigen_retail.records import Order, User

CARD, AMEX, PAYPAL, GIFT = "credit_card_1111111", "credit_card_2222222", "paypal_3333333", "gift_card_4444444"
NAVY_M, NAVY_L, RED_M, RED_L, OLIVE_M = "1000000000", "1000000001", "1000000010", "1000000011", "1000000020"
SMALL_POT, BIG_POT = "2000000000", "2000000001"
AWAY = {"address1": "1 Canal Road", "address2": "", "city": "Tampa", "state": "FL", "country": "USA", "zip": "33612"}


def balance(desk: Any, user_id: str = "ada_moss_1234", card: str = GIFT) -> Any:
    return to_json(desk.world.table(User).get(user_id))["payment_methods"][card]["balance"]


def entries(order: Any) -> list[tuple[str, str, float]]:
    return [
        (entry["transaction_type"], entry["payment_method_id"], entry["amount"]) for entry in order["payment_history"]
    ]


def swap(desk: Any, order_id: str, old: list[str], new: list[str], payment: str = CARD) -> Any:
    return desk.call(
        "modify_pending_order_items",
        order_id=order_id,
        item_ids=old,
        new_item_ids=new,
        payment_method_id=payment,
    )


# Cancelling


def test_cancelling_refunds_the_payment(desk: Any) -> None:
    order = desk.call("cancel_pending_order", order_id="#W0000001", reason="no longer needed")
    assert order["status"] == "cancelled" and order["cancel_reason"] == "no longer needed"
    assert entries(order) == [("payment", CARD, 134.3), ("refund", CARD, 134.3)]
    assert [change.table for change in desk.changes] == ["orders"]


def test_a_gift_card_has_its_money_back_at_once(desk: Any) -> None:
    desk.call("cancel_pending_order", order_id="#W0000005", reason="ordered by mistake")
    assert balance(desk) == 240.5


def test_after_a_change_of_payment_only_what_is_still_held_goes_back(desk: Any) -> None:
    desk.call("modify_pending_order_payment", order_id="#W0000005", payment_method_id=CARD)
    assert balance(desk) == 240.5
    order = desk.call("cancel_pending_order", order_id="#W0000005", reason="no longer needed")
    assert entries(order)[3:] == [("refund", CARD, 89.95)]
    assert balance(desk) == 240.5


@pytest.mark.parametrize("order_id", ["#W0000002", "#W0000003", "#W0000004", "#W0000006", "#W0000007"])
def test_only_pending_orders_are_cancelled(desk: Any, order_id: str) -> None:
    assert "only pending orders" in desk.refused("cancel_pending_order", order_id=order_id, reason="no longer needed")


def test_two_reasons_count(desk: Any) -> None:
    text = desk.refused("cancel_pending_order", order_id="#W0000001", reason="too expensive")
    assert "no longer needed, ordered by mistake" in text


# Addresses


def test_an_order_goes_elsewhere_and_the_profile_stays(desk: Any) -> None:
    order = desk.call("modify_pending_order_address", order_id="#W0000001", **AWAY)
    assert order["address"] == AWAY
    assert [(change.table, change.key) for change in desk.changes] == [("orders", "#W0000001")]


def test_the_profile_moves_and_orders_stay(desk: Any) -> None:
    user = desk.call("modify_user_address", user_id="ada_moss_1234", **AWAY)
    assert user["address"] == AWAY and user["payment_methods"][GIFT]["balance"] == 150.55
    assert desk.world.table(Order).get("#W0000001").address.city == "Boulder"
    assert "nobody" in desk.refused("modify_user_address", user_id="nobody", **AWAY)


def test_addresses_of_packed_orders_stay(desk: Any) -> None:
    for order_id in ("#W0000002", "#W0000003", "#W0000006", "#W0000007"):
        desk.refused("modify_pending_order_address", order_id=order_id, **AWAY)
    # As in the benchmark the tool lets this one through: clause 3.3 is the agent's to know.
    assert desk.call("modify_pending_order_address", order_id="#W0000004", **AWAY)["address"] == AWAY


# Payments


def test_another_payment_pays_all_and_the_first_is_refunded(desk: Any) -> None:
    order = desk.call("modify_pending_order_payment", order_id="#W0000001", payment_method_id=GIFT)
    assert entries(order) == [("payment", CARD, 134.3), ("payment", GIFT, 134.3), ("refund", CARD, 134.3)]
    assert order["status"] == "pending" and balance(desk) == 16.25


def test_payment_near_misses(desk: Any) -> None:
    def refused(order_id: str, payment: str) -> str:
        return str(desk.refused("modify_pending_order_payment", order_id=order_id, payment_method_id=payment))

    assert "already" in refused("#W0000001", CARD)
    assert "not in the profile" in refused("#W0000001", "credit_card_7777777")
    assert "exactly one payment" in refused("#W0000004", PAYPAL)
    assert "processed" in refused("#W0000003", PAYPAL)
    assert "already" in refused("#W1000001", "gift_card_5555555")
    desk.call("modify_pending_order_payment", order_id="#W1000001", payment_method_id="credit_card_7777777")
    assert balance(desk, "bob_kerr_5678", "gift_card_5555555") == 85
    assert "exactly one payment" in refused("#W1000001", "gift_card_5555555")


def test_a_gift_card_must_cover_the_order(desk: Any) -> None:
    swapped = swap(desk, "#W0000005", [RED_M], [OLIVE_M], GIFT)  # 30.05 dearer
    assert balance(desk) == 120.5 and swapped["items"][0]["price"] == 120
    assert "holds only 120.5" in desk.refused(
        "modify_pending_order_payment", order_id="#W0000001", payment_method_id=GIFT
    )


# Items


def test_a_dearer_item_is_paid_for(desk: Any) -> None:
    order = swap(desk, "#W0000001", [SMALL_POT], [BIG_POT], GIFT)
    assert order["status"] == "pending (item modified)"
    assert [item["item_id"] for item in order["items"]] == [NAVY_M, BIG_POT]
    assert order["items"][1]["options"] == {"capacity": "900 ml"}
    assert entries(order)[1:] == [("payment", GIFT, 8.1)]
    assert balance(desk) == 142.45


def test_a_cheaper_item_pays_back(desk: Any) -> None:
    order = swap(desk, "#W0000001", [NAVY_M], [RED_M], GIFT)
    assert entries(order)[1:] == [("refund", GIFT, 4.15)]
    assert balance(desk) == 154.7


def test_each_of_several_items_gets_its_own_price_and_options(desk: Any) -> None:
    order = swap(desk, "#W0000001", [NAVY_M, SMALL_POT], [OLIVE_M, BIG_POT])
    assert [(item["price"], item["options"]) for item in order["items"]] == [
        (120, {"color": "olive", "size": "M"}),
        (48.3, {"capacity": "900 ml"}),
    ]
    assert entries(order)[1:] == [("payment", CARD, 34)]


def test_the_price_paid_then_counts_not_the_price_today(desk: Any) -> None:
    order = swap(desk, "#W1000001", [NAVY_M], [NAVY_L], "credit_card_7777777")
    assert entries(order)[1:] == [("payment", "credit_card_7777777", 14.1)]


def test_no_difference_is_noted_as_nothing_refunded(desk: Any) -> None:
    order = swap(desk, "#W0000001", [NAVY_M], [NAVY_L])
    assert entries(order)[1:] == [("refund", CARD, 0)]


def test_item_near_misses(desk: Any) -> None:
    def refused(order_id: str, old: list[str], new: list[str], payment: str = CARD) -> str:
        return str(
            desk.refused(
                "modify_pending_order_items",
                order_id=order_id,
                item_ids=old,
                new_item_ids=new,
                payment_method_id=payment,
            )
        )

    assert "1 times, not 2" in refused("#W0000001", [NAVY_M, NAVY_M], [RED_M, RED_M])
    assert "0 times, not 1" in refused("#W0000001", [RED_M], [NAVY_M])
    assert "cannot become 1" in refused("#W0000001", [NAVY_M, SMALL_POT], [RED_M])
    assert "same as the old" in refused("#W0000001", [NAVY_M], [NAVY_M])
    assert "not available" in refused("#W0000001", [NAVY_M], [RED_L])
    assert "is no Rain Jacket" in refused("#W0000001", [NAVY_M], [BIG_POT])
    assert "not in the profile" in refused("#W0000001", [NAVY_M], [RED_M], "paypal_9999999")
    assert "holds only 5" in refused("#W1000001", [NAVY_M], [NAVY_L], "gift_card_5555555")
    assert "once, while it is pending" in refused("#W0000004", [BIG_POT], [SMALL_POT])
    assert "delivered" in refused("#W0000002", [NAVY_M], [RED_M])


def test_items_change_once(desk: Any) -> None:
    swap(desk, "#W0000001", [NAVY_M], [RED_M])
    desk.refused(
        "modify_pending_order_items",
        order_id="#W0000001",
        item_ids=[SMALL_POT],
        new_item_ids=[BIG_POT],
        payment_method_id=CARD,
    )
    assert "item modified" in desk.refused("cancel_pending_order", order_id="#W0000001", reason="no longer needed")
