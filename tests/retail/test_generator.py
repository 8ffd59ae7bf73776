"""The generated world: pure, consistent, varied, and of the size asked for."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from eigen_cli.api.canonical import content_hash, derive_rng
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.world import World
from eigen_retail.catalogue import KINDS, NAMES
from eigen_retail.domain import Retail
from eigen_retail.generator import generate
from eigen_retail.payments import paid_with
from eigen_retail.records import GiftCard, Order, Product, User
from eigen_retail.wording import IDENTITY, ORDER_ID, USER_ID


def test_same_seed_same_world_other_seed_another() -> None:
    first, again, other = (list(generate(seed=seed, size=800)) for seed in (3, 3, 4))
    assert [content_hash(record) for record in first] == [content_hash(record) for record in again]
    assert content_hash(first) != content_hash(other)


def test_default_size(generated: Any) -> None:
    world = generated(1)
    assert len(world.table(Product)) == 50 == len(set(NAMES))
    assert 540 <= sum(len(product.variants) for product in world.table(Product).values()) <= 660
    assert len(world.table(User)) == 500
    assert 900 <= len(world.table(Order)) <= 1100


@pytest.mark.parametrize("size", [1000, 5000, 20_000])
def test_size_is_about_what_was_asked(size: int) -> None:
    count = sum(1 for _ in generate(seed=2, size=size))
    assert abs(count - size) < 0.05 * size


def test_items_differ_in_their_options_and_half_are_in_stock(generated: Any) -> None:
    plans = {kind.name: kind for kind in KINDS}
    ids: set[str] = set()
    for product in generated(1).table(Product).values():
        items = list(product.variants.values())
        assert len({tuple(sorted(item.options.items())) for item in items}) == len(items)
        assert sum(item.available for item in items) * 2 >= len(items) >= 8
        for item in items:
            assert all(value in plans[product.name].options[option] for option, value in item.options.items())
            assert abs(float(item.price) / plans[product.name].price - 1) < 0.16
        ids |= {product.product_id, *product.variants}
    assert all(re.fullmatch(r"\d{10}", found) for found in ids)
    assert len(ids) == 50 + sum(len(product.variants) for product in generated(1).table(Product).values())


def test_orders_are_real_purchases_of_real_customers(generated: Any) -> None:
    world = generated(1)
    for order in world.table(Order).values():
        user = world.table(User).get(order.user_id)
        assert order.order_id in user.orders
        for item in order.items:
            variant = world.table(Product).get(item.product_id).variants[item.item_id]
            assert variant.options == item.options
        assert (order.fulfillments == ()) == order.status.startswith("pending")
        assert all(payment.payment_method_id in user.payment_methods for payment in order.payment_history)


def test_every_cent_is_accounted_for(generated: Any) -> None:
    for order in generated(1).table(Order).values():
        worth = sum((item.price for item in order.items), Decimal(0))
        assert sum(paid_with(order).values()) == (0 if order.status == "cancelled" else worth), order.order_id
        assert all(item.price == round(item.price, 2) for item in order.items)


def test_ids_have_their_shapes_and_nobody_shares_an_address(generated: Any) -> None:
    world = generated(1)
    users = list(world.table(User).values())
    assert all(re.fullmatch(USER_ID, user.user_id) and re.fullmatch(IDENTITY, user.email) for user in users)
    assert all(user.email == user.email.lower() for user in users)
    assert len({user.email for user in users}) == len(users)
    assert all(re.fullmatch(ORDER_ID, order.order_id) for order in world.table(Order).values())
    payment_ids = [key for user in users for key in user.payment_methods]
    assert len(payment_ids) == len(set(payment_ids))


def test_the_world_holds_what_scenarios_need(generated: Any) -> None:
    world = generated(1)
    orders, users = list(world.table(Order).values()), list(world.table(User).values())
    statuses = Counter(order.status for order in orders)
    assert len(statuses) == 7 and min(statuses.values()) > 0.015 * len(orders)
    assert min(statuses["pending"], statuses["delivered"]) > 0.3 * len(orders)
    sizes = Counter(len(order.items) for order in orders)
    assert set(sizes) >= {1, 2, 3, 4, 5}
    twice = [order for order in orders if len({item.item_id for item in order.items}) < len(order.items)]
    assert len(twice) > 0.05 * len(orders)
    assert any(order.address != world.table(User).get(order.user_id).address for order in orders)
    held = Counter(sum(isinstance(m, GiftCard) for m in user.payment_methods.values()) for user in users)
    assert set(held) == {0, 1} and min(held.values()) > 0.3 * len(users)
    assert set(Counter(len(user.orders) for user in users)) == {0, 1, 2, 3, 4}


def test_a_small_world_still_drafts(retail: Retail) -> None:
    world = World(build_base(retail, WorldRef(5, 600), freeze=False))
    drafted = [
        template.name
        for template in retail.templates
        if any(template.draft(world, derive_rng(template.name, number)) for number in range(6))
    ]
    assert len(drafted) > 0.9 * len(retail.templates)
