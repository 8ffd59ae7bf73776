"""The contract of a domain, clause by clause: what everything else in eigen relies on."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from eigen_cli.api.canonical import canonical_json, content_hash
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext, Clause, Domain, GuardContext
from eigen_cli.api.tasks import Action, WorldRef
from eigen_cli.api.verifier import Verifier
from eigen_cli.episode.guards import breaches_of_gold
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.task_verifier import verify_task
from eigen_cli.testing.drafted import DraftedTask, contract_context, drafted_tasks, draw, played, world_of
from eigen_cli.testing.fresh_process import world_hash_elsewhere
from eigen_cli.world.arguments import ref_of
from eigen_cli.world.base import build_base

_DRAFTS = 3
"""Drafts taken of every template."""
_CANONICAL_SAMPLE = 50


@dataclass(frozen=True)
class Finding:
    """One clause of the contract, what of the domain it looked at, and every breach found."""

    contract: str
    looked_at: str
    breaches: tuple[str, ...] = ()


class ExaminedDomain:
    """A domain under examination, and what several clauses of the contract need of it."""

    def __init__(self, domain: Domain, verifiers: dict[str, Verifier], *, seed: int) -> None:
        self.domain = domain
        self.verifiers = verifiers
        self.seed = seed

    @cached_property
    def context(self) -> RoleContext:
        """The domain's tools and worlds."""
        return contract_context(self.domain, self.verifiers, seed=self.seed)

    @cached_property
    def drafted(self) -> tuple[DraftedTask, ...]:
        """A few tasks of every template."""
        return tuple(drafted_tasks(self.context, each=_DRAFTS))

    @property
    def agent_tools(self) -> frozenset[str]:
        """Names of the agent's tools."""
        return frozenset(self.context.toolbox.tools["agent"])


def domain_findings(domain: Domain, verifiers: dict[str, Verifier], *, seed: int = 0) -> Iterator[Finding]:
    """Yield a finding for every clause of the contract; what stands on a broken foundation is not looked at.

    `verifiers` are those of the domain's reward basis, by name; with them every drafted task must pass the task
    verifier.
    """
    examined = ExaminedDomain(domain, verifiers, seed=seed)
    for name, examine, is_foundation in _CONTRACT:
        try:
            *breaches, looked_at = examine(examined)
        except Exception as error:  # a plugin's bug is a finding, not the end of the examination
            breaches, looked_at = [f"{type(error).__name__}: {error}"], "not to its end"
        yield Finding(name, looked_at, tuple(breaches))
        if breaches and is_foundation:
            return


def _declarations(examined: ExaminedDomain) -> Iterator[str]:
    domain = examined.domain
    for name in ("name", "title", "version"):
        if not getattr(domain, name, ""):
            yield f"the domain has no {name}"
    yield from _repeated("table", (spec.name for spec in domain.tables))
    yield from _repeated("record type", (spec.record.__name__ for spec in domain.tables))
    for spec in domain.tables:
        missing = {spec.key, *spec.indexes} - set(spec.record.__struct_fields__)
        yield from (f"table {spec.name}: {spec.record.__name__} has no field {name}" for name in sorted(missing))
    yield from _repeated("fact kind", (kind.name for kind in domain.fact_kinds))
    yield from _repeated("persona", (persona.name for persona in domain.personas))
    for kind in domain.fact_kinds:
        yield from (f"fact kind {kind.name}: {text!r} lacks {{value}}" for text in kind.says if "{value}" not in text)
        for pattern in (*kind.asks, *([kind.pattern] if kind.pattern else [])):
            re.compile(pattern)
    if domain.clock() != domain.clock():
        yield "the clock moves; every world must start at one fixed time"
    yield f"{len(domain.tables)} tables, {len(domain.fact_kinds)} fact kinds, {len(domain.personas)} personas"


def _tools(examined: ExaminedDomain) -> Iterator[str]:
    tables = {spec.name for spec in examined.domain.tables}
    tools = [tool for side in examined.context.toolbox.tools.values() for tool in side.values()]
    if not examined.agent_tools:
        yield "the agent has no tool; mark methods with `reads`, `writes` or `acts`"
    for tool in tools:
        if "return" not in getattr(tool.method, "__annotations__", {}):
            yield f"tool {tool.name} does not say what it returns"
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
    yield f"{len(tools)} tools, {sum(tool.kind == 'write' for tool in tools)} of them writing"


def _generator(examined: ExaminedDomain) -> Iterator[str]:
    domain, ref = examined.domain, world_of(examined.context)
    shared = random.getstate()
    base = examined.context.bases.get(domain, ref)
    if random.getstate() != shared:
        yield "the generator draws from the shared random generator; derive one from the seed"
    if build_base(domain, ref, freeze=False).hash != base.hash:
        yield "the same seed gives different worlds"
    if build_base(domain, WorldRef(ref.seed + 1, ref.size), freeze=False).hash == base.hash:
        yield "another seed gives the same world"
    records = sum(len(table.rows) for table in base.tables.values())
    if not records:
        yield "the default world is empty"
    elsewhere = world_hash_elsewhere(domain, ref)
    if elsewhere is not None and elsewhere != base.hash:
        yield "another process gives another world: something depends on the hash seed, such as the order of a set"
    alone = "" if elsewhere else "; one process, as the domain's module cannot be imported in another"
    yield f"{records} records{alone}"


def _canonical(examined: ExaminedDomain) -> Iterator[str]:
    tables = examined.context.world(world_of(examined.context)).base.tables.values()
    records = [
        record for table in tables for record, _ in zip(table.rows.values(), range(_CANONICAL_SAMPLE), strict=False)
    ]
    for record in records:
        before = canonical_json(record)
        twice = [canonical_json(examined.domain.canonical(record)) for _ in range(2)]
        if twice[0] != twice[1] or canonical_json(record) != before:
            yield f"canonical() of a {type(record).__name__} is not pure"
            break
    yield f"{len(records)} records"


def _clauses(examined: ExaminedDomain) -> Iterator[str]:
    clauses = examined.domain.clauses
    yield from _repeated("clause", (clause.id for clause in clauses))
    for clause in clauses:
        unknown = sorted(set(clause.tools) - examined.agent_tools)
        yield from (f"clause {clause.id} governs {name!r}, which is none of the agent's tools" for name in unknown)
        if not clause.text.strip():
            yield f"clause {clause.id} says nothing"
    yield f"{len(clauses)} clauses, {sum(clause.guard is not None for clause in clauses)} with a guard"


def _templates(examined: ExaminedDomain) -> Iterator[str]:
    domain, context = examined.domain, examined.context
    clauses, facts, checks = _names(domain.clauses), {kind.name for kind in domain.fact_kinds}, checks_of(domain)
    yield from _repeated("template", (template.name for template in domain.templates))
    found = {item.template.name for item in examined.drafted}
    for template in domain.templates:
        if template.name not in found:
            yield f"{template.name} finds nothing in the default world"
        elif content_hash(draw(context, template, 0)) != content_hash(draw(context, template, 0)):
            yield f"{template.name} drafts differently from the same generator"
    for item in examined.drafted:
        name, draft, task = item.template.name, item.draft, item.task
        used = [action.name for action in draft.gold]
        yield from _undeclared(name, "tool", used, declared=item.template.tools)
        yield from _undeclared(name, "clause", draft.clauses, declared=item.template.clauses)
        yield from _undeclared(name, "clause of the domain", draft.clauses, declared=clauses)
        yield from _undeclared(name, "fact kind", (fact.name for fact in task.scenario.facts()), declared=facts)
        yield from _undeclared(name, "check", (check.name for check in draft.checks), declared=checks)
        if examined.verifiers:
            for rejection in verify_task(context, task).rejections:
                yield f"{name}: the task verifier rejects its task: {rejection.reason}: {rejection.evidence}"
        if draft.breach:
            yield from _breach(examined, item)
    yield f"{len(domain.templates)} templates, {len(examined.drafted)} drafts"


def _breach(examined: ExaminedDomain, item: DraftedTask) -> Iterator[str]:
    context = examined.context
    made = played(context, item.task, item.draft.breach)
    refused = [action.name for action, ok in made.calls if not ok]
    if refused:
        yield f"{item.template.name}: its breach does not run: {refused[0]} is refused"
    elif not breaches_of_gold(item.draft.breach, context.initial_world(item.task), context.toolbox):
        yield f"{item.template.name}: no guard objects to its breach"


def _guards(examined: ExaminedDomain) -> Iterator[str]:
    context, asked = examined.context, 0
    guarded = [clause for clause in examined.domain.clauses if clause.guard is not None]
    for item in examined.drafted:
        world = context.initial_world(item.task)
        earlier: tuple[Action, ...] = ()
        for action in (*item.draft.gold, *item.draft.breach):
            for clause in guarded:
                if action.requestor == "agent" and (not clause.tools or action.name in clause.tools):
                    asked += 1
                    seen = GuardContext(world, "agent", action.name, action.arguments, None, earlier)
                    yield from _impure(clause, seen)
            world = context.toolbox.call(world, action.name, action.arguments, requestor=action.requestor).world
            earlier = (*earlier, action)
    yield f"{len(guarded)} guards, asked {asked} times"


def _impure(clause: Clause, seen: GuardContext) -> Iterator[str]:
    assert clause.guard is not None
    before = (seen.world.state_hash(), canonical_json(seen.arguments))
    answers = [clause.guard(seen) for _ in range(2)]
    if answers[0] != answers[1] or (seen.world.state_hash(), canonical_json(seen.arguments)) != before:
        yield f"the guard of clause {clause.id} is not pure"
    if not isinstance(answers[0], str | None):
        yield f"the guard of clause {clause.id} answers with a {type(answers[0]).__name__}, not a text or None"


def _checks(examined: ExaminedDomain) -> Iterator[str]:
    known, used = checks_of(examined.domain), 0
    for item in examined.drafted:
        episode = played(examined.context, item.task, item.draft.gold)
        for check in item.draft.checks:
            if check.name in known:
                used += 1
                context = CheckContext(episode.initial, episode.final, episode.messages, episode.calls)
                answers = [known[check.name](context, **check.arguments) for _ in range(2)]
                if answers != [True, True]:
                    yield f"{item.template.name}: after its gold {check.name} answers {answers}, not True twice"
    yield f"{len(known)} checks, asked {used} times"


def _coverage(examined: ExaminedDomain) -> Iterator[str]:
    templates = examined.domain.templates
    if not templates:
        yield "no templates; tasks will come from exploring the tools"
        return
    writing = {name for name, tool in examined.context.toolbox.tools["agent"].items() if tool.kind == "write"}
    untouched = sorted(writing - {name for template in templates for name in template.tools})
    yield from (f"no template covers the writing tool {name}" for name in untouched)
    unseen = sorted(_names(examined.domain.clauses) - {name for template in templates for name in template.clauses})
    yield from (f"no template covers clause {name}" for name in unseen)
    yield f"{len(writing)} writing tools, {len(examined.domain.clauses)} clauses"


# Name, examination (yields breaches, then what it looked at), and whether the rest stands on it.
_CONTRACT: tuple[tuple[str, Callable[[ExaminedDomain], Iterable[str]], bool], ...] = (
    ("declarations", _declarations, True),
    ("tools", _tools, False),
    ("generator", _generator, True),
    ("canonical records", _canonical, False),
    ("clauses", _clauses, False),
    ("templates", _templates, False),
    ("guards", _guards, False),
    ("checks", _checks, False),
    ("coverage", _coverage, False),
)


def _names(clauses: Iterable[Clause]) -> set[str]:
    return {clause.id for clause in clauses}


def _repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    yield from (f"two {what}s are called {name!r}" for name, count in Counter(names).items() if count > 1)


def _undeclared(template: str, what: str, used: Iterable[str], *, declared: Iterable[str]) -> Iterator[str]:
    for name in sorted(set(used) - set(declared)):
        yield f"{template}: drafts with the {what} {name!r}, which is not declared"
