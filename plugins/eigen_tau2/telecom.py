"""`tau2-telecom`: the benchmark's telecom, whose two databases are one world here."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import CheckCall, RecordPatch, Task
from eigen_cli.api.verifier import Replayer
from eigen_cli.api.world import WorldView
from eigen_tau2.bridged import Bridged, Sides
from eigen_tau2.canonical_form import canonical_hash
from eigen_tau2.data import HINT
from eigen_tau2.telecom_assertions import BRIDGE_CHECKS, check_of
from eigen_tau2.telecom_initial import patch_of
from eigen_tau2.telecom_records import (
    CARRIER,
    carrier_records,
    carrier_side,
    copied,
    phone_records,
    phone_side,
    written,
)
from eigen_tau2.telecom_tools import OfficialPhoneTools, OfficialTelecomTools
from eigen_tau2.unsynced import unsynced_gold
from eigen_telecom.checks import CHECKS
from eigen_telecom.domain import Telecom
from eigen_telecom.phone_tools import PhoneTools
from eigen_telecom.tools import TelecomTools


class Tau2Telecom(Bridged, Telecom):
    """Official telecom: both sides' databases, policy and tasks, with the benchmark's tools."""

    name: ClassVar[str] = "tau2-telecom"
    title: ClassVar[str] = "tau2-bench telecom"
    version: ClassVar[str] = "1"
    folder: ClassVar[str] = "telecom"
    agent_tools: ClassVar[type[TelecomTools]] = OfficialTelecomTools
    user_tools: ClassVar[type[PhoneTools]] = OfficialPhoneTools
    checks = {**CHECKS, **BRIDGE_CHECKS}

    def clock(self) -> datetime.datetime:
        """Return the benchmark's fixed time."""
        return datetime.datetime(2025, 2, 25, 12, 8, 0)

    def records(self, database: Sides) -> Iterable[Record]:
        """Yield the records of both databases; see `Bridged.records`."""
        try:
            yield from carrier_records(database["agent"])
            yield from phone_records(database.get("user") or {})
        except ValueError as error:
            raise ConfigError(f"{self.name}: this is no telecom database: {error}", hint=HINT) from None

    def preamble(self) -> str:
        """Return the official policy: the release's main policy and its manual, tagged as the benchmark tags them."""
        parts = (("main_policy", "main_policy.md"), ("tech_support_policy", "tech_support_manual.md"))
        return "\n".join(f"<{tag}>\n{self.files.text(name)}\n</{tag}>" for tag, name in parts)

    def sides(self, world: WorldView) -> Sides:
        """Return both databases, synchronised."""
        return {"agent": carrier_side(world), "user": phone_side(world, copied(world))}

    def touched_sides(self, world: WorldView) -> Sides:
        """Return the carrier's changed records by list and id, None where one is gone, and the user's database whole.

        Records that tools create are compared by id: ids are given in order, so equal ids mean an equal order.
        """
        return _touched(world, phone_side(world, copied(world)))

    def official_gold(self, task: Task, replayer: Replayer) -> Sides:
        """Return the gold state without synchronisation; see `eigen_tau2.unsynced`."""
        carrier, phone, copies = unsynced_gold(task.gold, replayer)
        return _touched(carrier, phone_side(phone, copies))

    def benchmark_hashes(self, task: Task, replayer: Replayer) -> Mapping[str, str]:
        """Return the hashes of both sides of gold, synchronised, and (`…_unsynced`) as the evaluator makes them."""
        carrier, phone, copies = unsynced_gold(task.gold, replayer)
        sides = {
            **self.sides(replayer.gold_world()),
            "agent_unsynced": carrier_side(carrier),
            "user_unsynced": phone_side(phone, copies),
        }
        return {side: canonical_hash(state) for side, state in sides.items()}

    def corrected(self) -> Domain:
        """Return this domain with our own tools."""
        return self.over_same_data(CorrectedTau2Telecom)

    def initial_patch(self, initial_state: Mapping[str, Any] | None, world: WorldView) -> tuple[RecordPatch, ...]:
        """Return what an initial state changes; see `Bridged.initial_patch`."""
        return patch_of(initial_state, world, self.tables)

    def check_of(self, assertion: Mapping[str, Any]) -> CheckCall:
        """Return the check an assertion means; see `Bridged.check_of`."""
        return check_of(assertion)


class CorrectedTau2Telecom(Tau2Telecom):
    """Official telecom with our own tools: arguments are checked, amounts are exact."""

    agent_tools = TelecomTools
    user_tools = PhoneTools


def _touched(carrier: WorldView, user: Mapping[str, Any]) -> Sides:
    touched = carrier.touched()
    agent = {
        name: {key: None if row is None else written(row) for key, row in rows.items()}
        for name in CARRIER
        if (rows := touched.get(name))
    }
    return {"agent": agent, "user": user}
