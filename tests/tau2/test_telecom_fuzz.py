"""Random telecom episodes in both engines, compared after every call. The long form: `EIGEN_FUZZ_CALLS=20000`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from telecom_draws import Call, calls, states
from telecom_pair import DOMAIN, OFFICIAL, Pair, environment, prepare

_CALLS_A_STORY = 20


def _play(state: dict[str, Any], story: list[Call], count: Counter[str]) -> None:
    try:
        pair = Pair(state)
    except ValueError:
        count["refused states"] += 1
        with pytest.raises(ValueError):
            DOMAIN.initial_patch(state, OFFICIAL)
        with pytest.raises(ValueError):
            prepare(environment(), state)
        return
    assert pair.ours() == pair.theirs()
    count["states"] += 1
    for requestor, name, arguments in story:
        message, outcome = pair.call(requestor, name, arguments)
        assert outcome.defect is None
        assert outcome.error == message.error, (requestor, name, arguments, message.content, outcome.content)
        assert pair.ours() == pair.theirs(), (requestor, name, arguments)
        count["refused" if outcome.error else "done"] += 1


def test_both_engines_do_the_same_with_random_calls(fuzz_calls: int) -> None:
    count: Counter[str] = Counter()

    @settings(
        max_examples=-(-fuzz_calls // _CALLS_A_STORY),
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(state=states(), story=st.lists(calls(), min_size=_CALLS_A_STORY, max_size=_CALLS_A_STORY + 10))
    def play(state: dict[str, Any], story: list[Call]) -> None:
        _play(state, story, count)

    play()
    print(dict(count))
    # Both branches are met: calls that run, and calls that are refused.
    assert count["done"] + count["refused"] >= 0.9 * fuzz_calls
    assert min(count["done"], count["refused"]) >= 0.2 * fuzz_calls
