"""Stored episodes scored anew: no call, today's verifiers, and what changed is said."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import msgspec
import pytest
from command_line import Eigen

from eigen_registry import open_registry

JUDGED = ("--agent", "script:odd", "--user", "script", "--judge", "reader", "--split", "base")


def test_the_same_verifiers_say_the_same_without_a_call(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    first = json.loads(eigen("eval", "kiosk", *JUDGED, "--json").out)
    asked = len(kiosk.asked())
    done = eigen("eval", "--rescore", "eval-0001", "--json")
    again = json.loads(done.out)
    assert (done.code, len(kiosk.asked())) == (0, asked)
    assert (again["id"], again["rescored"]) == ("eval-0002", first["hash"])
    assert again["rescoring"] == {"from": "eval-0001", "retold": 0, "changes": []}
    same = ("scorings", "stops", "violations", "turns", "tool_calls", "missing", "agent", "user", "judge", "trials")
    assert {key: again[key] for key in same} == {key: first[key] for key in same}
    assert (again["tokens"], again["usd"], again["usage"]) == (None, None, {})
    store = open_registry(tmp_path / ".eigen")
    assert list(store.evaluation_episodes("eval-0002")) == list(store.evaluation_episodes("eval-0001"))
    # Once more gives the same evaluation, not a third.
    assert json.loads(eigen("eval", "kiosk", "--rescore", "eval-0001", "--json").out)["id"] == "eval-0002"


def test_a_new_verifier_changes_rewards_and_every_change_is_named(
    kiosk, eigen: Eigen, monkeypatch: pytest.MonkeyPatch
) -> None:
    eigen("eval", "kiosk", *JUDGED)
    asked = len(kiosk.asked())
    monkeypatch.setenv("KIOSK_STRICT", "1")
    importlib.reload(sys.modules["eigen_kiosk.manners"])
    done = eigen("eval", "--rescore", "eval-0001", "--json")
    report = json.loads(done.out)
    assert report["verifiers"]["manners"] == "2"
    assert report["rescoring"]["changes"] == [
        {"task": "lend-1", "trial": trial, "scoring": "strict", "before": 1.0, "after": 0.0} for trial in (0, 2)
    ]
    assert len(kiosk.asked()) == asked
    text = eigen("eval", "--rescore", "eval-0001").out
    assert "eval-0002 re-scores eval-0001: 2 rewards changed\nverifiers: manners 1 -> 2\n" in text
    assert "0 episodes went otherwise when their tools ran again" in text


def test_other_tools_retell_the_episode(kiosk, eigen: Eigen, monkeypatch: pytest.MonkeyPatch) -> None:
    eigen("eval", "kiosk", "--agent", "script", "--user", "script", "--trials", "2")
    from eigen_tidy_library.domain import LibraryTools

    from eigen_cli.api.errors import ToolError
    from eigen_cli.api.tools import writes

    original = LibraryTools.lend_book

    def closed(self, *arguments, **named):
        raise ToolError("the kiosk is closed")

    closed.__doc__, closed.__annotations__ = original.__doc__, original.__annotations__
    closed.__wrapped__ = original
    monkeypatch.setattr(LibraryTools, "lend_book", writes(closed))
    report = json.loads(eigen("eval", "--rescore", "latest", "--json").out)
    # Gold is refused too, so doing nothing is what it leads to: the official scoring is content, the strict one is not.
    assert report["rescoring"]["retold"] == 6
    changed = report["rescoring"]["changes"]
    assert {(c["task"], c["scoring"], c["before"], c["after"]) for c in changed} == {
        ("lend-0", "strict", 1.0, 0.0),
        ("lend-1", "strict", 1.0, 0.0),
    }


def test_stops_that_left_no_message_are_kept(kiosk, eigen: Eigen, tmp_path: Path) -> None:
    """Tokens, time and an overflowing context end an episode where its messages alone would go on."""
    eigen("eval", "kiosk", "--agent", "script", "--user", "script", "--task", "ask", "--trials", "1")
    store = open_registry(tmp_path / ".eigen")
    (record,) = store.evaluation_episodes("latest")
    before = store.evaluation("latest")
    episode = msgspec.structs.replace(record.episode, messages=record.episode.messages[:-1], stop="agent_time_limit")
    cut = msgspec.structs.replace(record, episode=episode, rewards={"official": 0.0, "strict": 0.0})
    from eigen_cli.api.evaluations import EvaluationContents

    body = msgspec.structs.replace(before.body, contents={}, checkpoint="cut")
    store.seal_evaluation(body, before.observed, EvaluationContents(tuple(store.evaluation_tasks("latest")), (cut,)))
    report = json.loads(eigen("eval", "--rescore", "eval-0002", "--json").out)
    assert report["stops"] == {"agent_time_limit": 1}
    assert (report["missing"], report["rescoring"]["changes"]) == (0, [])


def test_what_broke_down_stays_missing(kiosk, eigen: Eigen) -> None:
    eigen("eval", "kiosk", "--agent", "script:down", "--user", "script")
    done = eigen("eval", "--rescore", "latest", "--json")
    assert done.code == 4
    assert json.loads(done.out)["infrastructure"] == 4
    assert eigen("eval", "--rescore", "eval-0001", "--allow-missing").code == 0


def test_rescoring_another_domain_is_refused(kiosk, eigen: Eigen) -> None:
    eigen("eval", "kiosk", "--agent", "script", "--user", "script", "--limit", "1")
    done = eigen("eval", "kiosk-two", "--rescore", "eval-0001")
    assert (done.code, done.out) == (2, "")
    assert "eval-0001 is an evaluation of kiosk, not of kiosk-two" in done.err
    assert "no evaluation is called 'eval-0009'" in eigen("eval", "--rescore", "eval-0009").err
