"""`eigen check-domain`."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert [line.split()[0] for line in done.out.splitlines()] == ["ok"] * 9
    assert "    ok  templates: 3 templates, 9 drafts\n" in done.out
    found = json.loads(eigen("check-domain", "tidy-library", "--json").out)
    assert (found["schema"], found["domain"], found["version"]) == (1, "tidy-library", "1")
    assert [item["breaches"] for item in found["contracts"]] == [[]] * 9


def test_a_broken_domain_fails_with_what_is_broken(eigen: Eigen, library: Path) -> None:
    groups = {"eigen": {"untidy": "untidy_library"}}
    install(library, "eigen-untidy", groups=groups, modules={"untidy_library": BROKEN})
    done = eigen("check-domain", "untidy")
    assert done.code == 1
    assert "broken  declarations: 2 tables, 2 fact kinds, 2 personas\n        - the domain has no version\n" in done.out
    assert "tools:" not in done.out
    found = json.loads(eigen("check-domain", "untidy", "--json").out)
    assert found["contracts"][0]["breaches"] == ["the domain has no version"]


def test_an_unknown_domain(eigen: Eigen) -> None:
    done = eigen("check-domain", "tidy-libary")
    assert (done.code, done.out) == (2, "")
    assert done.err == "eigen: error: there is no domain `tidy-libary`\nhint: did you mean `tidy-library`?\n"
