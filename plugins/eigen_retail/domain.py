"""The retail domain, put together."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, ClassVar

from eigen_cli.api.domain import Domain, TableSpec
from eigen_cli.api.playbook import Playbook
from eigen_cli.api.record import Record
from eigen_retail.canonical import canonical_order, canonical_user
from eigen_retail.checks import CHECKS
from eigen_retail.facts import FACT_KINDS
from eigen_retail.generator import generate
from eigen_retail.personas import PERSONAS
from eigen_retail.policy import CLAUSES
from eigen_retail.preamble import PREAMBLE
from eigen_retail.records import Order, Product, User
from eigen_retail.rules import NOW
from eigen_retail.templates import TEMPLATES
from eigen_retail.tools import RetailTools


class Retail(Domain):
    """The service desk of an online shop, with the tools of tau2-bench's retail."""

    name: ClassVar[str] = "retail"
    title: ClassVar[str] = "Fernhollow Supply service desk"
    version: ClassVar[str] = "1"
    tables = (
        TableSpec("products", Product, "product_id"),
        TableSpec("users", User, "user_id", indexes=("email", "name")),
        TableSpec("orders", Order, "order_id", indexes=("user_id",)),
    )
    agent_tools = RetailTools
    clauses = CLAUSES
    fact_kinds = FACT_KINDS
    checks = CHECKS
    templates = TEMPLATES
    personas = PERSONAS
    greeting = "Welcome to Fernhollow Supply. How can I help you?"
    handover_tool = "transfer_to_human_agents"

    def clock(self) -> datetime.datetime:
        """Return the fixed time, Eastern."""
        return NOW

    def generate(self, *, seed: int, size: int) -> Iterable[Record]:
        """Yield the records of a world; see `eigen_retail.generator`."""
        return generate(seed=seed, size=size)

    def preamble(self) -> str:
        """Return the policy's opening."""
        return PREAMBLE

    def canonical(self, record: Record) -> Any:
        """Return what counts of a record; see `eigen_retail.canonical`."""
        if isinstance(record, Order):
            return canonical_order(record)
        return canonical_user(record) if isinstance(record, User) else record

    def playbook(self) -> Playbook:
        """Return the dialogue procedures of simulated actors."""
        from eigen_retail.playbook import PLAYBOOK

        return PLAYBOOK
