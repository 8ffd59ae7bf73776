"""A parcel counter: parcels that lie there are kept for longer, or sent back. Small enough for a model to learn."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from typing import Annotated, Literal

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.domain import Clause, Domain, Draft, FactKind, Persona, TableSpec
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import Action, Fact, Goal
from eigen_cli.api.tools import Ref, Tools, writes
from eigen_cli.api.world import WorldView


class Parcel(Record, frozen=True):
    """A parcel at the counter."""

    parcel_id: str
    state: Literal["waiting", "kept", "returned"] = "waiting"


class ParcelTools(Tools):
    """What the counter can do."""

    @writes
    def keep_parcel(self, parcel_id: Annotated[str, Ref("parcels")]) -> Parcel:
        """Keep a parcel at the counter for another week.

        Args:
            parcel_id: The parcel's number, such as 'P1234'.
        """
        return self._moved(parcel_id, "kept")

    @writes
    def return_parcel(self, parcel_id: Annotated[str, Ref("parcels")]) -> Parcel:
        """Send a parcel back to its sender.

        Args:
            parcel_id: The parcel's number, such as 'P1234'.
        """
        return self._moved(parcel_id, "returned")

    def _moved(self, parcel_id: str, state: Literal["kept", "returned"]) -> Parcel:
        parcels = self.world.table(Parcel)
        parcel = Parcel(parcels.require(parcel_id).parcel_id, state)
        parcels.put(parcel)
        return parcel


class ParcelTemplate:
    """One wish about one parcel."""

    difficulty = 1
    clauses = ("1",)

    def __init__(self, tool: str, requests: tuple[str, ...]) -> None:
        self.name = self.family = tool
        self.tools = (tool,)
        self.requests = requests

    def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
        """Draw a parcel."""
        parcel_id = rng.choice(list(world.table(Parcel).keys()))
        (tool,) = self.tools
        gold = Action(tool, {"parcel_id": parcel_id})
        goal = Goal(tool, rng.choice(self.requests))
        return Draft((goal,), (Fact("parcel_id", parcel_id),), (gold,), self.clauses)


class Parcels(Domain):
    """The whole domain."""

    name = "parcels"
    title = "Parcel Counter"
    version = "1"
    tables = (TableSpec("parcels", Parcel, key="parcel_id"),)
    agent_tools = ParcelTools
    clauses = (Clause("1", "Numbers", "Ask for the parcel number before doing anything."),)
    fact_kinds = (
        FactKind(
            "parcel_id",
            "parcel number",
            ("What is your parcel number?",),
            ("It is {value}.", "The parcel number is {value}.", "The slip says {value}."),
            (r"(?i)\bparcel number\b",),
            r"\bP\d{4}\b",
        ),
    )
    personas = (Persona("plain", "Somebody with a slip in the hand.", "plain"),)
    templates = (
        ParcelTemplate(
            "keep_parcel",
            ("Please keep my parcel for another week.", "I cannot come this week; please keep my parcel."),
        ),
        ParcelTemplate("return_parcel", ("Please send my parcel back.", "I want my parcel to go back to the sender.")),
    )

    def clock(self) -> datetime.datetime:
        """Return a Monday morning."""
        return datetime.datetime(2025, 3, 3, 9, 0)

    def generate(self, *, seed: int, size: int) -> Iterator[Record]:
        """Yield parcels with numbers of four digits; see `Domain.generate`."""
        numbers = derive_rng(seed, "parcels").sample(range(1_000, 10_000), size or 400)
        for number in numbers:
            yield Parcel(f"P{number}")
