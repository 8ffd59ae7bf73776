"""Scenario templates: each drafts on several worlds, and its gold is right where a near miss is wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from typing import Any

import pytest

from eigen_cli.api.canonical import content_hash, derive_rng
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext, Draft
from eigen_cli.api.tasks import Action
from eigen_cli.episode.guards import breaches_of_gold
from eigen_cli.world.world import World
from eigen_telecom.domain import Telecom
from eigen_telecom.templates import TEMPLATES
from eigen_telecom.templates.families import DATA, FAMILIES, MMS, SERVICE

SEEDS = (1, 2, 3)
NAMES = [template.name for template in TEMPLATES]
_BY_NAME = {template.name: template for template in TEMPLATES}
_FAMILY = {
    "service": [name for name in NAMES if name.startswith("service_")],
    "data": [name for name in NAMES if name.startswith("data_")],
    "mms": [name for name in NAMES if name.startswith("mms_")],
}
CHECKS = checks_of(Telecom())


@lru_cache(maxsize=2048)
def _draft(world: World, name: str, number: int) -> Draft | None:
    return _BY_NAME[name].draft(world, derive_rng("test", name, number))


def drafts(generated: Any, name: str, *, each: int = 3) -> list[tuple[World, Draft]]:
    """Return drafts of a template on every seed's world, each with the world its episode starts in."""
    made = [(generated(seed), _draft(generated(seed), name, number)) for seed in SEEDS for number in range(each)]
    return [(world.patched(draft.patch), draft) for world, draft in made if draft is not None]


def replayed(toolbox: Any, world: World, actions: tuple[Action, ...]) -> tuple[World, list[tuple[Action, bool]]]:
    made = []
    for action in actions:
        outcome = toolbox.call(world, action.name, action.arguments, requestor=action.requestor)
        assert outcome.defect is None, outcome.defect
        made.append((action, not outcome.error))
        world = outcome.world
    return world, made


def passes(draft: Draft, start: World, end: World, calls: list[tuple[Action, bool]]) -> bool:
    context = CheckContext(start, end, (), calls)
    return all(CHECKS[check.name](context, **check.arguments) for check in draft.checks)


@pytest.mark.parametrize("name", NAMES)
def test_gold_runs_and_is_decisive(generated: Any, toolbox: Any, name: str) -> None:
    made = drafts(generated, name)
    assert len(made) == len(SEEDS) * 3, "the template finds nothing in one of the worlds"
    for world, draft in made:
        assert not passes(draft, world, world, []), "the checks hold before anything is done"
        after, calls = replayed(toolbox, world, draft.gold)
        assert all(ok for _, ok in calls), [action for action, ok in calls if not ok]
        assert breaches_of_gold(draft.gold, world, toolbox) == []
        assert passes(draft, world, after, calls)
        for place, action in enumerate(draft.gold):
            if toolbox.writes(action.requestor, action.name):
                near, made_then = replayed(toolbox, world, draft.gold[:place] + draft.gold[place + 1 :])
                assert not passes(draft, world, near, made_then), action.name


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_what_the_template_declares(generated: Any, name: str) -> None:
    template, kinds = _BY_NAME[name], {kind.name for kind in Telecom.fact_kinds}
    for world, draft in drafts(generated, name):
        assert {action.name for action in draft.gold} <= set(template.tools)
        assert set(draft.clauses) <= set(template.clauses) and draft.clauses
        assert {fact.name for goal in draft.goals for fact in goal.facts} <= kinds
        assert "yours alone" in draft.instructions
        again = template.draft(world, derive_rng("again", name))
        assert content_hash(again) == content_hash(template.draft(world, derive_rng("again", name)))


@pytest.mark.parametrize("name", _FAMILY["service"] + _FAMILY["data"] + _FAMILY["mms"])
def test_both_sides_are_needed_where_the_carrier_is_part_of_the_cure(generated: Any, toolbox: Any, name: str) -> None:
    for world, draft in drafts(generated, name):
        sides = {action.requestor for action in draft.gold}
        assert sides == {"agent", "user"}
        for side in sides:
            own = tuple(action for action in draft.gold if action.requestor == side)
            writes = [action for action in own if toolbox.writes(side, action.name)]
            rest = tuple(action for action in draft.gold if action not in writes)
            after, calls = replayed(toolbox, world, rest)
            assert passes(draft, world, after, calls) is (not writes)


def test_careless_gold_runs_but_breaks_a_guard(generated: Any, toolbox: Any) -> None:
    broken: dict[str, set[str]] = defaultdict(set)
    for name in NAMES:
        for world, draft in drafts(generated, name):
            if draft.breach:
                _, calls = replayed(toolbox, world, draft.breach)
                assert all(ok for _, ok in calls), name
                breaches = breaches_of_gold(draft.breach, world, toolbox)
                assert breaches, name
                broken[name].update(breach.clause for breach in breaches)
    assert {clause for found in broken.values() for clause in found} == {"3.1", "4.1", "4.2", "5.1", "6.2"}
    assert broken["service_bill_overdue"] == {"4.1"} and broken["service_contract_ended"] == {"4.2"}
    assert broken["data_data_used_up_for_good"] == broken["buy_too_much_data_refused"] == {"5.1"}


def test_composed_tasks_reach_eight_troubles(generated: Any, toolbox: Any) -> None:
    cures: Counter[int] = Counter()
    for name in ("mms_two_troubles", "mms_few_troubles", "mms_many_troubles"):
        for _, draft in drafts(generated, name, each=8):
            writes = [action.name for action in draft.gold if toolbox.writes(action.requestor, action.name)]
            cures[len(writes)] += 1
    assert min(cures) <= 3 and max(cures) >= 9 and len(cures) >= 6


def test_every_tool_that_writes_and_every_clause_is_covered(toolbox: Any) -> None:
    used = {tool for template in TEMPLATES for tool in template.tools}
    cures = {name for name, tool in toolbox.tools["user"].items() if tool.kind == "write"} - {
        "set_apn_settings",
        "toggle_wifi",
        "connect_vpn",
    }
    assert {name for name, tool in toolbox.tools["agent"].items() if tool.kind == "write"} | cures <= used
    assert {clause for template in TEMPLATES for clause in template.clauses} == {
        clause.id for clause in toolbox.domain.clauses
    }
    assert {template.difficulty for template in TEMPLATES} == {1, 2, 3}
    assert len(TEMPLATES) >= 50 and [len(family.troubles) for family in FAMILIES] == [6, 10, 14]
    assert {family.name for family in (SERVICE, DATA, MMS)} == set(_FAMILY)


def test_drafts_differ(generated: Any) -> None:
    for name in NAMES:
        made = [content_hash(draft) for _, draft in drafts(generated, name)]
        assert Counter(made).most_common(1)[0][1] == 1, name
