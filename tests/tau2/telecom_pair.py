"""Telecom twice, side by side: tau2's environment and our world, prepared and called alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("tau2")

from loguru import logger
from tau2.data_model.message import ToolCall, ToolMessage
from tau2.data_model.tasks import EnvAssertion, InitialState
from tau2.domains.telecom.environment import TelecomEnvironment, get_environment
from tau2.domains.telecom.tools import TelecomTools
from tau2.domains.telecom.user_data_model import PerformanceLevel, VpnDetails
from tau2.domains.telecom.user_tools import TelecomUserTools

from eigen_cli.api.domain import CheckContext
from eigen_cli.api.messages import Requestor
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import CallOutcome, Toolbox
from eigen_cli.world.world import World
from eigen_tau2.telecom import Tau2Telecom
from eigen_telecom.records import Bill

logger.remove()

DOMAIN = Tau2Telecom()
TOOLBOX = Toolbox(DOMAIN)
OFFICIAL = World(build_base(DOMAIN, WorldRef(0, 0), freeze=False))
REQUESTORS: Mapping[str, Requestor] = {"assistant": "agent", "user": "user"}
_THEIRS = get_environment()
_BILLS = frozenset(bill.bill_id for bill in _THEIRS.tools.db.bills)


def environment() -> TelecomEnvironment:
    """Return a fresh environment, in a process as good as new: `break_vpn` spoils the class itself."""
    TelecomUserTools.default_vpn_details = VpnDetails(
        server_address="192.168.1.1", protocol="OpenVPN", server_performance=PerformanceLevel.EXCELLENT
    )
    carrier, phone = (tools.db.model_copy(deep=True) for tools in (_THEIRS.tools, _THEIRS.user_tools))
    return TelecomEnvironment("telecom", _THEIRS.policy, TelecomTools(carrier), TelecomUserTools(phone))


def dumped(database: Any) -> Any:
    """Return one of tau2's databases as it is hashed."""
    return json.loads(json.dumps(database.model_dump(), default=str))


def sides_of(env: TelecomEnvironment) -> dict[str, Any]:
    """Return both of tau2's databases."""
    return {"agent": dumped(env.tools.db), "user": dumped(env.user_tools.db)}


class Pair:
    """The same telecom in both engines. Bills that tools create are called `new1`, `new2`… in the order of creation."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        """Prepare both with an initial state; raises `ValueError` if ours refuses it."""
        self.env = environment()
        self.world = OFFICIAL.patched(DOMAIN.initial_patch(state, OFFICIAL))
        prepare(self.env, state)
        actions = (state or {}).get("initialization_actions") or ()
        self.known = _BILLS.union(action["arguments"].get("new_bill_id") for action in actions)

    def call(self, requestor: str, name: str, arguments: Mapping[str, Any]) -> tuple[ToolMessage, CallOutcome]:
        """Run a call in both; a text that names a created bill is that bill's id in each."""
        theirs, ours = self._created()
        given = _renamed(arguments, {new: bill for bill, new in theirs.items()})
        message = self.env.get_response(ToolCall(id="c", name=name, arguments=given, requestor=requestor))
        given = _renamed(arguments, {new: bill for bill, new in ours.items()})
        outcome = TOOLBOX.call(self.world, name, given, requestor=REQUESTORS[requestor])
        self.world = outcome.world
        return message, outcome

    def theirs(self) -> Any:
        """Return tau2's two databases."""
        return _renamed(sides_of(self.env), self._created()[0])

    def ours(self) -> Any:
        """Return ours in the same form."""
        return _renamed(DOMAIN.sides(self.world), self._created()[1])

    def named(self, text: str) -> str:
        """Return a text of either engine with the names of created bills."""
        for bill, name in {**self._created()[0], **self._created()[1]}.items():
            text = text.replace(bill, name)
        return text

    def holds(self, assertion: Mapping[str, Any]) -> tuple[bool | None, bool]:
        """Return whether an assertion is met in both; None where tau2's function raises."""
        try:
            met = self.env.run_env_assertion(EnvAssertion.model_validate(assertion), raise_assertion_error=False)
        except ValueError:
            met = None
        check = DOMAIN.check_of(assertion)
        return met, DOMAIN.checks[check.name](CheckContext(OFFICIAL, self.world, (), ()), **check.arguments)

    def _created(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the names of created bills by their ids: tau2's and ours."""
        theirs, ours = [bill.bill_id for bill in self.env.tools.db.bills], list(self.world.table(Bill).keys())
        new = ([bill for bill in bills if bill not in self.known] for bills in (theirs, ours))
        first, second = ({bill: f"new{place}" for place, bill in enumerate(bills, 1)} for bills in new)
        return first, second


def prepare(env: TelecomEnvironment, state: Mapping[str, Any] | None) -> None:
    """Set an initial state in an environment, as tau2's evaluator does."""
    start = InitialState.model_validate(state or {})
    env.set_state(start.initialization_data, start.initialization_actions, start.message_history or [])


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if not names:
        return value
    if isinstance(value, Mapping):
        return {key: _renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value
