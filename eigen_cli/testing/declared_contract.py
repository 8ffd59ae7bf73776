"""What a domain declares, read without running any of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from eigen_cli.api.domain import Clause, FactKind
from eigen_cli.api.errors import DomainError
from eigen_cli.testing.examined import Advice, ExaminedDomain, Remark
from eigen_cli.world.arguments import ref_of

_SECTIONS = ("Args:", "Returns:", "Raises:", "Yields:")


def declarations(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield what is wrong with names, tables, fact kinds and the clock, and with tools that cannot be compiled."""
    domain = examined.domain
    for name in ("name", "title", "version"):
        if not getattr(domain, name, ""):
            yield f"the domain has no {name}"
    yield from repeated("table", (spec.name for spec in domain.tables))
    yield from repeated("record type", (spec.record.__name__ for spec in domain.tables))
    for spec in domain.tables:
        missing = {spec.key, *spec.indexes} - set(spec.record.__struct_fields__)
        yield from (f"table {spec.name}: {spec.record.__name__} has no field {name}" for name in sorted(missing))
    yield from repeated("fact kind", (kind.name for kind in domain.fact_kinds))
    yield from repeated("persona", (persona.name for persona in domain.personas))
    for kind in domain.fact_kinds:
        yield from _fact_kind(kind)
    if not domain.fact_kinds:
        yield Advice("no fact kinds: simulated users cannot tell what they are asked for, nor blame what they made up")
    if domain.clock() != domain.clock():
        yield "the clock moves; every world must start at one fixed time"
    try:
        assert examined.context
    except DomainError as error:
        yield str(error)
    yield f"{len(domain.tables)} tables, {len(domain.fact_kinds)} fact kinds, {len(domain.personas)} personas"


def tools(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield what is wrong with signatures and docstrings."""
    tables = {spec.name for spec in examined.domain.tables}
    compiled = [tool for side in examined.context.toolbox.tools.values() for tool in side.values()]
    if not examined.agent_tools:
        yield "the agent has no tool; mark methods with `reads`, `writes` or `acts`"
    for tool in compiled:
        if "return" not in getattr(tool.method, "__annotations__", {}):
            yield f"tool {tool.name} does not say what it returns"
        if tool.summary.startswith(_SECTIONS):
            yield f"tool {tool.name}: the docstring's first paragraph says nothing, and it is all a model is told"
        for name, annotation in tool.parameters.hints.items():
            ref = ref_of(annotation)
            if ref is not None and ref.table not in tables:
                yield f"tool {tool.name}: {name} refers to the table {ref.table!r}, which the domain does not have"
        for name, schema in tool.parameters.schema().get("properties", {}).items():
            if not schema.get("description"):
                yield f"tool {tool.name}: the docstring does not describe {name}"
    handover = examined.domain.handover_tool
    if handover is not None and handover not in examined.agent_tools:
        yield f"the hand-over tool {handover!r} is none of the agent's"
    yield f"{len(compiled)} tools, {sum(tool.kind == 'write' for tool in compiled)} of them writing"


def clauses(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield what is wrong with the policy's clauses."""
    declared = examined.domain.clauses
    yield from repeated("clause", (clause.id for clause in declared))
    for clause in declared:
        unknown = sorted(set(clause.tools) - examined.agent_tools)
        yield from (f"clause {clause.id} governs {name!r}, which is none of the agent's tools" for name in unknown)
        if not clause.text.strip():
            yield f"clause {clause.id} says nothing"
    yield f"{len(declared)} clauses, {sum(clause.guard is not None for clause in declared)} with a guard"


def coverage(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield the writing tools and the clauses that no template reaches."""
    writing = {name for name, tool in examined.context.toolbox.tools["agent"].items() if tool.kind == "write"}
    if examined.explored:
        if not writing:
            yield "no templates and no writing tool: exploring makes tasks of writing tools, so there will be no task"
        yield f"no templates; {len(writing)} writing tools, of which exploring makes tasks"
        return
    templates = examined.domain.templates
    untouched = sorted(writing - {name for template in templates for name in template.tools})
    yield from (f"no template covers the writing tool {name}" for name in untouched)
    unseen = sorted(names_of(examined.domain.clauses) - {name for template in templates for name in template.clauses})
    yield from (f"no template covers clause {name}" for name in unseen)
    yield f"{len(writing)} writing tools, {len(examined.domain.clauses)} clauses"


def names_of(declared: Iterable[Clause]) -> set[str]:
    """Return the clauses' ids."""
    return {clause.id for clause in declared}


def repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield every name that is given twice."""
    yield from (f"two {what}s are called {name!r}" for name, count in Counter(names).items() if count > 1)


def _fact_kind(kind: FactKind) -> Iterator[Remark]:
    yield from (f"fact kind {kind.name}: {text!r} lacks {{value}}" for text in kind.says if "{value}" not in text)
    for field, patterns in (("pattern", (kind.pattern,) if kind.pattern else ()), ("asks", kind.asks)):
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                yield f"fact kind {kind.name}: {field} {pattern!r} is no regular expression: {error}"
