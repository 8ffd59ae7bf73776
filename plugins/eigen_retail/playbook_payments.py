"""Agreeing on the stored method that pays, or gets back, an amount."""

from __future__ import annotations

from collections.abc import Callable, Generator
from decimal import Decimal
from typing import Any

from eigen_cli.api.playbook import Ask, Refuse, Step
from eigen_retail import wording
from eigen_retail.playbook_common import Json, dollars, exact

_TRIES = 3


def method_for(
    user: Json, question: str, *, problem_of: Callable[[str], str], clause: str
) -> Generator[Step, Any, str | None]:
    """Return the payment id the customer settles on; refuse and return None where none can be agreed.

    `problem_of` says what speaks against an id, in words that go on a sentence; empty where nothing does.
    """
    methods: Json = user["payment_methods"]
    text: str | None = yield Ask("payment", question)
    problem = ""
    for _ in range(_TRIES):
        ids = wording.payments(text or "", methods)
        problem = _unusable(ids, methods) or problem_of(ids[0])
        if not problem:
            return ids[0]
        text = yield Ask("other_payment", f"I'm afraid {problem}. Is there another payment method I should use?")
        if text is None:
            break
    yield Refuse(f"I'm sorry, I can't do this, because {problem}.", clause)
    return None


def _unusable(ids: list[str], methods: Json) -> str:
    if not ids:
        return "I couldn't match that to a payment method on your profile"
    return "" if ids[0] in methods else f"{ids[0]} is not stored on your profile"


def covers(user: Json, amount: Decimal) -> Callable[[str], str]:
    """Return what speaks against paying an amount with a method: a gift card that holds less."""

    def problem(payment_id: str) -> str:
        method = user["payment_methods"][payment_id]
        if method["source"] == "gift_card" and exact(method["balance"]) < amount:
            return f"that gift card holds only {dollars(method['balance'])}, which does not cover {dollars(amount)}"
        return ""

    return problem


def difference_method(user: Json, difference: Decimal) -> Generator[Step, Any, str | None]:
    """Return who pays, or gets back, a difference in price (clause 5.4)."""
    if difference > 0:
        question = f"That costs {dollars(difference)} more. Which payment method should pay the difference?"
    elif difference < 0:
        question = f"That costs {dollars(difference)} less. Which payment method should the difference go back to?"
    else:
        question = "The price stays the same. Which payment method may I note for the change?"
    return (yield from method_for(user, question, problem_of=covers(user, difference), clause="5.4"))
