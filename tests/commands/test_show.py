"""`eigen show`: what a generation holds, as a person and as a program reads it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved
from msgspec.structs import replace

from eigen_cli.api.generations import EpisodeRecord, GenerationContents
from eigen_cli.api.messages import Message, ToolCall, ToolResult
from eigen_cli.api.verdicts import Blame, EpisodeVerdict
from eigen_cli.commands.dialogue import dialogue_lines, failures_first, outcome_text
from eigen_cli.commands.generation_views import generation_json
from eigen_cli.commands.show_lists import sampled_ids
from eigen_registry import open_registry


def test_the_summary_holds_the_figures_and_the_plans(eigen: Eigen, evolved: Evolved) -> None:
    second = evolved.report["generations"][1]
    text = eigen("show", second["hash"][:8], "--registry", evolved.folder).out
    assert text.startswith("gen-0002  tidy-library, seed 0, round 2\n")
    assert second["hash"] in text
    assert f"{second['tasks_accepted']} accepted of 12 proposed" in text
    assert "tools 4/4" in text
    shown = json.loads(eigen("show", "--json", "--registry", evolved.folder).out)
    assert {name: shown["generation"][name] for name in second} == second
    assert set(shown["generation"]["prompts"]) > {"agent", "user", "synthesizer"}
    assert shown["generation"]["verifiers"]["state"] == "1"
    assert (shown["generation"]["tags"], shown["generation"]["children"]) == (["latest"], [])
    assert shown["generation"]["size"] > 1000
    for name in ("agent@", "settings ", "fingerprints ", "sealed ", "names ", "size "):
        assert name in text
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


def test_lists_are_narrowed_ordered_and_paged(eigen: Eigen, evolved: Evolved) -> None:
    registry = ("--registry", evolved.folder)
    store = open_registry(evolved.folder)

    def rows(*arguments: object) -> list[dict[str, object]]:
        report = json.loads(eigen("show", "gen-0001", *arguments, "--json", *registry).out)
        assert (report["page"], report["more"]) == (1, False)
        return list(report["tasks" if "--tasks" in arguments else "episodes"])

    tasks, episodes = list(store.tasks("gen-0001")), list(store.episodes("gen-0001"))
    for split in ("train", "test"):
        wanted = [task.id for task in tasks if task.split == split]
        assert [row["id"] for row in rows("--tasks", "--split", split)] == wanted
    tool, clause = tasks[0].gold[0].name, next(task.clauses[0] for task in tasks if task.clauses)
    assert [row["id"] for row in rows("--tasks", "--tool", tool)] == [
        task.id for task in tasks if tool in {action.name for action in task.gold}
    ]
    assert [row["id"] for row in rows("--tasks", "--clause", clause)] == [
        task.id for task in tasks if clause in task.clauses
    ]
    failed = [record for record in episodes if not record.verdict.passed]
    assert [row["id"] for row in rows("--episodes", "--failed")] == [record.episode.id for record in failed]
    blamed = [record.episode.id for record in failed if record.verdict.blame and record.verdict.blame.party == "agent"]
    assert [row["id"] for row in rows("--episodes", "--blame", "agent")] == blamed
    assert len(rows("--episodes", "--passed")) == len(episodes) - len(failed)
    assert {row["task"] for row in rows("--episodes", "--task", tasks[0].id[:9])} == {tasks[0].id}
    called = {task.id for task in tasks if tool in {action.name for action in task.gold}}
    of_split = {task.id for task in tasks if task.split == "train"}
    assert [row["id"] for row in rows("--episodes", "--tool", tool, "--split", "train", "--failed")] == [
        record.episode.id for record in failed if record.episode.task in called & of_split
    ]
    template = tasks[-1].provenance.template
    assert {row["task"] for row in rows("--episodes", "--template", template)} == {
        task.id for task in tasks if task.provenance.template == template
    }
    turns = [row["turns"] for row in rows("--episodes", "--sort", "turns", "--desc")]
    assert turns == sorted(turns, reverse=True) and len(turns) == len(episodes)
    text = eigen("show", "gen-0001", "--episodes", "--failed", *registry).out.splitlines()
    assert [line.split()[0] for line in text[2:]] == [record.episode.id for record in failed]
    behind = eigen("show", "gen-0001", "--tasks", "--page", 7, *registry)
    assert (behind.code, behind.out) == (0, "") and "page 7 is behind the last one" in behind.err
    none = eigen("show", "gen-0001", "--tasks", "--tool", "no_such_tool", *registry)
    assert (none.code, none.out, none.err) == (0, "", "no such task\n")


def test_one_plan_is_shown_whole(eigen: Eigen, evolved: Evolved, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = ("--registry", evolved.folder)
    monkeypatch.setenv("COLUMNS", "120")
    record = open_registry(evolved.folder).plans("gen-0002")[0]
    text = eigen("show", "gen-0002", "--plan", record.plan.id[:10], *registry).out
    body = record.plan.body
    assert text.startswith(f"{record.plan.id}  tidy-library, slot {body.slot}, {record.status}\n")
    said = " ".join(text.split())
    assert " ".join(body.synthesis.focus.split()) in said
    for quota in body.synthesis.quotas:
        assert f"{quota.template} {quota.weight}" in said
    for line in (*body.synthesis.guidelines, *body.evaluation.criteria):
        assert " ".join(line.text.split()) in said
    shown = json.loads(eigen("show", "gen-0002", "--plan", record.plan.id, "--json", *registry).out)
    assert shown["plan"]["plan"]["id"] == record.plan.id
    table = eigen("show", "gen-0002", *registry).out.splitlines()
    assert max(map(len, table)) <= 120


def test_the_prompts_are_printed_word_for_word(eigen: Eigen, evolved: Evolved) -> None:
    registry = ("--registry", evolved.folder)
    store = open_registry(evolved.folder)
    (opening,) = store.openings("gen-0001", side="agent")
    text = eigen("show", "gen-0001", "--prompt", "agent", *registry).out
    assert f"--- system message (agent, tidy-library)\n{opening.system}\n" in text
    (toolset,) = [tools for tools in store.toolsets("gen-0001") if tools.side == "agent"]
    assert json.loads(text.partition("tools (agent, tidy-library)\n")[2]) == list(toolset.tools)
    last = list(store.tasks("gen-0001"))[-1]
    done = eigen("show", "gen-0001", "--prompt", "user", "--task", last.id[:10], "--json", *registry)
    (told,) = json.loads(done.out)["openings"]
    assert (told["task"], told["side"]) == (last.id, "user")
    assert last.scenario.reason in told["system"] or last.scenario.persona in told["system"]
    first = eigen("show", "gen-0001", "--prompt", "user", *registry)
    assert "--task ID names another" in first.err
    wrong = eigen("show", "gen-0001", "--prompt", "agent", "--domain", "tidy-libary", *registry)
    assert wrong.code == 2 and "did you mean `tidy-library`?" in wrong.err


def test_a_generation_without_openings_says_so(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    source, store = open_registry(evolved.folder), open_registry(tmp_path)
    found = source.generation("gen-0001")
    contents = GenerationContents((), list(source.tasks("gen-0001"))[:1], (), ())
    store.seal(replace(found.body, contents={}), found.observed, contents)
    done = eigen("show", "--prompt", "agent", "--registry", tmp_path)
    assert (done.code, done.out) == (2, "") and "gen-0001 holds no openings" in done.err


def test_words_are_found_where_they_stand(eigen: Eigen, evolved: Evolved) -> None:
    registry = ("--registry", evolved.folder)
    store = open_registry(evolved.folder)
    said = next(
        message.text
        for record in store.episodes("gen-0001")
        for message in record.episode.messages
        if message.speaker == "user" and len(re.findall(r"[A-Za-z]{4,}", message.text)) > 2
    )
    words = re.findall(r"[A-Za-z]{4,}", said)[:2]
    found = json.loads(eigen("show", "gen-0001", "--find", " ".join(words), "--json", *registry).out)["found"]
    assert found and {each["kind"] for each in found} <= {"task", "episode"}
    text = eigen("show", "gen-0001", "--find", " ".join(words), *registry).out
    assert found[0]["id"] in text
    nothing = eigen("show", "gen-0001", "--find", "zyzzyva quokka", *registry)
    assert (nothing.code, nothing.out) == (0, "") and "has these words together" in nothing.err


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


def test_a_sample_drawn_from_rows_is_that_drawn_from_the_episodes(evolved: Evolved) -> None:
    store = open_registry(evolved.folder)
    records = list(store.episodes("gen-0001"))
    for limit in range(1, len(records) + 2):
        wanted = [record.episode.id for record in failures_first(records, limit)]
        assert sampled_ids(store, "gen-0001", limit) == wanted


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
        (("gen-0003",), "no generation is called 'gen-0003'", "there are gen-0001 and gen-0002"),
        (("gen-0001", "--task", "task-zzz"), "gen-0001 has no task 'task-zzz'", ""),
        (("gen-0001", "--episode", "ep-zzz"), "gen-0001 has no episode 'ep-zzz'", ""),
        (("gen-0001", "--tasks", "--sample", "3"), "--tasks and --sample cannot be combined", "eigen show --help"),
        (("gen-0001", "--sample", "0"), "Invalid value for '--sample'", "eigen show --help"),
        (("gen-0001", "--split", "train"), "--split goes with --tasks or --episodes", "eigen show --help"),
        (("gen-0001", "--task", "task-1", "--sample", "3"), "--sample and --task cannot", "eigen show --help"),
        (("gen-0001", "--episodes", "--passed", "--failed"), "--passed and --failed cannot", "eigen show --help"),
        (("gen-0001", "--tasks", "--sort", "turns"), "tasks are sorted by ordinal, difficulty", "eigen show --help"),
        (("gen-0001", "--tasks", "--failed"), "--failed goes with --episodes", "eigen show --help"),
        (("gen-0001", "--plan", "plan-zzz"), "gen-0001 has no plan 'plan-zzz'", ""),
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
