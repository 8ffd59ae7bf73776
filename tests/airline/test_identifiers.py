"""Ids made by tools: new in their world, and others in another world."""

from __future__ import annotations

from typing import Any

from eigen_airline.identifiers import new_certificate_id, new_reservation_id
from eigen_airline.records import Reservation, User
from eigen_cli.world.world import Transaction, World


def made(world: World, count: int) -> list[tuple[str, str]]:
    transaction = Transaction(world)
    return [(new_reservation_id(transaction), new_certificate_id(transaction)) for _ in range(count)]


def test_they_differ_from_world_to_world_and_repeat_within_one(generated: Any) -> None:
    firsts = [made(generated(seed), 1)[0] for seed in range(3)]
    assert len({reservation for reservation, _ in firsts}) == len({certificate for _, certificate in firsts}) == 3
    assert made(generated(0), 5) == made(generated(0), 5)


def test_they_are_new_and_shaped_as_ids_are(generated: Any) -> None:
    world = generated(1)
    reservations, certificates = (set(ids) for ids in zip(*made(world, 2000), strict=True))
    assert len(reservations) == len(certificates) == 2000
    assert not reservations & set(world.table(Reservation).keys())
    assert not certificates & {key for user in world.table(User).values() for key in user.payment_methods}
    assert all(len(key) == 6 and key[0] == "Q" and key[-1].isdigit() for key in reservations)
    assert all(key.startswith("certificate_9") and len(key) == len("certificate_") + 7 for key in certificates)
