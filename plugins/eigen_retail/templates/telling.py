"""Facts as customers put them: the value a tool needs, and words a person would use for it."""

from __future__ import annotations

from collections.abc import Sequence

from eigen_cli.api.tasks import Fact
from eigen_retail.records import Address, CreditCard, GiftCard, Order, OrderItem, Paypal, User
from eigen_retail.templates.drafting import Scene, stored
from eigen_retail.wording import ON_PROFILE, Change, listed, say_address, say_changes

_CARD = (
    "Use my {brand} ending in {digits}.",
    "Put it on the {brand} ending in {digits}.",
    "The {brand} that ends in {digits}.",
)
_KIND = ("Use my {kind}, please.", "My {kind}, please.", "Let's take my {kind}.")
_ITEMS = ("It's the {}.", "The {}, please.", "I mean the {}.", "That would be the {}.")
_REASONS = {
    "no longer needed": ("I no longer need it.", "It's no longer needed.", "I don't need it anymore."),
    "ordered by mistake": ("I ordered it by mistake.", "It was ordered by mistake.", "I placed it by accident."),
}


def which(order: Order) -> Fact:
    """Return the order id."""
    return Fact("order_id", order.order_id)


def things(scene: Scene, items: Sequence[OrderItem], *, count: str = "") -> Fact:
    """Return items by the names of their products; `count` says how many of a single one."""
    names = listed(dict.fromkeys(item.name for item in items))
    value = f"{count} {names}" if count else names
    text = f"Just {value}." if count == "one" else f"Please take {value.rstrip('s')}s." if count else ""
    return Fact("items", value, text or scene.pick(_ITEMS).format(names))


def wanted(scene: Scene, changes: Sequence[Change], *, name: str = "changes") -> Fact:
    """Return what items are to become."""
    value = say_changes(changes)
    words = ("I'd like the {}.", "I want the {}.", "The {}, please.")
    if name == "fallback":
        words = ("Then the {}.", "In that case the {}.", "I'd take the {} then.")
    return Fact(name, value, scene.pick(words).format(value))


def pay_with(scene: Scene, user: User, payment_id: str, *, name: str = "payment") -> Fact:
    """Return a payment method: often by a card's last digits or by its kind, else by its id."""
    method = user.payment_methods[payment_id]
    if name != "payment" or scene.chance(0.4):
        return Fact(name, payment_id)
    if isinstance(method, CreditCard):
        return Fact(name, payment_id, scene.pick(_CARD).format(brand=method.brand, digits=method.last_four))
    kind: type[GiftCard] | type[Paypal] = GiftCard if isinstance(method, GiftCard) else Paypal
    if len(stored(user, kind)) > 1:
        return Fact(name, payment_id)
    spoken = "gift card" if kind is GiftCard else "PayPal account"
    return Fact(name, payment_id, scene.pick(_KIND).format(kind=spoken))


def reason(scene: Scene, why: str) -> Fact:
    """Return why an order is to be cancelled."""
    return Fact("cancel_reason", why, scene.pick(_REASONS[why]) if why in _REASONS else "")


def place(scene: Scene, address: Address) -> Fact:
    """Return a new address."""
    spoken = say_address(address)
    return Fact("new_address", spoken, scene.pick(("It's {}.", "The new address is {}.", "{}.")).format(spoken))


def profile_address(scene: Scene) -> Fact:
    """Return the wish to use the address on the profile."""
    return Fact("new_address", ON_PROFILE, scene.pick(("Please use {}.", "It should go to {}.")).format(ON_PROFILE))
