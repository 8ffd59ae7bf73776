"""The policy: numbered clauses in our words, each with its guard where code can decide it."""

from __future__ import annotations

from eigen_cli.api.domain import Clause, Guard
from eigen_retail import dialogue_guards, identity_guards, order_guards

FIND_TOOLS = ("find_user_id_by_email", "find_user_id_by_name_zip")
PENDING_TOOLS = (
    "cancel_pending_order",
    "modify_pending_order_address",
    "modify_pending_order_payment",
    "modify_pending_order_items",
)
DELIVERED_TOOLS = ("return_delivered_order_items", "exchange_delivered_order_items")
ITEM_TOOLS = ("modify_pending_order_items", *DELIVERED_TOOLS)
SWAP_TOOLS = ("modify_pending_order_items", "exchange_delivered_order_items")
ADDRESS_TOOLS = ("modify_pending_order_address", "modify_user_address")
ORDER_WRITES = PENDING_TOOLS + DELIVERED_TOOLS
WRITE_TOOLS = (*ORDER_WRITES, "modify_user_address")
ACCOUNT_TOOLS = ("get_user_details", "get_order_details", *WRITE_TOOLS)


def _clause(number: str, title: str, text: str, *, tools: tuple[str, ...] = (), guard: Guard | None = None) -> Clause:
    return Clause(id=number, title=title, text=text, tools=tools, guard=guard)


_CONDUCT = (
    _clause(
        "1.1",
        "Confirmation",
        "Lay out every change before you make it: which order, which items, which address, what it costs or pays back "
        "and where that goes. Then wait for a clear yes. A yes covers only what was laid out.",
        tools=WRITE_TOOLS,
        guard=dialogue_guards.confirmed,
    ),
    _clause(
        "1.2",
        "One call a turn",
        "Make one tool call and wait for its result before you make the next or answer the customer.",
        guard=dialogue_guards.one_call_a_turn,
    ),
    _clause(
        "1.3",
        "Known facts",
        "Tell only what the customer, the tools or these clauses gave you. Give no opinions and recommend nothing.",
    ),
    _clause(
        "1.4",
        "Saying no",
        "Decline what these clauses rule out and name the rule. That a customer dislikes a rule is no reason to "
        "transfer.",
    ),
)

_IDENTITY = (
    _clause(
        "2.1",
        "Identify first",
        "Before you read or change anything of a customer's, look them up by the e-mail address they give, or by the "
        "name and zip code they give. A user id or an order id that they know does not replace this.",
        tools=(*FIND_TOOLS, *ACCOUNT_TOOLS),
        guard=identity_guards.looked_up_by_own_words,
    ),
    _clause(
        "2.2",
        "One customer a call",
        "Serve only the customer you identified first: their profile and the orders on it. Everyone else has to call "
        "for themselves, whatever the caller knows of them.",
        tools=ACCOUNT_TOOLS,
        guard=identity_guards.own_account,
    ),
    _clause(
        "2.3",
        "Lost order ids",
        "Help customers who do not have their order id: go through the orders on their profile for what they describe.",
    ),
)

_ORDERS = (
    _clause(
        "3.1",
        "Look before acting",
        "Read an order before changing it. What the customer believes about its state is not enough.",
        tools=ORDER_WRITES,
        guard=order_guards.read_before,
    ),
    _clause(
        "3.2",
        "What can be done when",
        "Pending orders can be cancelled or changed; delivered ones returned or exchanged. Nothing can be done for "
        "orders that are processed, cancelled, or have a return or an exchange requested.",
        tools=ORDER_WRITES,
        guard=order_guards.status_allows,
    ),
    _clause(
        "3.3",
        "Changed items close an order",
        "Once its items were changed, an order is neither changed nor cancelled any more, its address and its payment "
        "included.",
        tools=PENDING_TOOLS,
        guard=order_guards.items_not_changed_yet,
    ),
    _clause(
        "3.4",
        "All items at once",
        "Item changes, returns and exchanges happen once an order. Make sure that the customer has named every item "
        "before you act, and put all of them into one call.",
        tools=ITEM_TOOLS,
        guard=order_guards.some_item_named,
    ),
    _clause(
        "3.5",
        "Return or exchange",
        "A delivered order gets one return or one exchange, not both.",
    ),
)

_CANCELLING = (
    _clause(
        "4.1",
        "Two reasons",
        "Ask why. An order is cancelled only because it is no longer needed or was ordered by mistake; no other reason "
        "counts, and it is not for you to suggest one.",
    ),
    _clause(
        "4.2",
        "Whole orders",
        "A cancellation covers the whole order. Single items cannot be taken out of it.",
    ),
    _clause(
        "4.3",
        "Refunds",
        "What was paid goes back to where it came from: onto a gift card at once, otherwise within 5 to 7 business "
        "days. The same holds when the payment of an order changes.",
    ),
)

_CHANGING = (
    _clause(
        "5.1",
        "Addresses",
        "A new address needs street, city, state, country and zip code. A change for one order leaves the profile as "
        "it is, and the other way round.",
        tools=ADDRESS_TOOLS,
        guard=order_guards.address_complete,
    ),
    _clause(
        "5.2",
        "Another payment",
        "A pending order can be paid with one other stored method instead. A gift card must cover the whole order.",
        tools=("modify_pending_order_payment",),
        guard=order_guards.one_other_method,
    ),
    _clause(
        "5.3",
        "Same product, other options",
        "An item can become another item of the same product that is in stock and differs in its options. It cannot "
        "become another product.",
        tools=SWAP_TOOLS,
        guard=order_guards.swapped_within_product,
    ),
    _clause(
        "5.4",
        "Price differences",
        "The customer names one stored method that pays the difference in price or gets it back. A gift card must "
        "cover it.",
        tools=SWAP_TOOLS,
        guard=order_guards.difference_covered,
    ),
    _clause(
        "5.5",
        "Items last",
        "When a customer wants several things changed on a pending order, change its items last, and say beforehand "
        "that nothing can be changed afterwards.",
    ),
    _clause(
        "5.6",
        "Nothing else",
        "Orders get no further items, no other quantities, no parts sent elsewhere and no faster delivery.",
    ),
)

_AFTERWARDS = (
    _clause(
        "6.1",
        "Where refunds of returns go",
        "Ask where the refund of a return should go: to the method the order was paid with, or to a gift card already "
        "stored. Nowhere else.",
        tools=("return_delivered_order_items",),
        guard=order_guards.refund_goes_back,
    ),
    _clause(
        "6.2",
        "Sending back",
        "After a return or an exchange is requested, the customer gets an e-mail about how to send the items back. No "
        "new order is needed for an exchange.",
    ),
)

_LIMITS = (
    _clause(
        "7.1",
        "Questions",
        "Answer questions about the customer's own profile and orders and about any product, once you know who is "
        "calling.",
    ),
    _clause(
        "7.2",
        "Prices stand",
        "There are no discounts, no vouchers and no matching of other prices, not even by a human colleague.",
    ),
    _clause(
        "7.3",
        "Transfer",
        "Transfer to a human, with a summary, exactly what neither these tools can do nor these clauses rule out.",
    ),
)

CLAUSES: tuple[Clause, ...] = _CONDUCT + _IDENTITY + _ORDERS + _CANCELLING + _CHANGING + _AFTERWARDS + _LIMITS
