"""`eigen show`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import click

from eigen_cli.api.errors import UnknownRefError
from eigen_cli.api.generations import EpisodeRecord, Generation, Opening
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.store import Store
from eigen_cli.commands.dialogue import dialogue_lines
from eigen_cli.commands.generation_views import SCHEMA, generation_json, simulated_line, size_text
from eigen_cli.commands.lineage_views import Names, lineage_json
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.record_views import PIPED, generation_lines, opening_lines, plan_lines
from eigen_cli.commands.show_lists import (
    FOUND,
    PAGE,
    episode_rows_table,
    found_table,
    sampled_ids,
    task_rows_table,
)
from eigen_cli.commands.show_options import (
    chosen_view,
    episode_filter,
    filter_options,
    task_filter,
    view_options,
)
from eigen_cli.commands.task_views import task_lines
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console, Line
from eigen_cli.evolve.lineage import Lineage
from eigen_cli.nearest import nearest_hint


@click.command()
@click.argument("generation", metavar="[GEN]", default="latest")
@view_options
@filter_options
@registry_option
@json_option
@common_options
@click.pass_obj
def show(console: Console, /, generation: str, *, registry: str | None, as_json: bool, **flags: Any) -> None:
    """Show a generation, its plans, tasks, prompts or dialogues.

    GEN is an id (gen-0001), a tag, a hash or a prefix of one; the latest if left out. Ids of tasks, episodes and plans
    may be cut short. Without a view of its own the whole record is shown: what it came to and what made it.

    Example: eigen show gen-0001 --episodes --failed --blame agent
    """
    view = chosen_view(flags)
    store = opened_store(registry)
    shown = _Shown(store, store.generation(generation), flags, console.width(PIPED))
    answer = _VIEWS[view](shown)
    if as_json:
        fields = {"schema": SCHEMA, "generation": answer.generation or generation_json(shown.found), **answer.fields}
        console.json(fields)
        return
    console.lines(answer.lines)
    if answer.remark:
        console.note(answer.remark)


class _Shown(NamedTuple):
    """What is asked: a generation of a store, by which flags, for how many columns."""

    store: Store
    found: Generation
    flags: Mapping[str, Any]
    width: int

    @property
    def ref(self) -> str:
        return self.found.hash


class _Answer(NamedTuple):
    """One answer in both forms; `fields` are records that only `--json` encodes, `lines` are made as they are read."""

    fields: dict[str, Any]
    lines: Iterator[Line]
    remark: str = ""
    """Said on stderr, after the lines."""
    generation: dict[str, Any] | None = None
    """The generation as JSON, where there is more to it than its own figures."""


def _record(shown: _Shown) -> _Answer:
    store, found = shown.store, shown.found
    listing, plans, size = store.listing(), store.plans(shown.ref), store.size(shown.ref)
    lineage, names = Lineage(listing.generations), Names.of(listing)
    children = ", ".join(child.id for child in lineage.children.get(found.hash, ()))
    facts = [("names", ", ".join(names.texts(found))), ("children", children), ("size", size_text(size))]
    extended = {**generation_json(found), **_making_json(found), **lineage_json(found, lineage, names), "size": size}
    lines = generation_lines(found, plans, names=[fact for fact in facts if fact[1]], width=shown.width)
    return _Answer({"plans": plans}, lines, generation=extended)


def _making_json(found: Generation) -> dict[str, Any]:
    body, observed = found.body, found.observed
    made = {"prompts": dict(body.prompts), "verifiers": dict(body.verifiers), "contents": dict(body.contents)}
    times = {"started_at": observed.started_at, "sealed_at": observed.sealed_at}
    return {**made, **times, "eigen_version": observed.eigen_version, "pulled_from": observed.pulled_from or None}


def _tasks(shown: _Shown) -> _Answer:
    which = task_filter(shown.flags)
    rows, page = _page(shown, lambda offset: shown.store.task_rows(shown.ref, which, limit=PAGE + 1, offset=offset))
    return _Answer(
        {"tasks": rows, **page.fields},
        _listed(shown, task_rows_table(rows, width=shown.width) if rows else ""),
        page.remark("task"),
    )


def _episodes(shown: _Shown) -> _Answer:
    wanted = shown.flags["task"]
    task = shown.store.task(shown.ref, wanted).id if wanted else None
    which = episode_filter(shown.flags, task=task)
    rows, page = _page(shown, lambda offset: shown.store.episode_rows(shown.ref, which, limit=PAGE + 1, offset=offset))
    return _Answer(
        {"episodes": rows, **page.fields},
        _listed(shown, episode_rows_table(rows, width=shown.width) if rows else ""),
        page.remark("episode"),
    )


def _listed(shown: _Shown, table: str) -> Iterator[Line]:
    if table:
        yield from simulated_line(shown.found)
        yield Line(table)


class _Page(NamedTuple):
    number: int
    rows: int
    more: bool

    @property
    def fields(self) -> dict[str, Any]:
        return {"page": self.number, "more": self.more}

    def remark(self, noun: str) -> str:
        if not self.rows:
            return f"no such {noun}" if self.number == 1 else f"page {self.number} is behind the last one"
        return f"page {self.number}; the next is --page {self.number + 1}" if self.more else ""


def _page(shown: _Shown, read: Callable[[int], list[Any]]) -> tuple[list[Any], _Page]:
    """Return one page of rows, read with one row beyond it, which tells whether there are more."""
    number = shown.flags["page"] or 1
    rows = read((number - 1) * PAGE)
    return rows[:PAGE], _Page(number, len(rows[:PAGE]), len(rows) > PAGE)


def _found(shown: _Shown) -> _Answer:
    found = shown.store.search(shown.ref, shown.flags["find"], limit=FOUND)
    remark = f"nothing in {shown.found.id} has these words together" if not found else ""
    if len(found) == FOUND:
        remark = f"these are the first {FOUND}; more words narrow it"
    table = found_table(found, shown.flags["find"], width=shown.width) if found else ""
    return _Answer({"found": found}, _listed(shown, table), remark)


def _task(shown: _Shown) -> _Answer:
    task = shown.store.task(shown.ref, shown.flags["task"])
    records = list(shown.store.episodes(shown.ref, task=task.id))
    lines = chain(simulated_line(shown.found), task_lines(task, records, width=shown.width))
    return _Answer({"task": task, "episodes": records}, lines)


def _episode(shown: _Shown) -> _Answer:
    return _dialogues(shown, [shown.store.episode(shown.ref, shown.flags["episode"])])


def _sample(shown: _Shown) -> _Answer:
    ids = sampled_ids(shown.store, shown.ref, shown.flags["sample"])
    return _dialogues(shown, [shown.store.episode(shown.ref, id_) for id_ in ids])


def _dialogues(shown: _Shown, records: list[EpisodeRecord]) -> _Answer:
    tasks = {record.episode.task: shown.store.task(shown.ref, record.episode.task) for record in records}

    def lines() -> Iterator[Line]:
        yield from simulated_line(shown.found)
        for record in records:
            yield from dialogue_lines(record, tasks[record.episode.task])
            yield Line("")

    return _Answer({"tasks": tasks, "episodes": records}, lines())


def _plan(shown: _Shown) -> _Answer:
    record = _named_plan(shown.store.plans(shown.ref), shown)
    return _Answer({"plan": record}, plan_lines(record, width=shown.width))


def _named_plan(plans: Iterable[PlanRecord], shown: _Shown) -> PlanRecord:
    wanted = shown.flags["plan"]
    by_id = {record.plan.id: record for record in plans}
    names = [id_ for id_ in by_id if id_.startswith(wanted)]
    if wanted in by_id or len(names) == 1:
        return by_id[wanted if wanted in by_id else names[0]]
    has = f"has {len(names)} plans that begin with" if names else "has no plan"
    raise UnknownRefError(f"{shown.found.id} {has} {wanted!r}", hint=nearest_hint(wanted, names or by_id))


def _prompt(shown: _Shown) -> _Answer:
    openings = _openings(shown)
    toolsets = [
        tools
        for tools in shown.store.toolsets(shown.ref)
        if any((tools.side, tools.domain) == (opening.side, opening.domain) for opening in openings)
    ]
    one_of_many = shown.flags["prompt"] == "user" and not shown.flags["task"]
    remark = f"these are the words to {openings[0].task}'s user; --task ID names another" if one_of_many else ""
    return _Answer({"openings": openings, "toolsets": toolsets}, opening_lines(openings, toolsets), remark)


def _openings(shown: _Shown) -> list[Opening]:
    """Return the agents' openings, one a domain, or one user's: of the task named, else of the first there is."""
    side, task, domain = shown.flags["prompt"], shown.flags["task"], shown.flags["domain"]
    id_ = shown.store.task(shown.ref, task).id if task else None
    if side == "agent" and id_ is not None:
        domain = shown.store.task(shown.ref, id_).domain
    found: list[Opening] = []
    domains: set[str] = set()
    for opening in shown.store.openings(shown.ref, side=side):
        domains.add(opening.domain)
        if (domain and opening.domain != domain) or (side == "user" and id_ not in (None, opening.task)):
            continue
        found.append(opening)
        if side == "user":
            break
    if found:
        return found
    if not domains:
        hint = "it was sealed by an eigen that kept none, or pulled without them"
        raise UnknownRefError(f"{shown.found.id} holds no openings", hint=hint)
    raise UnknownRefError(f"{shown.found.id} has no {side} of {domain!r}", hint=nearest_hint(domain or "", domains))


_VIEWS: Mapping[str, Callable[[_Shown], _Answer]] = {
    "": _record,
    "--tasks": _tasks,
    "--task": _task,
    "--episodes": _episodes,
    "--episode": _episode,
    "--sample": _sample,
    "--plan": _plan,
    "--prompt": _prompt,
    "--find": _found,
}
