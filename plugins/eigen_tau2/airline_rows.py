"""The airline's customers and reservations as the benchmark writes them, and our records that stand for them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, cast

from eigen_airline.records import (
    CABINS,
    Address,
    Cabin,
    Certificate,
    CreditCard,
    GiftCard,
    Name,
    Passenger,
    Payment,
    PaymentMethod,
    Reservation,
    ReservationFlight,
    User,
)
from eigen_cli.api.record import FrozenMap, Money, Record
from eigen_tau2.airline_timetable import calendar_date, timetable_records
from eigen_tau2.coercion import list_of, map_of, one_of, real, shaped, text, whole
from eigen_tau2.rows import Form, Row, exact, tables_of

NO_TIME = datetime.datetime.min
"""What a record says where a row holds no time that a clock knows."""
_LARGEST_COUNT = 2**53

ADDRESS = shaped(dict.fromkeys(("address1", "city", "country", "state", "zip"), text), {"address2": text})
PASSENGER = shaped({"first_name": text, "last_name": text, "dob": text})
PAYMENT = shaped({"payment_id": text, "amount": whole})
FLIGHT_INFO = shaped({"flight_number": text, "date": text})
_CARD = shaped({"source": text, "id": text, "brand": text, "last_four": text})
_BALANCE = shaped({"source": text, "id": text, "amount": real})


def _method(value: Any) -> Row:
    source = value.get("source") if isinstance(value, dict) else value
    card = one_of("credit_card", "gift_card", "certificate")(source) == "credit_card"
    return cast(Row, (_CARD if card else _BALANCE)(value))


def _user(_key: str, row: Row) -> User:
    return User(
        user_id=row["user_id"],
        name=Name(**row["name"]),
        address=Address(**row["address"]),
        email=row["email"],
        dob=calendar_date(row["dob"]),
        payment_methods=FrozenMap({key: _stored(method) for key, method in row["payment_methods"].items()}),
        saved_passengers=_people(row["saved_passengers"]),
        membership=row["membership"],
        reservations=tuple(row["reservations"]),
    )


def _stored(method: Row) -> PaymentMethod:
    if method["source"] == "credit_card":
        return CreditCard(method["id"], method["brand"], method["last_four"])
    kind = GiftCard if method["source"] == "gift_card" else Certificate
    return kind(method["id"], exact(method["amount"]))


def _written_user(user: User) -> Row:
    return {
        "user_id": user.user_id,
        "name": _fields(user.name),
        "address": _fields(user.address),
        "email": user.email,
        "dob": user.dob.isoformat(),
        "payment_methods": {key: _written_method(method) for key, method in user.payment_methods.items()},
        "saved_passengers": [_written_person(person) for person in user.saved_passengers],
        "membership": user.membership,
        "reservations": list(user.reservations),
    }


def _written_method(method: PaymentMethod) -> Row:
    if isinstance(method, CreditCard):
        return {"source": "credit_card", "id": method.id, "brand": method.brand, "last_four": method.last_four}
    source = "gift_card" if isinstance(method, GiftCard) else "certificate"
    return {"source": source, "id": method.id, "amount": float(method.amount)}


def _reservation(_key: str, row: Row) -> Reservation:
    return Reservation(
        reservation_id=row["reservation_id"],
        user_id=row["user_id"],
        origin=row["origin"],
        destination=row["destination"],
        flight_type=row["flight_type"],
        cabin=_cabin(row["cabin"]),
        flights=tuple(
            ReservationFlight(**{**flight, "date": calendar_date(flight["date"])}) for flight in row["flights"]
        ),
        passengers=_people(row["passengers"]),
        payment_history=tuple(Payment(paid["payment_id"], exact(paid["amount"])) for paid in row["payment_history"]),
        created_at=_time(row["created_at"]),
        total_baggages=_count(row["total_baggages"]),
        nonfree_baggages=_count(row["nonfree_baggages"]),
        insurance=row["insurance"],
        status=row["status"],
    )


def _segment(row: Row) -> ReservationFlight:
    return ReservationFlight(**{**row, "date": calendar_date(row["date"])})


def _written_reservation(reservation: Reservation) -> Row:
    return {
        "reservation_id": reservation.reservation_id,
        "user_id": reservation.user_id,
        "origin": reservation.origin,
        "destination": reservation.destination,
        "flight_type": reservation.flight_type,
        "cabin": reservation.cabin,
        "flights": [{**_fields(flight), "date": flight.date.isoformat()} for flight in reservation.flights],
        "passengers": [_written_person(person) for person in reservation.passengers],
        "payment_history": [
            {"payment_id": paid.payment_id, "amount": _number(paid.amount)} for paid in reservation.payment_history
        ],
        "created_at": reservation.created_at.isoformat(),
        "total_baggages": reservation.total_baggages,
        "nonfree_baggages": reservation.nonfree_baggages,
        "insurance": reservation.insurance,
        "status": reservation.status,
    }


def _people(rows: Any) -> tuple[Passenger, ...]:
    # A tool of the benchmark's stores a passenger list of another shape as it comes; the remainder then holds it.
    people = rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else []
    return tuple(Passenger(row["first_name"], row["last_name"], calendar_date(row["dob"])) for row in people)


def _written_person(person: Passenger) -> Row:
    return {"first_name": person.first_name, "last_name": person.last_name, "dob": person.dob.isoformat()}


def _cabin(value: Any) -> Cabin:
    return value if isinstance(value, str) and value in CABINS else "economy"


def _count(value: Any) -> int:
    return value if type(value) is int and abs(value) < _LARGEST_COUNT else 0


def _time(value: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return NO_TIME


def _number(amount: Money) -> int | float:
    return int(amount) if amount == int(amount) else float(amount)


def _fields(record: Record) -> Row:
    return {name: getattr(record, name) for name in record.__struct_fields__}


USERS = Form(
    table="users",
    kind=User,
    key="user_id",
    checked=shaped(
        {
            "user_id": text,
            "name": shaped({"first_name": text, "last_name": text}),
            "address": shaped(dict.fromkeys(("address1", "city", "country", "state", "zip"), text), {"address2": text}),
            "email": text,
            "dob": text,
            "payment_methods": map_of(_method),
            "saved_passengers": list_of(PASSENGER),
            "membership": one_of("gold", "silver", "regular"),
            "reservations": list_of(text),
        }
    ),
    written=_written_user,
    record=_user,
)
BOOKING = {
    "reservation_id": text,
    "user_id": text,
    "origin": text,
    "destination": text,
    "flight_type": one_of("round_trip", "one_way"),
    "cabin": one_of(*CABINS),
    "flights": list_of(
        shaped({"flight_number": text, "origin": text, "destination": text, "date": text, "price": whole})
    ),
    "passengers": list_of(PASSENGER),
    "payment_history": list_of(PAYMENT),
    "created_at": text,
    "total_baggages": whole,
    "nonfree_baggages": whole,
    "insurance": one_of("yes", "no"),
}
RESERVATIONS = Form(
    table="reservations",
    kind=Reservation,
    key="reservation_id",
    checked=shaped(BOOKING, {"status": one_of("cancelled")}),
    written=_written_reservation,
    record=_reservation,
)


def database_records(database: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the records of a database, in its order; raises `ConfigError` for another schema."""
    tables = tables_of(database, "flights", "users", "reservations")
    yield from timetable_records(tables["flights"])
    for form in (USERS, RESERVATIONS):
        for key, raw in tables[form.table].items():
            yield from form.records(key, raw)
