"""Domains without templates are judged by exploring them; what a domain does without is advice."""

from __future__ import annotations

from typing import Any

import pytest
from broken_library import (
    DefectiveTools,
    EmptyTools,
    ShelvingTools,
    ShyTools,
    advice,
    breaches,
    raising,
    refuse_everything,
    variant,
)
from eigen_tidy_library.domain import TidyLibrary

from eigen_cli.api.domain import Clause
from eigen_cli.testing.contracts import check_domain, examine_domain

CLAUSES = TidyLibrary.clauses


def test_a_sound_domain_needs_no_advice() -> None:
    assert advice(TidyLibrary()) == ()


def test_a_domain_without_templates_is_judged_by_exploring_it() -> None:
    domain = variant(templates=())
    check_domain(domain)
    looked_at = {item.contract: item.looked_at for item in examine_domain(domain)}
    assert looked_at["templates"] == "2 templates of exploring, 6 drafts"
    assert looked_at["coverage"] == "no templates; 2 writing tools, of which exploring makes tasks"
    assert int(looked_at["guards"].removeprefix("2 guards, asked ").removesuffix(" times")) > 6


@pytest.mark.parametrize(
    ("changes", "breach"),
    [
        ({"agent_tools": DefectiveTools}, "tool calls: divide: ZeroDivisionError: division by zero"),
        ({"agent_tools": DefectiveTools}, "tool calls: peek is marked read but wrote"),
        (
            {"clauses": (*CLAUSES, Clause("8", "x", "x", ("return_book",), raising))},
            "guards: the guard of clause 8 raises at return_book: KeyError: 'return_book'",
        ),
        ({"agent_tools": EmptyTools, "clauses": ()}, "coverage: no templates and no writing tool"),
    ],
)
def test_a_domain_without_templates_hides_nothing(changes: dict[str, Any], breach: str) -> None:
    found = breaches(variant(templates=(), **changes))
    assert any(text.startswith(breach) for text in found), found


def test_what_a_domain_does_without_is_advice() -> None:
    bare = advice(variant(templates=(), fact_kinds=()))
    assert len(bare) == 1 and bare[0].startswith("declarations: no fact kinds: simulated users cannot tell")
    members_only = advice(variant(templates=(), fact_kinds=TidyLibrary.fact_kinds[:1]))
    assert members_only == (
        "tool calls: no fact kind is called 'book_id', an entity that get_book, lend_book, return_book needs: "
        "users cannot be asked for it",
    )
    # A template's gold was verified without it, so tools or the scenario tell it.
    assert advice(variant(agent_tools=ShelvingTools)) == (
        "tool calls: no fact kind is called 'volume_id', an entity that shelve needs: users cannot be asked for it",
    )
    never = advice(variant(templates=(), clauses=(Clause("1", "x", "x", ("lend_book",), refuse_everything),)))
    assert never == (
        "templates: use_lend_book: the task verifier rejects its task: policy_breach: clause 1, lend_book: "
        "not lend_book; templates know the policy, exploring does not",
    )


def test_tools_that_never_ran_are_advice() -> None:
    assert advice(variant(agent_tools=ShyTools)) == (
        "tool calls: find: no arguments can be made up; mark parameters with `Ref` or `Examples`",
        "tool calls: open_safe refused every call that exploring made up, the last one with 'Error: 0 is wrong'",
    )
