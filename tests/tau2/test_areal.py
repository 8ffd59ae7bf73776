"""Rows of AReaL-tau2-data's RL file, made here in its shape: nothing of the data set is in this repository."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.tasks import Action, TaskSet, WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.world import World
from eigen_retail.records import Order
from eigen_tau2.bridged import Bridged
from eigen_tau2.retail import Tau2Retail
from eigen_tau2.tasks import APART, FILE, OVERLAPS
from eigen_tau2.telecom import Tau2Telecom

tau2 = pytest.importorskip("tau2")

Row = dict[str, Any]
DATABASES = "tau2_rl_database"


@pytest.fixture(scope="module")
def small() -> Row:
    """A retail database of one user with one order, cut out of the official one; the user has a name of its own."""
    whole = Tau2Retail().database(0)["agent"]
    order = dict(whole["orders"]["#W2378156"])
    user = dict(whole["users"][order["user_id"]])
    order |= {"order_id": "#W0000001", "user_id": "nina_noone_0001"}
    user |= {"user_id": "nina_noone_0001", "orders": ["#W0000001"]}
    return {
        "products": whole["products"],
        "users": {"nina_noone_0001": user},
        "orders": {"#W0000001": order},
    }


@pytest.fixture
def folder(tmp_path: Path, small: Row) -> Path:
    (tmp_path / DATABASES).mkdir()
    (tmp_path / DATABASES / "retail_small.json").write_text(json.dumps(small))
    return tmp_path


def _row(id_: str = "r1", *, order: str = "#W0000001", **more: Any) -> Row:
    """A row as the library pads it: every object has the keys that any row's object has."""
    padding = {"user_id": None, "reservation_id": None, "new_item_ids": None}
    actions = [
        {"action_id": "a0", "name": "get_order_details", "arguments": {**padding, "order_id": order}, "info": None},
        {
            "action_id": "a1",
            "name": "modify_pending_order_address",
            "arguments": {**padding, "order_id": order, **dict.fromkeys(("address1", "city", "zip"), "x")},
            "info": None,
        },
    ]
    criteria = {"actions": actions, "communicate_info": ["12.5"], "nl_assertions": None, "env_assertions": None}
    instructions = {
        "domain": "retail",
        "reason_for_call": "You moved.",
        "known_info": f"You are Nina, and your order is {order}.",
        "unknown_info": None,
        "task_instructions": "Be brief.",
    }
    return {
        "id": id_,
        "description": {"purpose": None},
        "user_scenario": {"persona": None, "instructions": instructions},
        "evaluation_criteria": json.dumps(criteria),
        "initial_state": None,
        "db_path": f"{DATABASES}/retail_small.json",
        "pattern_id": "p-7",
        "reward": 1.0,
        **more,
    }


def _read(folder: Path, rows: Sequence[Any], kind: type[Bridged] = Tau2Retail) -> tuple[TaskSet, Bridged]:
    path = folder / "rl.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    domain = kind({"tau2_tasks": str(path)})
    return domain.task_set(), domain


def test_a_row_becomes_a_task_over_its_own_database(folder: Path) -> None:
    found, domain = _read(folder, [_row()])
    (task,) = found.tasks
    assert task.gold[0] == Action("get_order_details", {"order_id": "#W0000001"})
    assert sorted(task.gold[1].arguments) == ["address1", "city", "order_id", "zip"]
    assert task.reward.evaluation == ("tau2-db", "tau2-communicate")
    assert (task.split, task.world, task.scenario.unknown) == ("train", WorldRef(1, 0), ())
    assert task.imported["row"] == {
        "id": "r1",
        "db_path": f"{DATABASES}/retail_small.json",
        "pattern_id": "p-7",
        "reward": 1.0,
    }
    world = World(build_base(domain, task.world, freeze=False))
    assert list(world.table(Order).keys()) == ["#W0000001"]


def test_equal_databases_are_registered_once_and_the_official_one_never(folder: Path, small: Row) -> None:
    (folder / DATABASES / "again.json").write_text(json.dumps(small, indent=1))
    (folder / DATABASES / "official.json").write_text(json.dumps(Tau2Retail().database(0)["agent"]))
    paths = ("retail_small.json", "again.json", "official.json")
    rows = [_row(name, db_path=f"{DATABASES}/{name}") for name in paths]
    rows[2] = _row("official", order="#W2378156", db_path=f"{DATABASES}/official.json")
    found, domain = _read(folder, [*rows, _row("none", order="#W2378156", db_path=None)])
    assert [task.world.seed for task in found.tasks] == [1, 1, 0, 0]
    assert len(domain.databases) == 1
    domain.task_set()
    assert len(domain.databases) == 1


def test_rows_that_share_an_id_are_told_apart_wherever_they_stand(folder: Path) -> None:
    one, two, other = _row("7"), _row("7", pattern_id="p-8"), _row("8")
    forwards = [task.id for task in _read(folder, [one, two, other, two])[0].tasks]
    backwards = [task.id for task in _read(folder, [two, other, one])[0].tasks]
    assert len(set(forwards)) == 4
    assert forwards[2] == "8"
    assert forwards[3] == f"{forwards[1]}-2"
    assert backwards == [forwards[1], "8", forwards[0]]
    assert [task.imported["row"]["id"] for task in _read(folder, [one, two])[0].tasks] == ["7", "7"]


def test_rows_of_other_domains_are_skipped_and_counted(folder: Path) -> None:
    airline = _row("a")
    airline["user_scenario"]["instructions"]["domain"] = "airline"
    unsaid = {**_row("u", seed_pattern_task_id="12")}
    del unsaid["user_scenario"]["instructions"]["domain"]
    named = {**_row("n", db_path=f"{DATABASES}/telecom_v2.toml")}
    del named["user_scenario"]["instructions"]["domain"]
    found, _ = _read(folder, [airline, _row(), unsaid, named])
    assert [task.id for task in found.tasks] == ["r1"]
    assert [(item.id, item.why) for item in found.skipped] == [
        ("a", "it is a task of 'airline', not of 'retail'"),
        ("u", "it is a task of 'airline', not of 'retail'"),
        ("n", "it is a task of 'telecom', not of 'retail'"),
    ]


def test_a_row_that_says_no_domain_is_of_the_one_its_keys_tell(folder: Path) -> None:
    row = _row(scenario_id="s-1", db_path=None, order="#W2378156")
    del row["user_scenario"]["instructions"]["domain"]
    found, _ = _read(folder, [row])
    assert [task.id for task in found.tasks] == ["r1"]
    assert found.tasks[0].imported["task"]["user_scenario"]["instructions"]["domain"] == "retail"


BAD_PATHS = {
    "../outside.json": "its db_path '../outside.json' leaves the folder of the task file",
    f"{DATABASES}/../../outside.json": "leaves the folder of the task file",
    "ABSOLUTE": "leaves the folder of the task file",
    f"{DATABASES}/link.json": "leaves the folder of the task file",
    f"{DATABASES}/missing.json": f"its db_path '{DATABASES}/missing.json' is no file",
    f"{DATABASES}/list.json": "it holds one list, not a database",
    f"{DATABASES}/other.json": f"its database {DATABASES}/other.json cannot be used: ",
    f"{DATABASES}/broken.json": f"its database {DATABASES}/broken.json cannot be used: ",
    DATABASES: f"its db_path '{DATABASES}' is no file",
    f"{DATABASES}/loop.json": "",
    f"{DATABASES}/deep.json": f"its database {DATABASES}/deep.json cannot be used: ",
    "x" * 5000: "leads nowhere",
    7: "its db_path is 7, not the path of a file",
}


def test_a_database_is_a_file_below_the_task_file(folder: Path) -> None:
    outside = folder.parent / "outside.json"
    outside.write_text("{}")
    (folder / DATABASES / "link.json").symlink_to(outside)
    (folder / DATABASES / "loop.json").symlink_to(folder / DATABASES / "loop.json")
    (folder / DATABASES / "deep.json").write_text("[" * 100_000)
    (folder / DATABASES / "list.json").write_text("[]")
    (folder / DATABASES / "broken.json").write_text("{")
    (folder / DATABASES / "other.json").write_text('{"flights": {}}')
    absolute = str(folder / DATABASES / "retail_small.json")
    bad = [_row(f"{path}", db_path=absolute if path == "ABSOLUTE" else path) for path in BAD_PATHS]
    again = _row("broken again", db_path=f"{DATABASES}/broken.json")
    found, domain = _read(folder, [*bad, again, _row()])
    assert [task.id for task in found.tasks] == ["r1"]
    assert [item.id for item in found.skipped] == [*map(str, BAD_PATHS), "broken again"]
    for item, why in zip(found.skipped, BAD_PATHS.values(), strict=False):
        assert why in item.why
    assert len(domain.databases) == 1


BAD_CRITERIA = {
    "{broken": "its evaluation_criteria are a text that is no JSON: ",
    "[]": "its evaluation_criteria are list, not an object",
    '{"actions": "cancel"}': "Expected `array | null`, got `str` - at `$.evaluation_criteria.actions`",
    '{"actions": [{"name": "explode", "arguments": {}}]}': "the agent has no tool 'explode' in tau2-retail",
}


def test_malformed_criteria_cost_one_row(folder: Path) -> None:
    bad = [_row(criteria, evaluation_criteria=criteria) for criteria in BAD_CRITERIA]
    found, _ = _read(folder, [*bad, _row()])
    assert [task.id for task in found.tasks] == ["r1"]
    for item, (criteria, why) in zip(found.skipped, BAD_CRITERIA.items(), strict=True):
        assert item.id == criteria
        assert item.why.startswith(why)


def test_rows_that_touch_test_tasks_are_marked_and_counted(folder: Path) -> None:
    official = Tau2Retail().files
    splits = official.splits()
    assert splits is not None
    held_out = next(row for row in official.tasks() if row["id"] == splits["test"][0])
    arguments = [call["arguments"] for call in held_out["evaluation_criteria"]["actions"]]
    order = next(given["order_id"] for given in arguments if "order_id" in given)
    found, _ = _read(folder, [_row("touching", order=order, db_path=None), _row("apart")])
    assert [task.imported.get(OVERLAPS) for task in found.tasks] == [[order], None]
    assert (found.splits[FILE], found.splits[APART]) == (("touching", "apart"), ("apart",))
    assert "1 of 2 tasks name ids of test tasks" in found.release


def test_telecom_actions_go_to_the_side_that_has_the_tool(tmp_path: Path) -> None:
    data = Path(tau2.__file__).parent / "data/tau2/domains/telecom/db.toml"
    (tmp_path / "telecom.toml").write_bytes(data.read_bytes())
    row = _row(db_path="telecom.toml")
    row["user_scenario"]["instructions"]["domain"] = "telecom"
    actions = [
        {"action_id": "a", "name": "toggle_data", "arguments": {"customer_id": None}},
        {"action_id": "b", "name": "enable_roaming", "arguments": {"customer_id": "C1001", "line_id": "L1002"}},
    ]
    row["evaluation_criteria"] = json.dumps({"actions": actions, "reward_basis": ["DB"]})
    found, domain = _read(tmp_path, [row], Tau2Telecom)
    assert [(call.name, call.requestor, call.arguments) for call in found.tasks[0].gold] == [
        ("toggle_data", "user", {}),
        ("enable_roaming", "agent", {"customer_id": "C1001", "line_id": "L1002"}),
    ]
    assert (found.tasks[0].world.seed, len(domain.databases)) == (0, 0)


def test_a_file_of_another_domain_alone_is_one_error(folder: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        _read(folder, [_row()], Tau2Telecom)
    assert "holds no task that can be used, of 1; the first (r1): it is a task of 'retail'" in caught.value.message


def test_a_stored_tasks_world_is_found_before_anyone_reads_the_file_again(folder: Path, small: Row) -> None:
    """Scoring stored episodes anew opens their worlds first; the file then brings its databases by itself."""
    _, first = _read(folder, [_row()])
    again = Tau2Retail(first.options)
    assert again.databases == []
    assert again.database(1)["agent"] == small
    with pytest.raises(ConfigError, match="has no database 2"):
        again.database(2)


@pytest.mark.parametrize("actions", [1, 1.5, True, "x", {"a": 1}])
def test_actions_of_a_wrong_type_cost_one_row(folder: Path, actions: Any) -> None:
    criteria = json.dumps({"actions": actions, "communicate_info": ["1"]})
    found, _ = _read(folder, [_row("bad", evaluation_criteria=criteria), _row("good")])
    assert [task.id for task in found.tasks] == ["good"]
    assert [item.id for item in found.skipped] == ["bad"]


def test_a_pipe_is_no_database(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    found, _ = _read(folder, [_row("bad", db_path="pipe.json"), _row("good")])
    assert [(item.id, item.why) for item in found.skipped] == [("bad", "its db_path 'pipe.json' is no file")]
