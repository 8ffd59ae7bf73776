"""Every official airline task's gold in both engines: the same result or error per call, the same final state."""

from __future__ import annotations

import pytest
from engine_pair import EnginePair, assert_same_results
from engine_pairs import airline_pair

from eigen_tau2.canonical_form import canonical_hash


@pytest.fixture(scope="module")
def pair() -> EnginePair:
    return airline_pair()


def test_the_databases_start_equal(pair: EnginePair) -> None:
    assert canonical_hash(pair.domain.sides(pair.initial)["agent"]) == pair.initial_hash


def test_gold_ends_alike(pair: EnginePair) -> None:
    actions = raised = unchanged = 0
    states = set()
    for task in pair.domain.files.tasks():
        pair.reset()
        for action in task["evaluation_criteria"]["actions"]:
            outcome = pair.call(action["name"], action["arguments"])
            assert outcome.upstream_error == outcome.our_error, outcome
            assert_same_results(outcome)
            actions, raised = actions + 1, raised + outcome.our_error
        assert pair.differences() == [], task["id"]
        unchanged += not pair.world.touched()
        states.add(pair.world.state_hash())
    # The tasks of 26.3. In the newer ones 12 have another gold: 142 actions, 24 tasks unchanged, 25 states.
    assert (len(pair.domain.files.tasks()), actions, raised) == (50, 148, 0)
    assert (unchanged, len(states)) == (20, 28)


def test_gold_hashes_alike(pair: EnginePair, prove_all: bool) -> None:
    """Hashing a whole database is slow: the everyday run takes five tasks, `EIGEN_PROVE_ALL=1` every one."""
    tasks = pair.domain.files.tasks()
    for place in range(len(tasks)) if prove_all else (0, 7, 14, 23, 49):
        pair.reset()
        for action in tasks[place]["evaluation_criteria"]["actions"]:
            pair.call(action["name"], action["arguments"])
        assert canonical_hash(pair.domain.sides(pair.world)["agent"]) == pair.environment.get_db_hash(), place
