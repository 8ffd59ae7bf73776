"""`eigen plugins`: everything installed, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import Eigen
from third_party import install

HOOKS = """
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec

@hookimpl
def eigen_domains():
    return [PluginSpec("domain", "{name}", "x:X", "a summary"{more})]
"""


def add(site: Path, distribution: str, name: str, more: str = "") -> None:
    module = distribution.replace("-", "_")
    source = HOOKS.format(name=name, more=more)
    install(site, distribution, groups={"eigen": {module: module}}, modules={module: source})


def test_json_lists_every_plugin_with_its_package(eigen: Eigen) -> None:
    done = eigen("plugins", "--json")
    listed = json.loads(done.out)
    assert (done.code, done.err, listed["schema"]) == (0, "", 1)
    wanted = {"kind": "domain", "name": "tidy-library", "distribution": "eigen-tidy-library"}
    assert any(wanted.items() <= item.items() for item in listed["plugins"])
    assert {(item["kind"], item["name"]) for item in listed["plugins"]} >= {
        ("domain", "airline"),
        ("domain", "retail"),
        ("verifier", "state"),
        ("backend", "openai"),
        ("exporter", "jsonl"),
    }
    assert (listed["broken"], listed["incompatible"], listed["duplicates"]) == ([], [], [])


def test_broken_and_incompatible_ones_are_listed_with_reasons(eigen: Eigen, library: Path) -> None:
    install(library, "eigen-broken", groups={"eigen": {"broken": "broken_hooks"}}, modules={"broken_hooks": "1 / 0"})
    add(library, "eigen-future", "tomorrow", ", api=99")
    done = eigen("plugins")
    assert done.code == 0
    assert "broken: broken of eigen-broken: ZeroDivisionError: division by zero\n" in done.out
    assert "incompatible: domain tomorrow of eigen-future needs plugin API 99; this eigen speaks API 1\n" in done.out
    listed = json.loads(eigen("plugins", "--json").out)
    assert listed["broken"] == [
        {"distribution": "eigen-broken", "entry_point": "broken", "reason": "ZeroDivisionError: division by zero"}
    ]
    assert [(item["name"], item["api"]) for item in listed["incompatible"]] == [("tomorrow", 99)]


def test_a_name_claimed_twice_is_listed_and_an_error(eigen: Eigen, library: Path) -> None:
    add(library, "eigen-second", "tidy-library")
    done = eigen("plugins")
    assert done.code == 2
    assert done.err.startswith(
        "eigen: error: the domain `tidy-library` is claimed by eigen-second and eigen-tidy-library"
    )
    assert "duplicate: domain tidy-library of eigen-second\n" in done.out
    assert len(json.loads(eigen("plugins", "--json").out)["duplicates"]) == 2
    used = eigen("evolve", "tidy-library", "--rounds", 1)
    assert (used.code, used.err) == (2, done.err)
