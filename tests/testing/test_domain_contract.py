"""The contract of a domain: a sound one passes, and every promise broken on purpose is found."""

from __future__ import annotations

import dataclasses
import datetime
import random
from collections.abc import Iterator
from typing import Any

import pytest
from broken_library import (
    DefectiveTools,
    EmptyTools,
    SectionTools,
    UndocumentedTools,
    WordlessTools,
    breaches,
    deaf,
    raising,
    variant,
)
from eigen_tidy_library.domain import LibraryTemplate, Member, TidyLibrary

from eigen_cli.api.domain import CheckContext, Clause, Domain, Draft, FactKind, GuardContext
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import Action, CheckCall
from eigen_cli.api.world import WorldView
from eigen_cli.testing.contracts import check_domain


def test_a_sound_domain_passes() -> None:
    check_domain(TidyLibrary())
    check_domain(TidyLibrary(), seed=5)


class Refuser(LibraryTemplate):
    """Drafts whatever it is told to."""

    def __init__(self, **changes: Any) -> None:
        super().__init__("lend", ("I would like to borrow {title}.",), tool="lend_book", clauses=("2", "3"))
        self.changes = changes

    def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
        draft = super().draft(world, rng)
        return None if draft is None else dataclasses.replace(draft, **self.changes)


def generate_unstable(self: Domain, *, seed: int, size: int) -> Iterator[Record]:
    del self, seed, size
    yield Member(f"M{random.randrange(10**9)}", "Reader")


def generate_by_hash(self: Domain, *, seed: int, size: int) -> Iterator[Record]:
    del self, size
    for place, name in enumerate({f"{seed}-{letter}" for letter in "abcdefghij"}):
        yield Member(f"M{place:03}", name)


def generate_one_world(self: Domain, *, seed: int, size: int) -> Iterator[Record]:
    del self, seed
    yield from TidyLibrary().generate(seed=0, size=size)


class HashOrdered(TidyLibrary):
    """Module level, so that another process can import it."""

    generate = generate_by_hash


_seen: list[str] = []


def forgetful(context: GuardContext) -> str | None:
    _seen.append(context.name)
    return None if len(_seen) % 2 else "every second time"


def wordless(context: GuardContext) -> Any:
    del context
    return False


NO_VALUE = FactKind("odd", "odd", (), ("I forgot.",), ())
ODD_PATTERN = FactKind("odd", "odd", (), (), (), r"(\d+")
ODD_ASKS = FactKind("odd", "odd", (), (), ("*",))
ALSO_1 = Clause("1", "Again", "Says it again.")
UNKNOWN_TOOL = Clause("9", "Fly", "Never fly.", ("fly_away",))
CLAUSES = TidyLibrary.clauses


@pytest.mark.parametrize(
    ("changes", "breach"),
    [
        ({"title": ""}, "declarations: the domain has no title"),
        ({"tables": TidyLibrary.tables * 2}, "declarations: two tables are called 'members'"),
        ({"fact_kinds": (*TidyLibrary.fact_kinds, NO_VALUE)}, "declarations: fact kind odd: 'I forgot.' lacks {value}"),
        (
            {"fact_kinds": (ODD_PATTERN,)},
            "declarations: fact kind odd: pattern '(\\\\d+' is no regular expression: missing ), unterminated",
        ),
        (
            {"fact_kinds": (ODD_ASKS,)},
            "declarations: fact kind odd: asks '*' is no regular expression: nothing to repeat",
        ),
        ({"agent_tools": WordlessTools}, "declarations: tool ring_bell has no docstring"),
        ({"agent_tools": SectionTools}, "tools: tool ring_bell: the docstring's first paragraph says nothing"),
        ({"agent_tools": DefectiveTools}, "tool calls: peek is marked read but wrote"),
        ({"agent_tools": DefectiveTools}, "tool calls: divide: ZeroDivisionError: division by zero"),
        ({"agent_tools": DefectiveTools}, "tool calls: roll answers the same call on the same world in two ways"),
        (
            {"agent_tools": DefectiveTools},
            "tool calls: show_tool: TypeError: Encoding objects of type object is unsupported",
        ),
        ({"user_tools": DefectiveTools}, "tool calls: divide: ZeroDivisionError: division by zero"),
        ({"clauses": (*CLAUSES, Clause("8", "x", "x", (), raising))}, "guards: the guard of clause 8 raises at"),
        (
            {"clauses": (*CLAUSES, Clause("8", "x", "x", (), deaf))},
            "guards: the guard of clause 8 raises at get_member",
        ),
        (
            {"clauses": (*CLAUSES, Clause("8", "x", "x", ("lend_book",), raising))},
            "templates: lend: its task cannot be verified: ",
        ),
        ({"clock": lambda self: datetime.datetime.now()}, "declarations: the clock moves"),
        ({"agent_tools": EmptyTools}, "tools: the agent has no tool"),
        ({"agent_tools": UndocumentedTools}, "tools: tool count_books: the docstring does not describe shelf"),
        ({"handover_tool": "ring_the_bell"}, "tools: the hand-over tool 'ring_the_bell' is none of the agent's"),
        ({"generate": generate_unstable}, "generator: the generator draws from the shared random generator"),
        ({"generate": generate_unstable}, "generator: the same seed gives different worlds"),
        ({"generate": generate_one_world}, "generator: another seed gives the same world"),
        ({"generate": lambda self, *, seed, size: iter(())}, "generator: the default world is empty"),
        ({"canonical": lambda self, record: random.random()}, "canonical records: canonical() of a Member is not pure"),
        ({"clauses": (*CLAUSES, ALSO_1)}, "clauses: two clauses are called '1'"),
        ({"clauses": (*CLAUSES, UNKNOWN_TOOL)}, "clauses: clause 9 governs 'fly_away', which is none of"),
        ({"clauses": (*CLAUSES, UNKNOWN_TOOL)}, "coverage: no template covers clause 9"),
        ({"clauses": (*CLAUSES, Clause("8", "x", "x", (), forgetful))}, "guards: the guard of clause 8 is not pure"),
        (
            {"clauses": (*CLAUSES, Clause("8", "x", "x", (), wordless))},
            "guards: the guard of clause 8 answers with a bool",
        ),
        ({"templates": TidyLibrary.templates[:1]}, "coverage: no template covers the writing tool return_book"),
        ({"templates": TidyLibrary.templates * 2}, "templates: two templates are called 'lend'"),
        (
            {"templates": (Refuser(clauses=("7",)),)},
            "templates: lend: drafts with the clause '7', which is not declared",
        ),
        ({"templates": (Refuser(checks=(CheckCall("tidy"),)),)}, "templates: lend: drafts with the check 'tidy'"),
        (
            {"templates": (Refuser(gold=(Action("lend_book", {"member_id": "M1", "book_id": "B1"}),)),)},
            "templates: lend: the task verifier rejects its task: gold_error",
        ),
        (
            {"templates": (Refuser(gold=(Action("get_book", {"book_id": "B001"}),)),)},
            "templates: lend: the task verifier rejects its task: missing_positive_check",
        ),
        ({"templates": (Refuser(known=()),)}, "templates: lend: the task verifier rejects its task: missing_fact"),
        (
            {"templates": (Refuser(breach=(Action("get_member", {"member_id": "M001"}),)),)},
            "templates: lend: no guard objects to its breach",
        ),
        (
            {"templates": (Refuser(breach=(Action("get_member", {"member_id": "M999"}),)),)},
            "templates: lend: its breach does not run: get_member is refused",
        ),
    ],
)
def test_each_broken_promise_of_a_domain_is_found(changes: dict[str, Any], breach: str) -> None:
    found = breaches(variant(**changes))
    assert any(text.startswith(breach) for text in found), found


def test_a_world_that_depends_on_the_hash_seed_is_found() -> None:
    assert any(text.startswith("generator: another process gives another world") for text in breaches(HashOrdered()))


def test_a_template_that_finds_nothing_or_changes_its_mind_is_found() -> None:
    class Empty(LibraryTemplate):
        def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
            del world, rng
            return None

    class Fickle(LibraryTemplate):
        def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
            del rng
            return super().draft(world, random.Random())

    for template, breach in (
        (Empty("lend", ("x",), tool="lend_book", clauses=("2",)), "lend finds nothing in the default world"),
        (Fickle("lend", ("x {title}",), tool="lend_book", clauses=("2", "3")), "lend drafts differently from the same"),
    ):
        assert any(text.startswith(f"templates: {breach}") for text in breaches(variant(templates=(template,))))


def test_a_template_that_raises_is_a_finding_and_not_a_crash() -> None:
    class Raising(LibraryTemplate):
        def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
            raise LookupError("no books")

    template = Raising("lend", ("x",), tool="lend_book", clauses=("2",))
    assert "templates: lend raises LookupError: no books" in breaches(variant(templates=(template,)))


def test_a_check_that_raises_is_named() -> None:
    def broken(context: CheckContext) -> bool:
        raise IndexError(len(context.calls))

    changed = variant(templates=(Refuser(checks=(CheckCall("tidy"),)),), checks={"tidy": broken})
    assert "checks: lend: the check tidy raises IndexError: 3" in breaches(changed)
