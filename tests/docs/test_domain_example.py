"""The domain that docs/plugins.md builds is built from the page and used."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from command_line import Eigen
from third_party import install

from eigen_cli.testing.contracts import check_domain, examine_domain

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
FILES = {"pyproject.toml", "eigen_luggage/hooks.py", "eigen_luggage/domain.py"}


def files_of_the_page() -> dict[str, str]:
    """Return the example's files: the blocks that carry a path, joined where several carry the same."""
    blocks = re.findall(r"^```\w+ eigen-luggage/(\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    files: dict[str, str] = {}
    for path, text in blocks:
        files[path] = f"{files[path]}\n\n{text}" if path in files else text
    return files


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the example as its `pyproject.toml` says."""
    files = files_of_the_page()
    assert set(files) == FILES
    site = tmp_path / "site"
    project = tomllib.loads(files["pyproject.toml"])["project"]
    install(site, project["name"], groups=project["entry-points"], modules={})
    for path, text in {**files, "eigen_luggage/__init__.py": ""}.items():
        (site / path).parent.mkdir(exist_ok=True)
        (site / path).write_text(text)
    monkeypatch.syspath_prepend(str(site))
    yield
    for name in [name for name in sys.modules if name.startswith("eigen_luggage")]:
        del sys.modules[name]


def test_the_example_keeps_the_contract_and_needs_no_advice(installed: None) -> None:
    domain = import_module("eigen_luggage.domain").Luggage()
    for seed in (0, 1):
        check_domain(domain, seed=seed)
        assert [text for finding in examine_domain(domain, seed=seed) for text in finding.advice] == []


def test_the_commands_of_the_page_work(installed: None, eigen: Eigen) -> None:
    checked = eigen("check-domain", "luggage")
    assert (checked.code, "broken" in checked.out) == (0, False)
    done = eigen("evolve", "luggage", "--rounds", 2, "--tasks", 12, "--trials", 2, "--json")
    assert done.code == 0
    generations = json.loads(done.out)["generations"]
    assert [generation["domain"] for generation in generations] == ["luggage", "luggage"]
    # Guards turn some explored tasks down, and the simulated agent gets some of the others right.
    assert all(0 < generation["tasks_accepted"] <= 12 for generation in generations)
    assert sum(generation["passed"] for generation in generations) > 0
