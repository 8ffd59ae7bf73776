"""What a command imports, seen from a fresh interpreter: start-up time is mostly imports."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from eigen_cli.main import COMMANDS

HEAVY = {"duckdb", "textual", "huggingface_hub", "aiohttp", "torch", "rich", "pyarrow", "openai", "tenacity"}
PROGRAM = """
import contextlib, io, json, sys
from eigen_cli.main import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = run(sys.argv[1:])
print(json.dumps({"code": code, "modules": sorted(sys.modules)}))
"""


def imported_by(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["code"] == 0
    return set(report["modules"])


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_root_help_imports_next_to_nothing(arguments: tuple[str, ...]) -> None:
    modules = imported_by(*arguments)
    assert modules & (HEAVY | {"msgspec", "pluggy", "importlib.metadata", "pathlib", "asyncio"}) == set()
    ours = {name for name in modules if name.startswith("eigen") and name not in ("eigen_cli", "eigen_cli.api")}
    assert ours == {
        "eigen_cli.api.errors",
        "eigen_cli.commands",
        "eigen_cli.commands.options",
        "eigen_cli.console",
        "eigen_cli.exits",
        "eigen_cli.main",
        "eigen_cli.nearest",
        "eigen_cli.version",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_help_imports_nothing_heavy(name: str) -> None:
    modules = imported_by(name, "--help")
    assert modules & HEAVY == set()
    assert not {module for module in modules if module.startswith(("eigen_registry", "eigen_offline", "eigen_airline"))}


def test_listing_plugins_imports_no_plugin() -> None:
    modules = imported_by("plugins", "--json")
    assert modules & HEAVY == set()
    plugins = {name for name in modules if name.startswith("eigen_") and not name.startswith("eigen_cli")}
    assert {name.partition(".")[2] for name in plugins} == {"", "hooks"}


def test_the_api_needs_msgspec_and_pluggy_and_nothing_else_of_others() -> None:
    program = (
        "import importlib, json, pkgutil, sys, eigen_cli.api as api\n"
        "before = set(sys.stdlib_module_names)\n"
        "[importlib.import_module(f'eigen_cli.api.{item.name}') for item in pkgutil.iter_modules(api.__path__)]\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules} - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    others = {name for name in json.loads(done.stdout) if not name.startswith(("_", "sitecustomize"))}
    # msgspec takes typing_extensions where it is installed.
    assert others - {"typing_extensions"} == {"eigen_cli", "msgspec", "pluggy"}
