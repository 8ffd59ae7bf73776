"""The seeded world generator: the stock first, then customers one by one, each with all of their orders."""

from __future__ import annotations

from collections.abc import Iterator

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.record import Record
from eigen_retail.catalogue import KINDS
from eigen_retail.customers import CustomerMaker
from eigen_retail.purchases import OrderMaker
from eigen_retail.records import User
from eigen_retail.stock import make_products

DEFAULT_USERS = 500
LEAST_USERS = 20
_ORDERS = (0, 1, 1, 2, 2, 2, 2, 3, 3, 4)
_RECORDS_PER_USER = 1 + sum(_ORDERS) / len(_ORDERS)


def users_for(size: int) -> int:
    """Return how many customers a world of about `size` records has; 0 is the default size. The stock never grows."""
    if size <= 0:
        return DEFAULT_USERS
    return max(LEAST_USERS, round((size - len(KINDS)) / _RECORDS_PER_USER))


def generate(*, seed: int, size: int) -> Iterator[Record]:
    """Yield the products, then each customer followed by their orders; only the products are kept."""
    products = make_products(derive_rng("retail", seed, "stock"))
    yield from products
    rng = derive_rng("retail", seed, "customers")
    customers, orders = CustomerMaker(rng), OrderMaker(rng, products)
    for _ in range(users_for(size)):
        user_id, name = customers.profile()
        count = _ORDERS[int(rng.random() * len(_ORDERS))]
        user = User(
            user_id=user_id,
            name=name,
            address=customers.address(),
            email=customers.email(name),
            payment_methods=customers.payment_methods(),
            orders=tuple(orders.order_id() for _ in range(count)),
        )
        yield user
        for order_id in user.orders:
            yield orders.order(user, order_id, elsewhere=customers.address)
