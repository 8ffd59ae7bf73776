"""The intents that scenario templates and the playbook share, with the facts each goal carries.

`Goal.intent` is one of these names. Facts listed as `always` are in every goal of that intent, facts listed as
`sometimes` in some. `identity` is call-wide (`Draft.known`) and therefore in none of the lists. A goal whose customer
has lost the order id carries `items` (something that is in the order) in its place, and the draft lists `order_id`
under `unknown`; the order is then found among those on the customer's profile.

How values are spelt (`eigen_retail.wording` says and reads each of them):

    identity           `ada.moss4821@mail.example`, or `Ada Moss, zip code 80213`; corrected_identity is the second
                       kind after an e-mail address that names nobody
    order_id           `#W4071386`; corrected_order_id is the right one after a misread id
    items              `Rain Jacket and Tea Pot`; `one Rain Jacket` where the order holds two alike
    changes, fallback  `Rain Jacket with color navy and size L; Tea Pot with capacity 600 ml`: options not named stay
    cancel_reason      `no longer needed`, `ordered by mistake`, or a reason that does not count
    payment            payment id; customers may say `the visa ending in 1234`, `PayPal` or `gift card`
    other_payment      payment id to use when the first choice cannot be
    new_address        `12 Elm Court, Unit 4, Boulder, CO 80333, USA`, or `the address on my profile`
    product            the name of a product
    topic              what an out-of-scope request is about
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IntentFacts:
    """What a goal of one intent carries, and what a careful agent does about it."""

    always: tuple[str, ...]
    sometimes: tuple[str, ...]
    task: str


_FIND = ("order_id", "corrected_order_id", "items")

INTENTS: dict[str, IntentFacts] = {
    "cancel_order": IntentFacts(
        always=("cancel_reason",),
        sometimes=_FIND,
        task="Read the order, ask for the reason, cancel if the order is pending and the reason is one of the two; "
        "tell the refund and how long it takes.",
    ),
    "remove_item": IntentFacts(
        always=("order_id", "items"), sometimes=(), task="Read, then refuse: items cannot be taken out (4.2)."
    ),
    "add_item": IntentFacts(
        always=("order_id", "product"), sometimes=(), task="Read, then refuse: orders get no further items (5.6)."
    ),
    "change_order_address": IntentFacts(
        always=("new_address",), sometimes=_FIND, task="Send a pending order elsewhere; the profile stays."
    ),
    "change_default_address": IntentFacts(
        always=("new_address",), sometimes=(), task="Change the address on the profile; orders stay."
    ),
    "change_payment": IntentFacts(
        always=("payment",),
        sometimes=(*_FIND, "other_payment"),
        task="Pay a pending order with another stored method; tell the amount.",
    ),
    "change_items": IntentFacts(
        always=("changes", "payment"),
        sometimes=(*_FIND, "fallback", "other_payment"),
        task="Find the new items, settle the difference in price, change all of them in one call.",
    ),
    "change_items_and_address": IntentFacts(
        always=("order_id", "changes", "payment", "new_address"),
        sometimes=(),
        task="Address first, items last: changed items close the order.",
    ),
    "return_items": IntentFacts(
        always=("items", "payment"),
        sometimes=("order_id", "other_payment"),
        task="Take back items of a delivered order; the refund goes to the original method or a gift card.",
    ),
    "exchange_items": IntentFacts(
        always=("changes", "payment"),
        sometimes=(*_FIND, "fallback", "other_payment"),
        task="Find the new items among those in stock of the same products, exchange all of them in one call.",
    ),
    "other_customer": IntentFacts(always=(), sometimes=(), task="Refuse: one customer a call (2.2)."),
    "discount": IntentFacts(always=("order_id",), sometimes=(), task="Read, then refuse: prices stand (7.2)."),
    "product_question": IntentFacts(
        always=("product",), sometimes=(), task="Look the product up and tell how many of its items are available."
    ),
    "item_price": IntentFacts(
        always=("order_id", "items"), sometimes=(), task="Read the order, then tell what that item costs today."
    ),
    "order_status": IntentFacts(
        always=(), sometimes=_FIND, task="Read the order and tell its status and, if it was sent, its tracking number."
    ),
    "order_total": IntentFacts(always=("order_id",), sometimes=(), task="Read the order and add its items up."),
    "gift_card_balance": IntentFacts(always=(), sometimes=(), task="Tell what is left on the gift card."),
    "out_of_scope": IntentFacts(
        always=("topic",), sometimes=(), task="No tool does this: transfer to a human with a summary."
    ),
}
