"""Random calls around real customers in both engines: each ends alike, and so does every sequence of them."""

from __future__ import annotations

from airline_calls import AirlineCalls
from drawing import fuzzed
from engine_pairs import airline_pair


def test_random_calls_end_alike(fuzz_calls: int) -> None:
    pair = airline_pair()
    pair.counts.clear()
    fuzzed(pair, AirlineCalls(pair.domain.files.database()).sequence, calls=fuzz_calls)
    print(dict(pair.counts))
    # Both branches are met: calls that run, and calls that are refused.
    assert pair.counts["ok"] + pair.counts["error"] >= 0.9 * fuzz_calls
    assert min(pair.counts["ok"], pair.counts["error"]) >= 0.2 * fuzz_calls
