"""A generation's whole record as text: what it came to, what made it, its plans, and what its models were told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.generations import Figures, Generation, Opening, ToolSet
from eigen_cli.api.plans import Guideline, PlanRecord, ProbeFigures
from eigen_cli.commands.generation_views import (
    FIGURES,
    FIRST_TO_GO,
    ablations,
    actors_text,
    counts_text,
    figure_cells,
    rate_text,
    share_text,
    simulated_line,
)
from eigen_cli.commands.tables import ENDLESS, by_column, table_within
from eigen_cli.commands.usage_views import spent_text, usage_lines
from eigen_cli.console import Line, fitted

PIPED = 120
"""Columns that running text takes where there is no terminal."""
_COUNTS = ("splits", "rejections", "blame")

Facts = Iterable[tuple[str, str]]


def generation_lines(
    generation: Generation, plans: Sequence[PlanRecord], *, names: Facts = (), width: int = PIPED
) -> Iterator[Line]:
    """Yield a generation's record and a table of its plans; `names` are what it is called here and what it takes."""
    body = generation.body
    yield Line(f"{generation.id}  {body.domain}, seed {body.seed}, round {body.round}", "bold")
    yield from simulated_line(generation)
    yield Line(fitted([*_came_to(generation, names), *_made_by(generation)], width))
    yield Line("")
    yield from usage_lines(generation.observed, width=width)
    if len(body.by_domain) > 1:
        yield Line("")
        yield from _domains_lines(body.by_domain, width)
    if plans:
        yield Line("")
        yield Line(_plans_table(plans, width))


def _came_to(generation: Generation, names: Facts) -> Iterator[tuple[str, str]]:
    body = generation.body
    yield "hash", generation.hash
    here = generation.parent_id or ("not in this registry" if body.parent else "-")
    yield "parent", f"{here}  {body.parent or ''}".rstrip()
    yield from names
    if left_out := ablations(generation):
        yield "ablation", f"made without {' and '.join(left_out)}"
    yield "tasks", f"{body.tasks_accepted} accepted of {body.tasks_proposed} proposed ({counts_text(body.splits)})"
    yield "rejections", counts_text(body.rejections)
    yield "episodes", f"{body.episodes}, passed {rate_text(body)}"
    yield "blame", counts_text(body.blame)
    covered = body.coverage
    pairs = f"tool pairs {share_text(covered.tool_pairs)}, clauses {share_text(covered.clauses)}"
    yield "coverage", f"tools {share_text(covered.tools)}, {pairs}"
    yield "near-duplicates", str(body.near_duplicates)
    yield "spent", spent_text(generation)


def _made_by(generation: Generation) -> Iterator[tuple[str, str]]:
    body, observed = generation.body, generation.observed
    yield "actors", actors_text(body.actors)
    prints = [f"{name} {figures.fingerprint[:SHORT] or '-'}" for name, figures in body.by_domain.items()]
    yield "fingerprints", ", ".join(prints)
    yield "verifiers", _listed(body.verifiers)
    yield "prompts", _listed(body.prompts)
    yield "settings", _listed(body.settings)
    sealed = datetime.fromtimestamp(observed.sealed_at, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    version = f" by eigen {observed.eigen_version}" if observed.eigen_version else ""
    yield "sealed", f"{sealed}{version}{f' on {observed.host}' if observed.host else ''}"
    if observed.pulled_from:
        yield "pulled from", observed.pulled_from
    yield "run", observed.run


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(_named(name, values[name]) for name in sorted(values)) or "none"


def _named(name: str, value: object) -> str:
    if isinstance(value, bool):
        return f"{name} {'yes' if value else 'no'}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if text.startswith(f"{name}@") else f"{name} {text}"  # a prompt's version says whose it is


def plan_lines(record: PlanRecord, *, width: int = PIPED) -> Iterator[Line]:
    """Yield one plan whole."""
    plan, synthesis = record.plan, record.plan.body.synthesis
    yield Line(f"{plan.id}  {plan.body.domain}, slot {plan.body.slot}, {record.status}", "bold")
    yield Line(fitted([fact for fact in _plan_facts(record) if fact[1]], width))
    yield from _guideline_lines("guidelines for the synthesizer", synthesis.guidelines, width)
    yield from _guideline_lines("criteria for the judge", plan.body.evaluation.criteria, width)


def _plan_facts(record: PlanRecord) -> Iterator[tuple[str, str]]:
    body = record.plan.body
    yield "written by", body.author
    yield "parent", body.parent or "-"
    yield "why", record.why
    yield "probe", _probe(record.figures)
    yield "parent's probe", _probe(record.parent_figures)
    yield "focus", body.synthesis.focus
    yield "quotas", ", ".join(f"{quota.template} {quota.weight}" for quota in body.synthesis.quotas)
    yield "personas", "; ".join(body.synthesis.personas)


def _guideline_lines(title: str, guidelines: Sequence[Guideline], width: int) -> Iterator[Line]:
    if guidelines:
        yield Line("")
        yield Line(f"{title}:")
        yield Line(fitted([(f"  {line.reason or '-'}", line.text) for line in guidelines], width))


def opening_lines(openings: Iterable[Opening], toolsets: Sequence[ToolSet]) -> Iterator[Line]:
    """Yield what models were sent before anyone spoke: the system message word for word, then the tools as JSON."""
    import msgspec

    for opening in openings:
        whose = f"{opening.side}, {opening.domain}{f', {opening.task}' if opening.task else ''}"
        yield Line(f"--- system message ({whose})", "bold")
        yield Line(opening.system)
        if opening.first:
            yield Line(f"--- first message ({whose})", "bold")
            yield Line(opening.first)
        own = [tools for tools in toolsets if (tools.side, tools.domain) == (opening.side, opening.domain)]
        for tools in own:
            yield Line(f"--- {len(tools.tools)} tools ({whose})", "bold")
            yield Line(msgspec.json.format(msgspec.json.encode(tools.tools), indent=2).decode())
        if not own:
            yield Line(f"--- no tools ({whose})", "bold")


def _domains_lines(domains: Mapping[str, Figures], width: int) -> Iterator[Line]:
    """Yield a table of the domains' figures; where their counts do not fit beside these, they stand below."""
    columns = by_column(("domain", *FIGURES), [(name, *figure_cells(figures)) for name, figures in domains.items()])
    counts = {
        name: {what: counts_text(getattr(figures, what)) for what in _COUNTS} for name, figures in domains.items()
    }
    beside = {what: [texts[what] for texts in counts.values()] for what in _COUNTS}
    whole = table_within(columns | beside, width=ENDLESS, right=FIGURES)
    if max(map(len, whole.splitlines())) <= width:
        yield Line(whole)
        return
    yield Line(table_within(columns, width=width, first_to_go=FIRST_TO_GO, right=FIGURES))
    for name, texts in counts.items():
        yield Line(fitted([(name, "; ".join(f"{what}: {text}" for what, text in texts.items()))], width))


def _plans_table(plans: Sequence[PlanRecord], width: int) -> str:
    header = ("plan", "domain", "slot", "status", "probe (parent's)", "learnable", "covers", "focus")
    rows = [
        (
            record.plan.id,
            record.plan.body.domain,
            str(record.plan.body.slot),
            record.status,
            *_probe_cells(record.figures, record.parent_figures),
            record.plan.body.synthesis.focus,
        )
        for record in plans
    ]
    one_domain = len({record.plan.body.domain for record in plans}) == 1
    first_to_go = (*(("domain",) if one_domain else ()), "focus", "covers", "learnable", "probe (parent's)")
    return table_within(by_column(header, rows), width=width, first_to_go=first_to_go, text="focus")


def _probe_cells(figures: ProbeFigures | None, parent: ProbeFigures | None) -> tuple[str, str, str]:
    """Return a plan's probe as three columns, its parent's in brackets."""
    cells = [
        ("-",) * 3 if each is None else (f"{each.accepted}/{each.proposed}", str(each.learnable), str(each.coverage))
        for each in (figures, parent)
    ]
    own, other, third = (was if parent is None else f"{was} ({before})" for was, before in zip(*cells, strict=True))
    return own, other, third


def _probe(figures: ProbeFigures | None) -> str:
    if figures is None:
        return ""
    return f"{figures.accepted}/{figures.proposed} accepted, {figures.learnable} learnable, covers {figures.coverage}"
