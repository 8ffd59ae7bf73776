"""How two generations differ, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import asdict

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.plans import PlanRecord
from eigen_cli.commands.generation_views import SCHEMA, SIMULATED, domain_text, generation_json, share_text
from eigen_cli.commands.tables import by_column, table_within
from eigen_cli.console import Line, aligned, fitted, wrapped
from eigen_cli.evaluation.generation_diff import (
    Cost,
    CountChange,
    CoverageChange,
    GenerationDiff,
    MakingChange,
    Value,
)
from eigen_cli.evaluation.plan_diff import SlotChange, plan_text
from eigen_cli.evaluation.proportions import Share, ShareChange

_TEXT_SHOWN = 8
"""Lines of a plan's changes in the view of everything; `--plan SLOT` shows all."""
_TASKS_SHOWN = 10
_KINDS = {"tools": "tools", "tool_pairs": "tool pairs", "clauses": "clauses"}
_SIGNS = {"added": "+", "dropped": "-", "changed": "~"}
_METHOD = (
    "95 % intervals. Accepted: Wilson's, over proposals; the difference Newcombe's. Passed: the same, over trials that "
    "have a reward, counted for what they are worth as clusters: trials of one task are no independent evidence. "
    "What is not clear may be chance."
)


def diff_json(diff: GenerationDiff, relation: str) -> dict[str, Any]:
    """Return a comparison as `eigen diff --json` prints it."""
    fields = {name: value for name, value in asdict(diff).items() if name not in ("before", "after")}
    ends = {"before": generation_json(diff.before), "after": generation_json(diff.after)}
    return {"schema": SCHEMA, **ends, "relation": relation, "comparable_domains": list(diff.common), **fields}


def diff_lines(diff: GenerationDiff, relation: str, *, width: int) -> Iterator[Line]:
    """Yield everything that differs, and what it came to."""
    yield from head_lines(diff, relation, width=width)
    sections = (
        ("made differently by", _making_lines(diff, width)),
        ("rates", _rate_lines(diff, width)),
        ("tasks", _task_lines(diff, width)),
        ("coverage", _coverage_lines(diff, width)),
        ("plans", _plans_lines(diff, width)),
        ("rejections, blame and stops", _count_lines(diff, width)),
        ("cost", _cost_lines(diff)),
    )
    for title, lines in sections:
        yield Line("")
        yield Line(title, "bold")
        yield from lines


def head_lines(diff: GenerationDiff, relation: str, *, width: int) -> Iterator[Line]:
    """Yield which two generations are compared, and what they are to each other."""
    before, after = diff.before, diff.after
    names = dict.fromkeys((domain_text(before.body), domain_text(after.body)))
    yield Line(wrapped(f"{before.id} -> {after.id}  {' -> '.join(names)}; {relation}", width), "bold")
    for generation in (before, after):
        if generation.body.simulated:
            yield Line(wrapped(f"{generation.id}: {SIMULATED}", width), "yellow")
    said = ""
    if not diff.common:
        said = "They have no domain in common: rates and counts are of different things."
    elif set(diff.before.body.by_domain) != set(diff.after.body.by_domain):
        said = f"Both have {', '.join(diff.common)}; the sums are over different domains."
    if said:
        yield Line(wrapped(said, width), "yellow")


def slot_lines(change: SlotChange, *, width: int, shown: int | None) -> Iterator[Line]:
    """Yield what became of one slot; `shown` is how many lines of text at most, all of them if None."""
    yield Line(fitted([(f"{change.domain} {change.slot}", _slot_text(change))], width))
    lines = change.text
    if change.kind == "added" and change.after is not None and shown is None:
        lines = tuple(f"+{line}" for line in plan_text(change.after.plan))
    for line in lines[:shown]:
        yield _signed(line, width)
    if shown is not None and len(lines) > shown:
        yield Line(f"      … {len(lines) - shown} more lines: --plan {change.domain}:{change.slot}", "dim")
    for record in change.rejected:
        yield Line(fitted([("      rejected", _tried(record))], width), "dim")


def _signed(line: str, width: int) -> Line:
    sign, text = line[0], line[1:]
    return Line(fitted([(f"    {sign}", text)], width), "green" if sign == "+" else "red")


def _slot_text(change: SlotChange) -> str:
    before, after = change.before, change.after
    if change.kind == "replaced" and before is not None and after is not None:
        body = after.plan.body
        child = body.parent == before.plan.id
        whose = f"a child the {body.author} wrote" if child else f"written by the {body.author}"
        added = sum(line.startswith("+") for line in change.text)
        return (
            f"{before.plan.id} -> {after.plan.id}: {after.status}, {whose}; "
            f"+{added} -{len(change.text) - added} lines{_figures(after) if child else ''}"
        )
    record = after or before
    name = record.plan.id if record is not None else "none"
    return f"{name}  {change.kind}"


def _figures(record: PlanRecord) -> str:
    figures, parent = record.figures, record.parent_figures
    if figures is None or parent is None:
        return ""
    return (
        f"; on the probe {parent.learnable} -> {figures.learnable} learnable, "
        f"covers {parent.coverage} -> {figures.coverage}"
    )


def _tried(record: PlanRecord) -> str:
    return f"{record.plan.id}{f': {record.why}' if record.why else ''}{_figures(record)}"


def _making_lines(diff: GenerationDiff, width: int) -> Iterator[Line]:
    if not diff.making:
        same = "nothing: the same domain, seed, actors, settings, prompts and verifiers"
        yield Line(fitted([("", same)], width))
        return
    rows = [(f"  {change.what} {change.name}".rstrip(), _moved(change)) for change in diff.making]
    yield Line(fitted(rows, width))


def _moved(change: MakingChange) -> str:
    return f"{_value(change, change.before)} -> {_value(change, change.after)}"


def _value(change: MakingChange, value: Value | None) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text[:SHORT] if change.what == "domain" else text


def _rate_lines(diff: GenerationDiff, width: int) -> Iterator[Line]:
    rows = []
    for rate in diff.rates:
        where = f" {rate.domain}" if rate.domain else ""
        rows.append((f"  accepted{where}", *_share_cells(rate.accepted)))
        rows.append((f"  passed{where}", *_share_cells(rate.passed)))
    header = ("", diff.before.id, diff.after.id, "difference, points")
    table = aligned(rows, header=header)
    if _widest(table) > width:
        table = aligned(
            [(row[0] if place == 1 else "", header[place], row[place]) for row in rows for place in (1, 2, 3)]
        )
    yield Line(table)
    yield Line(fitted([("", f"{_METHOD} {_same_tasks(diff)}")], width), "dim")


def _widest(table: str) -> int:
    return max(map(len, table.splitlines()))


def _same_tasks(diff: GenerationDiff) -> str:
    tasks, whole = diff.tasks, diff.after.body.tasks_accepted
    if not tasks.same:
        return "No task is in both: a difference is as much the tasks' as the agent's."
    if tasks.same == whole == diff.before.body.tasks_accepted:
        return "Both have the same tasks."
    return f"{tasks.same} of {whole} tasks are in both: a difference is also that of the others."


def _share_cells(change: ShareChange) -> tuple[str, str, str]:
    return _share(change.before), _share(change.after), _difference(change)


def _share(share: Share) -> str:
    if share.share is None or share.low is None or share.high is None:
        return "-"
    return f"{share.count}/{share.total} {share.share:.0%} ({100 * share.low:.0f}-{100 * share.high:.0f})"


def _difference(change: ShareChange) -> str:
    if change.difference is None or change.low is None or change.high is None:
        return "-"
    points = [f"{100 * value:+.0f}" for value in (change.difference, change.low, change.high)]
    return f"{points[0]} ({points[1]} to {points[2]}){', clear' if change.clear else ''}"


def _task_lines(diff: GenerationDiff, width: int) -> Iterator[Line]:
    tasks = diff.tasks
    yield Line(f"  {tasks.same} same, {tasks.added} added, {tasks.dropped} dropped, {tasks.changed} changed")
    rows = [
        (f"    {_SIGNS[task.kind]} {task.id}", task.domain, task.template, ", ".join(task.fields))
        for task in tasks.first[:_TASKS_SHOWN]
    ]
    if rows:
        columns = by_column(("task", "domain", "template", "fields"), rows)
        one_domain = ("domain",) if len({task.domain for task in tasks.first}) == 1 else ()
        yield Line(table_within(columns, width=width, first_to_go=one_domain, text="fields", headed=False))
    rest = tasks.added + tasks.dropped + tasks.changed - len(rows)
    if rest > 0 and rows:
        yield Line(f"    … and {rest} more", "dim")


def _coverage_lines(diff: GenerationDiff, width: int) -> Iterator[Line]:
    if not diff.coverage:
        yield Line("  no domain in common")
    several = len({change.domain for change in diff.coverage}) > 1
    for change in diff.coverage:
        where = f"{change.domain} " if several else ""
        counts = f"{share_text(change.before)} -> {share_text(change.after)}"
        yield Line(f"  {where}{_KINDS[change.kind]}  {counts}")
        yield from _names_lines(change, width)


def _names_lines(change: CoverageChange, width: int) -> Iterator[Line]:
    for title, names, style in (("won", change.won, "green"), ("lost", change.lost, "red")):
        if names:
            yield Line(fitted([(f"    {title:>4}", ", ".join(names))], width), style)  # type: ignore[arg-type]


def _plans_lines(diff: GenerationDiff, width: int) -> Iterator[Line]:
    kept = [change for change in diff.plans if change.kind == "kept" and not change.rejected]
    if kept:
        yield Line(fitted([("", f"kept: {', '.join(f'{change.domain} {change.slot}' for change in kept)}")], width))
    for change in diff.plans:
        if change not in kept:
            comparable = change.domain in diff.common
            yield from _indented(slot_lines(change, width=width - 2, shown=_TEXT_SHOWN if comparable else 0))


def _indented(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        yield Line("\n".join(f"  {part}" for part in line.text.split("\n")), line.style)


def _count_lines(diff: GenerationDiff, width: int) -> Iterator[Line]:
    rows = [
        *_count_rows("rejected", diff.rejections),
        *_count_rows("blame", diff.blame),
        *_count_rows("stop", diff.stops),
    ]
    if not rows:
        yield Line("  none")
        return
    header = ("", "", diff.before.id, diff.after.id, "change")
    table = aligned(rows, header=header, right=(2, 3, 4))
    if _widest(table) > width:
        table = aligned([row[:-1] for row in rows], header=header[:-1], right=(2, 3))
    yield Line(table)


def _count_rows(what: str, changes: Sequence[CountChange]) -> Iterator[tuple[str, str, str, str, str]]:
    for change in changes:
        moved = change.after - change.before
        yield f"  {what}", change.name, f"{change.before:,}", f"{change.after:,}", f"{moved:+,}" if moved else "="


def _cost_lines(diff: GenerationDiff) -> Iterator[Line]:
    before, after = (_cost_cells(cost) for cost in (diff.cost.before, diff.cost.after))
    names = ("calls", "prompt tokens", "reply tokens", "tokens an accepted task", "USD", "USD an accepted task")
    rows = [
        (f"  {name}", was, now) for name, was, now in zip(names, before, after, strict=True) if (was, now) != ("-", "-")
    ]
    yield Line(aligned(rows, header=("", diff.before.id, diff.after.id), right=(1, 2)) if rows else "  nothing")


def _cost_cells(cost: Cost) -> tuple[str, ...]:
    counts = [f"{count:,}" if count else "-" for count in (cost.calls, cost.prompt_tokens, cost.completion_tokens)]
    each = "-" if cost.tokens_per_accepted is None else f"{cost.tokens_per_accepted:,.0f}"
    dollars = f"{cost.usd:.4f}" if cost.usd else "-"
    return (*counts, each, dollars, "-" if cost.usd_per_accepted is None else f"{cost.usd_per_accepted:.4f}")
