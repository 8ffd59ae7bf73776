"""Tools that only look."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_cli.api.record import to_json
from eigen_retail.records import User


@pytest.mark.parametrize("email", ["ada.moss@mail.example", "Ada.Moss@Mail.Example", " ADA.MOSS@MAIL.EXAMPLE "])
def test_a_customer_is_found_by_email_in_any_capitals(desk: Any, email: str) -> None:
    assert desk.call("find_user_id_by_email", email=email) == "ada_moss_1234"


def test_other_email_addresses_find_nobody(desk: Any) -> None:
    assert "ada@mail.example" in desk.refused("find_user_id_by_email", email="ada@mail.example")


@pytest.mark.parametrize(("first", "last"), [("Ada", "Moss"), ("ada", "moss"), ("ADA", "mOSS")])
def test_a_customer_is_found_by_name_and_zip(desk: Any, first: str, last: str) -> None:
    found = desk.call("find_user_id_by_name_zip", first_name=first, last_name=last, zip="80333")
    assert found == "ada_moss_1234"


@pytest.mark.parametrize(("first", "zip_code"), [("Ada", "80334"), ("Adam", "80333"), ("Bob", "80333")])
def test_name_and_zip_must_both_fit(desk: Any, first: str, zip_code: str) -> None:
    desk.refused("find_user_id_by_name_zip", first_name=first, last_name="Moss", zip=zip_code)
    assert desk.changes == ()


def test_after_a_move_the_new_zip_code_finds(desk: Any) -> None:
    home = {"address1": "1 Canal Road", "address2": "", "city": "Tampa", "state": "FL", "country": "USA"}
    desk.call("modify_user_address", user_id="ada_moss_1234", **home, zip="33612")
    find = {"first_name": "Ada", "last_name": "Moss"}
    assert desk.call("find_user_id_by_name_zip", **find, zip="33612") == "ada_moss_1234"
    desk.refused("find_user_id_by_name_zip", **find, zip="80333")


def test_profiles_read_as_stored(desk: Any) -> None:
    user = desk.call("get_user_details", user_id="ada_moss_1234")
    assert user == to_json(desk.world.table(User).get("ada_moss_1234"))
    assert user["payment_methods"]["gift_card_4444444"] == {
        "source": "gift_card",
        "id": "gift_card_4444444",
        "balance": 150.55,
    }
    assert user["payment_methods"]["paypal_3333333"] == {"source": "paypal", "id": "paypal_3333333"}
    assert "nobody" in desk.refused("get_user_details", user_id="nobody")


def test_orders_read_as_stored(desk: Any) -> None:
    order = desk.call("get_order_details", order_id="#W0000001")
    assert [item["price"] for item in order["items"]] == [94.1, 40.2]
    assert order["payment_history"] == [
        {"transaction_type": "payment", "amount": 134.3, "payment_method_id": "credit_card_1111111"}
    ]
    assert order["cancel_reason"] is None and order["fulfillments"] == []
    desk.refused("get_order_details", order_id="W0000001")


def test_products_and_their_items(desk: Any) -> None:
    assert desk.call("list_all_product_types") == {"Rain Jacket": "9000000001", "Tea Pot": "9000000002"}
    product = desk.call("get_product_details", product_id="9000000001")
    assert len(product["variants"]) == 6
    assert product["variants"]["1000000011"] == {
        "item_id": "1000000011",
        "options": {"color": "red", "size": "L"},
        "available": False,
        "price": 89.95,
    }
    assert desk.call("get_item_details", item_id="1000000011") == product["variants"]["1000000011"]


def test_product_ids_are_no_item_ids(desk: Any) -> None:
    desk.refused("get_product_details", product_id="1000000011")
    assert "9000000001" in desk.refused("get_item_details", item_id="9000000001")


def test_other_tools(desk: Any) -> None:
    assert desk.call("calculate", expression="94.10 + 40.20") == 134.3
    assert desk.call("transfer_to_human_agents", summary="A repair.") == "Transfer successful"
    assert desk.changes == ()
