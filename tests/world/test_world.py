from __future__ import annotations

import gc

import pytest
from ledger import Account, Ledger, Transfer

from eigen_cli.api.errors import DomainError, ToolError
from eigen_cli.api.record import Record, money
from eigen_cli.api.tasks import RecordPatch, WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


def _moved(toolbox: Toolbox, world: World, source: str, target: str, amount: float) -> World:
    outcome = toolbox.call(world, "transfer", {"source": source, "target": target, "amount": amount})
    assert not outcome.error, outcome.content
    return outcome.world


def test_a_write_leaves_every_earlier_world_as_it_was(world: World, toolbox: Toolbox) -> None:
    before = world.table(Account).get("A0001")
    after = _moved(toolbox, world, "A0001", "A0002", 10)
    assert world.table(Account).get("A0001") == before
    changed = after.table(Account).get("A0001")
    assert before is not None and changed is not None and changed.balance == before.balance - 10
    assert len(world.table(Transfer)) == 0 and len(after.table(Transfer)) == 1


def test_a_call_that_raises_drops_its_overlay(world: World, toolbox: Toolbox) -> None:
    outcome = toolbox.call(world, "transfer", {"source": "A0001", "target": "A0002", "amount": 1_000_000})
    assert outcome.error and "the balance of A0001 is 138" in outcome.content
    assert outcome.world is world and outcome.changes == ()
    half = toolbox.call(
        world,
        "spread",
        {"source": "A0001", "legs": [{"account_id": "A0002", "amount": 1}, {"account_id": "A0003", "amount": 9999}]},
    )
    assert half.error and half.world is world


def test_rows_written_back_to_the_base_leave_the_delta(world: World, toolbox: Toolbox) -> None:
    there = _moved(toolbox, world, "A0001", "A0002", 10)
    back = _moved(toolbox, there, "A0002", "A0001", 10)
    assert set(there.delta["accounts"]) == {"A0001", "A0002"}
    assert "accounts" not in back.delta
    assert set(back.delta) == {"transfers"}


def test_state_hash_tells_states_apart_and_depends_on_nothing_else(world: World, toolbox: Toolbox) -> None:
    first = _moved(toolbox, _moved(toolbox, world, "A0001", "A0002", 10), "A0003", "A0004", 5)
    again = _moved(toolbox, _moved(toolbox, world, "A0001", "A0002", 10), "A0003", "A0004", 5)
    swapped = _moved(toolbox, _moved(toolbox, world, "A0003", "A0004", 5), "A0001", "A0002", 10)
    assert first.state_hash() == again.state_hash() != world.state_hash()
    assert first.state_hash() != swapped.state_hash(), "the ids of the two transfers are swapped"
    other = build_base(Ledger(), WorldRef(2, 100), freeze=False)
    assert other.hash != world.base.hash == build_base(Ledger(), WorldRef(1, 100), freeze=False).hash


def test_outcomes_are_equal_up_to_the_ids_tools_made_up(world: World, toolbox: Toolbox) -> None:
    first = _moved(toolbox, _moved(toolbox, world, "A0001", "A0002", 10), "A0003", "A0004", 5)
    swapped = _moved(toolbox, _moved(toolbox, world, "A0003", "A0004", 5), "A0001", "A0002", 10)
    other = _moved(toolbox, _moved(toolbox, world, "A0001", "A0002", 10), "A0003", "A0004", 6)
    assert first.outcome_hash() == swapped.outcome_hash()
    assert first.outcome_hash() != other.outcome_hash() != world.outcome_hash()


def test_canonical_decides_what_counts() -> None:
    class Forgetful(Ledger):
        def canonical(self, record: Record) -> object:
            return {**{n: getattr(record, n) for n in record.__struct_fields__}, "owner": ""}

    domain = Forgetful()
    world = World(build_base(domain, WorldRef(1, 10), freeze=False))
    transaction = world.begin()
    account = transaction.table(Account).require("A0001")
    transaction.table(Account).put(Account(account.account_id, "someone else", account.balance, account.tier))
    renamed = transaction.commit()[0]
    assert renamed.state_hash() != world.state_hash()
    assert renamed.outcome_hash() == world.outcome_hash()


def test_a_diff_lists_records_field_by_field(world: World, toolbox: Toolbox) -> None:
    outcome = toolbox.call(world, "transfer", {"source": "A0001", "target": "A0002", "amount": 10.5})
    shown = [(c.table, c.key, c.kind, [(f.name, f.before, f.after) for f in c.fields]) for c in outcome.changes]
    assert shown[0] == ("accounts", "A0001", "changed", [("balance", 138, 127.5)])
    assert shown[2][:3] == ("transfers", "T0001", "added")
    assert ("amount", None, 10.5) in shown[2][3]
    closed = toolbox.call(outcome.world, "close_account", {"account_id": "A0009"})
    assert [(c.kind, c.fields[0].after) for c in closed.changes] == [("removed", None)]


def test_indexes_follow_the_delta(world: World) -> None:
    accounts = [a.account_id for a in world.table(Account).find(owner="owner3")]
    assert accounts[:3] == ["A0003", "A0013", "A0023"] and len(accounts) == 10
    transaction = world.begin()
    table = transaction.table(Account)
    table.put(Account("A0500", "owner3", money(1)))
    table.delete("A0013")
    moved = table.require("A0003")
    table.put(Account("A0003", "owner4", moved.balance, moved.tier))
    after = transaction.commit()[0]
    assert [a.account_id for a in after.table(Account).find(owner="owner3")][:2] == ["A0023", "A0033"]
    assert [a.account_id for a in after.table(Account).find(owner="owner3")][-1] == "A0500"
    assert "A0003" in [a.account_id for a in after.table(Account).find(owner="owner4")]
    assert all(a.tier == "plus" for a in after.table(Account).find(owner="owner3", tier="plus"))
    assert len(after.table(Account)) == 100
    assert list(after.table(Account).keys())[-1] == "A0500" and "A0013" not in list(after.table(Account).keys())
    with pytest.raises(DomainError, match="no index on balance"):
        after.table(Account).find(balance=3)


def test_a_snapshot_restores_the_world(world: World, toolbox: Toolbox) -> None:
    after = _moved(toolbox, _moved(toolbox, world, "A0001", "A0002", 10), "A0001", "A0004", 2.25)
    restored = World.restore(world.base, after.snapshot())
    assert restored.state_hash() == after.state_hash()
    assert restored.outcome_hash() == after.outcome_hash()
    assert (
        _moved(toolbox, restored, "A0005", "A0006", 1).state_hash()
        == _moved(toolbox, after, "A0005", "A0006", 1).state_hash()
    )


def test_a_patch_puts_and_removes_records(world: World) -> None:
    record = {"account_id": "A0001", "owner": "x", "balance": 5, "tier": "plus"}
    patched = world.patched((RecordPatch("accounts", "A0001", record), RecordPatch("accounts", "A0002")))
    assert patched.table(Account).get("A0001") == Account("A0001", "x", money(5), "plus")
    assert "A0002" not in patched.table(Account)
    with pytest.raises(DomainError, match="no table 'people'"):
        world.patched((RecordPatch("people", "x"),))
    with pytest.raises(ToolError, match="Account 'Z' not found"):
        world.patched((RecordPatch("accounts", "Z"),))


def test_the_base_is_frozen_out_of_the_garbage_collector() -> None:
    frozen = gc.get_freeze_count()
    build_base(Ledger(), WorldRef(3, 5000))
    assert gc.get_freeze_count() > frozen
    gc.unfreeze()


def test_a_generator_that_breaks_its_contract_is_named() -> None:
    class Twice(Ledger):
        def generate(self, *, seed: int, size: int):  # type: ignore[no-untyped-def]
            yield Account("A1", "x", money(1))
            yield Account("A1", "y", money(1))

    class Stray(Ledger):
        tables = Ledger.tables[1:]

    with pytest.raises(DomainError, match="two records with key 'A1'"):
        build_base(Twice(), WorldRef(0, 0), freeze=False)
    with pytest.raises(DomainError, match="generated a Account, which no table declares"):
        build_base(Stray(), WorldRef(0, 0), freeze=False)


def test_opening_a_world_touches_no_record(world: World) -> None:
    opened = [World(world.base) for _ in range(1000)]
    assert {w.state_hash() for w in opened} == {world.state_hash()}
    assert all(not w.delta for w in opened)
