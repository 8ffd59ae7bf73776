"""Telecom tasks of ours in the benchmark's terms: checks as environment assertions, worlds as initialization data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from eigen_cli.api.record import Record, from_json
from eigen_cli.api.tasks import CheckCall, Task, WorldRef
from eigen_tau2.records_view import RecordsView
from eigen_tau2.telecom_records import CARRIER, KEYS, written
from eigen_telecom.domain import Telecom
from eigen_telecom.handset import PHONE, SURROUNDINGS, Phone, Surroundings
from eigen_telecom.records import Customer

Assertion = dict[str, Any]
Records = Mapping[str, Mapping[str, Any]]
"""Records by table and key."""

_SWITCHES = {
    "airplane_mode": "assert_airplane_mode_status",
    "mobile_data": "assert_mobile_data_status",
    "data_roaming": "assert_mobile_roaming_status",
    "data_saver": "assert_mobile_data_saver_mode_status",
    "can_send_mms": "assert_can_send_mms",
    "data_used_up": "assert_mobile_data_usage_exceeded",
}
_KINDS: Mapping[str, type[Record]] = {**CARRIER, "surroundings": Surroundings, "phones": Phone}


def assertion_of(check: CheckCall, records: Records) -> Assertion | None:
    """Return the environment assertion that a check is, or None where the benchmark has none.

    `records` say whose a line or a bill is: the benchmark's functions want to be told.
    """
    given = check.arguments
    if check.name == "denied":
        inner = assertion_of(CheckCall(given["check"], given["arguments"]), records)
        return inner and {**inner, "assert_value": not inner["assert_value"]}
    if check.name in _SWITCHES:
        return _assertion("user", _SWITCHES[check.name], expected_status=given.get("expected", True))
    known = _OTHERS.get(check.name)
    return known(given, records) if known else None


def _assertion(side: str, name: str, *, asserted: bool = True, **arguments: Any) -> Assertion:
    return {"env_type": side, "func_name": name, "arguments": arguments, "assert_value": asserted, "message": None}


def _speed(given: Mapping[str, Any], records: Records) -> Assertion:
    del records
    grade = {"expected_desc": given["grade"]} if given.get("grade") else {}
    return _assertion("user", "assert_internet_speed", expected_speed=given["mbps"], **grade)


def _owner(table: str, key: str, records: Records) -> str | None:
    record = records[table].get(key)
    return None if record is None else record.customer_id


def _refuelled(given: Mapping[str, Any], records: Records) -> Assertion | None:
    owner = given.get("customer_id") or _owner("lines", given["line_id"], records)
    line = {"customer_id": owner, "line_id": given["line_id"], "expected_amount": given["gb"]}
    return (
        _assertion("assistant", "assert_data_refueling_amount", asserted=given.get("asserted", True), **line)
        if owner
        else None
    )


def _line_status(given: Mapping[str, Any], records: Records) -> Assertion | None:
    owner = given.get("customer_id") or _owner("lines", given["line_id"], records)
    line = {
        "customer_id": owner,
        "line_id": given["line_id"],
        "expected_status": given.get("status", given.get("expected")),
    }
    return (
        _assertion("assistant", "assert_line_status", asserted=given.get("asserted", True), **line) if owner else None
    )


def _overdue(given: Mapping[str, Any], records: Records) -> Assertion | None:
    owner = given.get("customer_id") or _owner("bills", given["bill_id"], records)
    bill = {"customer_id": owner, "overdue_bill_id": given["bill_id"]}
    return (
        _assertion("assistant", "assert_overdue_bill_exists", asserted=given.get("asserted", True), **bill)
        if owner
        else None
    )


_OTHERS: Mapping[str, Callable[[Mapping[str, Any], Records], Assertion | None]] = {
    "service_status": lambda given, _: _assertion("user", "assert_service_status", expected_status=given["expected"]),
    "internet_speed": _speed,
    "internet_not_excellent": lambda _given, _records: _assertion("user", "assert_internet_not_excellent"),
    "no_overdue_bill": lambda given, _: _assertion(
        "assistant", "assert_no_overdue_bill", overdue_bill_id=given["bill_id"]
    ),
    "refuelled": _refuelled,
    "refuelled_by": _refuelled,
    "line_status": _line_status,
    "status_of_line": _line_status,
    "overdue_bill": _overdue,
    "overdue_bill_of": _overdue,
}


def records_of(task: Task) -> Records:
    """Return the records a telecom task starts with: those of its generated world, patched.

    Raises `ValueError` for a patch that removes records, which initialization data cannot say.
    """
    base = _world(task.world)
    records: dict[str, dict[str, Any]] = {name: dict(base.table(kind).items()) for name, kind in _KINDS.items()}
    for patch in task.patch:
        if patch.record is None or patch.table not in _KINDS:
            raise ValueError(f"their patch removes records of {patch.table}")
        records[patch.table][patch.key] = from_json(patch.record, _KINDS[patch.table])
    return records


def initialization_of(task: Task, records: Records) -> dict[str, Any]:
    """Return initialization data that makes the benchmark's databases the part of the world a task is about.

    That is every plan, and the customers whom the patch or the gold calls name, with their lines, bills and devices;
    lists replace the benchmark's own.
    """
    people = [row for row in records["customers"].values() if _named(row, task)]
    lines = [row for row in records["lines"].values() if row.customer_id in {person.customer_id for person in people}]
    rows: dict[str, Iterable[Any]] = {
        "plans": records["plans"].values(),
        "customers": people,
        "lines": lines,
        "bills": [records["bills"][bill] for person in people for bill in person.bill_ids if bill in records["bills"]],
        "devices": [records["devices"][line.device_id] for line in lines if line.device_id in records["devices"]],
    }
    user = {
        "device": written(records["phones"][PHONE]),
        "surroundings": written(records["surroundings"][SURROUNDINGS]),
    }
    return {"agent_data": {name: [written(row) for row in rows[name]] for name in KEYS}, "user_data": user}


def _named(person: Customer, task: Task) -> bool:
    if any(patch.table == "customers" and patch.key == person.customer_id for patch in task.patch):
        return True
    named = {value for action in task.gold for value in action.arguments.values() if isinstance(value, str)}
    return not named.isdisjoint((person.customer_id, person.phone_number, person.full_name, *person.line_ids))


@lru_cache(maxsize=4)
def _world(ref: WorldRef) -> RecordsView:
    domain = Telecom()
    return RecordsView(domain, domain.generate(seed=ref.seed, size=ref.size))
