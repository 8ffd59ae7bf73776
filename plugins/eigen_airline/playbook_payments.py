"""Paying: reading what customers want to pay with, holding it against clauses 4.1 to 4.3, and adding up."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from eigen_airline import wording
from eigen_airline.playbook_words import Json, dollars, method_name
from eigen_airline.rules import MAX_CERTIFICATES, MAX_CREDIT_CARDS, MAX_GIFT_CARDS
from eigen_cli.api.playbook import Ask, Refuse, Step

_MOST = {"certificate": MAX_CERTIFICATES, "credit_card": MAX_CREDIT_CARDS, "gift_card": MAX_GIFT_CARDS}
_SPOKEN = {
    "certificate": "only one certificate can be used for a booking",
    "credit_card": "only one credit card can be used for a booking",
    "gift_card": "no more than three gift cards can be used for a booking",
}


def booking_payments(user: Json, total: int) -> Generator[Step, Any, list[Json] | None]:
    """Return the payments of a booking that add up to `total`; refuse and return None where none can be agreed."""
    methods: Json = user["payment_methods"]
    text: str | None = yield Ask(
        "payment",
        f"The total comes to {dollars(total)}. <How would you like to pay?|Which payment method should I use?>",
    )
    problem = ""
    for _ in range(3):
        ids = list(dict.fromkeys(wording.payments(text or "", methods)))
        problem = _mix_problem(ids, methods)
        if not problem:
            payments, left = spread(ids, methods, total)
            if not left:
                return payments
            problem = f"that doesn't cover the total of {dollars(total)}: {dollars(left)} would be left"
        text = yield Ask("other_payment", f"I'm afraid {problem}. Is there another payment method I should use?")
        if text is None:
            break
    yield Refuse(f"I'm sorry, I can't take this booking, because {problem}.", "4.1")
    return None


def spread(ids: Sequence[str], methods: Json, total: int) -> tuple[list[Json], int]:
    """Use methods up in their order; return the payments and what is left unpaid."""
    payments: list[Json] = []
    left = total
    for payment_id in ids:
        method = methods[payment_id]
        used = left if method["source"] == "credit_card" else min(left, int(method["amount"]))
        if used:
            payments.append({"payment_id": payment_id, "amount": used})
        left -= used
    return payments, left


def change_payment(user: Json, amount: int, *, price: str = "The fare difference") -> Generator[Step, Any, str | None]:
    """Return the one card that pays a change or takes its refund; refuse and return None where none can be agreed."""
    methods: Json = user["payment_methods"]
    what = f"That is {dollars(-amount)} less than you paid, which you would get back."
    which = "Which card or gift card should it go to?"
    if amount > 0:
        what = f"{price} comes to {dollars(amount)} <in all|in total>."
        which = "Which card or gift card would you like to use?"
    elif amount == 0:
        what, which = "The price stays the same.", "Which card or gift card should I note for this change?"
    text: str | None = yield Ask("payment", f"{what} {which}")
    problem = ""
    for _ in range(3):
        ids = wording.payments(text or "", methods)
        problem = _change_problem(ids, methods, amount)
        if not problem:
            return ids[0]
        text = yield Ask("other_payment", f"I'm afraid {problem}. Is there another payment method I should use?")
        if text is None:
            break
    yield Refuse(f"I'm sorry, I can't make this change, because {problem}.", "4.3")
    return None


def paid_with(payments: Sequence[Json], methods: Json) -> str:
    """Return how an amount is split, in words."""
    return ", ".join(
        f"{dollars(entry['amount'])} from {method_name(entry['payment_id'], methods)}" for entry in payments
    )


def _mix_problem(ids: Sequence[str], methods: Json) -> str:
    if not ids:
        return "I couldn't match that to a payment method on your profile"
    unknown = [payment_id for payment_id in ids if payment_id not in methods]
    if unknown:
        return f"{unknown[0]} is not stored on your profile, and I can only use stored methods"
    for source, most in _MOST.items():
        if sum(methods[payment_id]["source"] == source for payment_id in ids) > most:
            return _SPOKEN[source]
    return ""


def _change_problem(ids: Sequence[str], methods: Json, amount: int) -> str:
    if not ids:
        return "I couldn't match that to a payment method on your profile"
    payment_id = ids[0]
    if payment_id not in methods:
        return f"{payment_id} is not stored on your profile, and I can only use stored methods"
    if methods[payment_id]["source"] == "certificate":
        return "a certificate cannot be used for changes, only for new bookings"
    if methods[payment_id]["source"] == "gift_card" and methods[payment_id]["amount"] < amount:
        return f"that gift card holds {dollars(methods[payment_id]['amount'])}, which does not cover {dollars(amount)}"
    return ""
