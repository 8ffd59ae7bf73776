"""Guards that look at what was said. Without a dialogue, as when gold actions are judged, they pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message
from eigen_telecom.guards import customer_of, gigabytes_of, line_of
from eigen_telecom.records import Bill, Customer, Line
from eigen_telecom.wording import birth_dates, customer_ids, phone_numbers, says_yes

_TOPIC = {"suspend_line": "suspend", "disable_roaming": "roaming"}


def confirmed(context: GuardContext) -> str | None:
    """Clause 1.1: the customer's last words are a yes, and what it answers names what this call does.

    What it answers is all that the agent has said since its last call: a question of the customer may stand between
    the laying out and the yes.
    """
    if context.dialogue is None:
        return None
    place = _last(context.dialogue, "user")
    if place is None or not says_yes(context.dialogue[place].text):
        return "the customer has not said yes to it"
    laid_out = _said_since_last_call(context.dialogue[:place]).lower()
    if not any(word in laid_out for word in _words_of(context)):
        return "what it does was not laid out before the customer's yes"
    return None


def _words_of(context: GuardContext) -> Iterator[str]:
    """Yield words of which an agent must have said one: the amount, the bill, or what is taken away."""
    if context.name == "refuel_data":
        yield f"{gigabytes_of(context):g}"
    elif context.name == "send_payment_request":
        bill = context.world.table(Bill).get(str(context.arguments.get("bill_id", "")))
        yield str(context.arguments.get("bill_id", "")).lower()
        if bill is not None:
            yield f"{bill.total_due}"
    else:
        yield _TOPIC.get(context.name, "")


def one_call_a_turn(context: GuardContext) -> str | None:
    """Clause 1.2: the agent's message that makes this call makes no other."""
    for message in reversed(context.dialogue or ()):
        if message.speaker == "agent" and message.tool_calls:
            calls = len(message.tool_calls)
            return f"{calls} calls in one turn" if calls > 1 else None
    return None


def customer_identified(context: GuardContext) -> str | None:
    """Clause 2.1: a phone number, a customer id, or a name with a date of birth stands in the customer's words."""
    if context.dialogue is None or _identified(context, context.dialogue):
        return None
    return "the customer has not said who they are"


def own_account(context: GuardContext) -> str | None:
    """Clause 2.2: the customer whose records are read or changed is the one who identified themselves."""
    if context.dialogue is None:
        return None
    known, customer = _identified(context, context.dialogue), customer_of(context)
    if customer is None and "line_id" not in context.arguments:
        customer = _owner_of(context, str(context.arguments.get("id", "")))
    if not known or customer is None or customer.customer_id in known:
        return None
    return f"it belongs to {customer.full_name}, who is not on the line"


def line_named(context: GuardContext) -> str | None:
    """Clause 2.3: of a customer with several lines, the one changed is one whose number they gave."""
    line = line_of(context)
    if context.dialogue is None or line is None:
        return None
    given = [number for text in _said(context.dialogue) for number in phone_numbers(text)]
    if not given or line.phone_number in given:
        return None
    return f"line {line.line_id} has the number {line.phone_number}, which the customer did not give"


def _said(dialogue: Sequence[Message]) -> Iterator[str]:
    return (message.text for message in dialogue if message.speaker == "user" and message.text)


def _identified(context: GuardContext, dialogue: Sequence[Message]) -> set[str]:
    """Return the ids of customers that the user's words identify."""
    lines, customers = context.world.table(Line), context.world.table(Customer)
    known: set[str] = set()
    texts = list(_said(dialogue))
    for text in texts:
        known.update(customer_ids(text))
        for number in phone_numbers(text):
            known.update(line.customer_id for line in lines.find(phone_number=number))
            known.update(customer.customer_id for customer in customers.find(phone_number=number))
    whole = " ".join(texts)
    for born in birth_dates(whole):
        known.update(
            customer.customer_id
            for customer in customers.find(date_of_birth=born)
            if customer.full_name.lower() in whole.lower()
        )
    return known


def _owner_of(context: GuardContext, key: str) -> Customer | None:
    line, bill = context.world.table(Line).get(key), context.world.table(Bill).get(key)
    owner = key if line is None else line.customer_id
    return context.world.table(Customer).get(owner if bill is None else bill.customer_id)


def _last(dialogue: Sequence[Message], speaker: str) -> int | None:
    for place in range(len(dialogue) - 1, -1, -1):
        if dialogue[place].speaker == speaker and dialogue[place].text:
            return place
    return None


def _said_since_last_call(dialogue: Sequence[Message]) -> str:
    said: list[str] = []
    for message in reversed(dialogue):
        if message.speaker == "agent":
            said.append(message.text)
            if message.tool_calls:
                break
    return "\n".join(said)
