"""The two kinds of things a registry seals, and how each is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind. `table` names its table in the catalogue, and the folder of its contents files."""

    noun: str
    table: str
    alias: str
    """What ids begin with: 3 is `gen-0003`."""
    listing: str
    """The command that lists them."""
    making: str
    """The command that makes one."""

    def id(self, number: int) -> str:
        """Return the local alias of one of them."""
        return f"{self.alias}-{number:04d}"


GENERATIONS = Kind("generation", "generations", "gen", "eigen generations", "eigen evolve DOMAIN")
EVALUATIONS = Kind("evaluation", "evaluations", "eval", "eigen evaluations", "eigen eval DOMAIN")
KINDS = (GENERATIONS, EVALUATIONS)
