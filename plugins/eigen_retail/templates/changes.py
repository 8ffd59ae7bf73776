"""Changing addresses, of pending orders and of the profile, and how pending orders are paid."""

from __future__ import annotations

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action
from eigen_retail.customers import CustomerMaker
from eigen_retail.records import Address, GiftCard, Order, User
from eigen_retail.templates import telling
from eigen_retail.templates.drafting import (
    Scene,
    amount,
    call,
    drafted,
    gift_balance,
    payers,
    read_order,
    stored,
    template,
)
from eigen_retail.templates.requests import goal
from eigen_retail.templates.situations import payer, pending

_ADDRESS = ("get_order_details", "modify_pending_order_address")
_PAYMENT = ("get_order_details", "modify_pending_order_payment")


def parts(address: Address) -> dict[str, str]:
    """Return an address as tools take it."""
    return {
        "address1": address.address1,
        "address2": address.address2,
        "city": address.city,
        "state": address.state,
        "country": address.country,
        "zip": address.zip,
    }


def new_address(scene: Scene) -> Address:
    """Return an address nobody has to have."""
    return CustomerMaker(scene.rng).address()


def sent_to(order: Order, address: Address) -> Action:
    """Return the call that sends an order elsewhere."""
    return call("modify_pending_order_address", order_id=order.order_id, **parts(address))


def moved_to(user: User, address: Address) -> Action:
    """Return the call that changes the profile's address."""
    return call("modify_user_address", user_id=user.user_id, **parts(address))


def repaid(order: Order, payment_id: str) -> Action:
    """Return the call that changes the payment of an order."""
    return call("modify_pending_order_payment", order_id=order.order_id, payment_method_id=payment_id)


# Addresses


@template(tools=_ADDRESS, clauses=("1.1", "3.1", "5.1"), difficulty=1)
def change_order_address(scene: Scene) -> Draft | None:
    """One order goes somewhere else."""
    held = scene.held(pending)
    if held is None:
        return None
    user, order = held
    address = new_address(scene)
    return drafted(
        scene,
        user,
        goal(scene, "change_order_address", telling.which(order), telling.place(scene, address)),
        gold=[read_order(order), sent_to(order, address)],
    )


@template(tools=_ADDRESS, clauses=("1.1", "3.1", "5.1", "7.1"), difficulty=2)
def send_order_home(scene: Scene) -> Draft | None:
    """An order that goes elsewhere is to go to the address on the profile, which the agent reads there."""
    held = scene.held(lambda user, order: pending(user, order) and order.address != user.address)
    if held is None:
        return None
    user, order = held
    return drafted(
        scene,
        user,
        goal(scene, "change_order_address", telling.which(order), telling.profile_address(scene)),
        gold=[read_order(order), sent_to(order, user.address)],
    )


@template(tools=("modify_user_address",), clauses=("1.1", "5.1"), difficulty=1)
def change_default_address(scene: Scene) -> Draft | None:
    """The profile gets another address; no order does."""
    user = scene.user()
    if user is None:
        return None
    address = new_address(scene)
    return drafted(
        scene,
        user,
        goal(scene, "change_default_address", telling.place(scene, address)),
        gold=[moved_to(user, address)],
    )


@template(tools=(*_ADDRESS, "modify_user_address"), clauses=("1.1", "1.2", "3.1", "5.1"), difficulty=3)
def move_house(scene: Scene) -> Draft | None:
    """The profile's address, and that of a pending order."""
    held = scene.held(pending)
    if held is None:
        return None
    user, order = held
    address = new_address(scene)
    return drafted(
        scene,
        user,
        goal(scene, "change_default_address", telling.place(scene, address)),
        goal(scene, "change_order_address", telling.which(order), telling.place(scene, address)),
        gold=[moved_to(user, address), read_order(order), sent_to(order, address)],
        instructions="Both your profile and the order on its way to the old place need the new address.",
    )


# Payments


@template(tools=_PAYMENT, clauses=("1.1", "3.1", "4.3", "5.2"), difficulty=1)
def change_payment(scene: Scene) -> Draft | None:
    """Another stored method that can pay the whole order."""
    held = scene.held(lambda user, order: pending(user, order) and bool(other_payers(user, order)))
    if held is None:
        return None
    user, order = held
    payment = scene.pick(other_payers(user, order))
    return drafted(
        scene,
        user,
        goal(scene, "change_payment", telling.which(order), telling.pay_with(scene, user, payment)),
        gold=[read_order(order), repaid(order, payment)],
        communicate=[amount(order.payment_history[0].amount, "amount of the order")],
    )


def other_payers(user: User, order: Order) -> list[str]:
    """Return the stored methods, other than the present one, that can pay a whole order."""
    return [key for key in payers(user, order.payment_history[0].amount) if key != payer(order)]


@template(tools=_PAYMENT, clauses=("1.1", "3.1", "5.2"), difficulty=2)
def change_payment_gift_card_short(scene: Scene) -> Draft | None:
    """The gift card holds too little; another card pays."""

    def fits(user: User, order: Order) -> bool:
        balance = gift_balance(user)
        short = balance is not None and balance < order.payment_history[0].amount
        unused = payer(order) not in stored(user, GiftCard)
        return pending(user, order) and short and unused and bool(other_payers(user, order))

    held = scene.held(fits)
    if held is None:
        return None
    user, order = held
    gift, payment = stored(user, GiftCard)[0], scene.pick(other_payers(user, order))
    return drafted(
        scene,
        user,
        goal(
            scene,
            "change_payment",
            telling.which(order),
            telling.pay_with(scene, user, gift),
            telling.pay_with(scene, user, payment, name="other_payment"),
        ),
        gold=[read_order(order), repaid(order, payment)],
        instructions="If the gift card does not suffice, name your other payment method.",
    )
