"""Official telecom tasks in both engines: initial states, gold with and without synchronisation, assertions.

The everyday run takes the benchmark's `base` split and every two hundredth of the rest; `EIGEN_PROVE_ALL=1` takes all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import pytest
from tau2.domains.telecom.environment import TelecomEnvironment
from telecom_pair import DOMAIN, OFFICIAL, TOOLBOX, Pair, environment, prepare, sides_of

from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.world.world import World
from eigen_tau2.task_reader import TaskReader

_KEYS = {"plans": "plan_id", "customers": "customer_id", "lines": "line_id", "bills": "bill_id", "devices": "device_id"}
_OFFICIAL = DOMAIN.sides(OFFICIAL)["agent"]


class Proof:
    """What came of replaying tasks: how many of each kind there were, and where the engines differ."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.differing: dict[str, list[str]] = defaultdict(list)
        self.unsynced: dict[str, list[str]] = defaultdict(list)
        self.reader = TaskReader(DOMAIN)

    def same(self, kind: str, task: str, theirs: Any, ours: Any) -> None:
        """Count a comparison."""
        self.count[kind] += 1
        if theirs != ours:
            self.differing[kind].append(task)

    def replay(self, raw: Mapping[str, Any]) -> None:
        """Replay one task in both engines."""
        name, state, criteria = raw["id"], raw["initial_state"], raw["evaluation_criteria"]
        evaluator, pair = environment(), Pair(state)
        prepare(evaluator, state)
        start = pair.world
        self.same("initial state", name, pair.theirs(), pair.ours())
        for call in criteria["actions"]:
            message, outcome = pair.call(call["requestor"], call["name"], call["arguments"])
            self.same("result class", name, message.error, outcome.error)
            self.same("state after a call", name, pair.theirs(), pair.ours())
            evaluator.make_tool_call(call["name"], requestor=call["requestor"], **call["arguments"])
            self.count["errors"] += message.error
        for assertion in criteria["env_assertions"] or []:
            theirs, ours = pair.holds(assertion)
            self.same("assertion", name, theirs, ours)
            self.count["assertions met"] += theirs is True
        self._gold(raw, start, pair, evaluator)

    def _gold(self, raw: Mapping[str, Any], start: World, pair: Pair, evaluator: TelecomEnvironment) -> None:
        name = raw["id"]
        task = self.reader.task(raw, number=0, split="train")
        replayer = GoldReplayer(task.gold, start, TOOLBOX)
        synced, unsynced = sides_of(pair.env), sides_of(evaluator)
        ours = DOMAIN.benchmark_hashes(task, replayer)
        self.same("hashes", name, (pair.env.get_db_hash(), pair.env.get_user_db_hash()), (ours["agent"], ours["user"]))
        unsynced_hashes = (ours["agent_unsynced"], ours["user_unsynced"])
        self.same("unsynced hashes", name, (evaluator.get_db_hash(), evaluator.get_user_db_hash()), unsynced_hashes)
        gold = DOMAIN.official_gold(task, replayer)
        self.same("unsynced state", name, unsynced, _whole(gold))
        self.same("touched state", name, synced, _whole(DOMAIN.touched_sides(pair.world)))
        for side in ("user", "agent"):
            if synced[side] != unsynced[side]:
                self.unsynced[side].append(name)
        self.same("judged equal", name, synced == unsynced, gold == DOMAIN.touched_sides(pair.world))


def _whole(touched: Mapping[str, Any]) -> dict[str, Any]:
    """Return the databases that touched sides stand for."""
    carrier = dict(_OFFICIAL)
    for table, rows in touched["agent"].items():
        kept = {row[_KEYS[table]]: row for row in carrier[table]} | rows
        carrier[table] = [row for row in kept.values() if row is not None]
    return {"agent": carrier, "user": touched["user"]}


@pytest.fixture(scope="module")
def base() -> frozenset[str]:
    """The tasks of the split that the benchmark scores."""
    splits = DOMAIN.files.splits()
    assert splits is not None
    return frozenset(splits["base"])


@pytest.fixture(scope="module")
def proof(base: frozenset[str], prove_all: bool) -> Proof:
    """Replay the tasks, once for all tests."""
    proof = Proof()
    for place, row in enumerate(DOMAIN.files.tasks()):
        if prove_all or row["id"] in base or place % 200 == 0:
            proof.replay(row)
    return proof


def test_as_many_tasks_as_there_should_be_are_replayed(proof: Proof, prove_all: bool) -> None:
    tasks, calls, assertions = (2285, 13215, 3674) if prove_all else (126, 586, 227)
    assert proof.count["initial state"] == proof.count["hashes"] == tasks
    assert proof.count["result class"] == proof.count["state after a call"] == calls
    assert proof.count["errors"] == 0
    assert proof.count["assertion"] == proof.count["assertions met"] == assertions


@pytest.mark.parametrize(
    "kind",
    [
        "initial state",
        "result class",
        "state after a call",
        "assertion",
        "hashes",
        "unsynced hashes",
        "unsynced state",
        "touched state",
        "judged equal",
    ],
)
def test_both_engines_say_the_same(proof: Proof, kind: str) -> None:
    assert proof.count[kind] > 0
    assert proof.differing[kind] == []


def test_the_evaluator_leaves_the_two_sides_of_gold_unsynchronised(
    proof: Proof, base: frozenset[str], prove_all: bool
) -> None:
    """An upstream defect: in these tasks a perfect episode does not match the gold it is compared with."""
    differing = proof.unsynced["user"]
    assert len(base.intersection(differing)) == 71
    assert set(proof.unsynced["agent"]) <= set(differing)
    assert (len(differing), len(proof.unsynced["agent"])) == ((1688, 8) if prove_all else (79, 6))
