"""What is stored on a profile to pay with, and moving money on gift cards."""

from __future__ import annotations

import msgspec

from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import FrozenMap, Money, money
from eigen_cli.api.world import Transaction
from eigen_retail.records import GiftCard, Order, PaymentMethod, User


def stored(user: User, payment_id: str) -> PaymentMethod:
    """Return a payment method of the user's profile. Raises `ToolError`."""
    method = user.payment_methods.get(payment_id)
    if method is None:
        raise ToolError(f"Payment method '{payment_id}' is not in the profile of {user.user_id}")
    return method


def able_to_pay(user: User, payment_id: str, amount: Money) -> PaymentMethod:
    """Return a stored method that can pay an amount. Raises `ToolError` for gift cards that hold less."""
    method = stored(user, payment_id)
    if isinstance(method, GiftCard) and method.balance < amount:
        raise ToolError(f"Gift card '{payment_id}' holds only {method.balance}, not {amount}")
    return method


def moved(user: User, payment_id: str, amount: Money) -> User:
    """Return the user after `amount` went onto a payment method (off it if negative); only gift cards keep count."""
    method = stored(user, payment_id)
    if not isinstance(method, GiftCard) or not amount:
        return user
    card = GiftCard(method.id, money(method.balance + amount))
    return msgspec.structs.replace(user, payment_methods=FrozenMap({**user.payment_methods, payment_id: card}))


def save_if_changed(world: Transaction, before: User, after: User) -> None:
    """Write a profile back when money moved on it."""
    if after is not before:
        world.table(User).put(after)


def paid_with(order: Order) -> dict[str, Money]:
    """Return what an order still holds of each payment method: payments less refunds, zeros left out."""
    held: dict[str, Money] = {}
    for entry in order.payment_history:
        sign = 1 if entry.transaction_type == "payment" else -1
        held[entry.payment_method_id] = held.get(entry.payment_method_id, money(0)) + sign * entry.amount
    return {payment_id: money(amount) for payment_id, amount in held.items() if amount}
