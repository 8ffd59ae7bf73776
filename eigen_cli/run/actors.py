"""Who plays each role of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eigen_cli.api.backend import Backend, EndpointTelemetry, RoleName


@dataclass(frozen=True)
class Actors:
    """Who plays each role."""

    backends: Mapping[RoleName, Backend]

    @property
    def identities(self) -> dict[str, str]:
        """Backend identity by role."""
        return {role: backend.identity_for(role) for role, backend in sorted(self.backends.items())}

    @property
    def simulated(self) -> bool:
        """Whether any role is played by a simulator."""
        return any(backend.simulated for backend in self.backends.values())

    @property
    def oracles(self) -> frozenset[RoleName]:
        """The roles played by backends that are handed the task, gold included."""
        return frozenset(role for role, backend in self.backends.items() if backend.oracle)

    def read(self, role: RoleName) -> bool:
        """Whether a role is played by someone who can read, and not by a simulator."""
        backend = self.backends.get(role)
        return backend is not None and not backend.simulated

    def telemetry(self) -> dict[str, EndpointTelemetry]:
        """Return what the backends saw of each server; of two backends on one server, the later one's word."""
        return {host: seen for backend in self.distinct for host, seen in backend.telemetry().items()}

    @property
    def distinct(self) -> list[Backend]:
        """The backend instances, each once, in the order of roles."""
        return self.of(tuple(self.backends))

    def of(self, roles: Sequence[RoleName]) -> list[Backend]:
        """The instances that play some of the roles, each once, in the order of roles."""
        return list(dict.fromkeys(backend for role, backend in self.backends.items() if role in roles))
