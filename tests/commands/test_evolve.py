"""`eigen evolve`: from flags to sealed generations and what is printed of them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bank import Bank
from command_line import Eigen
from commands_shared import EVOLVE, Evolved
from eigen_tidy_library.domain import TidyLibrary
from msgspec.structs import replace
from third_party import install_library

from eigen_cli.api.backend import ROLES, BackendSettings
from eigen_cli.api.verdicts import BLAME_PARTIES
from eigen_cli.commands.run_assembly import note_overlaps
from eigen_cli.console import Console
from eigen_cli.evolve.runs import RunDomain, prepare
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.main import cli
from eigen_cli.run.actors import Actors
from eigen_cli.testing.openai_server import OpenAIServer, echo, serving
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry

SMALL = ("evolve", "tidy-library", "--rounds", "1", "--tasks", "4", "--trials", "1", "--plans", "2")
MIX = "tidy-library,airline"
SMALL_MIX = ("evolve", MIX, "--rounds", "1", "--tasks", "5", "--trials", "1", "--plans", "2")


def test_json_has_everything_the_issue_asks_for(evolved: Evolved) -> None:
    report = evolved.report
    assert {"schema", "run", "domain", "seed", "actors", "generations"} <= set(report)
    assert (report["schema"], report["domain"], report["seed"], report["actors"]) == (1, "tidy-library", 0, "offline")
    first, second = report["generations"]
    assert (first["id"], first["round"], first["parent"]) == ("gen-0001", 1, None)
    assert (second["id"], second["round"], second["parent"]) == ("gen-0002", 2, first["hash"])
    for generation in (first, second):
        assert generation["tasks_proposed"] == 12
        assert 0 < generation["tasks_accepted"] <= 12
        assert generation["episodes"] == 2 * generation["tasks_accepted"]
        assert generation["pass_rate"] == generation["passed"] / generation["episodes"]
        assert set(generation["blame"]) == set(BLAME_PARTIES)
        assert generation["passed"] + sum(generation["blame"].values()) == generation["episodes"]
        assert set(generation["coverage"]) == {"tools", "tool_pairs", "clauses"}
        assert generation["coverage"]["tools"] == {"covered": 4, "total": 4}
        assert isinstance(generation["rejections"], dict)
        assert isinstance(generation["near_duplicates"], int)
        assert set(generation["usage"]) >= {"synthesizer", "agent", "user"}
        assert {"calls", "prompt_tokens", "completion_tokens"} <= set(generation["usage"]["agent"])


def test_simulated_is_visible_in_every_output(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    registry = ("--registry", evolved.folder)
    assert evolved.report["notice"].startswith("SIMULATED")
    assert all(generation["simulated"] for generation in evolved.report["generations"])
    episode = json.loads(eigen("show", "gen-0001", "--sample", 1, "--json", *registry).out)["episodes"][0]["episode"]
    outputs = [
        eigen("generations", *registry).out,
        eigen("generations", "--json", *registry).out,
        eigen("show", "gen-0001", *registry).out,
        eigen("show", "gen-0001", "--json", *registry).out,
        eigen("show", "gen-0001", "--tasks", *registry).out,
        eigen("show", "gen-0001", "--task", episode["task"], *registry).out,
        eigen("show", "gen-0001", "--episode", episode["id"], *registry).out,
        eigen("show", "gen-0001", "--sample", 2, *registry).out,
        eigen("export", "gen-0001", "-o", tmp_path / "x.jsonl", *registry).err,
        eigen(*SMALL, "--dry-run").out,
        eigen(*SMALL, "--preview", 1).out,
    ]
    assert [output for output in outputs if "SIMULATED" not in output] == []


def test_a_completed_run_is_printed_again_and_calls_nobody(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    folder = shutil.copytree(evolved.folder, tmp_path / "reg")
    before = {path: path.read_bytes() for path in (folder / "journals").iterdir()}
    done = eigen(*EVOLVE, "--registry", folder, "--json")
    assert done.code == 0
    assert json.loads(done.out) == evolved.report
    assert {path: path.read_bytes() for path in (folder / "journals").iterdir()}.keys() == before.keys()
    assert len(json.loads(eigen("generations", "--registry", folder, "--json").out)["generations"]) == 2


def test_more_rounds_extend_a_run(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    folder = shutil.copytree(evolved.folder, tmp_path / "reg")
    longer = [*EVOLVE, "--registry", str(folder), "--json"]
    longer[longer.index("--rounds") + 1] = "3"
    report = json.loads(eigen(*longer).out)
    assert [item["id"] for item in report["generations"]] == ["gen-0001", "gen-0002", "gen-0003"]
    assert [item["hash"] for item in report["generations"][:2]] == [g["hash"] for g in evolved.report["generations"]]
    assert report["run"] == evolved.report["run"]


def test_concurrency_and_folder_are_not_part_of_a_run(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    done = eigen(*EVOLVE, "--concurrency", 1, "--registry", tmp_path / "elsewhere", "--json")
    report = json.loads(done.out)
    assert report["run"] == evolved.report["run"]
    assert [item["hash"] for item in report["generations"]] == [g["hash"] for g in evolved.report["generations"]]


def test_text_output_lists_generations_and_says_where_to_look(eigen: Eigen, tmp_path: Path) -> None:
    done = eigen(*SMALL)
    assert done.code == 0
    header, row, warning = done.out.splitlines()
    assert header.split()[:5] == ["id", "hash", "domain", "seed", "round"]
    assert row.split()[0] == "gen-0001"
    assert row.endswith("SIMULATED")
    assert warning == "SIMULATED: made by offline actors; not training data"
    assert done.err.startswith("round 1 of 1 sealed\n")
    assert f"in {tmp_path / '.eigen'}; look with `eigen show gen-0001`" in done.err
    assert (tmp_path / ".eigen" / "registry.duckdb").exists()


def test_several_domains_make_one_generation_with_figures_of_each(eigen: Eigen) -> None:
    report = json.loads(eigen(*SMALL_MIX, "--json").out)
    (generation,) = report["generations"]
    assert report["domain"] == generation["domain"] == "airline,tidy-library"
    assert list(generation["domains"]) == ["airline", "tidy-library"]
    figures = list(generation["domains"].values())
    assert [each["tasks_proposed"] for each in figures] == [3, 2]
    for name in ("tasks_proposed", "tasks_accepted", "episodes", "passed", "infrastructure", "near_duplicates"):
        assert generation[name] == sum(each[name] for each in figures), name
    assert set(figures[0]) == set(generation) & set(figures[0])
    covered = generation["coverage"]["tools"]["covered"]
    assert covered == sum(each["coverage"]["tools"]["covered"] for each in figures)

    again = eigen("evolve", "airline,tidy-library", *SMALL_MIX[2:])
    assert again.out.splitlines()[1].split()[2] == "airline,tidy-library"
    assert again.out.splitlines()[1].split()[1] == generation["hash"][:12], "the order of names is none of a run's"
    shown = eigen("show").out.splitlines()
    header = next(place for place, line in enumerate(shown) if line.startswith("domain "))
    assert shown[header].split()[:7] == ["domain", "accepted", "passed", "tools", "pairs", "clauses", "near-dup"]
    rows = {line.split()[0]: line.split()[1] for line in shown[header + 1 : header + 3]}
    assert rows == {
        name: f"{each['tasks_accepted']}/{each['tasks_proposed']}" for name, each in generation["domains"].items()
    }
    tasks = eigen("show", "--tasks").out.splitlines()[2:]
    domains = [line.split()[1] for line in tasks]
    assert domains == sorted(domains) and set(domains) == set(rows)


def test_ablations_and_sizes_reach_the_run(eigen: Eigen) -> None:
    plain = json.loads(eigen(*SMALL, "--dry-run", "--json").out)
    changed = {
        flags: json.loads(eigen(*SMALL, "--dry-run", "--json", *flags).out)["run"]
        for flags in (
            ("--no-validation",),
            ("--no-evolution",),
            ("--seed", "3"),
            ("--tasks", "5"),
            ("--trials", "2"),
            ("--plans", "3"),
            ("--world-size", "90"),
        )
    }
    assert len({plain["run"], *changed.values()}) == len(changed) + 1
    same = json.loads(eigen(*SMALL, "--dry-run", "--json", "--rounds", "9", "--concurrency", "2").out)
    assert same["run"] == plain["run"]


def test_dry_run_counts_and_prices_and_does_nothing(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text(
        "[backend]\nname='openai'\nmodel='m'\nbase_url='http://127.0.0.1:9/v1'\n"
        "[prices.m]\nprompt = 2\ncompletion = 10\n"
    )
    report = json.loads(eigen(*SMALL, "--dry-run", "--json").out)
    agent, total = report["estimate"]["agent"], report["total"]
    assert agent["calls"] == 4 * 12
    assert agent["usd"] == round((agent["prompt_tokens"] * 2 + agent["completion_tokens"] * 10) / 1e6, 2)
    assert total["calls"] == sum(role["calls"] for role in report["estimate"].values())
    assert total["usd"] == pytest.approx(sum(role["usd"] for role in report["estimate"].values()))
    assert eigen(*SMALL, "--dry-run").out.splitlines()[0].split()[:3] == ["role", "backend", "calls"]
    assert not (tmp_path / ".eigen").exists()


def test_dry_run_adds_up_the_domains(eigen: Eigen) -> None:
    report = json.loads(eigen(*SMALL_MIX, "--dry-run", "--json").out)
    apart = {
        name: json.loads(eigen("evolve", name, *SMALL_MIX[2:], "--tasks", tasks, "--dry-run", "--json").out)
        for name, tasks in (("airline", 3), ("tidy-library", 2))
    }
    assert report["domains"] == {name: alone["total"] for name, alone in apart.items()}
    for key in ("calls", "prompt_tokens", "completion_tokens"):
        assert report["total"][key] == sum(alone["total"][key] for alone in apart.values())
        for role, row in report["estimate"].items():
            assert row[key] == sum(alone["estimate"][role][key] for alone in apart.values())
    rows = [line.split("  ")[0] for line in eigen(*SMALL_MIX, "--dry-run").out.splitlines()]
    assert rows[8:11] == ["total", "of it airline", "of it tidy-library"]
    assert "of it" not in eigen(*SMALL, "--dry-run").out


def test_preview_shows_tasks_of_every_domain(eigen: Eigen) -> None:
    previewed = json.loads(eigen(*SMALL_MIX, "--preview", 1, "--json").out)["preview"]
    assert [item["domain"] for item in previewed] == ["airline", "tidy-library"]
    text = eigen(*SMALL_MIX, "--preview", 1).out
    assert all(f"{item['task']['id']}  {item['domain']}," in text for item in previewed if item["task"])


def test_a_benchmarks_own_world_is_warned_of(eigen: Eigen) -> None:
    done = eigen("evolve", "tau2-airline,tidy-library", "--dry-run")
    assert done.code == 0
    warned = [line for line in done.err.splitlines() if line.startswith("eigen: warning: ")]
    assert len(warned) == 1 and warned[0].startswith("eigen: warning: tau2-airline is a benchmark")
    assert "it reserves none" in warned[0] or "are rejected" in warned[0]


def test_how_many_proposals_named_a_reserved_entity_is_said(
    evolved: Evolved, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    actors = Actors(dict.fromkeys(ROLES, OfflineBackend(BackendSettings())))
    store = open_registry(tmp_path)
    run = prepare(EvolveSettings(), [RunDomain.of(Bank(), {})], actors=actors, store=store)
    sealed = open_registry(evolved.folder).generations()
    bodies = [
        replace(item.body, domain="bank", domains={}, rejections={"benchmark_overlap": count, "gold_error": 9})
        for item, count in zip(sealed, (2, 1), strict=True)
    ]
    generations = [replace(item, body=body) for item, body in zip(sealed, bodies, strict=True)]
    note_overlaps(run, generations, Console())
    assert capsys.readouterr().err == "bank: rejected as benchmark_overlap: 3\n"
    library = prepare(EvolveSettings(), [RunDomain.of(TidyLibrary(), {})], actors=actors, store=store)
    note_overlaps(library, sealed, Console())
    assert capsys.readouterr().err == "", "nothing to say where nothing is reserved"


def test_names_after_a_comma_are_completed(library: Path) -> None:
    from click.shell_completion import ShellComplete

    complete = ShellComplete(cli, {}, "eigen", "_EIGEN_COMPLETE")
    offered = [item.value for item in complete.get_completions(["evolve"], "airline,tidy")]
    assert offered == ["airline,tidy-library"]


def test_offline_nothing_is_said_of_tokens(eigen: Eigen) -> None:
    dry = eigen(*SMALL, "--dry-run").out
    assert dry.splitlines()[0].split() == ["role", "backend", "calls"]
    assert "no model is asked: it takes no tokens and costs nothing" in dry
    assert "tokens" not in dry.replace("it takes no tokens", "") and "price" not in dry
    done = eigen(*SMALL, "--tasks", 8)
    assert done.code == 0 and "sealed" in done.err
    assert "forecast" not in done.err and "tokens" not in done.err


def test_dry_run_without_prices_says_so(eigen: Eigen) -> None:
    model = ("--backend", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    done = eigen(*SMALL, *model, "--dry-run")
    assert done.code == 0
    assert "no price: give one in eigen.toml" in done.out
    assert done.out.splitlines()[0].split("  ")[-1] == "USD" and "reply tokens" in done.out
    assert "eigen: warning: openai/m plays agent, user and judge" in done.err
    assert json.loads(eigen(*SMALL, *model, "--dry-run", "--json").out)["total"]["usd"] is None


def test_preview_shows_tasks_of_the_run_and_stops_without_a_terminal(eigen: Eigen, tmp_path: Path) -> None:
    previewed = json.loads(eigen(*SMALL, "--preview", 4, "--json").out)["preview"]
    assert len(previewed) == 4
    assert not (tmp_path / ".eigen" / "registry.duckdb").exists()
    text = eigen(*SMALL, "--preview", 4)
    assert text.code == 0
    assert all(item["task"]["id"] in text.out for item in previewed if item["task"])
    assert "the same command without --preview goes on" in text.err
    assert eigen(*SMALL).code == 0
    sealed = json.loads(eigen("show", "gen-0001", "--tasks", "--json").out)["tasks"]
    accepted = {item["task"]["id"] for item in previewed if not item["rejections"]}
    assert accepted
    assert accepted == {task["id"] for task in sealed}


def test_preview_is_not_paid_for_twice(eigen: Eigen, tmp_path: Path) -> None:
    from eigen_cli.run.journal import read_entries

    eigen(*SMALL, "--preview", 2)
    (journal,) = (tmp_path / ".eigen" / "journals").iterdir()
    asked = [entry.key for entry in read_entries(journal)]
    eigen(*SMALL)
    keys = [entry.key for entry in read_entries(journal)]
    assert keys[: len(asked)] == asked
    assert len(set(keys)) == len(keys)


def test_fresh_starts_anew_and_keeps_the_old_journal(eigen: Eigen, tmp_path: Path) -> None:
    first = json.loads(eigen(*SMALL, "--json").out)
    again = json.loads(eigen(*SMALL, "--fresh", "--json").out)
    assert [item["hash"] for item in again["generations"]] == [item["hash"] for item in first["generations"]]
    names = sorted(path.suffix for path in (tmp_path / ".eigen" / "journals").iterdir())
    assert names == [".journal", ".old"]


@pytest.mark.parametrize(
    ("arguments", "code", "error", "hint"),
    [
        (("evolve", "tidy-libary"), 2, "there is no domain `tidy-libary`", "did you mean `tidy-library`?"),
        ((*SMALL, "--backend", "ofline"), 2, "there is no backend `ofline`", "did you mean `offline`?"),
        ((*SMALL, "--backend", "openai"), 2, "the openai backend needs a model", "--model"),
        ((*SMALL, "--rounds", "0"), 2, "Invalid value for '--rounds'", "eigen evolve --help"),
        (("evolve",), 2, "Missing argument 'DOMAIN'", "eigen evolve --help"),
        (("evolve", "airline,,tidy-library"), 2, "`airline,,tidy-library` has an empty name", "airline,retail"),
        (("evolve", "airline,"), 2, "`airline,` has an empty name", "airline,retail"),
        (("evolve", "tidy-library,airline,tidy-library"), 2, "`tidy-library,airline,tidy-library` names tidy-", "once"),
        (("evolve", "airline,tidy-libary"), 2, "there is no domain `tidy-libary`", "did you mean `tidy-library`?"),
        (("evolve", MIX, "--tasks", "1"), 2, "`evolve.tasks` is 1, too few for 2 domains", "--tasks 2"),
        (
            (*SMALL, "--backend", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
            3,
            "no answer from 127.0.0.1:9",
            "is the server up",
        ),
    ],
)
def test_bad_input_gets_one_line_and_a_hint(
    eigen: Eigen, arguments: tuple[str, ...], code: int, error: str, hint: str
) -> None:
    done = eigen(*arguments)
    said = [line for line in done.err.splitlines() if not line.startswith("eigen: warning")]
    assert (done.code, done.out, len(said)) == (code, "", 2)
    assert said[0].startswith(f"eigen: error: {error}")
    assert said[1].startswith("hint: ")
    assert hint in said[1]


def test_the_same_command_evolves_against_a_model_server(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text("[backend]\noptions = { simulated_inputs = true }\n")
    server = OpenAIServer()
    with serving(server) as url:
        model = ("--backend", "openai", "--base-url", url, "--model", "offline")
        report = json.loads(eigen(*SMALL, *model, "--json").out)
        asked = len(server.log.requests)
        assert json.loads(eigen(*SMALL, *model, "--json").out) == report
    assert (report["actors"], report["simulated"]) == ("openai", True)
    (generation,) = report["generations"]
    assert set(generation["actors"].values()) == {"openai/offline"}
    assert generation["episodes"] == generation["tasks_accepted"] > 0
    assert sum(role["calls"] for role in generation["usage"].values()) == asked == len(server.log.requests)


def test_a_model_that_cannot_plan_is_one_line(eigen: Eigen) -> None:
    with serving(OpenAIServer(responder=echo, models=("m",))) as url:
        done = eigen(*SMALL, "--backend", "openai", "--model", "m", "--base-url", url)
    said = [line for line in done.err.splitlines() if not line.startswith("eigen: warning")]
    assert (done.code, len(said)) == (1, 2)
    assert said[0].startswith("eigen: error: the planner's model gave no usable plan in ")
    assert said[1] == "hint: try a stronger model for [roles.planner], or a server with structured output"


def test_an_unreadable_registry_is_told_before_anything_is_asked(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / ".eigen").mkdir()
    (tmp_path / ".eigen" / "registry.duckdb").write_bytes(os.urandom(20_000))
    done = eigen(*SMALL)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"eigen: error: the registry {tmp_path / '.eigen' / 'registry.duckdb'} is damaged")
    assert not (tmp_path / ".eigen" / "journals").exists()


def test_eigen_toml_sets_the_run(eigen: Eigen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eigen.toml").write_text("registry = 'kept'\n[evolve]\nrounds = 1\ntasks = 9\ntrials = 1\nplans = 2\n")
    monkeypatch.setenv("EIGEN_EVOLVE_TASKS", "6")
    report = json.loads(eigen("evolve", "tidy-library", "--json").out)
    assert [item["tasks_proposed"] for item in report["generations"]] == [6]
    assert (tmp_path / "kept" / "registry.duckdb").exists()
    (tmp_path / "eigen.toml").write_text("[evolve]\nroundz = 1\n")
    done = eigen("evolve", "tidy-library")
    assert done.code == 2
    assert done.err == "eigen: error: eigen.toml:2: unknown key `evolve.roundz`\nhint: did you mean `rounds`?\n"


def test_roles_may_be_played_by_different_backends(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text("[roles.user]\noptions = { user = 'faithful' }\n")
    (generation,) = json.loads(eigen(*SMALL, "--json").out)["generations"]
    assert generation["actors"]["user"] == "offline/competent-faithful-ordinary"
    assert generation["actors"]["agent"] == "offline/competent-ordinary-ordinary"


def test_an_interrupt_exits_130_and_the_same_command_resumes(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(install_library(tmp_path / "own-site"))}
    command = [sys.executable, "-m", "eigen_cli", *EVOLVE, "--tasks", "24", "--json"]
    process = subprocess.Popen(command, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    journals = tmp_path / ".eigen" / "journals"
    deadline = time.monotonic() + 30
    while not (journals.exists() and any(path.stat().st_size > 20_000 for path in journals.iterdir())):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert b"everything acknowledged is kept; the same command resumes" in err
    assert b"Traceback" not in err
    resumed = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, check=True)
    assert len(json.loads(resumed.stdout)["generations"]) == 2
