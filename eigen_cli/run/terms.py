"""On what terms a run's calls are made: prices, budget, temperatures, cache, recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eigen_cli.api.backend import Request, RoleName
from eigen_cli.run.budget import NO_LIMITS, Allowance
from eigen_cli.run.cache import ResponseCache
from eigen_cli.run.cassette import CassetteRecorder
from eigen_cli.run.prices import Price


@dataclass(frozen=True)
class Terms:
    """Prices and temperatures by role (absent: unknown, and the server's own), and what holds for all of them."""

    prices: Mapping[RoleName, Price] = field(default_factory=dict)
    temperatures: Mapping[RoleName, float] = field(default_factory=dict)
    budget: Allowance = NO_LIMITS
    cache: ResponseCache | None = None
    cassette: CassetteRecorder | None = None

    def tempered(self, request: Request) -> Request:
        """Return a request with its role's temperature, unless it has one of its own."""
        temperature = self.temperatures.get(request.role)
        if temperature is None or request.temperature is not None:
            return request
        return replace(request, temperature=temperature)


NO_TERMS = Terms()
