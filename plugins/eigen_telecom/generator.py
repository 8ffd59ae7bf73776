"""The seeded world generator: plans, then customers with their devices, lines and bills, then one customer's phone.

Worlds are small by default. A task puts the phone into the hands of its own customer (`eigen_telecom.troubles`).
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from typing import Any

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.record import FrozenMap, Record, money
from eigen_telecom.billing import month_end
from eigen_telecom.customers import address, birth_date, drawn, full_name, payment_methods
from eigen_telecom.handset import Phone, Signal, Surroundings, Technology
from eigen_telecom.network import searched
from eigen_telecom.records import Bill, BillStatus, Customer, Device, DeviceType, Line, LineItem, LineStatus, Plan
from eigen_telecom.rules import BILL_TERM, NOW

DEFAULT_CUSTOMERS = 60
_RECORDS_PER_CUSTOMER = 1 + 2 * 1.8 + 3
_FIRST_ID = 20_001
_NUMBER_STEP = 3_141_593  # prime to 8,000,000, so that phone numbers never repeat within a world

PLANS: tuple[Plan, ...] = (
    Plan("P2001", "Merlin Lite", 4.0, money(25), money(6)),
    Plan("P2002", "Merlin Flow", 12.0, money(42), money(4)),
    Plan("P2003", "Merlin Max", 40.0, money(64), money("2.5")),
    Plan("P2004", "Merlin Household", 25.0, money(58), money(3)),
    Plan("P2005", "Merlin Things", 1.0, money(9), money(8)),
)
_PHONE_PLANS = (PLANS[0], PLANS[1], PLANS[1], PLANS[2], PLANS[3])
_MODELS: dict[DeviceType, tuple[str, ...]] = {
    "phone": ("Osprey 5", "Osprey 5 Mini", "Lumen Fold", "Tern X2", "Kite 11"),
    "tablet": ("Osprey Slate", "Kite Pad"),
    "watch": ("Tern Band",),
    "router": ("Harbor Hub",),
}
_TYPES: tuple[DeviceType, ...] = ("phone",) * 4 + ("tablet", "watch", "router")
_STATUSES: tuple[LineStatus, ...] = ("Active",) * 8 + ("Suspended", "Pending Activation")
AROUND: tuple[FrozenMap[Technology, Signal], ...] = (
    FrozenMap({"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}),
    FrozenMap({"2G": "fair", "3G": "fair", "4G": "good", "5G": "good"}),
    FrozenMap({"2G": "poor", "3G": "poor", "4G": "fair", "5G": "excellent"}),
)
"""What the network offers in different places; 5G always gives full speed."""


def generate(*, seed: int, size: int) -> Iterator[Record]:
    """Yield about `size` records; 0 is the default size."""
    customers = DEFAULT_CUSTOMERS if size <= 0 else max(4, round(size / _RECORDS_PER_CUSTOMER))
    maker = _Maker(derive_rng("telecom", seed, "customers"))
    yield from PLANS
    caller: tuple[Customer, Line] | None = None
    for number in range(customers):
        records = maker.household(number)
        if caller is None:
            customer = next(record for record in records if isinstance(record, Customer))
            caller = customer, next(record for record in records if isinstance(record, Line))
        yield from records
    assert caller is not None
    around = Surroundings(name=caller[0].full_name, phone_number=caller[1].phone_number, signal_strength=AROUND[0])
    yield around
    yield searched(Phone(), around, line_active=caller[1].status == "Active")


class _Maker:
    """Makes customers with ids and numbers that never repeat."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._number = int(rng.random() * 8_000_000)
        self._lines = self._bills = _FIRST_ID

    def household(self, number: int) -> list[Record]:
        """Return a customer's devices and lines, then the customer, then the bills."""
        rng, customer_id, name = self._rng, f"C{_FIRST_ID + number}", full_name(self._rng)
        lines: list[Line] = []
        devices: list[Device] = []
        for place in range(1 + int(rng.random() * 2.6)):
            kind: DeviceType = "phone" if place == 0 else drawn(rng, _TYPES)
            device = self._device(kind)
            devices.append(device)
            lines.append(self._line(customer_id, device, first=place == 0))
        bills = [self._bill(customer_id, lines, months_ago=back) for back in (2, 1, 0)]
        customer = Customer(
            customer_id=customer_id,
            full_name=name,
            date_of_birth=birth_date(rng),
            email=f"{name.replace(' ', '.').lower()}{10 + int(rng.random() * 990)}@post.example",
            phone_number=lines[0].phone_number,
            address=address(rng),
            account_status="Active",
            payment_methods=payment_methods(rng),
            line_ids=tuple(line.line_id for line in lines),
            bill_ids=tuple(bill.bill_id for bill in bills),
            created_at=self._moment(2019, 5),
        )
        return [*devices, *lines, customer, *bills]

    def _device(self, kind: DeviceType) -> Device:
        rng = self._rng
        return Device(
            device_id=f"D{self._lines}",
            device_type=kind,
            model=drawn(rng, _MODELS[kind]),
            is_esim_capable=rng.random() < 0.7,
            imei="".join(str(int(rng.random() * 10)) for _ in range(15)),
            activated=True,
            activation_date=self._moment(2023, 2),
        )

    def _line(self, customer_id: str, device: Device, *, first: bool) -> Line:
        rng = self._rng
        plan = drawn(rng, _PHONE_PLANS) if device.device_type == "phone" else PLANS[4]
        self._number = (self._number + _NUMBER_STEP) % 8_000_000
        digits = f"{2_000_000 + self._number}"
        status: LineStatus = "Active" if first else drawn(rng, _STATUSES)
        details: dict[str, Any] = {}
        if status == "Suspended":
            details["suspension_start_date"] = NOW.date() - datetime.timedelta(days=5 + int(rng.random() * 80))
        line = Line(
            line_id=f"L{self._lines}",
            customer_id=customer_id,
            phone_number=f"555-{digits[:3]}-{digits[3:]}",
            status=status,
            plan_id=plan.plan_id,
            device_id=device.device_id,
            data_used_gb=round(plan.data_limit_gb * (0.1 + 0.8 * rng.random()), 1),
            roaming_enabled=rng.random() < 0.4,
            contract_end_date=NOW.date() + datetime.timedelta(days=30 + int(rng.random() * 700)),
            **details,
        )
        self._lines += 1
        return line

    def _bill(self, customer_id: str, lines: list[Line], *, months_ago: int) -> Bill:
        month = NOW.month - 1 - months_ago
        start = datetime.date(NOW.year, month, 1)
        issued = month_end(start) + datetime.timedelta(days=1)
        prices = {plan.plan_id: plan for plan in PLANS}
        items = tuple(
            LineItem(f"{prices[line.plan_id].name}, {line.phone_number}", plan.price_per_month, issued, "Plan Charge")
            for line in lines
            for plan in (prices[line.plan_id],)
        )
        status: BillStatus = "Paid" if months_ago else "Issued"
        if months_ago == 1 and self._rng.random() < 0.25:
            status = "Overdue"
        self._bills += 1
        return Bill(
            bill_id=f"B{self._bills - 1}",
            customer_id=customer_id,
            period_start=start,
            period_end=month_end(start),
            issue_date=issued,
            total_due=money(sum((item.amount for item in items), money(0))),
            due_date=issued + BILL_TERM,
            line_items=items,
            status=status,
        )

    def _moment(self, year: int, years: int) -> datetime.datetime:
        rng = self._rng
        day = datetime.datetime(
            year + int(rng.random() * years), 1 + int(rng.random() * 12), 1 + int(rng.random() * 28)
        )
        return day + datetime.timedelta(minutes=int(rng.random() * 1440))
