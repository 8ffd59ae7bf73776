"""What a backend can say of its servers: counts, percentiles, calls in flight."""

from __future__ import annotations

import asyncio
import random

import msgspec
import pytest

from eigen_cli.api.backend import CallTelemetry
from eigen_cli.api.errors import BackendError
from eigen_cli.testing.openai_server import Fault
from eigen_offline.backend import OfflineBackend
from eigen_openai.meter import Latencies, Meter


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
def test_percentiles_are_true_to_two_percent(share):
    rng = random.Random(4)
    drawn = sorted(rng.lognormvariate(0, 2) for _ in range(5000))
    latencies = Latencies()
    for seconds in drawn:
        latencies.add(seconds)
    assert latencies.quantile(share) == pytest.approx(drawn[int(share * len(drawn)) - 1], rel=0.021)
    assert len(latencies._classes) < 500


def test_the_percentiles_of_nothing_are_nothing():
    assert Latencies().quantile(0.99) == 0.0
    assert Meter().read().total == CallTelemetry()


def test_calls_in_flight_are_averaged_over_the_time_in_which_there_were_any():
    now = 0.0
    meter = Meter(clock=lambda: now)
    for moment, count in ((0.0, meter.sent), (1.0, meter.sent), (3.0, meter.ended), (4.0, meter.ended)):
        now = moment
        count()
    now = 100.0
    meter.sent()
    now = 102.0
    meter.ended()
    assert meter.read().in_flight_mean == pytest.approx((1 * 1 + 2 * 2 + 1 * 1 + 1 * 2) / 6)


async def test_a_backend_counts_by_server_and_role(connect, ask_for, serve):
    faults = [Fault(kind="status", status=503, nth=(1, 2)), Fault(kind="status", status=400, nth=(8,))]
    _, url = await serve(latency=0.05, faults=faults)
    backend = connect(url)
    for turn in range(3):
        await backend.complete(ask_for(turn=turn))
    await asyncio.gather(*(backend.complete(ask_for(role="user", turn=turn)) for turn in range(2)))
    with pytest.raises(BackendError):
        await backend.complete(ask_for(role="judge"))
    ((host, seen),) = backend.telemetry().items()
    assert host == url.removeprefix("http://").removesuffix("/v1")
    agent, judge, user = (seen.roles[role] for role in ("agent", "judge", "user"))
    assert list(seen.roles) == ["agent", "judge", "user"]
    assert (agent.calls, agent.retries, agent.failures) == (3, 2, 0)
    assert (user.calls, user.retries, user.failures) == (2, 0, 0)
    assert (judge.calls, judge.retries, judge.failures) == (0, 0, 1)
    assert (seen.total.calls, seen.total.retries, seen.total.failures) == (5, 2, 1)
    assert 0.045 < agent.p50 <= agent.p95 <= agent.p99
    assert 1.0 <= seen.in_flight_mean < 2.0
    assert msgspec.json.decode(msgspec.json.encode(seen), type=type(seen)) == seen


def test_a_backend_without_servers_has_nothing_to_say():
    from eigen_cli.api.backend import BackendSettings

    assert OfflineBackend(BackendSettings()).telemetry() == {}
