"""Generations as text and JSON: several domains, and bodies from before there could be several."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import duckdb
from command_line import Eigen
from commands_shared import Evolved
from msgspec.structs import replace

from eigen_cli.api.generations import Figures, Generation
from eigen_cli.commands.generation_views import domain_text, generation_json
from eigen_cli.commands.record_views import generation_lines
from eigen_cli.commands.tables import ENDLESS
from eigen_registry import open_registry
from eigen_registry.migrate import known_steps, migrate

FIRST = Path(__file__).parent.parent / "registry" / "versions" / "0001.sql"
"""Rows as eigen wrote them before a generation could hold several domains."""


def _mixed(evolved: Evolved, *names: str) -> Generation:
    generation = open_registry(evolved.folder).generation("gen-0001")
    (figures,) = generation.body.domains.values()
    domains = {name: replace(figures, tasks_accepted=place) for place, name in enumerate(names, 1)}
    return replace(generation, body=replace(generation.body, domain=",".join(names), domains=domains))


def test_a_mix_is_named_or_counted_in_a_table(evolved: Evolved) -> None:
    assert domain_text(_mixed(evolved, "airline", "retail").body) == "airline,retail"
    assert domain_text(_mixed(evolved, "airline", "retail", "telecom").body) == "3 domains"
    assert domain_text(_mixed(evolved, "a-domain-with-a-very-long-name").body) == "a-domain-with-a-very-long-name"


def test_a_mix_shows_a_line_a_domain_and_a_single_domain_none(evolved: Evolved) -> None:
    mixed = _mixed(evolved, "airline", "retail")
    lines = [line.text for line in generation_lines(mixed, (), width=ENDLESS)]
    header, *rows = lines[-1].splitlines()
    assert header.split()[:2] == ["domain", "accepted"] and header.endswith("blame")
    assert [row.split()[:2] for row in rows] == [["airline", "1/12"], ["retail", "2/12"]]
    *_, table, airline, retail = [line.text for line in generation_lines(mixed, (), width=60)]
    assert [row.split()[:2] for row in table.splitlines()[1:]] == [["airline", "1/12"], ["retail", "2/12"]]
    for name, text in (("airline", airline), ("retail", retail)):
        assert text.startswith(f"{name}  splits: ") and "; blame: " in " ".join(text.split())
        assert max(map(len, (*table.splitlines(), *text.splitlines()))) <= 60
    alone = "\n".join(line.text for line in generation_lines(_mixed(evolved, "airline"), ()))
    assert "near-dup " not in alone and "\ndomain " not in alone


def test_a_registry_from_before_mixes_reads_as_one_domain(eigen: Eigen, tmp_path: Path) -> None:
    with contextlib.closing(duckdb.connect(tmp_path / "registry.duckdb")) as con:
        migrate(con, known_steps()[:1])
        con.execute(FIRST.read_text(encoding="utf-8"))
        ((stored,),) = con.execute("SELECT body FROM generations").fetchall()
    assert "domains" not in json.loads(stored)
    (old,) = json.loads(eigen("generations", "--json", "--registry", tmp_path).out)["generations"]
    assert old["domain"] == "airline" and list(old["domains"]) == ["airline"]
    assert old["domains"]["airline"] == {name: old[name] for name in old["domains"]["airline"]}
    body = open_registry(tmp_path).generation("latest").body
    assert body.domains == {} and isinstance(body.by_domain["airline"], Figures)
    assert eigen("show", "--registry", tmp_path).out.startswith("gen-0001  airline, seed ")


def test_json_of_a_mix_has_every_domains_figures(evolved: Evolved) -> None:
    found = generation_json(_mixed(evolved, "airline", "retail"))
    assert [each["tasks_accepted"] for each in found["domains"].values()] == [1, 2]
    assert found["domains"]["retail"]["pass_rate"] == found["pass_rate"]
