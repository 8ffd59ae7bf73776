from __future__ import annotations

import pytest
from bank import Bank, MakeContext

from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, SynthesisPlan
from eigen_cli.api.tasks import WorldRef
from eigen_cli.evolve.rounds import world_of


def _plan(slot: int) -> Plan:
    return Plan.of(PlanBody("bank", slot, SynthesisPlan("x", ()), EvaluationPlan()))


def test_a_slot_keeps_its_world_and_a_given_world_is_the_only_one(
    make_context: MakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = make_context()
    worlds = [world_of(context, _plan(slot), 50) for slot in (0, 0, 1)]
    assert worlds[0] == worlds[1] != worlds[2] and {world.size for world in worlds} == {50}
    monkeypatch.setattr(Bank, "fixed_world", True)
    assert {world_of(context, _plan(slot), 50) for slot in (0, 1)} == {WorldRef(0, 0)}
