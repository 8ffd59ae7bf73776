"""Guards that look at what was said. Without a dialogue, as when gold actions are judged, they pass."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eigen_airline.charges import charged_by, shares_of
from eigen_airline.records import Reservation
from eigen_airline.wording import amounts, dates, method_amounts, reservation_ids, says_yes, user_ids
from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message

_COMPENSATION = re.compile(
    r"compensat|certificate|voucher|make (?:it|this|that) up|make up for|goodwill|gesture|refund|reimburse|money|"
    r"credit(?! card)|something for|owe|apolog|complain|unacceptable|inconvenience|entitle|in return\b|"
    r"\bwhat (?:do|will|would|can|should) (?:i|we) get\b(?! to)|"
    r"\b(?:get|give|offer|do|doing|due) (?:me |us |anything )?(?:for|about) (?:it|this|that|all (?:this|that)|"
    r"the (?:delay|trouble|wait|hassle|mess)|my (?:trouble|time))\b",
    re.IGNORECASE,
)
"""Words in which customers ask for something in return, or complain."""
_MONEY = re.compile(r"\$\s?\d|\d\W{0,3}(?:dollars?|usd)\b", re.IGNORECASE)
_ISO_DATE = re.compile(r"2024-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|30)")
_CHARGING = frozenset({"book_reservation", "update_reservation_flights", "update_reservation_baggages"})
_CHANGING = _CHARGING | {"cancel_reservation", "update_reservation_passengers"}
_EMPTY_WORDS = frozenset({"yes", "no", "usa"})


def confirmed(context: GuardContext) -> str | None:
    """Clause 1.1: the customer's last words are a yes, and what it answers names something of this call and its price.

    What it answers is all that the agent has said since its last call: a question of the customer may stand between
    the laying out and the yes.
    """
    if context.dialogue is None:
        return None
    place = _last(context.dialogue, "user")
    if place is None or not says_yes(context.dialogue[place].text):
        return "the customer has not said yes to it"
    said = _said_since_last_call(context.dialogue[:place])
    laid_out = "\n".join(said)
    if not any(_mentions(laid_out, leaf) for leaf in _leaves(context.arguments)):
        return "what it does was not laid out before the customer's yes"
    return _other_reservation(context, laid_out) or _wrong_price(context, laid_out, last=said[-1])


def _other_reservation(context: GuardContext, laid_out: str) -> str | None:
    """Return what is wrong where only reservations other than the call's are named as what would be touched.

    One that an earlier call has changed may be named because that is being reported; and an agent that names none
    may well speak of the only one at hand.
    """
    meant = context.arguments.get("reservation_id")
    done = {action.arguments.get("reservation_id") for action in context.earlier if action.name in _CHANGING}
    reservations = context.world.table(Reservation)
    named = [one for one in reservation_ids(laid_out) if one in reservations]
    if meant is None or meant in named or not set(named) - done:
        return None
    return f"what was laid out is about {named[0]}, not {meant}"


def _wrong_price(context: GuardContext, laid_out: str, *, last: str) -> str | None:
    """Return what is wrong where neither the price nor every share of it was laid out, or too large a share was.

    Less than a share may be a part of it, the fare of one flight perhaps; more is wrong, unless it tells of what an
    earlier call has charged. Where the agent named money in what it said `last`, that is what counts.
    """
    price, shares = charged_by(context), shares_of(context)
    told = amounts(last if _MONEY.search(last) else laid_out)
    parts = {share for share in shares.values() if share}
    if price and price not in told and not (parts and parts <= told):
        return f"it comes to {price:,f} dollars, which was not laid out before the customer's yes"
    if any(action.name in _CHARGING for action in context.earlier):
        return None
    for amount, payment_id in method_amounts(last):
        if amount > shares.get(payment_id, amount):
            return f"{amount:,f} dollars were laid out for {payment_id}, and it is {shares[payment_id]:,f}"
    return None


def one_call_a_turn(context: GuardContext) -> str | None:
    """Clause 1.2: the agent's message that makes this call makes no other."""
    if context.dialogue is None:
        return None
    place = _last(context.dialogue, "agent", calling=True)
    calls = 0 if place is None else len(context.dialogue[place].tool_calls)
    return f"{calls} calls in one turn" if calls > 1 else None


def user_id_given(context: GuardContext) -> str | None:
    """Clause 2.1: some user id stands in the customer's words."""
    if context.dialogue is None or _given_ids(context.dialogue):
        return None
    return "the customer has not given a user id"


def own_account(context: GuardContext) -> str | None:
    """Clause 2.2: the profile, or the holder of the reservation, is one whose user id the customer gave."""
    if context.dialogue is None:
        return None
    given = _given_ids(context.dialogue)
    owner = context.arguments.get("user_id")
    if owner is None:
        reservation = context.world.table(Reservation).get(str(context.arguments.get("reservation_id", "")))
        owner = None if reservation is None else reservation.user_id
    if not given or owner is None or owner in given:
        return None
    return f"it belongs to {owner}, and the customer is {given[-1]}"


def compensation_asked_for(context: GuardContext) -> str | None:
    """Clause 8.1: the customer has spoken of compensation, or complained, before a certificate is sent."""
    if context.dialogue is None or any(
        message.speaker == "user" and _COMPENSATION.search(message.text) for message in context.dialogue
    ):
        return None
    return "the customer never asked for compensation"


def _given_ids(dialogue: Sequence[Message]) -> list[str]:
    return [user_id for message in dialogue if message.speaker == "user" for user_id in user_ids(message.text.lower())]


def _last(dialogue: Sequence[Message], speaker: str, *, calling: bool = False) -> int | None:
    for place in range(len(dialogue) - 1, -1, -1):
        message = dialogue[place]
        if message.speaker == speaker and (message.tool_calls or not calling):
            return place
    return None


def _said_since_last_call(dialogue: Sequence[Message]) -> list[str]:
    """Return the agent's texts since its last tool call, in order; one empty text where there are none."""
    called = _last(dialogue, "agent", calling=True)
    since = dialogue[0 if called is None else called :]
    return [message.text for message in since if message.speaker == "agent" and message.text] or [""]


def _leaves(value: Any) -> Iterator[str]:
    """Yield what of the arguments an agent would say: ids, names, dates, amounts; not flags and small counts."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str) and len(value) > 2 and value.lower() not in _EMPTY_WORDS:
        yield value
    elif isinstance(value, int | float) and value >= 10:
        yield f"{value:g}"


def _mentions(text: str, leaf: str) -> bool:
    lowered, wanted = text.lower(), leaf.lower()
    if wanted in lowered or wanted.replace("_", " ") in lowered:
        return True
    if leaf.isdigit():
        return f"{int(leaf):,}" in text
    if _ISO_DATE.fullmatch(leaf):
        return datetime.date.fromisoformat(leaf) in dates(text)
    return False
