"""Questions that change nothing, and requests no tool here can serve."""

from __future__ import annotations

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import CheckCall, Communicate, Fact, Goal
from eigen_retail.records import GiftCard, Product
from eigen_retail.templates import telling
from eigen_retail.templates.afterwards import worth
from eigen_retail.templates.drafting import (
    NOT_TRANSFERRED,
    Scene,
    amount,
    call,
    drafted,
    gift_balance,
    looked_up,
    named,
    read_order,
    read_product,
    stored,
    template,
)
from eigen_retail.templates.requests import goal
from eigen_retail.templates.situations import delivered, processed, single

_QUIET = (CheckCall("no_writes"), NOT_TRANSFERRED)
_OUT_OF_SCOPE = (
    ("a parcel that arrived damaged", "My parcel arrived damaged and I want to file a claim with the carrier."),
    ("an invoice with a company's tax number", "I need an invoice with my company's tax number on it."),
    ("a new e-mail address on the profile", "Please change the e-mail address on my profile."),
    ("deleting the account", "I want my account with you deleted."),
    ("a job application", "I'm calling about the warehouse job I applied for with you."),
    ("a repair under warranty", "Something I bought broke and I want it repaired under warranty."),
    ("storing a new credit card", "I'd like to register a new credit card on my profile."),
    ("selling in the shop", "I make candles and would like to sell them through your shop."),
)


@template(tools=("list_all_product_types", "get_product_details"), clauses=("1.3", "7.1"), difficulty=1)
def ask_product_range(scene: Scene) -> Draft | None:
    """How many items of a product are in stock."""
    user = scene.user()
    products = list(scene.world.table(Product).values())
    if user is None or not products:
        return None
    product = scene.pick(products)
    count = sum(variant.available for variant in product.variants.values())
    return drafted(
        scene,
        user,
        goal(scene, "product_question", Fact("product", product.name, f"It's about the {product.name}.")),
        gold=[call("list_all_product_types"), read_product(product.product_id)],
        communicate=[Communicate("number", str(count), "items available")],
        checks=[
            CheckCall("read_made", {"tool": "get_product_details", "arguments": {"product_id": product.product_id}}),
            *_QUIET,
        ],
        instructions="You only want to know how many versions you could buy right now.",
    )


@template(tools=("get_order_details", "get_item_details"), clauses=("1.3", "3.1", "7.1"), difficulty=2)
def ask_item_price(scene: Scene) -> Draft | None:
    """What an item of an order costs today, which may not be what was paid."""
    held = scene.held(lambda _, order: bool(single(order)) and order.status != "cancelled")
    if held is None:
        return None
    user, order = held
    item = scene.pick(single(order))
    today = scene.product(item.product_id).variants[item.item_id].price
    return drafted(
        scene,
        user,
        goal(scene, "item_price", telling.which(order), telling.things(scene, [item])),
        gold=[read_order(order), call("get_item_details", item_id=item.item_id)],
        communicate=[amount(today, "today's price")],
        checks=[
            looked_up(order),
            CheckCall("item_looked_up", {"item_id": item.item_id, "product_id": item.product_id}),
            *_QUIET,
        ],
    )


@template(tools=("get_order_details",), clauses=("1.3", "7.1"), difficulty=1)
def ask_tracking(scene: Scene) -> Draft | None:
    """Where an order is: its status and the number it is tracked by."""
    held = scene.held(lambda user, order: processed(user, order) or delivered(user, order))
    if held is None:
        return None
    user, order = held
    return drafted(
        scene,
        user,
        goal(scene, "order_status", telling.which(order)),
        gold=[read_order(order)],
        communicate=[
            named(order.status, "order status"),
            named(order.fulfillments[0].tracking_id[0], "tracking number"),
        ],
        checks=[looked_up(order), *_QUIET],
    )


@template(tools=("get_order_details",), clauses=("1.3", "2.3", "7.1"), difficulty=2)
def ask_status_lost_id(scene: Scene) -> Draft | None:
    """The status of an order the customer can only describe."""
    for user in scene.users():
        orders = scene.orders(user)
        names = [item.name for order in orders for item in order.items]
        for order in scene.shuffled(orders) if len(orders) > 1 else []:
            found = [item for item in single(order) if names.count(item.name) == 1]
            if found and order.status in ("pending", "processed", "delivered", "cancelled"):
                return drafted(
                    scene,
                    user,
                    goal(scene, "order_status", telling.things(scene, [scene.pick(found)])),
                    gold=[read_order(other) for other in orders],
                    communicate=[named(order.status, "order status"), named(order.order_id.lstrip("#"), "order id")],
                    checks=[looked_up(order), *_QUIET],
                    unknown=("order_id",),
                    instructions="You do not have the order id and would like to hear it.",
                )
    return None


@template(tools=("get_order_details", "calculate"), clauses=("1.3", "7.1"), difficulty=1)
def ask_order_total(scene: Scene) -> Draft | None:
    """What the items of an order come to."""
    held = scene.held(lambda user, order: len(order.items) > 2 and (delivered(user, order) or processed(user, order)))
    if held is None:
        return None
    user, order = held
    expression = " + ".join(f"{item.price:.2f}" for item in order.items)
    return drafted(
        scene,
        user,
        goal(scene, "order_total", telling.which(order)),
        gold=[read_order(order), call("calculate", expression=expression)],
        communicate=[amount(worth(order.items), "total")],
        checks=[looked_up(order), *_QUIET],
    )


@template(clauses=("1.3", "7.1"), difficulty=1)
def ask_gift_card_balance(scene: Scene) -> Draft | None:
    """What is left on the gift card."""
    user = scene.user(lambda user: bool(stored(user, GiftCard)))
    balance = None if user is None else gift_balance(user)
    if user is None or balance is None:
        return None
    return drafted(
        scene,
        user,
        goal(scene, "gift_card_balance"),
        gold=[],
        communicate=[amount(balance, "balance")],
        checks=_QUIET,
    )


@template(tools=("transfer_to_human_agents",), clauses=("7.3",), difficulty=1)
def transfer_out_of_scope(scene: Scene) -> Draft | None:
    """Something no tool does and no clause rules out: a human takes over."""
    user = scene.user()
    if user is None:
        return None
    topic, request = scene.pick(_OUT_OF_SCOPE)
    return drafted(
        scene,
        user,
        Goal("out_of_scope", request, (Fact("topic", topic),)),
        gold=[call("transfer_to_human_agents", summary=f"The customer needs help with {topic}.")],
        checks=[CheckCall("transferred"), CheckCall("no_writes")],
    )
