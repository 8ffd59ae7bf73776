"""`eigen generations`: the lineage of a registry as a person and as a program reads it."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import duckdb
import pytest
from command_line import Eigen
from commands_shared import Evolved
from lineage_samples import bare, sealed_again
from msgspec.structs import replace

from eigen_cli.api.browsing import Push
from eigen_cli.commands.generation_views import generation_json, generations_table
from eigen_cli.commands.lineage_views import Names, lineage_table
from eigen_cli.commands.record_views import generation_lines
from eigen_cli.commands.tables import ENDLESS
from eigen_cli.evolve.lineage import Lineage
from eigen_registry import open_registry


@pytest.fixture
def branched(evolved: Evolved, tmp_path: Path) -> Path:
    """Two rounds, a branch from the first that an ablation made, and a generation whose parent is elsewhere."""
    folder = tmp_path / "branched"
    shutil.copytree(evolved.folder, folder)
    store = open_registry(folder)
    first = store.generation("gen-0001")
    sealed_again(store, store, "gen-0002", note="branch", parent=first.hash)
    pulled = store.generation("gen-0002")
    body = replace(pulled.body, parent="ab" * 32, contents={**pulled.body.contents})
    source = open_registry(folder)
    sealed_again(store, source, "gen-0002", note="pulled", parent=body.parent, contents=body.contents)
    return folder


def test_json_is_that_of_evolve_and_the_place_in_the_lineage(eigen: Eigen, evolved: Evolved) -> None:
    listed = json.loads(eigen("generations", "--json", "--registry", evolved.folder).out)
    assert listed["schema"] == 1
    for found, made in zip(listed["generations"], evolved.report["generations"], strict=True):
        assert {name: found[name] for name in made} == made
        assert set(found) - set(made) == {"tags", "pushed", "children"}
    assert [found["children"] for found in listed["generations"]] == [["gen-0002"], []]
    assert [found["tags"] for found in listed["generations"]] == [[], ["latest"]]


def test_one_aligned_line_a_generation(eigen: Eigen, evolved: Evolved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    done = eigen("generations", "--registry", evolved.folder)
    rows = [line.split() for line in done.out.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["+", "gen-0001"], ["*", "gen-0002"]]
    first = evolved.report["generations"][0]
    assert rows[0][:6] == ["id", "hash", "domain", "seed", "round", "accepted"]
    assert rows[1][2:7] == [first["hash"][:12], "tidy-library", "0", "1", f"{first['tasks_accepted']}/12"]
    assert (rows[1][-1], rows[2][-2:]) == (first["run"][:8], [first["run"][:8], "latest"])
    assert "without" not in rows[0]


def test_branches_orphans_tags_and_pushes_are_seen(
    eigen: Eigen, branched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    store = open_registry(branched)
    store.tag("best", "gen-0003")
    store.note_push(Push(store.generation("gen-0001").hash, "me/library", "gen-0001", "c0ffee", 1.0))
    lines = eigen("generations", "--registry", branched).out.splitlines()[1:]
    assert [line.split("gen-")[0].rstrip() for line in lines] == ["+", "|-*", "*", "o"]
    assert [line.split("gen-")[1][:4] for line in lines] == ["0001", "0003", "0002", "0004"]
    assert lines[0].endswith("pushed me/library@gen-0001")
    assert lines[1].endswith("branched  best")
    assert lines[3].endswith(f"latest, parent {'ab' * 6} is not here")
    listed = json.loads(eigen("generations", "--json", "--registry", branched).out)["generations"]
    assert [found["children"] for found in listed] == [["gen-0002", "gen-0003"], [], [], []]
    assert listed[0]["pushed"] == [{"repo": "me/library", "tag": "gen-0001", "commit": "c0ffee"}]
    assert [found["tags"] for found in listed] == [[], [], ["best"], ["latest"]]
    assert (listed[3]["parent"], listed[3]["parent_id"]) == ("ab" * 32, None)


def test_a_domain_or_the_newest_alone(eigen: Eigen, branched: Path) -> None:
    later = eigen("generations", "--limit", 3, "--registry", branched).out.splitlines()[1:]
    assert [line.split()[:2] for line in later] == [["o", "gen-0002"], ["o", "gen-0003"], ["o", "gen-0004"]]
    newest = eigen("generations", "--limit", 1, "--registry", branched).out.splitlines()
    assert len(newest) == 2 and "gen-0004" in newest[1]
    same = eigen("generations", "--domain", "tidy-library", "--registry", branched).out
    assert same == eigen("generations", "--registry", branched).out
    none = eigen("generations", "--domain", "tidy-libary", "--registry", branched)
    assert (none.code, none.out) == (0, "")
    assert "no generation of tidy-libary" in none.err and "did you mean `tidy-library`?" in none.err
    assert json.loads(eigen("generations", "--domain", "x", "--json", "--registry", branched).out)["generations"] == []


def test_a_narrow_terminal_loses_columns_and_never_wraps(
    eigen: Eigen, evolved: Evolved, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    whole = eigen("generations", "--registry", evolved.folder).out
    for width in (100, 80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        shown = eigen("generations", "--registry", evolved.folder).out
        assert max(map(len, shown.splitlines())) <= width < max(map(len, whole.splitlines()))
        assert "accepted" in shown and "passed" in shown and "latest" in shown


def test_a_thousand_generations_are_drawn_at_once() -> None:
    generations = [bare(1), *(bare(number, f"h{number - 1}") for number in range(2, 1001))]
    lineage = Lineage(generations)
    table = lineage_table(list(lineage.drawn()), lineage, Names({}, {}), width=ENDLESS)
    assert table.count("\n") == 1000


def test_ablations_are_marked_in_the_tables_and_in_the_summary(evolved: Evolved) -> None:
    generations = open_registry(evolved.folder).generations()
    settings = {**generations[0].body.settings, "validation": False, "evolution": False}
    ablated = replace(generations[0], body=replace(generations[0].body, settings=settings))
    rows = [line.split() for line in generations_table([ablated, generations[1]]).splitlines()]
    assert (rows[0][-1], rows[1][-2:], rows[2][-1]) == ("without", ["validation,", "evolution"], "-")
    lineage = Lineage([ablated])
    drawn = lineage_table(list(lineage.drawn()), lineage, Names({}, {}), width=ENDLESS)
    assert "validation, evolution" in drawn
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
    assert json.loads(eigen("generations", "--json").out) == {"schema": 1, "generations": [], "damaged": []}
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


def test_a_damaged_one_is_named_and_the_others_are_shown(
    eigen: Eigen, branched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    store = open_registry(branched)
    store.tag("paper", "gen-0001")
    first = store.generation("gen-0001").hash
    with contextlib.closing(duckdb.connect(branched / "registry.duckdb")) as con:
        con.execute("UPDATE generations SET body = '{}' WHERE number = 1")
    why = "gen-0001 is damaged: its content does not have the hash it was sealed under"
    done = eigen("generations", "--registry", branched)
    assert (done.code, done.err) == (0, f"eigen: warning: {why}\n")
    rows = [line.split() for line in done.out.splitlines()[1:]]
    assert [row[:2] for row in rows] == [["o", "gen-0002"], ["o", "gen-0003"], ["o", "gen-0004"], ["?", "gen-0001"]]
    assert rows[-1][2] == first[:12] and rows[-1][-2:] == ["damaged,", "paper"]
    assert done.out.count("parent gen-0001 is damaged") == 2
    assert done.out.count("parent abababababab is not here") == 1
    found = json.loads(eigen("generations", "--json", "--registry", branched).out)
    assert found["damaged"] == [{"id": "gen-0001", "hash": first, "why": why}]
    assert [one["id"] for one in found["generations"]] == ["gen-0002", "gen-0003", "gen-0004"]
    tags = json.loads(eigen("tag", "--json", "--registry", branched).out)["tags"]
    assert [(one["tag"], one["id"]) for one in tags] == [("paper", "gen-0001"), ("latest", "gen-0004")]
