"""The pages say what the code does."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

from eigen_cli.api import hookspecs
from eigen_cli.run.plugins import HOOKS
from eigen_cli.testing import contracts

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_command_line_page_is_current() -> None:
    spec = importlib.util.spec_from_file_location("cli_reference", ROOT / "docs" / "cli_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.reference(), "run `make docs`"


def test_every_hook_is_documented_with_its_exact_signature() -> None:
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    hooks = {name: hook for name, hook in vars(hookspecs).items() if hasattr(hook, "eigen_spec")}
    assert set(hooks) == set(HOOKS)
    for name, hook in hooks.items():
        assert f"### `{name}{inspect.signature(hook)}`".replace("'", "") in page
    documented = set(re.findall(r"^### `(eigen_\w+)", page, re.MULTILINE))
    assert documented == set(hooks)


def test_every_contract_check_is_documented() -> None:
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    checks = {name for name in vars(contracts) if name.startswith("check_")}
    assert {name for name in checks if f"`{name}(" not in page} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_readme_names_the_two_commands_and_they_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("evolve", "test"):
        assert f"make {target} " in readme
        assert f"\n{target}:" in makefile
