"""Amounts of money in free text."""

from __future__ import annotations

from decimal import Decimal

import pytest

from eigen_airline.wording import amounts, method_amounts


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$1,020 would be charged", {"1020"}),
        ("1020 or 1,020.00, and $57.5.", {"1020", "57.5"}),
        ("USD1020, 30USD, US$40", {"1020", "30", "40"}),
        ("**$80**-$100, (~$12), **1260**", {"80", "100", "12", "1260"}),
        ("HRN920, gift_card_1110920, QDXS20 and ada_moss_1234", set()),
        ("2024-05-20, May 21, 2024, 22 May, the 23rd, born 1988-02-14", set()),
        ("the card ending in 4242 at 8:10 am", set()),
        ("On May 20, 300 dollars", {"300"}),
    ],
)
def test_amounts(text: str, values: set[str]) -> None:
    assert amounts(text) == {Decimal(value) for value in values}


def test_amounts_for_a_payment_method() -> None:
    gift, card = "gift_card_1234567", "credit_card_7654321"
    text = f"$150 from your gift card {gift}, $1,020.50 in total would be charged to your Visa ending in 1000 ({card})"
    assert method_amounts(text) == [(Decimal("150"), gift), (Decimal("1020.50"), card)]
    assert method_amounts(f"You have $150 on {gift}; $80 was charged to {card}. $30 from me. Use {card}.") == []
