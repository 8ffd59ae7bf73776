"""First sentences of customers, several an intent; a synthesizer may reword them."""

from __future__ import annotations

from eigen_cli.api.tasks import Fact, Goal
from eigen_retail.templates.drafting import Scene

_REQUESTS: dict[str, tuple[str, ...]] = {
    "cancel_order": (
        "I'd like to cancel an order.",
        "Please cancel an order of mine.",
        "I need to call off a purchase I made with you.",
        "Can you cancel something I ordered?",
    ),
    "another_cancellation": (
        "I'd also like to cancel another order.",
        "There is a second order to cancel.",
        "Then please cancel one more order for me.",
    ),
    "remove_item": (
        "I'd like to take one item out of my order and keep the rest.",
        "Can you remove a single item from an order I placed?",
        "Please cancel just one item of my order, not all of it.",
    ),
    "add_item": (
        "I forgot something. Can you add another item to my order?",
        "I'd like to add one more thing to an order I placed.",
        "Could you put an extra item into my order before it ships?",
    ),
    "change_order_address": (
        "I need to change the delivery address of an order.",
        "My order should go to a different address.",
        "Can you send an order of mine somewhere else?",
        "I put the wrong shipping address on an order.",
    ),
    "change_default_address": (
        "I've moved and need a new address on my profile.",
        "Please update the default address of my account.",
        "Can you change the home address you have on file for me?",
    ),
    "change_payment": (
        "I'd like to pay for an order with a different payment method.",
        "Can I change how one of my orders is paid?",
        "I used the wrong card for an order and want to switch the payment.",
    ),
    "change_items": (
        "I'd like to change something in an order that hasn't shipped yet.",
        "I picked the wrong options for an order I just placed. Can you modify it?",
        "Can I modify what's in my pending order?",
        "I need other options for something I ordered and haven't received yet.",
    ),
    "change_items_and_address": (
        "I need to change both the options and the delivery address of a pending order.",
        "On an order that hasn't shipped, both the options and the shipping address are wrong.",
        "Two things are wrong with my pending order: the options and the delivery address.",
    ),
    "return_items": (
        "I'd like to return something I received.",
        "I want to send something back and get my money back.",
        "Can I return part of an order?",
        "I need to make a return.",
    ),
    "return_everything": (
        "I'd like to return an entire order.",
        "I want to send back everything from an order I received.",
        "Can I return a whole order?",
    ),
    "exchange_items": (
        "I'd like to exchange something I received.",
        "Can I swap what was delivered for a different version?",
        "I need to exchange something from an order that arrived.",
        "What I received isn't quite right, can I exchange it?",
    ),
    "other_customer": (
        "Now I'd like you to look at my neighbor's account and cancel her order too.",
        "My brother has an account with you as well. Please cancel his order for him.",
        "Could you do the same on my friend's account? She asked me to.",
    ),
    "discount": (
        "I found the same thing cheaper elsewhere. Can you match the price on my order?",
        "I'd like a discount on an order I placed.",
        "Could you give me a voucher or some money off my order?",
    ),
    "product_question": (
        "I'd like to know how many versions of a product you have in stock.",
        "Can you tell me how many different options of a product are available?",
        "How many versions of one of your products could I buy right now?",
    ),
    "item_price": (
        "I want to know what something I ordered costs today.",
        "What is the current price of an item I bought?",
        "Can you check today's price of something from my order?",
    ),
    "order_status": (
        "Where is my order?",
        "I'd like to know the status of an order.",
        "Can you tell me whether my order was sent and how I can track it?",
    ),
    "order_total": (
        "What does everything in my order add up to?",
        "I need the total of an order for my records.",
        "How much did my whole order cost?",
    ),
    "gift_card_balance": (
        "How much is left on my gift card?",
        "I'd like to know the balance of my gift card.",
        "Can you check what my gift card still holds?",
    ),
}


def goal(scene: Scene, intent: str, *facts: Fact, wording: str = "") -> Goal:
    """Return a goal worded for its intent, or for a variant of it named by `wording`."""
    return Goal(intent, scene.pick(_REQUESTS[wording or intent]), facts)
