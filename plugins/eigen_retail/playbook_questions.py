"""Answering questions, and turning down what the policy rules out whatever the case."""

from __future__ import annotations

from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Handover, Refuse, Tell
from eigen_retail import wording
from eigen_retail.playbook_common import (
    Procedure,
    described,
    dollars,
    identified,
    items_named,
    order_in,
    own_order,
    sum_of,
)


def product_question() -> Procedure:
    """Tell how many items of a product are in stock."""
    user = yield from identified()
    if user is None:
        return
    text: str | None = yield Ask("product")
    names = wording.items(text or "")
    listing: CallResult = yield Call("list_all_product_types", {})
    product_id = listing.value.get(names[0][0]) if names and not listing.error else None
    if product_id is None:
        yield Refuse("I'm sorry, I can't find that product among those we sell.", "1.3")
        return
    result: CallResult = yield Call("get_product_details", {"product_id": product_id})
    if result.error:
        return
    variants = result.value["variants"].values()
    count = sum(1 for variant in variants if variant["available"])
    yield Tell(f"I've looked it up: there are {count} versions of the {names[0][0]} that are available right now.")


def item_price() -> Procedure:
    """Tell what an item of an order costs today."""
    opened = yield from own_order()
    if opened is None:
        return
    _, order = opened
    text: str | None = yield Ask("items", f"That order holds {items_named(order['items'])}. Which item is it about?")
    names = {name for name, _ in wording.items(text or "")}
    item = next((one for one in order["items"] if one["name"] in names), None)
    if item is None:
        yield Refuse("I'm sorry, I can't find that item in the order.", "1.3")
        return
    result: CallResult = yield Call("get_item_details", {"item_id": item["item_id"]})
    if result.error:
        return
    stock = "It is in stock." if result.value["available"] else "It is sold out at the moment."
    yield Tell(
        f"Today the {item['name']} with {described(item['options'])} costs {dollars(result.value['price'])}. {stock}"
    )


def order_status() -> Procedure:
    """Tell where an order is."""
    opened = yield from own_order()
    if opened is None:
        return
    _, order = opened
    numbers = [number for parcel in order["fulfillments"] for number in parcel["tracking_id"]]
    tracking = f" Its tracking number is {wording.listed(numbers)}." if numbers else " It has no tracking number yet."
    yield Tell(f"I've looked it up: the status of order {order['order_id']} is {order['status']}.{tracking}")


def order_total() -> Procedure:
    """Tell what the items of an order come to."""
    opened = yield from own_order()
    if opened is None:
        return
    _, order = opened
    expression = " + ".join(f"{item['price']:.2f}" for item in order["items"])
    yield Call("calculate", {"expression": expression})
    yield Tell(f"I've added it up: order {order['order_id']} comes to {dollars(sum_of(order['items']))} in total.")


def gift_card_balance() -> Procedure:
    """Tell what is left on the gift card."""
    user = yield from identified()
    if user is None:
        return
    cards = [method for method in user["payment_methods"].values() if method["source"] == "gift_card"]
    if not cards:
        yield Refuse("I'm sorry, I can't see any gift card on your profile.", "1.3")
        return
    yield Tell(f"I've looked it up: your gift card {cards[0]['id']} still holds {dollars(cards[0]['balance'])}.")


# Turning down


def remove_item() -> Procedure:
    """Read, then refuse: items cannot be taken out (clause 4.2). A careless agent cancels the whole order."""
    opened = yield from order_in("pending", "changed or cancelled")
    if opened is None:
        return
    _, order = opened
    text: str | None = yield Ask("items", "Which item should go?")
    names = wording.listed(f"the {name}" for name, _ in wording.items(text or "")) or "single items"
    yield Refuse(
        f"I'm sorry, I can't take {names} out of order {order['order_id']}. An order is cancelled as a whole or "
        "not at all.",
        "4.2",
    )
    agreed: bool = yield Confirm(f"I would cancel order {order['order_id']} as no longer needed.")
    if agreed:
        yield Call("cancel_pending_order", {"order_id": order["order_id"], "reason": "no longer needed"})
        yield Tell(f"Done, order {order['order_id']} has been cancelled.")


def add_item() -> Procedure:
    """Read, then refuse: orders get no further items (clause 5.6)."""
    opened = yield from order_in("pending", "changed")
    if opened is None:
        return
    _, order = opened
    yield Refuse(
        f"I'm sorry, I can't add anything to order {order['order_id']}. Once an order is placed, it gets no further "
        "items.",
        "5.6",
    )


def discount() -> Procedure:
    """Read, then refuse: prices stand (clause 7.2)."""
    opened = yield from own_order()
    if opened is None:
        return
    _, order = opened
    yield Refuse(
        f"I'm sorry, I can't change the price of order {order['order_id']}. There are no discounts or vouchers, we do "
        "not match other prices, and a colleague couldn't do it either.",
        "7.2",
    )


def other_customer() -> Procedure:
    """Refuse: one customer a call (clause 2.2)."""
    user = yield from identified()
    if user is None:
        return
    yield Refuse(
        f"I'm sorry, {user['name']['first_name']}, in this call I can't open or change anything on another customer's "
        "account. They have to call us themselves.",
        "2.2",
    )


def out_of_scope() -> Procedure:
    """No tool does this: pass the caller on with a summary (clause 7.3)."""
    user = yield from identified()
    if user is None:
        return
    topic: str | None = yield Ask(
        "topic",
        "<That is something a colleague of mine will have to look into.|A colleague of mine can take care of that.> "
        "How would you describe it in a few words, so that I can pass it on?",
    )
    yield Handover(f"The customer needs help that no tool here gives: {(topic or 'see the conversation').strip(' .')}.")
