"""Generalisation is claimed only of tasks whose entities no training task names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from command_line import Eigen

from eigen_cli.api.tasks import Action, Fact, Scenario, Task
from eigen_cli.evaluation.overlap import named, overlap
from eigen_cli.testing.drafted import DraftedTask, contract_context
from eigen_cli.testing.sample_generation import seal_sample
from eigen_registry import open_registry

PERFECT = ("--agent", "script", "--user", "script", "--trials", "1")


def trained_on(folder: Path, tasks: list[Task]) -> None:
    """Seal a generation of these tasks."""
    from eigen_tidy_library.domain import TidyLibrary

    context = contract_context(TidyLibrary())
    seal_sample(open_registry(folder), context, [DraftedTask(None, None, task) for task in tasks])  # type: ignore[arg-type]


def training(task: Task, id_: str, member: str, book: str, split: str = "train") -> Task:
    gold = (Action("lend_book", {"member_id": member, "book_id": book}),)
    return msgspec.structs.replace(task, id=id_, domain="tidy-library", gold=gold, split=split, scenario=bare(task))


def bare(task: Task) -> Scenario:
    return msgspec.structs.replace(task.scenario, known=())


def report(eigen: Eigen, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(eigen("eval", "kiosk", *PERFECT, *arguments, "--json").out)
    return found


def kiosk_tasks() -> dict[str, Task]:
    from eigen_kiosk.domain import Kiosk

    return {task.id: task for task in Kiosk().task_set().tasks}


def test_no_shared_entity_is_generalisation_on_the_test_split_alone(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    tasks = kiosk_tasks()
    unused = training(tasks["lend-0"], "other", "M030", "B150")
    untrained = training(tasks["lend-0"], "held-out", "M000", "B000", split="validation")
    trained_on(tmp_path / ".eigen", [unused, untrained])
    found = report(eigen, "--generation", "gen-0001")
    assert found["generalises"] is True
    entities = {value for id_ in ("lend-0", "lend-1", "polite", "ask") for value in named(tasks[id_])}
    assert found["overlap"] == {
        "generation": found["generation"],
        "training_tasks": 1,
        "entities": len(entities),
        "shared": {},
        "tasks": 0,
        "examples": [],
    }
    assert report(eigen, "--generation", "gen-0001", "--split", "base")["generalises"] is False
    assert report(eigen)["generalises"] is None
    text = eigen("eval", "kiosk", *PERFECT, "--generation", "gen-0001").out
    assert f"none: 1 training tasks name none of {len(entities)} entities; generalisation may be claimed" in text


def test_shared_entities_are_counted_by_table_and_named(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    tasks = kiosk_tasks()
    book = tasks["lend-1"].gold[0].arguments["book_id"]
    trained_on(
        tmp_path / ".eigen", [training(tasks["lend-0"], "a", "M001", "B150"), training(tasks["ask"], "b", "M030", book)]
    )
    found = report(eigen, "--generation", "gen-0001")
    assert found["generalises"] is False
    assert found["overlap"]["shared"] == {"books": 1, "members": 1}
    assert (found["overlap"]["tasks"], found["overlap"]["examples"]) == (1, sorted([book, "M001"]))
    text = eigen("eval", "kiosk", *PERFECT, "--generation", "gen-0001").out
    assert "which 1 of 4 tasks touch: no generalisation is claimed" in text


def test_entities_are_found_in_arguments_however_deep_and_in_facts(kiosk) -> None:
    from eigen_kiosk.domain import Kiosk

    task = kiosk_tasks()["lend-0"]
    deep = Action("lend_book", {"loans": [{"book_id": "B001", "n": 3}, ["B002", None]], "note": "not a key"})
    facts = (Fact("cards", {"first": ["M007"]}),)
    task = msgspec.structs.replace(
        task, gold=(deep,), scenario=msgspec.structs.replace(bare(task), goals=(), known=facts)
    )
    assert named(task) == {"B001", "B002", "M007", "not a key"}
    found = overlap(contract_context(Kiosk()), [task], "f" * 64, [msgspec.structs.replace(task, split="train")])
    assert (found.entities, dict(found.shared), found.tasks) == (3, {"books": 2, "members": 1}, 1)
