"""Taking payments from, and giving refunds to, the methods stored on a profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eigen_airline.records import Certificate, CreditCard, GiftCard, Payment, PaymentMethod, User
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import FrozenMap, Money, money


def with_methods(user: User, methods: Mapping[str, PaymentMethod]) -> User:
    """Return the user with other payment methods."""
    return User(
        user_id=user.user_id,
        name=user.name,
        address=user.address,
        email=user.email,
        dob=user.dob,
        payment_methods=FrozenMap(methods),
        saved_passengers=user.saved_passengers,
        membership=user.membership,
        reservations=user.reservations,
    )


def stored(user: User, payment_id: str) -> PaymentMethod:
    """Return a payment method of the user's profile. Raises `ToolError`."""
    method = user.payment_methods.get(payment_id)
    if method is None:
        raise ToolError(f"Payment method '{payment_id}' is not in the profile of {user.user_id}")
    return method


def pay_booking(user: User, payments: Sequence[Payment], total: int) -> User:
    """Return the user after paying a new booking.

    A gift card keeps what is left; a certificate is used up whole. A method named twice is charged the sum. Raises
    `ToolError` when a method is unknown or too low, or the amounts do not add up to `total`.
    """
    charged: dict[str, Money] = {}
    for payment in payments:
        if payment.amount < 0:
            raise ToolError("A payment amount must not be negative")
        charged[payment.payment_id] = charged.get(payment.payment_id, money(0)) + payment.amount
    for payment_id, amount in charged.items():
        method = stored(user, payment_id)
        if not isinstance(method, CreditCard) and method.amount < amount:
            raise ToolError(f"Payment method '{payment_id}' holds only {method.amount}, not {amount}")
    paid = sum(charged.values(), money(0))
    if paid != total:
        raise ToolError(f"The payments do not add up: the total price is {total}, the payments are {paid}")
    methods = dict(user.payment_methods)
    for payment_id, amount in charged.items():
        method = methods[payment_id]
        if isinstance(method, GiftCard):
            methods[payment_id] = GiftCard(id=method.id, amount=money(method.amount - amount))
        elif isinstance(method, Certificate):
            del methods[payment_id]
    return with_methods(user, methods)


def pay_change(user: User, payment_id: str, amount: int) -> tuple[User, tuple[Payment, ...]]:
    """Return the user after paying (or, negative, being refunded) a change, and the payment to note, if any.

    Refunds go back onto a gift card's balance. Raises `ToolError` for certificates and for gift cards too low.
    """
    method = stored(user, payment_id)
    if isinstance(method, Certificate):
        raise ToolError("A certificate cannot be used to change a reservation")
    if amount == 0:
        return user, ()
    if isinstance(method, GiftCard):
        if method.amount < amount:
            raise ToolError(f"Gift card '{payment_id}' holds only {method.amount}, not {amount}")
        card = GiftCard(id=method.id, amount=money(method.amount - amount))
        user = with_methods(user, {**user.payment_methods, payment_id: card})
    return user, (Payment(payment_id=payment_id, amount=money(amount)),)
