"""`eigen replay`: gold of stored tasks and of tasks a domain comes with, as a person and as a program reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved
from third_party import install

from eigen_registry import open_registry

DESK = """
from msgspec.structs import replace
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec
from eigen_cli.api.tasks import (Action, CheckCall, Communicate, Provenance, RewardBasis, Scenario, SkippedTask, Task,
    TaskSet, WorldRef)
from eigen_tidy_library.domain import Book, TidyLibrary

@hookimpl
def eigen_domains():
    return [PluginSpec("domain", "desk", "desk:Desk", "A library that comes with tasks")]

def look(book):
    return Action("get_book", {"book_id": book})

BASIS = RewardBasis(("state",), ("state",))
PLAIN = Task("plain", "desk", "f", "train", WorldRef(3, 0), Scenario("", ""), (look("B001"),), BASIS,
             Provenance("p", 0, 0))
FAILING = replace(PLAIN, id="failing", gold=(look("B999"), look("B001"), look("B998")))
BROKEN = replace(PLAIN, id="broken", checks=(
    CheckCall("call_made", {"tool": "get_book"}),
    CheckCall("call_not_made", {"tool": "get_book"}),
    CheckCall("shelved"),
    CheckCall("call_made", {"shelf": 1}),
))
TOLD = replace(PLAIN, id="told", communicate=(Communicate("number", "7", "fine"),), checks=(CheckCall("heard"),))

class Desk(TidyLibrary):
    name = "desk"
    checks = {"heard": lambda context: any("fine: 7" in message.text for message in context.messages)}

    def task_set(self):
        tasks = (PLAIN, FAILING, BROKEN, TOLD)
        splits = {"sound": ("told", "plain"), "test": ("failing", "odd"), "bad": ("broken",)}
        return TaskSet("desk data 7", tasks, splits, (SkippedTask("odd", "it names no book"),))

    def benchmark_hashes(self, task, replayer):
        return {"agent": replayer.gold_world().outcome_hash(), "user": task.id}
"""


@pytest.fixture
def desk(library: Path) -> None:
    """Have a library installed that comes with tasks."""
    install(library, "eigen-desk", groups={"eigen": {"desk": "desk"}}, modules={"desk": DESK})


def test_stored_tasks_are_replayed_from_the_latest_generation(eigen: Eigen, evolved: Evolved) -> None:
    done = eigen("replay", "tidy-library", "--registry", evolved.folder, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    store = open_registry(evolved.folder)
    latest, stored = evolved.report["generations"][-1], list(store.tasks("gen-0002"))
    assert {key: found[key] for key in ("schema", "domain", "split", "skipped")} == {
        "schema": 1,
        "domain": "tidy-library",
        "split": "all",
        "skipped": [],
    }
    assert found["release"] == f"generation {latest['hash'][:12]}"
    assert [task["id"] for task in found["tasks"]] == [task.id for task in stored]
    for task, replayed in zip(stored, found["tasks"], strict=True):
        calls = [(call["name"], call["arguments"], call["requestor"]) for call in replayed["actions"]]
        assert calls == [(action.name, action.arguments, action.requestor) for action in task.gold]
        assert [call["error"] for call in replayed["actions"]] == [False] * len(task.gold)
        assert [check["holds"] for check in replayed["checks"]] == [True] * len(task.checks)
        assert (replayed["errors"], replayed["tau2_hash"]) == ([], {})
        assert len(replayed["state_hash"]) == len(replayed["outcome_hash"]) == 64


def test_a_finished_episode_that_passed_ends_in_the_replayed_outcome(eigen: Eigen, evolved: Evolved) -> None:
    found = json.loads(eigen("replay", "tidy-library", "--registry", evolved.folder, "--json").out)
    outcomes = {task["id"]: task["outcome_hash"] for task in found["tasks"]}
    passed = [one.episode for one in open_registry(evolved.folder).episodes("gen-0002") if one.verdict.passed]
    assert len(passed) > 5
    assert {outcomes[episode.task] == episode.outcome_hash for episode in passed} == {True}


def test_one_generation_one_split_and_one_task(eigen: Eigen, evolved: Evolved) -> None:
    store = open_registry(evolved.folder)
    tasks = list(store.tasks("gen-0001"))
    split = tasks[0].split
    base = ("replay", "tidy-library", "--registry", evolved.folder, "--generation", "gen-0001", "--json")
    found = json.loads(eigen(*base, "--split", split).out)
    assert (found["split"], {task["id"] for task in found["tasks"]}) == (
        split,
        {task.id for task in tasks if task.split == split},
    )
    found = json.loads(eigen(*base, "--task", tasks[1].id[:-2]).out)
    assert [task["id"] for task in found["tasks"]] == [tasks[1].id]


def test_text_has_a_line_a_task_its_errors_and_a_summary(eigen: Eigen, desk: None) -> None:
    done = eigen("replay", "desk", "--split", "test")
    assert (done.code, done.err) == (0, "")
    head, task, first, second, skipped, summary = done.out.splitlines()
    assert head == "desk, test: desk data 7"
    assert task.split()[:5] == ["2", "errors", "3", "actions", "state"]
    assert task.endswith("  failing") and "  user failing  " in task
    assert first.strip() == "!! 1. get_book(book_id=\"B999\"): Error: Book 'B999' not found"
    assert second.strip().startswith('!! 3. get_book(book_id="B998")')
    assert skipped.strip() == "skipped  odd: it names no book"
    assert summary == "1 task, 3 actions, 2 errors in 1 task, no checks, 1 skipped"


def test_errors_are_facts_and_come_with_their_calls(eigen: Eigen, desk: None) -> None:
    found = json.loads(eigen("replay", "desk", "--split", "test", "--json").out)
    (task,) = found["tasks"]
    assert task["errors"] == [
        'get_book {"book_id":"B999"}: Error: Book \'B999\' not found',
        'get_book {"book_id":"B998"}: Error: Book \'B998\' not found',
    ]
    assert [call["error"] for call in task["actions"]] == [True, False, True]
    assert task["tau2_hash"] == {"agent": task["outcome_hash"], "user": "failing"}
    assert found["skipped"] == [{"id": "odd", "why": "it names no book"}]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_check_that_does_not_hold_fails(eigen: Eigen, desk: None, form: tuple[str, ...]) -> None:
    assert eigen("replay", "desk", "--split", "bad", *form).code == 1
    assert eigen("replay", "desk", *form).code == 1
    assert eigen("replay", "desk", "--split", "sound", *form).code == 0


def test_broken_checks_are_named(eigen: Eigen, desk: None) -> None:
    done = eigen("replay", "desk", "--split", "bad")
    assert '?? call_not_made(tool="get_book"): does not hold\n' in done.out
    assert "?? shelved(): desk has no check of that name\n" in done.out
    assert "?? call_made(shelf=1): TypeError: " in done.out
    assert done.out.splitlines()[-1] == "1 task, 1 action, 0 errors, 1 of 4 checks hold"
    (task,) = json.loads(eigen("replay", "desk", "--split", "bad", "--json").out)["tasks"]
    assert [check["holds"] for check in task["checks"]] == [True, False, False, False]


def test_a_split_keeps_the_order_of_the_release(eigen: Eigen, desk: None) -> None:
    assert [task["id"] for task in json.loads(eigen("replay", "desk", "--split", "sound", "--json").out)["tasks"]] == [
        "told",
        "plain",
    ]
    whole = json.loads(eigen("replay", "desk", "--json").out)
    assert [task["id"] for task in whole["tasks"]] == ["plain", "failing", "broken", "told"]
    assert eigen("replay", "desk", "--split", "sound").out.splitlines()[-1] == (
        "2 tasks, 2 actions, 0 errors, 1 of 1 check holds"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (("--split", "tset"), "desk has no split 'tset'; there are bad, sound, test, all", "did you mean `test`?"),
        (("--task", "plian"), "the split all of desk data 7 has no task 'plian'", "did you mean `plain`?"),
        (
            ("--task", "plain", "--split", "test"),
            "the split test of desk data 7 has no task 'plain'",
            "did you mean `failing`?",
        ),
        (("--task", "odd"), "the task 'odd' cannot be used: it names no book", ""),
    ],
)
def test_what_does_not_exist(eigen: Eigen, desk: None, arguments: tuple[str, ...], error: str, hint: str) -> None:
    done = eigen("replay", "desk", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"eigen: error: {error}\n" + (f"hint: {hint}\n" if hint else "")


def test_an_id_cut_too_short(eigen: Eigen, evolved: Evolved) -> None:
    done = eigen("replay", "tidy-library", "--registry", evolved.folder, "--task", "task-")
    assert (done.code, done.out) == (2, "")
    assert "tasks that begin with 'task-'" in done.err


def test_without_any_task(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    done = eigen("replay", "tidy-library", "--registry", tmp_path / "new")
    assert (done.code, done.out) == (2, "")
    assert "tidy-library comes with no tasks" in done.err
    assert "hint: `eigen evolve tidy-library` makes one" in done.err
    done = eigen("replay", "airline", "--registry", evolved.folder, "--generation", "gen-0001")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("eigen: error: gen-0001 has no task of airline; it has none at all\n")


def test_a_split_that_no_generation_has(eigen: Eigen, evolved: Evolved) -> None:
    done = eigen("replay", "tidy-library", "--registry", evolved.folder, "--split", "base")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "eigen: error: tidy-library has no split 'base'; there are train, validation, test, all\n"
    )


def test_tasks_of_a_set_need_no_registry(eigen: Eigen, desk: None, tmp_path: Path) -> None:
    assert eigen("replay", "desk", "--split", "sound", "--registry", tmp_path / "none").code == 0
    assert not (tmp_path / "none").exists()


def test_the_benchmarks_own_hashes_by_side(eigen: Eigen) -> None:
    pytest.importorskip("tau2")
    found = json.loads(eigen("replay", "tau2-retail", "--task", "105", "--json").out)
    (task,) = found["tasks"]
    # Its one gold action is refused, so that the target is the initial database: known of every release so far.
    assert [call["name"] for call in task["actions"]] == ["exchange_delivered_order_items"]
    assert len(task["errors"]) == 1 and task["errors"][0].startswith("exchange_delivered_order_items {")
    assert {side: value[:12] for side, value in task["tau2_hash"].items()} == {"agent": "b25c9cb211f5"}
