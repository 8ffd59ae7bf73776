"""Tasks as tau2-bench's task file."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("tau2")

from evaluated import gold_script, official, scene
from tau2.data_model.tasks import Task as TheirTask
from telecom_pair import environment

from eigen_airline.domain import Airline
from eigen_airline.records import User
from eigen_cli.api.domain import Domain
from eigen_cli.api.exporter import Loss
from eigen_cli.api.record import to_json
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, RecordPatch, Task
from eigen_cli.testing.contracts import check_exporter
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample
from eigen_cli.training.selection import EVERYTHING
from eigen_cli.training.source import GenerationSource
from eigen_tau2.export import Tau2Exporter
from eigen_tau2.task_writer import Unwritable, write_task
from eigen_tau2.telecom import Tau2Telecom
from eigen_tau2.telecom_assertions import ASSERTIONS
from eigen_tau2.telecom_export import assertion_of
from eigen_telecom.domain import Telecom

_replace = msgspec.structs.replace

Row = dict[str, Any]


@pytest.mark.parametrize("folder", ["airline", "retail", "telecom"])
def test_every_official_task_comes_out_as_it_came_in(folder: str) -> None:
    stage = official(folder)
    rows = stage.domain.files.tasks()
    written = [write_task(task) for task in stage.task_set.tasks]
    assert [json_ for json_, _ in written] == rows
    assert {losses for _, losses in written} == {()}


def test_official_assertions_come_back_from_their_checks() -> None:
    domain = Tau2Telecom()
    assertions = [row["evaluation_criteria"]["env_assertions"] for row in domain.files.tasks()]
    distinct = {json.dumps(item, sort_keys=True): item for found in assertions for item in found}
    assert len(distinct) == 7
    for item in distinct.values():
        back = assertion_of(domain.check_of(item), {"lines": {}, "bills": {}})
        assert back is not None
        assert {**back, "message": item["message"]} == item


_LINE = {"customer_id": "C1001", "line_id": "L1001"}
_ARGUMENTS: dict[str, Row] = {
    "assert_service_status": {"expected_status": "no_service"},
    "assert_internet_speed": {"expected_speed": 10.0},
    "assert_internet_not_excellent": {},
    "assert_data_refueling_amount": {**_LINE, "expected_amount": 2.0},
    "assert_line_status": {**_LINE, "expected_status": "Active"},
    "assert_overdue_bill_exists": {"customer_id": "C1001", "overdue_bill_id": "B1001"},
    "assert_no_overdue_bill": {"overdue_bill_id": "B1001"},
}


def test_every_assertion_function_comes_back_from_its_check() -> None:
    domain, tried = Tau2Telecom(), 0
    for side, functions in ASSERTIONS.items():
        for name in functions:
            for value in (True, False):
                arguments = _ARGUMENTS.get(name, {"expected_status": True})
                item = {"env_type": side, "func_name": name, "arguments": arguments, "assert_value": value}
                check = domain.check_of(item)
                back = assertion_of(check, {"lines": {}, "bills": {}})
                assert back is not None
                assert (back["env_type"], back["func_name"]) == (side, name)
                assert domain.check_of(back) == check
                tried += 1
    assert tried == 26


@pytest.mark.parametrize(
    ("check", "records", "expected"),
    [
        (CheckCall("line_status", {"line_id": "L", "expected": "Active"}), {"lines": {}, "bills": {}}, None),
        (CheckCall("no_writes"), {"lines": {}, "bills": {}}, None),
        (
            CheckCall("denied", {"check": "can_send_mms", "arguments": {}}),
            {"lines": {}, "bills": {}},
            {
                "env_type": "user",
                "func_name": "assert_can_send_mms",
                "arguments": {"expected_status": True},
                "assert_value": False,
                "message": None,
            },
        ),
    ],
)
def test_checks_without_an_assertion_have_none(check: CheckCall, records: Any, expected: Any) -> None:
    assert assertion_of(check, records) == expected


def _drafted(domain: Domain) -> list[Task]:
    return [item.task for item in drafted_tasks(contract_context(domain), each=1)]


@pytest.fixture(scope="module")
def telecom_tasks() -> list[Task]:
    return _drafted(Telecom())


def test_our_telecom_tasks_start_and_end_in_tau2_as_here(telecom_tasks: list[Task]) -> None:
    """tau2's own environment accepts the exported world, gold runs in it, and the assertions hold."""
    judged = 0
    for task in telecom_tasks:
        official = TheirTask.model_validate(write_task(task)[0])
        env, state, criteria = environment(), official.initial_state, official.evaluation_criteria
        assert state is not None and criteria is not None
        env.set_state(state.initialization_data, state.initialization_actions, [])
        for action in criteria.actions or []:
            env.make_tool_call(action.name, requestor=action.requestor, **action.arguments)
            env.sync_tools()
        for assertion in criteria.env_assertions or []:
            assert env.run_env_assertion(assertion, raise_assertion_error=False), (task.id, assertion)
            judged += 1
    assert judged > 20


def test_our_telecom_tasks_can_be_imported_again(telecom_tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([write_task(task)[0] for task in telecom_tasks]))
    stage = scene("telecom", {"tau2_tasks": str(path)})
    assert len(stage.tasks) == len(telecom_tasks)
    for task in telecom_tasks:
        again = stage.tasks[task.id]
        assert again.gold == task.gold
        assert stage.part("tau2-env", again, gold_script(again)).score == 1.0


def test_what_of_a_telecom_task_is_lost_is_said(telecom_tasks: list[Task]) -> None:
    task = next(task for task in telecom_tasks if any(check.name == "no_writes" for check in task.checks))
    written, losses = write_task(task)
    assert "the check no_writes: tau2 has no such assertion" in losses
    assert "the guards of the policy's clauses" in losses
    assert any(loss.startswith("the rest of the generated world") for loss in losses)
    assert written["description"]["relevant_policies"] == ", ".join(task.clauses)


def test_a_patch_that_removes_records_cannot_be_said(telecom_tasks: list[Task]) -> None:
    patched = _replace(telecom_tasks[0], patch=(*telecom_tasks[0].patch, RecordPatch("bills", "B1")))
    with pytest.raises(Unwritable, match="removes records of bills"):
        write_task(patched)


@pytest.fixture(scope="module")
def airline_task() -> Task:
    task = _drafted(Airline())[0]
    told = (Communicate("number", "$1,250.5", "the refund"), Communicate("name", "Heron Air"))
    known = (Fact("user_id", "ada_moss_4821"), Fact("bags", 2, "two bags"))
    scenario = _replace(task.scenario, persona="", known=known, goals=(), unknown=(), reason="You want a refund.")
    gold = (Action("get_user_details", {"user_id": "ada_moss_4821"}),)
    return _replace(task, scenario=scenario, communicate=told, gold=gold, checks=(CheckCall("no_writes"),))


def test_a_task_of_ours_field_by_field(airline_task: Task) -> None:
    written, losses = write_task(airline_task)
    assert TheirTask.model_validate(written).id == airline_task.id
    assert written["user_scenario"] == {
        "persona": None,
        "instructions": {
            "domain": "airline",
            "reason_for_call": "You want a refund.",
            "known_info": "user id: ada_moss_4821\ntwo bags",
            "unknown_info": None,
            "task_instructions": airline_task.scenario.instructions,
        },
    }
    assert written["initial_state"] is None
    criteria = written["evaluation_criteria"]
    assert criteria["actions"] == [
        {
            "action_id": f"{airline_task.id}_0",
            "requestor": "assistant",
            "name": "get_user_details",
            "arguments": {"user_id": "ada_moss_4821"},
            "info": None,
            "compare_args": None,
        }
    ]
    assert criteria["communicate_info"] == ["1250.5", "Heron Air"]
    assert criteria["reward_basis"] == ["DB", "COMMUNICATE"]
    assert losses == (
        "split, family, difficulty and provenance",
        "names and types of the facts a user knows: they are told in words",
        "the guards of the policy's clauses",
        "the reward basis of training: tau2 has one basis, and gets that of evaluation",
        "what a communicated value means, and that it is compared as a value: tau2 looks for the text",
        "the generated world their ids belong to: tau2 runs them on its own database",
        "the check no_writes: tau2 has no such assertion",
    )


def test_an_imported_task_that_was_changed_is_written_anew() -> None:
    task = next(task for task in official("retail").task_set.tasks if task.gold)
    changed = _replace(task, gold=task.gold[:-1])
    written, losses = write_task(changed)
    assert len(written["evaluation_criteria"]["actions"]) == len(task.gold) - 1
    assert written["evaluation_criteria"]["reward_basis"] == ["DB", "COMMUNICATE"]
    assert "what the imported task says beyond our fields: it was changed since" in losses


def test_the_exporter_writes_an_array_and_counts_what_is_lost() -> None:
    context = contract_context(Airline())
    drafted = list(drafted_tasks(context, each=1))[:3]
    user = next(context.world(drafted[2].task.world).table(User).values())
    patched = _replace(drafted[2].task, patch=(RecordPatch("users", user.user_id, to_json(user)),))
    store = MemoryStore()
    sealed = seal_sample(store, context, [*drafted[:2], replace(drafted[2], task=patched)])
    stream = io.BytesIO()
    report = Tau2Exporter().write(GenerationSource(store, sealed, EVERYTHING), "rl_tasks", stream)
    assert [row["id"] for row in json.loads(stream.getvalue())] == [item.task.id for item in drafted[:2]]
    assert (report.rows, report.dropped) == (2, 1)
    assert report.losses[0] == Loss("they start in a patched world, which tau2 has no functions for", 1, dropped=True)
    assert Loss("split, family, difficulty and provenance", 2) in report.losses


@pytest.mark.parametrize("domain", [Airline, Telecom])
def test_the_exporter_keeps_its_contract(domain: type[Domain]) -> None:
    check_exporter(Tau2Exporter(), domain())
    assert Tau2Exporter.name == "tau2"
