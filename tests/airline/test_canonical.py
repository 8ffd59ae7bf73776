"""What counts when outcomes are compared, and what does not."""

from __future__ import annotations

from typing import Any

ADA = {"first_name": "Ada", "last_name": "Moss", "dob": "1988-02-14"}
IAN = {"first_name": "Ian", "last_name": "Moss", "dob": "1990-11-03"}
CARD, AMEX = "credit_card_1111111", "credit_card_2222222"
GIFT, RICH_GIFT = "gift_card_3333333", "gift_card_4444444"


def outcome(desk: Any, *payments: tuple[str, int], **changes: Any) -> str:
    """Return the outcome of booking DEN to ORD for two in economy, 200 dollars, on a fresh world."""
    arguments: dict[str, Any] = {
        "user_id": "ada_moss_1234",
        "origin": "DEN",
        "destination": "ORD",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "HRN001", "date": "2024-05-21"}],
        "passengers": [ADA, IAN],
        "payment_methods": [{"payment_id": key, "amount": amount} for key, amount in payments],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    result = desk.toolbox.call(desk.world, "book_reservation", {**arguments, **changes})
    assert not result.error, result.content
    return str(result.world.outcome_hash())


def test_the_same_payment_split_differently_is_the_same_outcome(desk: Any) -> None:
    # Over two gift cards of one wallet, in either order, and in several entries on one card.
    assert outcome(desk, (GIFT, 80), (RICH_GIFT, 120)) == outcome(desk, (RICH_GIFT, 150), (GIFT, 50))
    assert outcome(desk, (RICH_GIFT, 200)) == outcome(desk, (GIFT, 80), (RICH_GIFT, 120))
    assert outcome(desk, (CARD, 200)) == outcome(desk, (CARD, 150), (CARD, 50))
    assert outcome(desk, (CARD, 120), (GIFT, 80)) == outcome(desk, (GIFT, 80), (CARD, 120))


def test_another_way_of_paying_is_another_outcome(desk: Any) -> None:
    by_card = outcome(desk, (CARD, 200))
    assert by_card != outcome(desk, (AMEX, 200))
    assert by_card != outcome(desk, (RICH_GIFT, 200))
    assert by_card != outcome(desk, (CARD, 120), (GIFT, 80))
    # Wasting part of a certificate costs the customer money.
    assert outcome(desk, ("certificate_5555555", 150), (CARD, 50)) != outcome(
        desk, ("certificate_5555555", 100), (CARD, 100)
    )
    assert outcome(desk, ("certificate_5555555", 40), (CARD, 160)) != outcome(
        desk, ("certificate_6666666", 40), (CARD, 160)
    )


def test_order_and_capitals_do_not_count(desk: Any) -> None:
    plain = outcome(desk, (CARD, 200))
    assert plain == outcome(desk, (CARD, 200), passengers=[IAN, ADA])
    assert plain == outcome(desk, (CARD, 200), passengers=[{**ADA, "first_name": "ADA"}, IAN])


def test_what_was_booked_counts(desk: Any) -> None:
    plain = outcome(desk, (CARD, 200))
    assert plain != outcome(desk, (CARD, 200), passengers=[ADA, {**IAN, "dob": "1990-11-04"}])
    assert plain != outcome(desk, (CARD, 200), passengers=[ADA, {**IAN, "last_name": "Mos"}])
    assert plain != outcome(desk, (CARD, 200), flights=[{"flight_number": "HRN001", "date": "2024-05-22"}])
    assert plain != outcome(desk, (CARD, 200), flight_type="round_trip")
    assert plain != outcome(desk, (CARD, 200), total_baggages=1)
    assert plain != outcome(desk, (CARD, 260), insurance="yes")
    assert plain != outcome(desk, (CARD, 100), cabin="basic_economy")


def test_two_bookings_in_either_order_are_the_same_outcome(desk: Any) -> None:
    def both(first: str, second: str) -> Any:
        world = desk.world
        for day in (first, second):
            made = desk.toolbox.call(
                world,
                "book_reservation",
                {
                    "user_id": "ada_moss_1234",
                    "origin": "DEN",
                    "destination": "ORD",
                    "flight_type": "one_way",
                    "cabin": "economy",
                    "flights": [{"flight_number": "HRN001", "date": day}],
                    "passengers": [ADA],
                    "payment_methods": [{"payment_id": CARD, "amount": 100}],
                    "total_baggages": 0,
                    "nonfree_baggages": 0,
                    "insurance": "no",
                },
            )
            world = made.world
        return world

    one, other = both("2024-05-21", "2024-05-22"), both("2024-05-22", "2024-05-21")
    assert one.state_hash() != other.state_hash()
    assert one.outcome_hash() == other.outcome_hash()


def test_a_change_paid_in_two_steps_is_the_same_outcome(desk: Any) -> None:
    def bags(*steps: int) -> str:
        world = desk.world
        for paid in steps:
            arguments = {
                "reservation_id": "AAAA01",
                "total_baggages": 4 + paid,
                "nonfree_baggages": paid,
                "payment_id": CARD,
            }
            made = desk.toolbox.call(world, "update_reservation_baggages", arguments)
            assert not made.error
            world = made.world
        return str(world.outcome_hash())

    assert bags(2) == bags(1, 2)
    assert bags(2) != bags(1)


def test_certificates_count_by_amount(desk: Any) -> None:
    def sent(*amounts: int) -> str:
        world = desk.world
        for amount in amounts:
            world = desk.toolbox.call(world, "send_certificate", {"user_id": "ada_moss_1234", "amount": amount}).world
        return str(world.outcome_hash())

    assert sent(100, 50) == sent(50, 100)
    assert sent(150) != sent(100, 50)
    assert sent(150) != sent(100)
