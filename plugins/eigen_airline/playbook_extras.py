"""Adding bags, and changing who flies."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from eigen_airline import wording
from eigen_airline.playbook_common import KEPT, Procedure, open_reservation
from eigen_airline.playbook_payments import change_payment
from eigen_airline.playbook_words import Json, count_in, counted, dollars, method_name, names, reason_of
from eigen_airline.rules import BAG_FEE, free_bags, paid_bags
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Refuse, Step, Tell


def add_bags() -> Procedure:
    """Add bags; those beyond the free ones are paid."""
    opened = yield from open_reservation()
    if opened is None:
        return
    user, reservation = opened
    text: str | None = yield Ask("extra_bags")
    extra = count_in(text)
    if extra < 1:
        yield Refuse("I'm sorry, I can't add bags without knowing how many you need.", "5.2")
        return
    people = len(reservation["passengers"])
    total = reservation["total_baggages"] + extra
    free = free_bags(user["membership"], reservation["cabin"], people)
    paid = max(
        paid_bags(user["membership"], reservation["cabin"], passengers=people, total=total),
        reservation["nonfree_baggages"],
    )
    charge = BAG_FEE * (paid - reservation["nonfree_baggages"])
    payment_id = yield from _bag_payment(user, charge)
    if payment_id is None:
        return
    method = method_name(payment_id, user["payment_methods"])
    price = f"{dollars(charge)} would be charged to {method}" if charge else "There is nothing to pay"
    agreed: bool = yield Confirm(
        f"{counted(free, 'checked bag')} {'is' if free == 1 else 'are'} free on this trip. I would add "
        f"{counted(extra, 'bag')} to reservation {reservation['reservation_id']}, which makes {total} in all. {price}."
    )
    if not agreed:
        yield Tell(KEPT)
        return
    result: CallResult = yield Call(
        "update_reservation_baggages",
        {
            "reservation_id": reservation["reservation_id"],
            "total_baggages": total,
            "nonfree_baggages": paid,
            "payment_id": payment_id,
        },
    )
    if result.error:
        yield Refuse(f"I'm sorry, I can't add the bags: {reason_of(result)}.", "5.2")
        return
    paid_text = f"{dollars(charge)} was charged to {method}." if charge else "There was nothing to pay."
    yield Tell(
        f"<Done!|That's done.> {counted(extra, 'checked bag')} {'has' if extra == 1 else 'have'} been added, so "
        "reservation "
        f"{reservation['reservation_id']} now has {counted(total, 'bag')}. {paid_text}"
    )


def _bag_payment(user: Json, charge: int) -> Generator[Step, Any, str | None]:
    if charge:
        return (yield from change_payment(user, charge, price="That"))
    text: str | None = yield Ask(
        "payment",
        "The bags are free of charge. Which payment method may I note on the reservation, a card or a gift card?",
    )
    ids = [one for one in wording.payments(text or "", user["payment_methods"]) if not one.startswith("certificate")]
    return ids[0] if ids else next((one for one in user["payment_methods"] if not one.startswith("certificate")), None)


def change_passengers() -> Procedure:
    """Correct or replace one passenger; the others stay, and so does their number."""
    opened = yield from open_reservation()
    if opened is None:
        return
    _, reservation = opened
    party = reservation["passengers"]
    old_text: str | None = yield Ask(
        "old_passenger", f"I see {names(party)} on this reservation. Which passenger should be changed?"
    )
    old = next((one for one in party if _named(one, old_text or "")), party[0] if len(party) == 1 else None)
    if old is None:
        yield Refuse(f"I'm sorry, I can't find that passenger on the reservation. It is for {names(party)}.", "6.5")
        return
    new_text: str | None = yield Ask(
        "new_passenger", "What are the correct details? I need the first name, the last name and the date of birth."
    )
    details = wording.passengers(new_text or "")
    if len(details) != 1:
        yield Refuse("I'm sorry, I can't change a passenger without their full name and date of birth.", "6.5")
        return
    new = details[0]
    agreed: bool = yield Confirm(
        f"On reservation {reservation['reservation_id']}, I would replace {names([old])} (born {old['dob']}) with "
        f"{names([new])} (born {new['dob']}). There is no charge for that."
    )
    if not agreed:
        yield Tell(KEPT)
        return
    passengers = [new if one is old else dict(one) for one in party]
    result: CallResult = yield Call(
        "update_reservation_passengers",
        {"reservation_id": reservation["reservation_id"], "passengers": passengers},
    )
    if result.error:
        yield Refuse(f"I'm sorry, I can't make this change: {reason_of(result)}.", "6.5")
        return
    yield Tell(
        f"<Done!|That's done.> {names([new])} is now on reservation {reservation['reservation_id']}, born "
        f"{new['dob']}; the "
        "reservation has been updated."
    )


def _named(person: Json, text: str) -> bool:
    lowered = text.lower()
    return f"{person['first_name']} {person['last_name']}".lower() in lowered
