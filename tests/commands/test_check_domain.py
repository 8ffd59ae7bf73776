"""`eigen check-domain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Eigen
from third_party import install

BROKEN = """
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec
from eigen_tidy_library.domain import TidyLibrary

@hookimpl
def eigen_domains():
    return [PluginSpec("domain", "untidy", "untidy_library:Untidy", "A library without a version")]

class Untidy(TidyLibrary):
    name = "untidy"
    version = ""
    handover_tool = "call_the_librarian"
"""


def test_a_sound_domain(eigen: Eigen) -> None:
    done = eigen("check-domain", "tidy-library")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == ["ok"] * 10
    assert "    ok  templates: 3 templates of the domain, 9 drafts\n" in done.out
    found = json.loads(eigen("check-domain", "tidy-library", "--json").out)
    assert (found["schema"], found["domain"], found["version"]) == (1, "tidy-library", "1")
    assert [item["breaches"] for item in found["contracts"]] == [[]] * 10


def test_a_broken_domain_fails_with_what_is_broken(eigen: Eigen, library: Path) -> None:
    groups = {"eigen": {"untidy": "untidy_library"}}
    install(library, "eigen-untidy", groups=groups, modules={"untidy_library": BROKEN})
    done = eigen("check-domain", "untidy")
    assert done.code == 1
    assert "broken  declarations: 2 tables, 2 fact kinds, 2 personas\n        - the domain has no version\n" in done.out
    assert "tools:" not in done.out
    found = json.loads(eigen("check-domain", "untidy", "--json").out)
    assert found["contracts"][0]["breaches"] == ["the domain has no version"]


def test_advice_is_printed_and_fails_nothing(eigen: Eigen, library: Path) -> None:
    bare = BROKEN.replace('version = ""', "fact_kinds = ()").replace("call_the_librarian", "get_book")
    install(
        library,
        "eigen-untidy",
        groups={"eigen": {"untidy": "untidy_library"}},
        modules={"untidy_library": f"{bare}    templates = ()\n"},
    )
    done = eigen("check-domain", "untidy")
    assert done.code == 0
    assert "        - advice: no fact kinds: simulated users" in done.out
    found = json.loads(eigen("check-domain", "untidy", "--json").out)
    assert [len(item["advice"]) for item in found["contracts"]] == [1, *[0] * 9]


@pytest.mark.parametrize("command", [("check-domain", "untidy"), ("evolve", "untidy", "--rounds", "1")])
def test_a_domain_that_calls_itself_otherwise_is_not_loaded(
    eigen: Eigen, library: Path, command: tuple[str, ...]
) -> None:
    other = BROKEN.replace('name = "untidy"', 'name = "very-untidy"')
    install(library, "eigen-untidy", groups={"eigen": {"untidy": "untidy_library"}}, modules={"untidy_library": other})
    done = eigen(*command)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "eigen: error: the domain `untidy` of eigen-untidy: Untidy calls itself 'very-untidy'\n"
        "hint: give the PluginSpec and the class in untidy_library:Untidy one name\n"
    )


def test_an_unknown_domain(eigen: Eigen) -> None:
    done = eigen("check-domain", "tidy-libary")
    assert (done.code, done.out) == (2, "")
    assert done.err == "eigen: error: there is no domain `tidy-libary`\nhint: did you mean `tidy-library`?\n"
