"""What counts when outcomes are compared, and what does not."""

from __future__ import annotations

from typing import Any

CARD, AMEX, PAYPAL, GIFT = "credit_card_1111111", "credit_card_2222222", "paypal_3333333", "gift_card_4444444"
NAVY_M, NAVY_L, RED_M = "1000000000", "1000000001", "1000000010"
SMALL_POT, BIG_POT = "2000000000", "2000000001"
HOME = {"address1": "1 Canal Road", "address2": "Apt 2", "city": "Tampa", "state": "FL", "country": "USA", "zip": "336"}


def outcome(desk: Any, *calls: tuple[str, dict[str, Any]]) -> str:
    """Return the outcome of calls on a fresh world."""
    world = desk.world
    for name, arguments in calls:
        made = desk.toolbox.call(world, name, arguments)
        assert not made.error, made.content
        world = made.world
    return str(world.outcome_hash())


def address(**changes: str) -> tuple[str, dict[str, Any]]:
    return "modify_pending_order_address", {"order_id": "#W0000001", **HOME, **changes}


def returned(*items: str, payment: str = PAYPAL) -> tuple[str, dict[str, Any]]:
    arguments = {"order_id": "#W0000002", "item_ids": list(items), "payment_method_id": payment}
    return "return_delivered_order_items", arguments


def swapped(old: list[str], new: list[str], payment: str = CARD) -> tuple[str, dict[str, Any]]:
    arguments = {"order_id": "#W0000001", "item_ids": old, "new_item_ids": new, "payment_method_id": payment}
    return "modify_pending_order_items", arguments


def paid(payment: str) -> tuple[str, dict[str, Any]]:
    return "modify_pending_order_payment", {"order_id": "#W0000001", "payment_method_id": payment}


CANCELLED = ("cancel_pending_order", {"order_id": "#W0000001", "reason": "no longer needed"})


def test_the_spelling_of_an_address_does_not_count(desk: Any) -> None:
    plain = outcome(desk, address())
    assert plain == outcome(desk, address(address1="1 canal road ", city="TAMPA", country="United States"))
    assert plain == outcome(desk, address(address2="Apt. 2", country="us"))
    assert plain == outcome(desk, address(zip="999"), address())


def test_what_an_address_says_counts(desk: Any) -> None:
    plain = outcome(desk, address())
    for changes in ({"address1": "2 Canal Road"}, {"address2": ""}, {"zip": "337"}, {"state": "GA"}):
        assert plain != outcome(desk, address(**changes))
    assert plain != outcome(desk, ("modify_user_address", {"user_id": "ada_moss_1234", **HOME}))


def test_which_items_go_where_counts_not_the_order_of_naming_them(desk: Any) -> None:
    assert outcome(desk, returned(NAVY_M, SMALL_POT)) == outcome(desk, returned(SMALL_POT, NAVY_M))
    assert outcome(desk, returned(NAVY_M)) != outcome(desk, returned(NAVY_M, NAVY_M))
    assert outcome(desk, returned(NAVY_M)) != outcome(desk, returned(NAVY_M, payment=GIFT))
    both = swapped([NAVY_M, SMALL_POT], [RED_M, BIG_POT])
    assert outcome(desk, both) == outcome(desk, swapped([SMALL_POT, NAVY_M], [BIG_POT, RED_M]))
    assert outcome(desk, both) != outcome(desk, swapped([NAVY_M], [RED_M]))
    assert outcome(desk, both) != outcome(desk, swapped([NAVY_M, SMALL_POT], [NAVY_L, BIG_POT]))


def test_who_pays_counts(desk: Any) -> None:
    assert outcome(desk, paid(AMEX)) != outcome(desk, paid(PAYPAL))
    assert outcome(desk, paid(AMEX)) != outcome(desk)
    by_card = outcome(desk, swapped([NAVY_M], [RED_M]))
    assert by_card != outcome(desk, swapped([NAVY_M], [RED_M], GIFT))


def test_how_an_order_came_to_hold_a_payment_does_not_count(desk: Any) -> None:
    # Cancelled from either payment, nothing is held and every balance is as before.
    assert outcome(desk, CANCELLED) == outcome(desk, paid(AMEX), CANCELLED) == outcome(desk, paid(GIFT), CANCELLED)
    other = ("cancel_pending_order", {"order_id": "#W0000001", "reason": "ordered by mistake"})
    assert outcome(desk, CANCELLED) != outcome(desk, other)


def test_two_changes_in_either_order_are_the_same_outcome(desk: Any) -> None:
    assert outcome(desk, address(), returned(NAVY_M)) == outcome(desk, returned(NAVY_M), address())
    assert outcome(desk, address(), paid(AMEX)) == outcome(desk, paid(AMEX), address())
