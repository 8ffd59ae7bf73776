"""Guards that look at what was said. Without a dialogue, as when gold actions are judged, they pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message
from eigen_retail.guard_arguments import holder_of, ids_of, order_of, text_of
from eigen_retail.records import CreditCard
from eigen_retail.wording import says_yes

_SAY_LITTLE = frozenset({"usa", "united states"})


def confirmed(context: GuardContext) -> str | None:
    """Clause 1.1: the customer's last words are a yes, and what it answers names something of this call.

    What it answers is all that the agent has said since its last call: a question of the customer may stand between
    the laying out and the yes.
    """
    if context.dialogue is None:
        return None
    answered = _last(context.dialogue, "user")
    if answered is None or not says_yes(context.dialogue[answered].text):
        return "the customer has not said yes to it"
    laid_out = _said_since_last_call(context.dialogue[:answered]).lower()
    if not any(name.lower() in laid_out for name in _names(context)):
        return "what it does was not laid out before the customer's yes"
    return None


def one_call_a_turn(context: GuardContext) -> str | None:
    """Clause 1.2: the agent's message that makes this call makes no other."""
    turns = (message for message in reversed(context.dialogue or ()) if message.speaker == "agent")
    calls = next((len(message.tool_calls) for message in turns if message.tool_calls), 0)
    return f"{calls} calls in one turn" if calls > 1 else None


def _last(dialogue: Sequence[Message], speaker: str) -> int | None:
    return next((place for place in range(len(dialogue) - 1, -1, -1) if dialogue[place].speaker == speaker), None)


def _said_since_last_call(dialogue: Sequence[Message]) -> str:
    said: list[str] = []
    for message in reversed(dialogue):
        if message.speaker == "agent":
            said.append(message.text)
            if message.tool_calls:
                break
    return "\n".join(said)


def _names(context: GuardContext) -> Iterator[str]:
    """Yield what an agent would call the things a call is about: ids, addresses, items by name, cards by digits."""
    yield from (leaf for leaf in _leaves(context.arguments) if len(leaf) > 3 and leaf.lower() not in _SAY_LITTLE)
    yield text_of(context, "order_id").lstrip("#") or "#"
    order, user = order_of(context), holder_of(context)
    if order is not None:
        meant = set(ids_of(context, "item_ids"))
        yield from (item.name for item in order.items if item.item_id in meant)
    method = None if user is None else user.payment_methods.get(text_of(context, "payment_method_id"))
    if isinstance(method, CreditCard):
        yield method.last_four


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value
