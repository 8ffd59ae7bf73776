"""What earns a reward, under each scoring; what is missing, undetermined or not the agent's doing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Eigen

from eigen_registry import open_registry

PERFECT = ("--agent", "script", "--user", "script")


def run(eigen: Eigen, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = eigen("eval", "kiosk", *arguments, "--json")
    assert done.code == code, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def means(report: dict[str, Any], scoring: str) -> list[float]:
    return [interval["mean"] for interval in report["scorings"][scoring]["pass_hat_k"].values()]


def test_each_scoring_has_its_own_rewards(kiosk, eigen: Eigen) -> None:
    report = run(eigen, *PERFECT, "--split", "base")
    assert (report["domain"], report["split"], report["release"], report["scoring"]) == (
        "kiosk",
        "base",
        "kiosk 3.1",
        "official",
    )
    assert (report["tasks"], report["trials"], report["passed"]) == (6, 4, 6)
    assert means(report, "official") == [1.0] * 4
    # `refused` has gold that is refused, which only the official scoring passes over; `polite` waits for a judge.
    assert means(report, "strict") == [pytest.approx(4 / 6)] * 4
    assert report["scorings"]["strict"]["passed"] == 4
    assert report["scorings"]["strict"]["undetermined"] == 4
    assert report["scorings"]["strict"]["upper_bound"]["4"] == pytest.approx(5 / 6)
    assert report["reward_basis"] == {"state": 6}
    assert report["scorings"]["strict"]["basis"] == {"state*manners": 6}
    assert run(eigen, *PERFECT, "--split", "base", "--scoring", "strict")["pass_hat_k"]["1"]["mean"] == pytest.approx(
        4 / 6
    )


def test_doing_nothing_passes_what_asks_for_nothing(kiosk, eigen: Eigen) -> None:
    report = run(eigen, *PERFECT, "--split", "base")
    assert report["untouched_passes"] == 2  # `ask`, and `refused`, whose gold changes nothing
    assert report["scorings"]["strict"]["untouched_passes"] == 1


def test_skipped_tasks_are_counted_and_shown(kiosk, eigen: Eigen) -> None:
    assert run(eigen, *PERFECT)["skipped"] == [{"id": "fly", "why": "the tool `fly` is unknown"}]
    text = eigen("eval", "kiosk", *PERFECT)
    assert "1 tasks, the first fly: the tool `fly` is unknown" in text.out
    assert "kiosk: 1 tasks are skipped" in text.err
    assert run(eigen, *PERFECT, "--split", "train")["skipped"] == []


def test_some_trials_pass_and_pass_hat_k_says_which(kiosk, eigen: Eigen) -> None:
    report = run(eigen, "--agent", "script:odd", "--user", "script", "--split", "base")
    # Odd trials do nothing: of four tasks 2 in 4 pass; `ask` and `refused` pass all the same.
    assert means(report, "official") == pytest.approx([4 / 6, (2 + 4 / 6) / 6, 2 / 6, 2 / 6])
    assert report["passed"] == 2
    for k, interval in report["pass_hat_k"].items():
        assert 0 <= interval["low"] <= interval["mean"] <= interval["high"] <= 1, k


def test_an_episode_the_user_did_not_end_earns_nothing(kiosk, eigen: Eigen) -> None:
    report = run(eigen, "--agent", "script:leaves", "--user", "script")
    assert report["stops"] == {"agent_stop": 16}
    assert (report["passed"], report["missing"]) == (0, 0)
    assert report["untouched_passes"] == 1, "`ask` would have passed, had the user ended the call"


def test_a_judge_decides_statements_and_only_those_left_open(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    report = run(eigen, *PERFECT, "--split", "base", "--judge", "reader")
    assert (report["judge"], report["scorings"]["strict"]["undetermined"]) == ("reader", 0)
    assert means(report, "strict") == [pytest.approx(5 / 6)] * 4
    judged = [line for line in kiosk.asked() if "/judge/" in line]
    assert len(judged) == 4, "one task has one statement"
    (record, *_) = [r for r in open_registry(tmp_path / ".eigen").evaluation_episodes("latest") if r.judgements]
    assert (record.judgements[0].statement, record.judgements[0].holds) == ("HOLDS: it was friendly", True)
    assert record.rewards == {"official": 1.0, "strict": 1.0}


@pytest.mark.parametrize(
    ("statements", "reward", "undetermined", "words"),
    [
        (["HOLDS a", "HOLDS b"], 1.0, (), [True, True]),
        (["HOLDS a", "FAILS b"], 0.0, (), [True, False]),
        (["HOLDS a", "b, perhaps"], 0.0, ("strict",), [True, None]),
        (["FAILS a", "b, perhaps"], 0.0, (), [False, None]),
    ],
)
def test_one_statement_that_fails_fails_it_and_one_nobody_decides_leaves_it_open(
    kiosk, eigen: Eigen, tmp_path: Path, monkeypatch, statements, reward, undetermined, words
) -> None:
    import msgspec
    from eigen_kiosk.domain import Kiosk

    official = Kiosk.task_set

    def changed(self: Kiosk) -> Any:
        found = official(self)
        tasks = [
            msgspec.structs.replace(t, imported={"statements": statements}) if t.id == "polite" else t
            for t in found.tasks
        ]
        return msgspec.structs.replace(found, tasks=tuple(tasks))

    monkeypatch.setattr(Kiosk, "task_set", changed)
    run(eigen, *PERFECT, "--judge", "reader", "--task", "polite", "--trials", "1")
    (record,) = open_registry(tmp_path / ".eigen").evaluation_episodes("latest")
    assert (record.rewards["strict"], record.undetermined) == (reward, undetermined)
    assert [judgement.holds for judgement in record.judgements] == words
    assert record.rewards["official"] == 1.0


def test_simulators_and_oracles_are_never_asked_to_judge(kiosk, eigen: Eigen) -> None:
    assert run(eigen, *PERFECT, "--judge", "offline")["judge"] is None
    assert run(eigen, *PERFECT, "--judge", "script")["judge"] is None
    assert not [line for line in kiosk.asked() if "/judge/" in line]


def test_trials_that_break_down_are_missing_and_named(kiosk, eigen: Eigen, monkeypatch: pytest.MonkeyPatch) -> None:
    down = ("--agent", "script:down", "--user", "script")
    done = eigen("eval", "kiosk", *down, "--json")
    report = json.loads(done.out)
    assert done.code == 4
    assert "4 of 16 trials have no reward" in done.err
    assert "hint: EIGEN_EVOLVE_ATTEMPTS=6 with the same command tries them again" in done.err
    assert (report["infrastructure"], report["missing"]) == (4, 4)
    assert report["stops"] == {"infrastructure": 4, "user_stop": 12}
    assert list(report["pass_hat_k"]) == ["1", "2", "3"], "the fewest rewarded trials of a task"
    assert means(report, "official") == [1.0] * 3
    assert report["passed"] == 0, "no task passed all of its trials"
    assert eigen("eval", "kiosk", *down, "--allow-missing").code == 0
    asked = len(kiosk.asked())
    assert eigen("eval", "kiosk", *down, "--json").out == done.out
    assert len(kiosk.asked()) == asked
    # More attempts go on where the others ended.
    monkeypatch.setenv("EIGEN_EVOLVE_ATTEMPTS", "6")
    whole = run(eigen, *down)
    assert (whole["missing"], whole["passed"]) == (0, 4)
    assert {line.split("/")[-1].split()[0] for line in kiosk.asked()[asked:]} == {"3"}


def test_a_verifier_that_fails_costs_its_trials_alone(kiosk, eigen: Eigen, tmp_path: Path, monkeypatch) -> None:
    import msgspec
    from eigen_kiosk.domain import Kiosk

    official = Kiosk.task_set

    def changed(self: Kiosk) -> Any:
        found = official(self)
        tasks = tuple(msgspec.structs.replace(t, imported={"break": True}) if t.id == "ask" else t for t in found.tasks)
        return msgspec.structs.replace(found, tasks=tasks)

    monkeypatch.setattr(Kiosk, "task_set", changed)
    report = run(eigen, *PERFECT, code=4)
    assert (report["infrastructure"], report["missing"], report["passed"]) == (0, 4, 3)
    broken = [r for r in open_registry(tmp_path / ".eigen").evaluation_episodes("latest") if r.missing]
    assert {r.failure for r in broken} == {"it could not be scored: KeyError: 'the verifier has a bug'"}


def test_user_faults_are_counted_and_stay_in_the_headline(kiosk, eigen: Eigen) -> None:
    report = run(eigen, "--agent", "script", "--user", "script:stray")
    assert report["violations"] == {"invented_fact": 16}
    assert report["violating_episodes"] == 16
    assert report["pass_hat_k"]["4"]["mean"] == 1.0


def test_means_are_those_of_the_trials(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    report = run(eigen, *PERFECT, "--task", "lend-0", "--task", "ask")
    # lend-0: user, agent's call, agent, user; ask: user, agent, user. 110 tokens a completion.
    assert (report["turns"], report["tool_calls"], report["tokens"]) == (3.5, 0.5, 385.0)
    assert report["usd"] is None
    (tmp_path / "eigen.toml").write_text("[prices.paid]\nprompt = 1\ncompletion = 10\n")
    paid = run(eigen, "--agent", "script:paid", "--user", "script:paid", "--task", "ask", "--trials", "1")
    # The agent's completion costs what its backend says, the user's two by the price of 100 + 10 tokens.
    assert paid["usd"] == pytest.approx(0.25 + 2 * 0.0002)


def test_one_model_in_every_role_gets_a_warning(kiosk, eigen: Eigen, monkeypatch: pytest.MonkeyPatch) -> None:
    from eigen_kiosk.actors import Script

    monkeypatch.setattr(Script, "oracle", False)
    done = eigen("eval", "kiosk", "--backend", "script", "--dry-run")
    assert "script/perfect plays agent, user and judge; give --user or --judge another model" in done.err
    assert "plays agent, user" not in eigen("eval", "kiosk", *PERFECT, "--judge", "reader", "--dry-run").err


def test_a_user_that_is_away_ends_it_and_it_resumes(kiosk, eigen: Eigen) -> None:
    done = eigen("eval", "kiosk", "--agent", "script", "--user", "script:away")
    assert (done.code, done.out) == (3, "")
    assert "nobody answers" in done.err
