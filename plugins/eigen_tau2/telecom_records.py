"""tau2-bench's two telecom databases as records of ours, and any world of ours as those two databases.

What is read is checked against the benchmark's schema: missing fields get its defaults, unknown ones are refused.
What is written is what its models dump: floats as floats, `None` fields kept, dates as `str` writes them, and in the
user's surroundings the four values that the benchmark copies there from the carrier's side.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from eigen_cli.api.record import Record, from_json
from eigen_telecom import coupling
from eigen_telecom.handset import PHONE, SURROUNDINGS, ApnSettings, Phone, Surroundings, VpnDetails
from eigen_telecom.records import Bill, Customer, Device, Line, Plan

Row = dict[str, Any]
"""A record in the benchmark's form, as JSON values."""
R = TypeVar("R", bound=Record)

CARRIER: Mapping[str, type[Record]] = {
    "plans": Plan,
    "customers": Customer,
    "lines": Line,
    "bills": Bill,
    "devices": Device,
}
"""The lists of the carrier's database, which are also names of our tables."""
KEYS = {"plans": "plan_id", "customers": "customer_id", "lines": "line_id", "bills": "bill_id", "devices": "device_id"}

APN = ApnSettings(mmsc_url="http://mms.carrier.com/mms/wapenc")
"""What the benchmark's phones return to when their access point is reset."""
VPN = VpnDetails("192.168.1.1", "OpenVPN", "excellent")
"""What its phones connect to."""

_DEFAULTS: Mapping[str, Row] = {
    "customers": {
        "account_status": "Pending Verification",
        "payment_methods": [],
        "line_ids": [],
        "bill_ids": [],
        "created_at": "2025-01-01T00:00:00",
    },
    "lines": {"status": "Pending Activation"},
}
_OURS = {Line: ("customer_id",), Phone: ("id", "vpn_profile"), Surroundings: ("id", "carrier_apn")}
"""Fields that the benchmark's records do not have."""
_PLAIN = frozenset({str, int, float, bool, type(None)})


class Copied(NamedTuple):
    """What the benchmark copies from the carrier's side into the user's surroundings, and its values before that."""

    roaming_allowed: bool = False
    mobile_data_usage_exceeded: bool = False
    line_active: bool = True
    payment_request: Row | None = None


def copied(world: coupling.Readable) -> Copied:
    """Return the copies as they are once both sides are synchronised."""
    bill = coupling.payment_request(world)
    return Copied(
        coupling.roaming_allowed(world),
        coupling.data_used_up(world),
        coupling.line_active(world),
        None if bill is None else {"bill_id": bill.bill_id, "amount_due": float(bill.total_due), "paid": False},
    )


def carrier_records(database: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the records of the carrier's database. Raises `ValueError` where it does not fit the schema."""
    if unknown := sorted(set(database) - set(CARRIER)):
        raise ValueError(f"the carrier's database has {', '.join(unknown)}; known are {', '.join(CARRIER)}")
    lists = {name: _rows(database.get(name, []), name) for name in CARRIER}
    owners: dict[Any, Any] = {}
    for customer in lists["customers"]:
        for line_id in customer.get("line_ids") or ():
            owners.setdefault(line_id, customer.get("customer_id", ""))
    for name, record in CARRIER.items():
        for row in lists[name]:
            ours = {"customer_id": owners.get(row.get("line_id"), "")} if record is Line else {}
            yield _read({**_DEFAULTS.get(name, {}), **row}, record, f"{name} {row.get(KEYS[name], '?')}", ours)


def phone_records(database: Mapping[str, Any]) -> tuple[Phone, Surroundings]:
    """Return the records of the user's database. Raises `ValueError` where it does not fit the schema.

    The copied values are refused where a synchronisation would not overwrite them: ours follow from the carrier's side.
    """
    if unknown := sorted(set(database) - {"device", "surroundings"}):
        raise ValueError(f"the user's database has {', '.join(unknown)}; known are device, surroundings")
    device, around = (dict(_mapping(database.get(name, {}), name)) for name in ("device", "surroundings"))
    if "active_apn_settings" in device or not device:
        device["active_apn_settings"] = {**written(APN), **_mapping(device.get("active_apn_settings", {}), "device")}
    given = Copied(**{name: around.pop(name) for name in Copied._fields if name in around})
    if given.payment_request is not None or (around.get("phone_number") is None and given != Copied()):
        raise ValueError(f"the user's surroundings have {given._asdict()}, which the carrier's records do not bear out")
    device.setdefault("active_apn_settings", written(APN))
    phone = _read(device, Phone, "device", {"id": PHONE, "vpn_profile": written(VPN)})
    return phone, _read(around, Surroundings, "surroundings", {"id": SURROUNDINGS, "carrier_apn": written(APN)})


def written(value: Any) -> Any:
    """Return a record, or a value inside one, in the benchmark's form."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Record):
        hidden = _OURS.get(type(value), ())
        return {name: written(getattr(value, name)) for name in value.__struct_fields__ if name not in hidden}
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, Mapping):
        return {key: written(item) for key, item in value.items()}
    return [written(item) for item in value]


def carrier_side(world: coupling.Readable) -> Row:
    """Return the carrier's database."""
    return {name: [written(row) for row in world.table(record).values()] for name, record in CARRIER.items()}


def phone_side(world: coupling.Readable, copies: Copied) -> Row:
    """Return the user's database, with the given copies of the carrier's side."""
    surroundings = {**written(coupling.surroundings_in(world)), **copies._asdict()}
    return {"device": written(coupling.phone_in(world)), "surroundings": surroundings}


def _rows(value: Any, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise ValueError(f"{where} is a {type(value).__name__}, not a list")
    return [_mapping(row, where) for row in value]


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} holds a {type(value).__name__}, not an object")
    return value


def _read(row: Mapping[str, Any], record: type[R], where: str, ours: Mapping[str, Any]) -> R:
    try:
        read = from_json({**row, **ours}, record)
    except msgspec.ValidationError as error:
        raise ValueError(f"{where}: {error}") from None
    if unknown := next(_unknown(row, written(read)), None):
        raise ValueError(f"{where} has the unknown field {unknown}")
    return read


def _unknown(given: Any, known: Any, path: str = "") -> Iterator[str]:
    """Yield what was given and not read: it has no place in the benchmark's schema."""
    if isinstance(given, Mapping):
        for name, value in given.items():
            if name not in known:
                yield f"{path}{name}"
            else:
                yield from _unknown(value, known[name], f"{path}{name}.")
    elif isinstance(given, list):
        for item, read in zip(given, known, strict=True):
            yield from _unknown(item, read, path)
