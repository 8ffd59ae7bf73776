"""The official verifiers and tau2's own evaluators agree, on gold episodes and on near misses of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from evaluated import Scene, Scores, Script, official
from mutations import variants
from quick_environment import quick_environment
from tau2.data_model.message import ToolCall
from tau2.utils import get_dict_hash

from eigen_cli.api.tasks import Task

_EVERYDAY = {"airline": 10, "retail": 19, "telecom": 24}
"""Of so many base tasks, the everyday run takes one."""


@dataclass(frozen=True)
class Judged:
    """An episode with what both say of it."""

    task: str
    variant: str
    ours: Scores
    theirs: Scores


@pytest.fixture(scope="module", params=["airline", "retail", "telecom"])
def stage(request: pytest.FixtureRequest) -> Scene:
    return official(request.param)


@pytest.fixture(scope="module")
def judged(stage: Scene, prove_all: bool) -> list[Judged]:
    step = 1 if prove_all else _EVERYDAY[stage.domain.folder]
    tasks = [stage.tasks[id_] for id_ in stage.splits["base"][::step]]
    return [_judged(stage, task, name, script) for task in tasks for name, script in variants(stage, task)]


def _judged(stage: Scene, task: Task, name: str, script: Script) -> Judged:
    return Judged(task.id, name, stage.ours(task, script), stage.theirs(task, script))


def test_every_part_agrees(judged: list[Judged]) -> None:
    assert [item for item in judged if item.ours != item.theirs] == []


def test_the_episodes_tell_good_from_bad(stage: Scene, judged: list[Judged]) -> None:
    """Agreement would prove little if everything passed, or nothing."""
    folder = stage.domain.folder
    parts = {
        "database": {item.theirs.database for item in judged},
        "environment": {item.theirs.environment for item in judged},
        "action": {item.theirs.action for item in judged},
        "communicate": {item.theirs.communicate for item in judged},
    }
    assert parts["database"] == parts["action"] == {0.0, 1.0}
    assert parts["environment"] == ({0.0, 1.0} if folder == "telecom" else {1.0})
    assert parts["communicate"] == ({1.0} if folder == "telecom" else {0.0, 1.0})
    assert any(any(item.theirs.refused) for item in judged)


@pytest.mark.parametrize("folder", ["airline", "retail"])
def test_the_quick_environment_hashes_as_the_real_one(folder: str) -> None:
    """Two states have equal quick hashes exactly when tau2's own hashes, over the whole database, are equal."""
    calls = {
        "airline": [
            ("get_user_details", {"user_id": "anya_garcia_5901"}),
            ("send_certificate", {"user_id": "anya_garcia_5901", "amount": 50}),
            ("cancel_reservation", {"reservation_id": "JMO1MG"}),
        ],
        "retail": [
            ("get_user_details", {"user_id": "yusuf_rossi_9620"}),
            ("cancel_pending_order", {"order_id": "#W4776164", "reason": "no longer needed"}),
            ("get_order_details", {"order_id": "#W4776164"}),
        ],
    }[folder]
    quick, real = [], []
    environment = quick_environment(folder)()
    for name, arguments in [("list_nothing", {}), *calls]:
        environment.get_response(ToolCall(id="c", name=name, arguments=arguments, requestor="assistant"))
        quick.append(environment.get_db_hash())
        real.append(get_dict_hash(environment.tools.db.model_dump()))
    same = [[left == right for left in hashes for right in hashes] for hashes in (quick, real)]
    assert same[0] == same[1]
    assert len(set(quick)) == len(set(real)) > 1
