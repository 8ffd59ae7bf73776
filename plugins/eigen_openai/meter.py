"""What one server cost us in time: counts and latency percentiles, in constant memory."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable

from eigen_cli.api.backend import CallTelemetry, EndpointTelemetry, RoleName

_FINE = 25
"""Classes of latency for each factor of e: neighbours differ by 4%."""


class Latencies:
    """Counts of latencies by size, from which percentiles are read to within two percent."""

    def __init__(self) -> None:
        self._classes: Counter[int] = Counter()
        self.count = 0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.count += 1
        self._classes[round(math.log(max(seconds, 1e-6)) * _FINE)] += 1

    def quantile(self, share: float) -> float:
        """Return the seconds that a `share` of those counted did not exceed; 0 where none was."""
        wanted = share * self.count
        seen = 0
        for size in sorted(self._classes):
            seen += self._classes[size]
            if seen >= wanted:
                return math.exp(size / _FINE)
        return 0.0

    def plus(self, other: Latencies) -> Latencies:
        """Return both together."""
        both = Latencies()
        both._classes = self._classes + other._classes
        both.count = self.count + other.count
        return both


class _Role:
    def __init__(self) -> None:
        self.latencies = Latencies()
        self.retries = 0
        self.failures = 0

    def read(self) -> CallTelemetry:
        of = self.latencies
        p50, p95, p99 = (of.quantile(share) for share in (0.5, 0.95, 0.99))
        return CallTelemetry(of.count, self.retries, self.failures, p50, p95, p99)


class Meter:
    """Counts one backend's attempts on one server, by role."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._roles: defaultdict[RoleName, _Role] = defaultdict(_Role)
        self._in_flight = 0
        self._area = 0.0
        self._busy = 0.0
        self._since = 0.0

    def sent(self) -> None:
        """Count a call that is under way from now on."""
        self._pass(+1)

    def ended(self) -> None:
        """Count it out, whatever became of it."""
        self._pass(-1)

    def replied(self, role: RoleName, seconds: float) -> None:
        """Count a reply that could be used."""
        self._roles[role].latencies.add(seconds)

    def failed(self, role: RoleName, *, final: bool) -> None:
        """Count an attempt that was made again, or (`final`) the last of a call."""
        counted = self._roles[role]
        if final:
            counted.failures += 1
        else:
            counted.retries += 1

    def read(self) -> EndpointTelemetry:
        """Return what was counted so far."""
        whole = _Role()
        for counted in self._roles.values():
            whole.latencies = whole.latencies.plus(counted.latencies)
            whole.retries += counted.retries
            whole.failures += counted.failures
        return EndpointTelemetry(
            total=whole.read(),
            roles={role: counted.read() for role, counted in sorted(self._roles.items())},
            in_flight_mean=self._area / self._busy if self._busy else 0.0,
        )

    def _pass(self, change: int) -> None:
        now = self._clock()
        if self._in_flight:
            self._area += self._in_flight * (now - self._since)
            self._busy += now - self._since
        self._since = now
        self._in_flight += change
