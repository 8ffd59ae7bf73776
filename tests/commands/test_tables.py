"""Tables on narrow terminals, and reports that keep within one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved

from eigen_cli.commands.show_lists import gist
from eigen_cli.commands.tables import by_column, table_within
from eigen_cli.console import fitted, wrapped
from eigen_registry import open_registry

COLUMNS = by_column(("id", "count", "note"), [("a-1", "7", "the first of them all"), ("a-22", "12", "the second")])


def test_columns_go_in_order_until_the_others_fit() -> None:
    whole = "id    count  note\na-1       7  the first of them all\na-22     12  the second"
    assert table_within(COLUMNS, width=34, first_to_go=("count", "note"), right=("count",)) == whole
    less = "id    note\na-1   the first of them all\na-22  the second"
    assert table_within(COLUMNS, width=33, first_to_go=("count", "note"), right=("count",)) == less
    assert table_within(COLUMNS, width=26, first_to_go=("count", "note")) == "id\na-1\na-22"


def test_what_nothing_can_make_room_for_is_cut() -> None:
    assert table_within(COLUMNS, width=20) == "id    count  note\na-1   7      the fi…\na-22  12     the se…"
    assert table_within({}, width=20) == ""


def test_running_text_shrinks_before_another_column_goes() -> None:
    columns = {"id": ["a"], "kind": ["one"], "text": ["word " * 20]}
    assert table_within(columns, width=42, first_to_go=("kind",), text="text").splitlines()[1] == (
        "a   one   word word word word word word w…"
    )
    assert "one" not in table_within(columns, width=30, first_to_go=("kind",), text="text")


def test_a_table_without_a_header() -> None:
    assert table_within(COLUMNS, width=40, first_to_go=(), headed=False).splitlines()[0].startswith("a-1")


def test_words_too_long_for_the_width_stay_whole_unless_told_otherwise() -> None:
    long = "x" * 30
    assert fitted([("a", f"so {long}")], 23) == f"a  so\n   {long}"
    assert fitted([("a", f"so {long} y")], 23, whole_words=False) == f"a  so\n   {'x' * 20}\n   {'x' * 10}\n   y"
    assert wrapped("one two three four five six seven", 20) == "one two three four\nfive six seven"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ('You are going to say: "Cancel it." You call now.', '"Cancel it." You call now.'),
        ("You want to add bags. You call now.", "add bags. You call now."),
        ("You are flying to Boston for a wedding.", "flying to Boston for a wedding."),
        ("Your flight was cancelled.", "Your flight was cancelled."),
        ('You found a letter of last week in your papers, which said: "Pay."', None),
        ("", ""),
    ],
)
def test_a_list_shows_a_reason_without_the_words_that_address_the_user(reason: str, said: str | None) -> None:
    assert gist(reason) == (reason if said is None else said)


VIEWS = [
    ("show", "gen-0002"),
    ("show", "gen-0002", "--tasks"),
    ("show", "gen-0002", "--episodes"),
    ("show", "gen-0002", "--find", "book"),
    ("show", "gen-0002", "--task", "TASK"),
    ("show", "gen-0002", "--plan", "PLAN"),
    ("diff", "gen-0001", "gen-0002"),
    ("diff", "gen-0001", "gen-0002", "--plan", "0"),
    ("export", "gen-0002", "--allow-offline", "--format", "tau2", "-o", "OUT"),
    ("generations",),
]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_reports_keep_within_a_terminal(
    eigen: Eigen, evolved: Evolved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    store = open_registry(evolved.folder)
    stand_in = {
        "TASK": next(store.tasks("gen-0002")).id,
        "PLAN": store.plans("gen-0002")[0].plan.id,
        "OUT": str(tmp_path / "rows.json"),
    }
    for view in VIEWS:
        done = eigen(*(stand_in.get(word, word) for word in view), "--registry", evolved.folder)
        assert done.code == 0, done.err
        reported = done.out if done.out else done.err.partition("rows written to")[2].partition("\n")[2]
        assert reported
        # Ids and hashes stay whole: they are there to be copied.
        lines = [line for line in reported.splitlines() if not re.search(r"[0-9a-f]{64}", line)]
        assert [line for line in lines if len(line) > width] == [], view
