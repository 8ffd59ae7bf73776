"""Each known defect of the benchmark's shop: the bridge has it as the benchmark does, the corrected domain has not."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from engine_pair import EnginePair
from engine_pairs import retail_pair, retail_pair_of
from three_worlds import played, row

from eigen_tau2.defects import DEFECTS

Database = dict[str, Any]


@pytest.fixture(scope="module")
def pair() -> EnginePair:
    return retail_pair()


@pytest.fixture(scope="module")
def database(pair: EnginePair) -> Database:
    return pair.domain.files.database()


def _variants(database: Database, item: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the items an ordered one can become."""
    found = database["products"][item["product_id"]]["variants"].values()
    return [one for one in found if one["available"] and one["item_id"] != item["item_id"]]


def _orders(database: Database, *, status: str, least: int = 1) -> list[tuple[dict[str, Any], str]]:
    """Return orders of a status with so many different items, each with a card or account of its customer's."""
    found = []
    for order in database["orders"].values():
        methods = database["users"][order["user_id"]]["payment_methods"]
        card = next((key for key, one in methods.items() if one["source"] != "gift_card"), None)
        several = len({item["product_id"] for item in order["items"]}) == len(order["items"]) >= least
        if order["status"] == status and several and card and all(_variants(database, one) for one in order["items"]):
            found.append((order, card))
    return found


def _change(order: dict[str, Any], olds: list[str], news: list[str], card: str) -> tuple[str, dict[str, Any]]:
    arguments = {"order_id": order["order_id"], "item_ids": olds, "new_item_ids": news, "payment_method_id": card}
    return "modify_pending_order_items", arguments


def test_every_defect_is_shown_here() -> None:
    shown = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {defect.name for defect in DEFECTS if "retail" in defect.domains} <= shown


def test_last_variant_for_all(pair: EnginePair, database: Database) -> None:
    order, card = _orders(database, status="pending", least=2)[0]
    first, second = order["items"][:2]
    new, last = _variants(database, first)[0], _variants(database, second)[0]
    calls = [_change(order, [first["item_id"], second["item_id"]], [new["item_id"], last["item_id"]], card)]
    worlds = played(pair, calls)
    changed = row(pair, worlds.official, "orders", order["order_id"])["items"]
    assert [(item["item_id"], item["price"]) for item in changed[:2]] == [
        (new["item_id"], last["price"]),
        (last["item_id"], last["price"]),
    ]
    assert changed[0]["options"] == last["options"] and changed[0]["name"] == first["name"]
    right = row(pair, worlds.corrected, "orders", order["order_id"])["items"]
    assert [(item["price"], item["options"]) for item in right[:2]] == [
        (new["price"], new["options"]),
        (last["price"], last["options"]),
    ]


def test_changed_twice(pair: EnginePair, database: Database) -> None:
    def takeable(order: dict[str, Any], item: dict[str, Any]) -> bool:
        return bool(database["products"][item["product_id"]]["variants"][item["item_id"]]["available"])

    # An order with two items of one product, the second still sold: A becomes B, and B becomes something else.
    for order in database["orders"].values():
        methods = database["users"][order["user_id"]]["payment_methods"]
        card = next((key for key, one in methods.items() if one["source"] != "gift_card"), None)
        for place, one in enumerate(order["items"]):
            for other in order["items"][place + 1 :]:
                same = one["product_id"] == other["product_id"] and one["item_id"] != other["item_id"]
                if order["status"] == "pending" and card and same and takeable(order, other):
                    new = next(item for item in _variants(database, other) if item["item_id"] != one["item_id"])
                    calls = [
                        _change(order, [one["item_id"], other["item_id"]], [other["item_id"], new["item_id"]], card)
                    ]
                    worlds = played(pair, calls)
                    ids = [item["item_id"] for item in row(pair, worlds.official, "orders", order["order_id"])["items"]]
                    assert (ids[order["items"].index(one)], ids[order["items"].index(other)]) == (
                        new["item_id"],
                        other["item_id"],
                    )
                    right = row(pair, worlds.corrected, "orders", order["order_id"])["items"]
                    assert right[order["items"].index(one)]["item_id"] == other["item_id"]
                    assert right[order["items"].index(other)]["item_id"] == new["item_id"]
                    return
    raise AssertionError("the official database has no such order")


def test_first_price_for_all(database: Database) -> None:
    # No official order holds an item at two prices; a database that a task file brings can.
    order, card = copy.deepcopy(_orders(database, status="delivered")[0])
    item = order["items"][0]
    order["items"] = [item, {**item, "price": item["price"] + 100}]
    new = _variants(database, item)[0]
    pair = retail_pair_of(
        {
            "products": {item["product_id"]: database["products"][item["product_id"]]},
            "users": {order["user_id"]: database["users"][order["user_id"]]},
            "orders": {order["order_id"]: order},
        }
    )
    arguments = {
        "order_id": order["order_id"],
        "item_ids": [item["item_id"]] * 2,
        "new_item_ids": [new["item_id"]] * 2,
        "payment_method_id": card,
    }
    worlds = played(pair, [("exchange_delivered_order_items", arguments)])
    official, right = (
        row(pair, world, "orders", order["order_id"])["exchange_price_difference"]
        for world in (worlds.official, worlds.corrected)
    )
    assert official == pytest.approx(2 * (new["price"] - item["price"]))
    assert right == pytest.approx(2 * (new["price"] - item["price"]) - 100)


def test_refunds_refunded(pair: EnginePair, database: Database) -> None:
    for order in database["orders"].values():
        methods = database["users"][order["user_id"]]["payment_methods"]
        paid = order["payment_history"][0]
        gift = next(
            (key for key, one in methods.items() if one["source"] == "gift_card" and one["balance"] >= paid["amount"]),
            None,
        )
        if order["status"] == "pending" and gift and paid["payment_method_id"] != gift:
            break
    order_id, amount, before = order["order_id"], paid["amount"], methods[gift]["balance"]
    calls = [
        ("modify_pending_order_payment", {"order_id": order_id, "payment_method_id": gift}),
        ("cancel_pending_order", {"order_id": order_id, "reason": "no longer needed"}),
    ]
    worlds = played(pair, calls)
    assert worlds.refused == worlds.corrected_refused == [False, False]
    entries = row(pair, worlds.official, "orders", order_id)["payment_history"]
    # One payment, a second and the first's refund; then a refund of each of the three, the refund included.
    assert [one["transaction_type"] for one in entries] == ["payment", "payment", *["refund"] * 4]
    right = row(pair, worlds.corrected, "orders", order_id)["payment_history"]
    assert [one["transaction_type"] for one in right] == ["payment", "payment", "refund", "refund"]
    assert right[-1] == {"transaction_type": "refund", "amount": amount, "payment_method_id": gift}
    for world in (worlds.official, worlds.corrected):
        user = row(pair, world, "users", order["user_id"])
        assert user["payment_methods"][gift]["balance"] == pytest.approx(before)


def test_unrounded_difference(pair: EnginePair, database: Database) -> None:
    for order, card in _orders(database, status="pending"):
        item = order["items"][0]
        for new in _variants(database, item):
            exact = round(new["price"] - item["price"], 2)
            if new["price"] - item["price"] != exact:
                worlds = played(pair, [_change(order, [item["item_id"]], [new["item_id"]], card)])
                noted = row(pair, worlds.official, "orders", order["order_id"])["payment_history"][-1]["amount"]
                right = row(pair, worlds.corrected, "orders", order["order_id"])["payment_history"][-1]["amount"]
                assert (noted, right) == (abs(new["price"] - item["price"]), abs(exact))
                return
    raise AssertionError("every difference of prices is exact")


def test_whole_zero_difference(pair: EnginePair, database: Database) -> None:
    order, card = _orders(database, status="delivered")[0]
    nothing = {"order_id": order["order_id"], "item_ids": [], "new_item_ids": [], "payment_method_id": card}
    worlds = played(pair, [("exchange_delivered_order_items", nothing)])
    official = row(pair, worlds.official, "orders", order["order_id"])["exchange_price_difference"]
    right = row(pair, worlds.corrected, "orders", order["order_id"])["exchange_price_difference"]
    assert (repr(official), repr(right)) == ("0", "0.0")


@pytest.mark.parametrize(
    ("expression", "official", "right"),
    [
        ("2 ** 3", "8.0", None),
        ("7 // 2", "3.0", None),
        ("012 + 1", None, "13.0"),
        ("9007199254740993 - 9007199254740992", "1.0", "1.0"),
        ("0.125 + 0", "0.12", "0.12"),
    ],
)
def test_calculator_is_python(pair: EnginePair, expression: str, official: str | None, right: str | None) -> None:
    worlds = played(pair, [("calculate", {"expression": expression})])
    outcome = pair.call("calculate", {"expression": expression})
    assert (None if outcome.our_error else outcome.ours) == official
    assert official is None or outcome.upstream == official
    corrected = worlds.corrected_outcomes[0]
    assert (None if corrected.error else corrected.content) == right
