"""The generator: worlds that hang together, the same for the same seed, at any size."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from eigen_cli.api.canonical import content_hash
from eigen_telecom import coupling
from eigen_telecom.generator import generate
from eigen_telecom.handset import Phone, Surroundings
from eigen_telecom.network import data_works, mms_works, searched, speed_of
from eigen_telecom.records import Bill, Customer, Device, Line, Plan
from eigen_telecom.rules import FULL_SPEED


def test_seeds_and_sizes() -> None:
    assert content_hash(list(generate(seed=4, size=0))) == content_hash(list(generate(seed=4, size=0)))
    assert content_hash(list(generate(seed=4, size=0))) != content_hash(list(generate(seed=5, size=0)))
    for size in (100, 2000, 8000):
        assert 0.85 * size < sum(1 for _ in generate(seed=1, size=size)) < 1.15 * size
    assert 350 < sum(1 for _ in generate(seed=1, size=0)) < 650


def test_records_name_each_other(generated: Any) -> None:
    for seed in (1, 2):
        world = generated(seed)
        customers, lines, bills = world.table(Customer), world.table(Line), world.table(Bill)
        for customer in customers.values():
            owned = [lines.get(key) for key in customer.line_ids]
            assert owned and all(line.customer_id == customer.customer_id for line in owned)
            assert customer.phone_number == owned[0].phone_number and owned[0].status == "Active"
            sent = [bills.get(key) for key in customer.bill_ids]
            assert all(bill.customer_id == customer.customer_id for bill in sent)
            assert all(one.issue_date < other.issue_date for one, other in pairwise(sent))
        for line in lines.values():
            plan, device = world.table(Plan).get(line.plan_id), world.table(Device).get(line.device_id)
            assert device is not None and 0 < line.data_used_gb < plan.data_limit_gb
            assert line.customer_id in customers and (line.status == "Suspended") is bool(line.suspension_start_date)
        for bill in bills.values():
            assert bill.total_due == sum(item.amount for item in bill.line_items) > 0
            assert bill.period_start < bill.period_end < bill.issue_date < bill.due_date


def test_keys_and_numbers_never_repeat() -> None:
    records = list(generate(seed=3, size=8000))
    lines = [record for record in records if isinstance(record, Line)]
    assert len({line.phone_number for line in lines}) == len({line.line_id for line in lines}) == len(lines) > 1000
    assert all(line.phone_number.startswith("555-") and len(line.phone_number) == 12 for line in lines)


def test_worlds_are_varied(generated: Any) -> None:
    world = generated(1)
    assert {line.status for line in world.table(Line).values()} >= {"Active", "Suspended"}
    assert {bill.status for bill in world.table(Bill).values()} == {"Paid", "Issued", "Overdue"}
    sizes = Counter(len(customer.line_ids) for customer in world.table(Customer).values())
    assert set(sizes) == {1, 2, 3} and min(sizes.values()) >= 5
    assert len({device.device_type for device in world.table(Device).values()}) >= 3


def test_one_phone_in_one_hand_and_it_works(generated: Any) -> None:
    for seed in (1, 2, 3):
        world = generated(seed)
        assert len(world.table(Phone)) == len(world.table(Surroundings)) == 1
        assert coupling.line_of_phone(world) is not None
        phone = coupling.phone_in(world)
        assert phone == searched(phone, coupling.surroundings_in(world), line_active=coupling.line_active(world))
        assert data_works(world) and mms_works(world) and (speed_of(world).mbps or 0) >= FULL_SPEED
