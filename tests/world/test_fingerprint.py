"""A change shows in the fingerprint of exactly the parts it touches."""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eigen_cli.api.domain import Domain, DomainFingerprint
from eigen_cli.world.fingerprint import SourceReader, fingerprint_digest, fingerprint_of, playbook_digest
from eigen_cli.world.toolbox import Toolbox

RULES = """
LIMIT = 500

def fee(amount):
    return rate() * amount

def rate():
    return 1

def unrelated():
    return 0
"""
DOMAIN = """
from __future__ import annotations
import datetime
from dataclasses import dataclass
from eigen_cli.api.domain import Clause, Domain, Persona, TableSpec
from eigen_cli.api.playbook import Playbook
from eigen_cli.api.record import Record
from eigen_cli.api.tools import Tools, reads
from shop.rules import LIMIT, fee

class Item(Record, frozen=True):
    name: str

class ShopTools(Tools):
    @reads
    def price(self, amount: int) -> int:
        "Tell the price."
        return fee(amount)

    @reads
    def count(self) -> int:
        "Count."
        return len(self.world.table(Item))

def small(context):
    return "too much" if context.arguments.get("amount", 0) > LIMIT else None

@dataclass(frozen=True)
class Template:
    name: str
    family: str = "f"
    tools: tuple = ("count",)
    clauses: tuple = ()
    difficulty: int = 1
    def draft(self, world, rng):
        return None

def opening():
    yield from ()

class Shop(Domain):
    name = "shop"
    title = "Shop"
    version = "1"
    tables = (TableSpec("items", Item, key="name"),)
    agent_tools = ShopTools
    clauses = (Clause("1", "Limit", "Not too much.", ("price",), small), Clause("2", "Kind", "Be kind."))
    templates = (Template("a"), Template("b"))
    personas = (Persona("plain", "You are brief."),)
    def clock(self):
        return datetime.datetime(2025, 1, 1)
    def generate(self, *, seed, size):
        yield Item("x")
    def playbook(self):
        return Playbook(opening, ())
"""

Make = Callable[..., Domain]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a maker of the shop from sources in which one text is replaced by another."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # versions follow each other within one second
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").touch()

    def load(old: str = "", new: str = "") -> Domain:
        for name, text in (("rules", RULES), ("domain", DOMAIN)):
            (package / f"{name}.py").write_text(text.replace(old, new) if old else text)
        for name in [name for name in sys.modules if name.split(".")[0] == "shop"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        linecache.clearcache()
        domain: Domain = importlib.import_module("shop.domain").Shop()
        return domain

    return load


def _parts(domain: Domain) -> dict[str, str]:
    found: DomainFingerprint = fingerprint_of(domain, Toolbox(domain))
    parts = {f"tool {name}": value for name, value in found.tools.items()}
    parts |= {f"clause {name}": value for name, value in found.clauses.items()}
    parts |= {f"template {name}": value for name, value in found.templates.items()}
    return parts | {"generator": found.generator, "manner": found.manner, "playbook": playbook_digest(domain)}


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("return 1\n", "return 2\n", {"tool agent:price"}),
        ("return 0\n", "return 3\n", set()),
        ("LIMIT = 500", "LIMIT = 600", {"clause 1"}),
        ("Be kind.", "Be very kind.", {"clause 2"}),
        ("Tell the price.", "Say the price.", {"tool agent:price"}),
        ('Template("b")', 'Template("b", difficulty=2)', {"template b"}),
        ("You are brief.", "You are terse.", {"manner"}),
        ('yield Item("x")', 'yield Item("y")', {"generator"}),
        ("yield from ()", "yield from iter(())", {"playbook"}),
    ],
)
def test_a_change_touches_exactly_its_parts(make: Make, old: str, new: str, touched: set[str]) -> None:
    before, after = _parts(make()), _parts(make(old, new))
    assert {name for name in before if before[name] != after[name]} == touched


def test_the_digest_covers_every_part_but_the_playbook(make: Make) -> None:
    def whole(domain: Domain) -> str:
        return fingerprint_digest(fingerprint_of(domain, Toolbox(domain)))

    assert whole(make()) == whole(make())
    assert whole(make("You are brief.", "You are terse.")) != whole(make())
    assert whole(make("yield from ()", "yield from iter(())")) == whole(make())


def test_patterns_and_records_that_a_guard_names_are_part_of_it(tmp_path: Path) -> None:
    """A rule is as much in the regular expression it asks as in its own lines."""
    rule = "import re\nfrom dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Limit:\n    most: int\n\n"
    rule += "LIMITS = {'bags': Limit(3)}\nYES = re.compile('yes')\n\n"
    rule += "def guard(text):\n    return YES.search(text) and LIMITS\n"

    def fingerprint(text: str) -> str:
        name = f"rules_{len(list(tmp_path.iterdir()))}"
        (tmp_path / f"{name}.py").write_text(text)
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return SourceReader(frozenset({name})).closure(module.guard)

    same = {fingerprint(rule), fingerprint(rule)}
    assert len(same) == 1
    assert fingerprint(rule.replace("'yes'", "'yes|yeah'")) not in same
    assert fingerprint(rule.replace("Limit(3)", "Limit(4)")) not in same
