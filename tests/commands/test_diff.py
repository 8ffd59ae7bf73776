"""`eigen diff`: what a person is told of two generations, and what a program gets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved
from lineage_samples import sealed_again

from eigen_cli.evaluation.proportions import change_of, share_of
from eigen_registry import open_registry


@pytest.fixture
def registry(evolved: Evolved, tmp_path: Path) -> Path:
    """The two rounds, and a third generation: round 1's tasks again, made with another setting and verifier."""
    folder = Path(shutil.copytree(evolved.folder, tmp_path / "compared"))
    store = open_registry(folder)
    verifiers = {**store.generation("gen-0001").body.verifiers, "state": "2"}
    sealed_again(store, store, "gen-0001", note="why", verifiers=verifiers)
    return folder


def test_json_holds_every_kind_of_change(eigen: Eigen, evolved: Evolved) -> None:
    done = eigen("diff", "gen-0001", "gen-0002", "--json", "--registry", evolved.folder)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    one, two = evolved.report["generations"]
    assert report["schema"] == 1
    assert (report["before"], report["after"]) == (one, two)
    assert report["relation"] == "gen-0002 was made from gen-0001"
    assert report["comparable_domains"] == ["tidy-library"]
    assert report["making"] == []
    (rate,) = report["rates"]
    expected = change_of(share_of(one["tasks_accepted"], 12), share_of(two["tasks_accepted"], 12))
    assert rate["accepted"]["difference"] == pytest.approx(expected.difference)
    assert (rate["accepted"]["low"], rate["accepted"]["high"]) == pytest.approx((expected.low, expected.high))
    assert (rate["passed"]["before"]["count"], rate["passed"]["before"]["total"]) == (one["passed"], one["episodes"])
    assert rate["passed"]["before"]["effective"] <= one["episodes"]
    tasks = report["tasks"]
    assert tasks["same"] + tasks["dropped"] + tasks["changed"] == one["tasks_accepted"]
    assert tasks["same"] + tasks["added"] + tasks["changed"] == two["tasks_accepted"]
    for change in report["coverage"]:
        moved = change["after"]["covered"] - change["before"]["covered"]
        assert len(change["won"]) - len(change["lost"]) == moved
    assert {change["kind"] for change in report["coverage"]} == {"tools", "tool_pairs", "clauses"}
    blame = {change["name"]: (change["before"], change["after"]) for change in report["blame"]}
    assert all(blame[name] == (one["blame"][name], two["blame"][name]) for name in blame)
    assert sum(change["before"] for change in report["stops"]) == one["episodes"]
    assert report["cost"]["after"]["calls"] == sum(usage["calls"] for usage in two["usage"].values())
    assert [change["slot"] for change in report["plans"]] == [0, 1, 2, 3]


def test_the_text_says_what_the_json_does(eigen: Eigen, evolved: Evolved) -> None:
    registry = ("--registry", evolved.folder)
    report = json.loads(eigen("diff", "gen-0001", "gen-0002", "--json", *registry).out)
    text = eigen("diff", "gen-0001", "gen-0002", *registry).out
    assert text.startswith("gen-0001 -> gen-0002  tidy-library; gen-0002 was made from gen-0001\n")
    assert text.count("SIMULATED") == 2
    assert "nothing: the same domain, seed, actors, settings, prompts and verifiers" in text
    for change in report["coverage"]:
        for name in (*change["won"], *change["lost"]):
            assert name in " ".join(text.split())
    for change in report["plans"]:
        if change["kind"] == "replaced":
            assert f"{change['before']['plan']['id']} -> {change['after']['plan']['id']}" in " ".join(text.split())
    assert "Wilson's" in text and "Newcombe's" in text
    if not report["tasks"]["same"]:
        assert "No task is in both" in text


def test_what_they_were_made_differently_by_and_equal_tasks(eigen: Eigen, registry: Path) -> None:
    where = ("--registry", registry)
    report = json.loads(eigen("diff", "gen-0001", "gen-0003", "--json", *where).out)
    assert report["making"] == [
        {"what": "setting", "name": "note", "before": None, "after": "why"},
        {"what": "verifier", "name": "state", "before": "1", "after": "2"},
    ]
    count = report["before"]["tasks_accepted"]
    tasks = report["tasks"]
    assert (tasks["same"], tasks["added"], tasks["dropped"], tasks["changed"]) == (count, 0, 0, 0)
    assert [change["kind"] for change in report["plans"]] == ["kept"] * 4
    text = eigen("diff", "gen-0001", "gen-0003", *where).out
    assert "verifier state  1 -> 2" in text and "setting note    none -> why" in text
    assert "Both have the same tasks." in text
    assert "they have no ancestor in common" in text
    assert "kept: tidy-library 0, tidy-library 1, tidy-library 2, tidy-library 3" in text


def test_a_slot_is_shown_whole(eigen: Eigen, evolved: Evolved) -> None:
    registry = ("--registry", evolved.folder)
    slot = json.loads(eigen("diff", "gen-0001", "gen-0002", "--plan", 1, "--json", *registry).out)["plans"]
    assert [(change["domain"], change["slot"]) for change in slot] == [("tidy-library", 1)]
    text = eigen("diff", "gen-0001", "gen-0002", "--plan", "tidy-library:1", *registry).out
    said = " ".join(text.split())
    for line in slot[0]["text"]:
        assert " ".join(line[1:].split()) in said
    assert "tidy-library 2" not in text


def test_other_domains_are_compared_as_such(eigen: Eigen, registry: Path) -> None:
    store = open_registry(registry)
    first = store.generation("gen-0001").body
    figures = first.by_domain["tidy-library"]
    sealed_again(store, store, "gen-0001", domain="elsewhere", domains={"elsewhere": figures})
    done = eigen("diff", "gen-0001", "latest", "--registry", registry)
    assert done.code == 0, done.err
    assert "tidy-library -> elsewhere" in done.out
    assert "They have no domain in common" in done.out and "no domain in common\n" in done.out
    assert json.loads(eigen("diff", "gen-0001", "latest", "--json", "--registry", registry).out)["coverage"] == []


def test_it_fits_a_terminal_of_eighty_columns(eigen: Eigen, evolved: Evolved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = eigen("diff", "gen-0001", "gen-0002", "--registry", evolved.folder).out.splitlines()
    assert max(map(len, lines)) <= 80, max(lines, key=len)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("gen-0001", "gen-0009"), "no generation is called 'gen-0009'"),
        (("gen-0001",), "Missing argument 'AFTER'"),
        (("gen-0001", "gen-0002", "--plan", "17"), "neither generation has a plan slot '17'"),
    ],
)
def test_wrong_refs_are_usage_errors(eigen: Eigen, evolved: Evolved, arguments: tuple[str, ...], error: str) -> None:
    done = eigen("diff", *arguments, "--registry", evolved.folder)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"eigen: error: {error}")
