"""Random calls of retail tools around one customer of the official database."""

from __future__ import annotations

from typing import Any

from airline_calls import EXPRESSIONS
from drawing import CALLS_A_SEQUENCE, WRONG, Drawn
from engine_pair import Call

ADDRESS = {
    "address1": "1 Mill Lane",
    "address2": "",
    "city": "Denver",
    "state": "CO",
    "country": "USA",
    "zip": "80213",
}


class RetailCalls:
    """Draws sequences of calls; the database is the raw one."""

    def __init__(self, database: dict[str, Any]) -> None:
        self._users, self._orders, self._products = database["users"], database["orders"], database["products"]
        self._busy = [key for key, user in self._users.items() if self._open(user)]
        self._ids = list(self._orders)

    def sequence(self, drawn: Drawn) -> list[Call]:
        """Return a sequence around one customer."""
        self.drawn = drawn
        self.user_id = drawn.one(self._busy)
        self.user = self._users[self.user_id]
        tools = (
            *(self._items, self._exchange, self._return) * 3,
            *(self._payment, self._cancel, self._address) * 2,
            *(self._home, self._details, self._product, self._find, self._other),
        )
        return [drawn.one(tools)() for _ in range(CALLS_A_SEQUENCE)]

    def _open(self, user: dict[str, Any]) -> bool:
        """Whether a customer has an order that can be changed, or sent back."""
        return any(self._orders[one]["status"] in ("pending", "delivered") for one in user["orders"])

    def _order_id(self, *statuses: str) -> str:
        if self.drawn.chance(10):
            return str(self.drawn.one(("#W0000000", *self._ids[:20])))
        mine = self.user["orders"]
        fit = [one for one in mine if self._orders[one]["status"] in statuses]
        return str(self.drawn.one(fit if fit and self.drawn.chance(80) else mine))

    def _payment_id(self, order_id: str = "") -> str:
        if self.drawn.chance(8):
            return str(self.drawn.one(("credit_card_0000000", "gift_card_1", "paypal_1")))
        if order_id in self._orders and self.drawn.chance(30):
            return str(self._orders[order_id]["payment_history"][0]["payment_method_id"])
        return str(self.drawn.one(list(self.user["payment_methods"]) or ["paypal_1"]))

    def _swap(self, order_id: str) -> tuple[list[Any], list[Any]]:
        drawn, items = self.drawn, self._orders.get(order_id, {"items": []})["items"]
        if not items:
            return ["1"], ["2"]
        first, count = drawn.count(0, len(items) - 1), drawn.count(0 if drawn.chance(5) else 1, 3)
        chosen = (items * 4)[first : first + count]
        if not drawn.chance(8):  # mostly every item at most as often as it was ordered
            chosen = chosen[: len(items)]
        return [item["item_id"] for item in chosen], [self._new_item(item) for item in chosen]

    def _new_item(self, item: dict[str, Any]) -> Any:
        variants = self._products[item["product_id"]]["variants"]
        others = [key for key, one in variants.items() if one["available"] and key != item["item_id"]]
        if self.drawn.chance(8) or not others:
            return self.drawn.one((*variants, "1234567890", *WRONG))
        return self.drawn.one(others)

    def _items(self) -> Call:
        order_id = self._order_id("pending")
        olds, news = self._swap(order_id)
        return "modify_pending_order_items", self.drawn.arguments(
            {
                "order_id": order_id,
                "item_ids": olds,
                "new_item_ids": dict.fromkeys(map(str, news)) if self.drawn.chance(3) else news,
                "payment_method_id": self._payment_id(order_id),
            }
        )

    def _exchange(self) -> Call:
        name, arguments = self._items()
        if "order_id" in arguments and isinstance(arguments["order_id"], str):
            order_id = self._order_id("delivered")
            olds, news = self._swap(order_id)
            arguments |= {"order_id": order_id, "item_ids": olds, "new_item_ids": news}
        return name.replace("modify_pending", "exchange_delivered"), self.drawn.arguments(arguments, wrong=5)

    def _return(self) -> Call:
        order_id = self._order_id("delivered")
        return "return_delivered_order_items", self.drawn.arguments(
            {
                "order_id": order_id,
                "item_ids": self._swap(order_id)[0],
                "payment_method_id": self._payment_id(order_id),
            }
        )

    def _payment(self) -> Call:
        order_id = self._order_id("pending")
        return "modify_pending_order_payment", self.drawn.arguments(
            {"order_id": order_id, "payment_method_id": self._payment_id()}
        )

    def _cancel(self) -> Call:
        reason = self.drawn.one(("no longer needed", "ordered by mistake", "bored"))
        return "cancel_pending_order", self.drawn.arguments({"order_id": self._order_id("pending"), "reason": reason})

    def _address(self) -> Call:
        arguments = {"order_id": self._order_id("pending"), **ADDRESS}
        return "modify_pending_order_address", self.drawn.arguments(arguments, wrong=15)

    def _home(self) -> Call:
        return "modify_user_address", self.drawn.arguments({"user_id": self.user_id, **ADDRESS}, wrong=15)

    def _details(self) -> Call:
        if self.drawn.chance(50):
            return "get_user_details", self.drawn.arguments({"user_id": self.user_id})
        return "get_order_details", self.drawn.arguments({"order_id": self._order_id()})

    def _product(self) -> Call:
        return "get_product_details", self.drawn.arguments({"product_id": self.drawn.one((*self._products, "1"))})

    def _find(self) -> Call:
        change = self.drawn.one((str, str.upper, str.title, lambda text: f" {text} "))
        if self.drawn.chance(50):
            return "find_user_id_by_email", self.drawn.arguments({"email": change(self.user["email"])})
        name, zips = self.user["name"], (self.user["address"]["zip"], "80213", "00000")
        arguments = {"first_name": change(name["first_name"]), "last_name": change(name["last_name"])}
        return "find_user_id_by_name_zip", self.drawn.arguments({**arguments, "zip": self.drawn.one(zips)})

    def _other(self) -> Call:
        name = self.drawn.one(("list_all_product_types", "calculate", "transfer_to_human_agents", "think"))
        if name == "calculate":
            return name, self.drawn.arguments({"expression": self.drawn.one(EXPRESSIONS)})
        if name == "transfer_to_human_agents":
            return name, self.drawn.arguments({"summary": self.drawn.one(("done", *WRONG))})
        return name, self.drawn.arguments({})
