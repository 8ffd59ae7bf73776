"""Checkpoints compared task by task, and several domains as one figure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command_line import Eigen

PERFECT, ODD = ("--agent", "script", "--user", "script"), ("--agent", "script:odd", "--user", "script")


def report(eigen: Eigen, *arguments: str) -> dict[str, Any]:
    done = eigen("eval", *arguments, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_a_difference_is_paired_by_task(kiosk, eigen: Eigen) -> None:
    first = report(eigen, "kiosk", *ODD, "--split", "base")
    better = report(eigen, "kiosk", *PERFECT, "--against", "eval-0001")
    difference = better["difference"]
    assert (difference["against"], difference["hash"], difference["tasks"]) == ("eval-0001", first["hash"], 4)
    assert difference["pass_hat_k"]["1"]["mean"] == pytest.approx(3 * 0.5 / 4)
    assert difference["pass_hat_k"]["2"]["mean"] == pytest.approx(3 * (1 - 1 / 6) / 4)
    assert 0 <= difference["pass_hat_k"]["1"]["low"] < difference["pass_hat_k"]["1"]["high"] == 0.5
    # What an evaluation is compared with is no part of it.
    assert report(eigen, "kiosk", *PERFECT)["id"] == better["id"]
    assert "difference" not in report(eigen, "kiosk", *PERFECT)
    text = eigen("eval", "kiosk", *PERFECT, "--against", first["hash"][:8]).out
    assert "minus eval-0001" in text
    assert "+0.375 [+" in text


def test_itself_is_no_different(kiosk, eigen: Eigen) -> None:
    report(eigen, "kiosk", *ODD)
    again = report(eigen, "kiosk", *ODD, "--against", "eval-0001")["difference"]["pass_hat_k"]
    assert {(i["mean"], i["low"], i["high"]) for i in again.values()} == {(0.0, 0.0, 0.0)}


def test_several_domains_each_and_their_mean(kiosk, eigen: Eigen) -> None:
    one = report(eigen, "kiosk", *ODD)
    two = report(eigen, "kiosk-two", *PERFECT)
    report(eigen, "kiosk", *PERFECT)
    both = report(eigen, "kiosk,kiosk-two", *ODD, "--against", one["id"], "--against", two["id"])
    assert both["schema"] == 1
    assert [item["domain"] for item in both["domains"]] == ["kiosk", "kiosk-two"]
    assert both["domains"][0]["hash"] == one["hash"], "each domain is an evaluation of its own"
    means = [item["pass_hat_k"]["1"]["mean"] for item in both["domains"]]
    macro = both["macro"]
    assert macro["pass_hat_k"]["1"]["mean"] == pytest.approx(sum(means) / 2)
    widths = [i["pass_hat_k"]["1"]["high"] - i["pass_hat_k"]["1"]["low"] for i in both["domains"]]
    width = macro["pass_hat_k"]["1"]["high"] - macro["pass_hat_k"]["1"]["low"]
    assert 0 < width < max(widths), "domains vary independently"
    assert macro["difference"]["pass_hat_k"]["1"]["mean"] == pytest.approx((0.0 - 0.375) / 2)
    text = eigen("eval", "kiosk,kiosk-two", *ODD).out
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("kiosk", "macro"))] == [
        "kiosk",
        "kiosk",
        "kiosk-two",
        "kiosk-two",
        "macro",
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("kiosk-two", "--against", "eval-0001"), "--against takes one evaluation of each of kiosk-two"),
        (("kiosk", "--against", "eval-0001", "--against", "latest"), "two of them are of one domain"),
        (("kiosk", "--against", "eval-0003"), "no evaluation is called 'eval-0003'"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_asked(kiosk, eigen: Eigen, arguments, error) -> None:
    report(eigen, "kiosk", *PERFECT, "--limit", "1")
    asked = len(kiosk.asked())
    done = eigen("eval", *arguments, *ODD)
    assert (done.code, done.out, len(kiosk.asked())) == (2, "", asked)
    assert error in done.err


def test_tasks_of_another_release_are_other_tasks(kiosk, eigen: Eigen, monkeypatch: pytest.MonkeyPatch) -> None:
    report(eigen, "kiosk", *PERFECT)
    from eigen_kiosk.domain import Kiosk

    monkeypatch.setattr(Kiosk, "world_seed", 99)
    done = eigen("eval", "kiosk", *PERFECT, "--against", "eval-0001")
    assert done.code == 2
    assert "have no equal task with a reward in both" in done.err
