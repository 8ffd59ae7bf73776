"""`eigen eval` on domains of one's own, and `eigen evaluations`: from flags to what is printed."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from command_line import Eigen
from commands_shared import Evolved

from eigen_cli.testing.openai_server import Fault, OpenAIServer, serving

EVAL = ("eval", "tidy-library", "--split", "all", "--trials", "2", "--limit", "6")


@pytest.fixture
def registry(evolved: Evolved, tmp_path: Path) -> Path:
    """A copy of the evolved registry, to write into."""
    return shutil.copytree(evolved.folder, tmp_path / ".eigen")


def report(eigen: Eigen, *arguments: str) -> dict[str, Any]:
    done = eigen(*arguments, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_json_has_everything_the_issue_asks_for(eigen: Eigen, registry: Path, evolved: Evolved) -> None:
    found = report(eigen, *EVAL)
    keys = (
        "schema id domain split release scoring tasks trials passed pass_hat_k scorings infrastructure undetermined "
        "missing skipped violations stops turns tool_calls tokens usd untouched_passes agent user judge simulated "
        "notice reward_basis"
    )
    assert set(keys.split()) <= set(found)
    latest = evolved.report["generations"][-1]
    assert (found["schema"], found["domain"], found["split"], found["scoring"]) == (1, "tidy-library", "all", "own")
    assert found["release"] == f"generation {latest['hash'][:12]}"
    assert found["generation"] == latest["hash"]
    assert (found["tasks"], found["trials"], found["simulated"]) == (6, 2, True)
    assert found["notice"].startswith("SIMULATED")
    assert found["reward_basis"] == {"state*checks*communicate": 6}
    assert list(found["pass_hat_k"]) == ["1", "2"]
    for interval in found["pass_hat_k"].values():
        assert 0 <= interval["low"] <= interval["mean"] <= interval["high"] <= 1
    assert sum(found["stops"].values()) == 12
    assert found["agent"] == found["user"] == "offline/competent-ordinary-ordinary"
    assert (found["judge"], found["usd"], found["missing"]) == (None, 0.0, 0)
    assert found["turns"] > 2
    assert "difference" not in found


def test_a_generation_brings_its_own_tasks(eigen: Eigen, registry: Path, evolved: Evolved) -> None:
    first, second = evolved.report["generations"]
    found = report(eigen, *EVAL, "--generation", "gen-0001")
    assert found["generation"] == first["hash"] != second["hash"]
    shown = report(eigen, "show", "gen-0001", "--tasks")["tasks"]
    sample = report(eigen, "evaluations", "latest", "--sample", "99")
    assert sorted(sample["tasks"]) == sorted(task["id"] for task in shown[:6])


def test_a_table_for_a_paper_and_the_facts_below_it(eigen: Eigen, registry: Path) -> None:
    done = eigen(*EVAL)
    lines = done.out.splitlines()
    assert lines[0].split()[:4] == ["domain", "split", "scoring", "tasks"]
    assert "pass^1 [95 %]" in lines[0]
    found = report(eigen, *EVAL)
    one = found["pass_hat_k"]["1"]
    assert lines[1].startswith("tidy-library  all    own")
    assert f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" in lines[1]
    assert f"{found['passed']}/6" in lines[1]
    assert "SIMULATED: made by offline actors; not training data" in done.out
    assert "reward basis    own: state*checks*communicate (6)" in done.out
    assert "no generalisation is claimed" in done.out
    assert "look with `eigen evaluations eval-0001 --sample 20`" in done.err


def test_evaluations_are_listed_and_their_dialogues_shown(eigen: Eigen, registry: Path) -> None:
    assert eigen("evaluations").err.startswith(f"no evaluations in {registry} yet; `eigen eval DOMAIN` makes one")
    first = report(eigen, *EVAL)
    second = report(eigen, *EVAL, "--checkpoint", "sft-1", "--seed", "3")
    listed = report(eigen, "evaluations")["evaluations"]
    assert [item["id"] for item in listed] == ["eval-0001", "eval-0002"]
    assert listed == [{k: v for k, v in item.items() if k != "schema"} for item in (first, second)]
    rows = [line.split() for line in eigen("evaluations").out.splitlines()]
    assert [row[0] for row in rows] == ["id", "eval-0001", "eval-0002"]
    assert rows[2][-1] == "sft-1"
    assert report(eigen, "evaluations", "eval-0002")["evaluation"] == listed[1]
    assert eigen("evaluations", "eval-0001").out.splitlines()[0].split()[0] == "domain"
    sample = report(eigen, "evaluations", "eval-0001", "--sample", "3")
    rewards = [item["verdict"]["reward"] for item in sample["episodes"]]
    assert rewards == sorted(rewards)
    text = eigen("evaluations", "eval-0001", "--sample", "3").out
    assert text.startswith("SIMULATED")
    assert all(f"{item['episode']['id']}  task {item['episode']['task']}" in text for item in sample["episodes"])
    assert text.count("    stop  ") == 3


def test_evaluations_asked_for_what_they_are_not(eigen: Eigen, registry: Path) -> None:
    assert "--sample needs an evaluation" in eigen("evaluations", "--sample", "3").err
    done = eigen("evaluations", "eval-0001")
    assert (done.code, done.out) == (2, "")
    assert "the registry holds no evaluation yet\nhint: `eigen eval DOMAIN` seals a first one" in done.err
    report(eigen, *EVAL)
    assert (
        "tidy-library has no scoring 'official'; it has own"
        in eigen("evaluations", "latest", "--scoring", "official").err
    )


def test_dry_run_counts_and_does_nothing(eigen: Eigen, registry: Path, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text("[prices.m]\nprompt = 2\ncompletion = 10\n")
    model = ("--agent", "openai:m", "--user", "openai:m", "--base-url", "http://127.0.0.1:9/v1")
    found = report(eigen, *EVAL, *model, "--dry-run")
    (domain,) = found["domains"]
    agent, total = domain["estimate"]["agent"], found["total"]
    assert (domain["tasks"], domain["trials"], agent["calls"]) == (6, 2, 12 * 12)
    assert agent["usd"] == round((agent["prompt_tokens"] * 2 + agent["completion_tokens"] * 10) / 1e6, 2)
    assert total["calls"] == sum(row["calls"] for row in domain["estimate"].values())
    assert found["simulated"] is False
    text = eigen(*EVAL, "--dry-run")
    assert text.out.splitlines()[0].split()[:3] == ["domain", "role", "backend"]
    assert "SIMULATED" in text.out
    assert report(eigen, "evaluations")["evaluations"] == []


def test_the_same_over_http_whatever_the_server_does_on_the_way(eigen: Eigen, registry: Path, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text(
        "[backend]\nmax_retries = 12\noptions = { simulated_inputs = true, backoff = 0.01 }\n"
    )
    calm, storm = OpenAIServer(), OpenAIServer(faults=[Fault(kind="reset", rate=0.2), Fault(kind="status", rate=0.2)])
    found = []
    for place, server in enumerate((calm, storm)):
        with serving(server) as url:
            model = ("--backend", "openai", "--base-url", url, "--model", "offline", "--checkpoint", f"c{place}")
            found.append(report(eigen, *EVAL, *model))
            asked = len(server.log.requests)
            assert report(eigen, *EVAL, *model) == found[-1]
            assert len(server.log.requests) == asked
            assert server.log.answered_twice() == {}
    first, second = found
    assert (first["agent"], first["judge"], first["simulated"]) == ("openai/offline", None, True)
    same = ("scorings", "stops", "turns", "tool_calls", "violations", "missing")
    assert {key: first[key] for key in same} == {key: second[key] for key in same}
    assert len(storm.log.requests) > len(calm.log.requests) == sum(used["calls"] for used in first["usage"].values())


def test_a_server_that_is_down_is_one_line_and_exit_3(eigen: Eigen, registry: Path) -> None:
    model = ("--agent", "openai:m", "--user", "openai:m", "--base-url", "http://127.0.0.1:9/v1")
    done = eigen(*EVAL, *model)
    assert (done.code, done.out) == (3, "")
    assert "no answer from 127.0.0.1:9" in done.err


def test_roles_take_their_models_and_the_command_lines_address(eigen: Eigen, registry: Path) -> None:
    """`--agent NAME` names another backend than `[backend]`, which takes nothing from there; the flags reach it."""
    served: list[str] = []

    def answer(request: Any) -> str:
        served.append(request.model)
        return "Thank you. ###STOP###"

    with serving(OpenAIServer(responder=answer, models=("a", "b"))) as url:
        named = ("--agent", "openai:a", "--user", "openai", "--model", "b", "--base-url", url)
        found = report(eigen, *EVAL, *named)
    assert (found["agent"], found["user"], found["judge"]) == ("openai/a", "openai/b", None)
    assert (found["simulated"], found["stops"], set(served)) == (False, {"user_stop": 12}, {"b"})
    assert (found["passed"], found["untouched_passes"]) == (0, 0)


def test_domains_of_one_mixed_generation_each_get_their_own_tasks(eigen: Eigen) -> None:
    evolved = report(
        eigen, "evolve", "airline,retail", "--rounds", "1", "--tasks", "4", "--trials", "1", "--plans", "1"
    )
    (generation,) = evolved["generations"]
    found = report(eigen, "eval", "airline,retail", "--split", "all", "--trials", "1")
    airline, retail = found["domains"]
    assert (airline["domain"], retail["domain"]) == ("airline", "retail")
    assert airline["generation"] == retail["generation"] == generation["hash"]
    assert airline["tasks"] + retail["tasks"] == generation["tasks_accepted"]
    assert min(airline["tasks"], retail["tasks"]) > 0
    means = [domain["pass_hat_k"]["1"]["mean"] for domain in (airline, retail)]
    assert found["macro"]["pass_hat_k"]["1"]["mean"] == pytest.approx(sum(means) / 2)
    assert 0 < sum(means) <= 2
    assert airline["overlap"]["entities"] > airline["tasks"]


def test_whoever_writes_letters_can_be_scored(eigen: Eigen, registry: Path, tmp_path: Path) -> None:
    box, over = tmp_path / "box", threading.Event()

    def give_up() -> None:
        """Answer every request of the agent with the same words, until the command is done."""
        while not over.wait(0.01):
            for asked in (box / "requests").glob("*.json"):
                beside = box / "answers" / f".{asked.stem}"
                beside.write_text(json.dumps({"text": "I am sorry, I cannot help you."}))
                beside.rename(box / "answers" / asked.name)

    writer = threading.Thread(target=give_up)
    writer.start()
    try:
        done = eigen(*EVAL[:-1], "1", "--trials", "1", "--agent", "mailbox", "--dir", str(box), "--json")
    finally:
        over.set()
        writer.join()
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["agent"], found["missing"], found["passed"]) == ("mailbox/unnamed", 0, 0)
    assert list((box / "done").glob("*.answer.json"))
