"""`eigen show` and `eigen generations`: what a registry holds, as a person and as a program reads it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved
from msgspec.structs import replace

from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.messages import Message, ToolCall, ToolResult
from eigen_cli.api.verdicts import Blame, EpisodeVerdict
from eigen_cli.commands.dialogue import dialogue_lines, failures_first, outcome_text
from eigen_cli.commands.generation_views import generation_json, generation_lines, generations_table
from eigen_registry import open_registry


def test_generations_lists_the_same_objects_as_evolve(eigen: Eigen, evolved: Evolved) -> None:
    listed = json.loads(eigen("generations", "--json", "--registry", evolved.folder).out)
    assert listed == {"schema": 1, "generations": evolved.report["generations"]}


def test_generations_as_a_table(eigen: Eigen, evolved: Evolved) -> None:
    done = eigen("generations", "--registry", evolved.folder)
    rows = [line.split() for line in done.out.splitlines()]
    assert [row[0] for row in rows] == ["id", "gen-0001", "gen-0002"]
    first = evolved.report["generations"][0]
    assert rows[1][1] == first["hash"][:12]
    assert rows[0][3:6] == ["seed", "round", "accepted"]
    assert rows[1][3:6] == ["0", "1", f"{first['tasks_accepted']}/12"]
    assert "without" not in rows[0]


def test_ablations_are_marked_in_the_table_and_in_the_summary(evolved: Evolved) -> None:
    generations = open_registry(evolved.folder).generations()
    settings = {**generations[0].body.settings, "validation": False, "evolution": False}
    ablated = replace(generations[0], body=replace(generations[0].body, settings=settings))
    rows = [line.split() for line in generations_table([ablated, generations[1]]).splitlines()]
    assert (rows[0][-1], rows[1][-2:], rows[2][-1]) == ("without", ["validation,", "evolution"], "-")
    (ablation,) = (
        text for line in generation_lines(ablated, ()) for text in line.text.splitlines() if "without" in text
    )
    assert ablation.split(maxsplit=1) == ["ablation", "made without validation and evolution"]
    assert not any("without" in line.text for line in generation_lines(generations[1], ()))
    assert generation_json(ablated)["settings"] == settings


def test_an_empty_registry_is_no_error_for_a_listing(eigen: Eigen, tmp_path: Path) -> None:
    done = eigen("generations")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"no generations in {tmp_path / '.eigen'} yet")
    assert json.loads(eigen("generations", "--json").out) == {"schema": 1, "generations": []}
    assert not (tmp_path / ".eigen").exists()


def test_the_registry_is_found_by_flag_variable_and_file(
    eigen: Eigen, evolved: Evolved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = eigen("generations", "--registry", evolved.folder).out
    (tmp_path / "eigen.toml").write_text(f"registry = '{evolved.folder}'\n")
    assert eigen("generations").out == expected
    (tmp_path / "eigen.toml").write_text("registry = 'elsewhere'\n")
    monkeypatch.setenv("EIGEN_REGISTRY", str(evolved.folder))
    assert eigen("generations").out == expected


def test_the_summary_holds_the_figures_and_the_plans(eigen: Eigen, evolved: Evolved) -> None:
    second = evolved.report["generations"][1]
    text = eigen("show", second["hash"][:8], "--registry", evolved.folder).out
    assert text.startswith("gen-0002  tidy-library, seed 0, round 2\n")
    assert second["hash"] in text
    assert f"{second['tasks_accepted']} accepted of 12 proposed" in text
    assert "tools 4/4" in text
    shown = json.loads(eigen("show", "--json", "--registry", evolved.folder).out)
    assert shown["generation"] == second
    assert [record["plan"]["body"]["slot"] for record in shown["plans"] if record["status"] != "rejected"] == [
        0,
        1,
        2,
        3,
    ]


def test_tasks_are_listed_with_their_trials(eigen: Eigen, evolved: Evolved) -> None:
    registry = ("--registry", evolved.folder)
    tasks = json.loads(eigen("show", "gen-0001", "--tasks", "--json", *registry).out)["tasks"]
    rows = eigen("show", "gen-0001", "--tasks", *registry).out.splitlines()[2:]
    assert [row.split()[0] for row in rows] == [task["id"] for task in tasks]
    passed = sum(int(match[1]) for row in rows if (match := re.search(r" (\d)/2 ", row)))
    assert passed == evolved.report["generations"][0]["passed"]


def test_one_task_shows_what_it_is_measured_by(eigen: Eigen, evolved: Evolved) -> None:
    store = open_registry(evolved.folder)
    task = next(iter(store.tasks("gen-0001")))
    text = eigen("show", "gen-0001", "--task", task.id[:9], "--registry", evolved.folder).out
    assert f"{task.id}  tidy-library, {task.family}" in text
    for action in task.gold:
        assert f"{action.name}(" in text
    assert text.count("trial ") == 2
    shown = json.loads(eigen("show", "gen-0001", "--task", task.id, "--json", "--registry", evolved.folder).out)
    assert shown["task"]["id"] == task.id
    assert [record["episode"]["trial"] for record in shown["episodes"]] == [0, 1]


def test_a_dialogue_reads_from_start_to_end(eigen: Eigen, evolved: Evolved) -> None:
    store = open_registry(evolved.folder)
    record = next(r for r in store.episodes("gen-0001") if r.verdict.passed and any_change(r))
    text = eigen("show", "gen-0001", "--episode", record.episode.id, "--registry", evolved.folder).out
    assert f"{record.episode.id}  task {record.episode.task}" in text
    assert "PASSED" in text
    place = 0
    for message in record.episode.messages:
        if message.text:
            first_line = message.text.splitlines()[0]
            assert f"{message.speaker:>5}  {first_line}" in text[place:]
            place = text.index(first_line, place)
        for call in message.tool_calls:
            assert f"-> {call.name}(" in text[place:]
    assert re.search(r"\*\* books B\d+ changed: borrower (null|\"M\d+\") => ", text)
    assert f"stop  {record.episode.stop}" in text
    assert "verdict  state 1\n" in text


def test_a_turn_is_named_by_the_number_in_front_of_its_message(evolved: Evolved) -> None:
    store = open_registry(evolved.folder)
    record = next(iter(store.episodes("gen-0001")))
    task = store.task("gen-0001", record.episode.task)
    # A greeting is no completion, a call and its result are one: turn 2 stands third in records and fourth on screen.
    call = ToolCall("c", "agent", "lend_book", "{}", arguments={})
    messages = (
        Message(speaker="agent", text="Hello."),
        Message(speaker="user", text="Lend me a book.", finish_reason="stop"),
        Message(speaker="agent", tool_calls=(call,), finish_reason="tool_calls"),
        Message(speaker="environment", result=ToolResult("c", "agent", "lend_book", "{}")),
        Message(speaker="agent", text="Done, and all others too.", finish_reason="stop"),
    )
    for turn, shown in ((0, 2), (1, 3), (2, 4), (3, 5)):
        verdict = EpisodeVerdict(0.0, blame=Blame("agent", "wrong_write", "all others", turn))
        episode = replace(record.episode, messages=messages, parent_episode="ep-1", fork_turn=turn)
        lines = [line.text for line in dialogue_lines(replace(record, episode=episode, verdict=verdict), task)]
        assert f"   blame  agent, wrong_write at turn {shown}: all others" in lines
        assert f", forked from ep-1 at turn {shown}:" in lines[0]
    assert any(line == " 4 agent  Done, and all others too." for line in lines)


def any_change(record: EpisodeRecord) -> bool:
    return any(message.result.changes for message in record.episode.messages if message.result is not None)


def test_a_sample_shows_failures_first_and_of_different_tasks(eigen: Eigen, evolved: Evolved) -> None:
    store = open_registry(evolved.folder)
    failed = [record for record in store.episodes("gen-0001") if not record.verdict.passed]
    tasks = len({record.episode.task for record in failed})
    shown = json.loads(eigen("show", "gen-0001", "--sample", 99, "--json", "--registry", evolved.folder).out)
    rewards = [record["verdict"]["reward"] for record in shown["episodes"]]
    assert rewards == sorted(rewards)
    assert len(rewards) == len(list(store.episodes("gen-0001")))
    assert len({record["episode"]["task"] for record in shown["episodes"][:tasks]}) == tasks
    few = json.loads(eigen("show", "gen-0001", "--sample", 3, "--json", "--registry", evolved.folder).out)
    assert few["episodes"] == shown["episodes"][:3]
    text = eigen("show", "gen-0001", "--sample", 3, "--registry", evolved.folder).out
    assert text.count("FAILED (reward 0)") == 3
    assert text.count(" blame  ") == 3


def test_failures_first_equals_sorting_everything_however_small_the_sample(evolved: Evolved) -> None:
    records = list(open_registry(evolved.folder).episodes("gen-0001"))
    whole = failures_first(records, len(records))
    for limit in range(1, len(records)):
        assert failures_first(records, limit) == whole[:limit]


def test_a_generation_of_a_model_shows_all_outcomes_and_no_simulation(eigen: Eigen, real: Path) -> None:
    text = eigen("show", "--sample", 99, "--registry", real).out
    assert "SIMULATED" not in text
    assert {outcome: text.count(outcome) for outcome in ("PASSED", "FAILED (reward 0)", "NO REWARD")} == {
        "PASSED": 6,
        "FAILED (reward 0)": 6,
        "NO REWARD": 6,
    }
    assert "blame  infrastructure, infrastructure: the server went away" in text
    # What a model wrote is data: no control character reaches the terminal.
    assert "\\u009b2J" in text
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text) is None


def test_verdict_and_calls_that_do_not_parse_are_readable(real: Path) -> None:
    store = open_registry(real)
    record = next(iter(store.episodes("latest")))
    call = ToolCall("c", "agent", "lend_book", '{"book_id": ', error="unexpected end")
    odd = (
        Message(speaker="agent", tool_calls=(call,)),
        Message(
            speaker="environment", result=ToolResult("c", "agent", "lend_book", "Error: no\nsuch book", error=True)
        ),
        Message(speaker="agent", finish_reason="length"),
    )
    record = replace(record, episode=replace(record.episode, messages=odd))
    lines = [line.text for line in dialogue_lines(record, store.task("latest", record.episode.task))]
    assert ' 1 agent  -> lend_book: unexpected end: {"book_id":' in lines
    assert "          !! Error: no such book" in lines
    assert " 2 agent  (nothing, finish reason length)" in lines
    assert outcome_text(record.verdict) == "PASSED"


def test_generation_json_of_a_model_has_no_notice(real: Path) -> None:
    found = generation_json(open_registry(real).generation("latest"))
    assert (found["simulated"], "notice" in found) == (False, False)
    assert found["pass_rate"] == found["passed"] / (found["episodes"] - found["blame"]["infrastructure"]) == 0.5


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (("gen-0003",), "no generation is called 'gen-0003'", "did you mean `gen-0002`?"),
        (("gen-0001", "--task", "task-zzz"), "gen-0001 has no task 'task-zzz'", ""),
        (("gen-0001", "--episode", "ep-zzz"), "gen-0001 has no episode 'ep-zzz'", ""),
        (("gen-0001", "--tasks", "--sample", "3"), "--tasks and --sample cannot be combined", "eigen show --help"),
        (("gen-0001", "--sample", "0"), "Invalid value for '--sample'", "eigen show --help"),
    ],
)
def test_what_is_not_there_is_a_usage_error(
    eigen: Eigen, evolved: Evolved, arguments: tuple[str, ...], error: str, hint: str
) -> None:
    done = eigen("show", *arguments, "--registry", evolved.folder)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"eigen: error: {error}")
    assert hint in done.err


def test_no_registry_at_all_says_how_to_get_one(eigen: Eigen, tmp_path: Path) -> None:
    done = eigen("show")
    assert done.code == 2
    assert done.err.startswith(f"eigen: error: there is no registry in {tmp_path / '.eigen'} yet\nhint: `eigen evolve")
