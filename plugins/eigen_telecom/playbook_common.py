"""What every procedure of the playbook does: find the customer and the line, and have the customer use the phone.

Procedures see the user's words and tool results, nothing else. Texts may offer alternatives, `<Sure|Of course>`.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from eigen_cli.api.playbook import Ask, Call, CallResult, Refuse, Step, Tell
from eigen_telecom import wording
from eigen_telecom.facts import PHONE_SHOWS
from eigen_telecom.phone_steps import PHONE_STEPS

Json = dict[str, Any]
Procedure = Generator[Step, Any, None]
_TRIES = 2


def customer_by_number() -> Generator[Step, Any, tuple[Json, str] | None]:
    """Identify the caller; return the profile and the number given, or None when no profile fits."""
    text: str | None = yield Ask("phone_number")
    for _ in range(_TRIES):
        numbers = wording.phone_numbers(text or "")
        if not numbers:
            return None
        result: CallResult = yield Call("get_customer_by_phone", {"phone_number": numbers[0]})
        if not result.error:
            return result.value, numbers[0]
        text = yield Ask(
            "phone_number", f"I can't find the number {numbers[0]}. <Could|Would> you read it to me again?"
        )
    return None


def greeted() -> Procedure:
    """Open every call: identify the caller and greet them by name."""
    found = yield from customer_by_number()
    if found is not None:
        name = found[0]["full_name"].split()[0]
        yield Tell(f"<Thank you, {name}.|Thanks, {name}, I have your account here.|Good to meet you, {name}.>")


def identified() -> Generator[Step, Any, tuple[Json, str] | None]:
    """Return the caller's profile and number; refuse and return None when there is none."""
    found = yield from customer_by_number()
    if found is None:
        yield Refuse("I'm sorry, without a phone number that I can find I can't open an account or change it.", "2.1")
    return found


def line_of_caller() -> Generator[Step, Any, tuple[Json, Json] | None]:
    """Return profile and line of the caller (clause 2.3: of several lines, the one with that number)."""
    found = yield from identified()
    if found is None:
        return None
    customer, number = found
    for line_id in customer["line_ids"]:
        result: CallResult = yield Call("get_details_by_id", {"id": line_id})
        if not result.error and result.value["phone_number"] == number:
            return customer, result.value
    yield Refuse("I'm sorry, that number is your contact number, but no line of ours.", "2.3")
    return None


def on_phone(name: str) -> Generator[Step, Any, str]:
    """Have the customer take a step on the phone; return what they report it shows, in lower case.

    A switch that ends up the wrong way round is asked for once more.
    """
    step = PHONE_STEPS[name]
    shown: str | None = yield Ask(PHONE_SHOWS, step.say)
    if shown and step.wanted not in shown.lower():
        shown = yield Ask(PHONE_SHOWS, f"That is the wrong way round now. {step.say}")
    return (shown or "").lower()


def is_on(shown: str, what: str) -> bool:
    """Whether a report says that something is on: `airplane mode on`, `Data saver: ON.`"""
    return re.search(rf"{re.escape(what)}:? (?:is (?:now )?)?on\b", shown) is not None


def dollars(amount: float) -> str:
    """Return `$42` or `$2.50`."""
    return f"${amount:,.0f}" if amount == int(amount) else f"${amount:,.2f}"


def number_spoken(amount: float) -> str:
    """Return a number without needless zeros."""
    return f"{round(amount, 2):g}"
