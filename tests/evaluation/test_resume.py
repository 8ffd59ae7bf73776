"""Nothing lost and nothing paid for twice: killed, repeated, widened."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from command_line import Eigen
from running_eval import evaluate, killed_after

from eigen_cli.api.cassettes import read_cassette

PLAYED = ("--agent", "script:odd", "--user", "script", "--judge", "reader")
CONCURRENCY = 3
KILLS = 3


@pytest.mark.proof
def test_killed_at_several_points_it_ends_the_same_and_asks_nothing_twice(kiosk, tmp_path: Path) -> None:
    arguments = ("kiosk", *PLAYED, "--split", "base", "--concurrency", str(CONCURRENCY))
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    whole = evaluate(tmp_path / "whole", *arguments, environment=kiosk.environment)
    asked = kiosk.asked()
    assert len(asked) == len(set(asked)) > 60
    slow = {**kiosk.environment, "KIOSK_LOG": str(tmp_path / "killed.log"), "KIOSK_DELAY": "0.02"}
    log = tmp_path / "killed.log"
    done = [killed_after(tmp_path / "killed", 17, log, *arguments, environment=slow) for _ in range(KILLS)]
    assert done == [True] * KILLS
    resumed = evaluate(tmp_path / "killed", *arguments, environment=slow)
    assert resumed["hash"] == whole["hash"]
    assert {key: resumed[key] for key in whole if key != "usage"} == {
        key: whole[key] for key in whole if key != "usage"
    }
    seen = Counter(log.read_text().splitlines())
    assert set(seen) == set(asked), "every call of the whole evaluation, and no other"
    assert sum(seen.values()) - len(seen) <= CONCURRENCY * KILLS, "only what was in flight at a kill"


def test_a_completed_evaluation_is_printed_and_asks_nobody(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    arguments = ("eval", "kiosk", *PLAYED, "--json")
    first = eigen(*arguments)
    asked = len(kiosk.asked())
    # Not even a model that is away is missed; concurrency is no part of an evaluation.
    again = eigen(*arguments, "--concurrency", "1")
    assert (first.code, again.out, len(kiosk.asked())) == (0, first.out, asked)
    assert len(list((tmp_path / ".eigen" / "journals").iterdir())) == 1


def test_a_wider_evaluation_asks_only_what_is_new(kiosk, eigen: Eigen) -> None:
    eigen("eval", "kiosk", *PLAYED, "--limit", "2", "--trials", "1", "--json")
    few = kiosk.asked()
    eigen("eval", "kiosk", *PLAYED, "--split", "base", "--trials", "2", "--json")
    assert kiosk.asked()[: len(few)] == few
    assert len(kiosk.asked()) == len(set(kiosk.asked())) > 3 * len(few)


def test_a_judge_comes_later_and_only_the_judge_is_asked(kiosk, eigen: Eigen) -> None:
    eigen("eval", "kiosk", *PLAYED[:4], "--json")
    before = len(kiosk.asked())
    eigen("eval", "kiosk", *PLAYED, "--json")
    new = kiosk.asked()[before:]
    assert [line.split("/")[-3] for line in new] == ["judge"] * 2  # trials 0 and 2 of `polite`; the odd ones failed


def test_another_checkpoint_is_another_subject(kiosk, eigen: Eigen) -> None:
    eigen("eval", "kiosk", *PLAYED, "--json")
    before = len(kiosk.asked())
    eigen("eval", "kiosk", *PLAYED, "--checkpoint", "sft-1", "--json")
    assert len(kiosk.asked()) == 2 * before


def test_fresh_starts_anew_and_keeps_the_old_journal(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    first = eigen("eval", "kiosk", *PLAYED, "--json")
    before = len(kiosk.asked())
    again = eigen("eval", "kiosk", *PLAYED, "--fresh", "--json")
    assert again.out == first.out
    assert len(kiosk.asked()) == 2 * before
    assert sorted(path.suffix for path in (tmp_path / ".eigen" / "journals").iterdir()) == [".journal", ".old"]


def test_concurrency_and_hash_seed_change_nothing(kiosk, tmp_path: Path) -> None:
    arguments = ("kiosk", *PLAYED, "--split", "base", "--trials", "2")
    found = []
    for seed, concurrency in (("1", "1"), ("2", "64")):
        (tmp_path / seed).mkdir()
        environment = {**kiosk.environment, "PYTHONHASHSEED": seed}
        found.append(
            evaluate(tmp_path / seed, *arguments, "--concurrency", concurrency, environment=environment)["hash"]
        )
    assert found[0] == found[1]


def exchanges(cassette: Path) -> list[str]:
    """Return the key and the hash of every exchange, as the actors' log writes them."""
    _, found = read_cassette(cassette)
    return sorted(f"{exchange.key} {exchange.fingerprint}" for exchange in found)


def test_a_cassette_is_recorded_and_filled_again_from_the_journal_alone(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    cassette = tmp_path / "eval.jsonl"
    (tmp_path / "eigen.toml").write_text(f'record = "{cassette}"\n')
    eigen("eval", "kiosk", *PLAYED, "--dry-run")
    assert not cassette.exists()
    first = eigen("eval", "kiosk", *PLAYED, "--json")
    asked = kiosk.asked()
    assert exchanges(cassette) == sorted(asked)
    again = eigen("eval", "kiosk", *PLAYED, "--json")
    assert again.out == first.out
    assert (exchanges(cassette), kiosk.asked()) == (sorted(asked), asked)


def test_a_budget_stops_it_and_a_larger_one_goes_on(kiosk, eigen: Eigen) -> None:
    stopped = eigen("eval", "kiosk", *PLAYED, "--budget-tokens", "8000", "--concurrency", "1")
    assert (stopped.code, stopped.out) == (4, "")
    assert "the next call could pass the budget of 8,000 tokens" in stopped.err
    asked = len(kiosk.asked())
    assert asked > 5
    assert eigen("eval", "kiosk", *PLAYED).code == 0
    whole = kiosk.asked()
    assert len(set(whole)) > asked
    assert len(whole) - len(set(whole)) <= 1, "only the call in flight when it stopped is made again"
