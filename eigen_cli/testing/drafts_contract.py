"""What templates draft, or exploring where there are none, judged as `eigen evolve` would judge it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eigen_cli.api.canonical import content_hash
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext
from eigen_cli.api.verdicts import Rejection
from eigen_cli.episode.guards import breaches_of_gold
from eigen_cli.roles.task_verifier import verify_task
from eigen_cli.testing.declared_contract import names_of, repeated
from eigen_cli.testing.drafted import DraftedTask, draw, played
from eigen_cli.testing.examined import Advice, ExaminedDomain, Remark, raised

_NEVER = ("gold_error", "gold_unstable")
"""Rejections that no explored task may meet: its calls ran a moment before."""


def templates(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield what is wrong with templates and with the tasks they draft."""
    yield from repeated("template", (template.name for template in examined.domain.templates))
    for name, items in examined.drafts.items():
        if isinstance(items, Exception):
            yield f"{name} raises {raised(items)}"
        elif examined.explored:
            yield from _explored(examined, name, items)
        elif not items:
            yield f"{name} finds nothing in the default world"
        else:
            yield from _template(examined, name, items)
    made_by = "exploring" if examined.explored else "the domain"
    yield f"{len(examined.drafts)} templates of {made_by}, {len(examined.drafted)} drafts"


def checks(examined: ExaminedDomain) -> Iterator[Remark]:
    """Yield the checks that gold does not meet, or that answer in two ways."""
    known, used = checks_of(examined.domain), 0
    for item in examined.drafted:
        episode = played(examined.context, item.task, item.draft.gold)
        for check in item.draft.checks:
            if check.name in known:
                used += 1
                context = CheckContext(episode.initial, episode.final, episode.messages, episode.calls)
                try:
                    answers = [known[check.name](context, **check.arguments) for _ in range(2)]
                except Exception as error:  # a plugin's bug is a finding, not the end of the examination
                    yield f"{item.template.name}: the check {check.name} raises {raised(error)}"
                    continue
                if answers != [True, True]:
                    yield f"{item.template.name}: after its gold {check.name} answers {answers}, not True twice"
    yield f"{len(known)} checks, asked {used} times"


def _explored(examined: ExaminedDomain, name: str, items: tuple[DraftedTask, ...]) -> Iterator[Remark]:
    """Yield what makes a tool's explored tasks useless. One that is turned down costs a proposal, so only all count."""
    if not items:
        yield Advice(f"{name}: exploring found no call of it that runs and changes something")
    turned_down = [list(_rejections(examined, item)) for item in items]
    for rejections in turned_down:
        yield from (_rejected(name, found) for found in rejections if _reason(found) in _NEVER)
    if items and all(turned_down):
        yield Advice(f"{_rejected(name, turned_down[0][0])}; templates know the policy, exploring does not")


def _template(examined: ExaminedDomain, name: str, items: tuple[DraftedTask, ...]) -> Iterator[Remark]:
    domain, template = examined.domain, items[0].template
    facts = {kind.name for kind in domain.fact_kinds}
    if content_hash(draw(examined.context, template, 0)) != content_hash(draw(examined.context, template, 0)):
        yield f"{name} drafts differently from the same generator"
    for item in items:
        draft, task = item.draft, item.task
        yield from _undeclared(name, "tool", (action.name for action in draft.gold), declared=template.tools)
        yield from _undeclared(name, "clause", draft.clauses, declared=template.clauses)
        yield from _undeclared(name, "clause of the domain", draft.clauses, declared=names_of(domain.clauses))
        yield from _undeclared(name, "fact kind", (fact.name for fact in task.scenario.facts()), declared=facts)
        yield from _undeclared(name, "check", (check.name for check in draft.checks), declared=checks_of(domain))
        yield from (_rejected(name, found) for found in _rejections(examined, item))
        if draft.breach:
            yield from _breach(examined, item)


def _rejections(examined: ExaminedDomain, item: DraftedTask) -> Iterator[Rejection | Exception]:
    """Yield why the task verifier turns a task down, or what a guard or check raised under it."""
    if not examined.verifiers:
        return
    try:
        yield from verify_task(examined.context, item.task).rejections
    except Exception as error:  # a plugin's bug is a finding, not the end of the examination
        yield error


def _rejected(name: str, found: Rejection | Exception) -> str:
    if isinstance(found, Exception):
        return f"{name}: its task cannot be verified: {raised(found)}"
    return f"{name}: the task verifier rejects its task: {found.reason}: {found.evidence}"


def _reason(found: Rejection | Exception) -> str:
    return found.reason if isinstance(found, Rejection) else _NEVER[0]


def _breach(examined: ExaminedDomain, item: DraftedTask) -> Iterator[str]:
    context = examined.context
    made = played(context, item.task, item.draft.breach)
    refused = [action.name for action, ok in made.calls if not ok]
    if refused:
        yield f"{item.template.name}: its breach does not run: {refused[0]} is refused"
        return
    try:
        found = breaches_of_gold(item.draft.breach, context.initial_world(item.task), context.toolbox)
    except Exception as error:  # a plugin's bug is a finding, not the end of the examination
        yield f"{item.template.name}: a guard raises at its breach: {raised(error)}"
    else:
        if not found:
            yield f"{item.template.name}: no guard objects to its breach"


def _undeclared(template: str, what: str, used: Iterable[str], *, declared: Iterable[str]) -> Iterator[str]:
    for name in sorted(set(used) - set(declared)):
        yield f"{template}: drafts with the {what} {name!r}, which is not declared"
