"""Scenario templates: every one drafts on several worlds, and its gold is right where a near miss is wrong."""

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
from eigen_retail.domain import Retail
from eigen_retail.policy import WRITE_TOOLS
from eigen_retail.templates import INTENTS, TEMPLATES

SEEDS = (1, 2, 3)
NAMES = [template.name for template in TEMPLATES]
_BY_NAME = {template.name: template for template in TEMPLATES}


@lru_cache(maxsize=2048)
def _draft(world: World, name: str, number: int) -> Draft | None:
    return _BY_NAME[name].draft(world, derive_rng("test", name, number))


def drafts(generated: Any, name: str, *, each: int = 3) -> list[tuple[World, Draft]]:
    """Return drafts of a template on every seed's world."""
    made = [(generated(seed), _draft(generated(seed), name, number)) for seed in SEEDS for number in range(each)]
    return [(world, draft) for world, draft in made if draft is not None]


def replayed(toolbox: Any, world: World, actions: tuple[Action, ...]) -> tuple[World, list[bool]]:
    ok = []
    for action in actions:
        outcome = toolbox.call(world, action.name, action.arguments)
        assert outcome.defect is None, outcome.defect
        ok.append(not outcome.error)
        world = outcome.world
    return world, ok


@pytest.mark.parametrize("name", NAMES)
def test_gold_runs_and_is_decisive(generated: Any, toolbox: Any, name: str) -> None:
    made = drafts(generated, name)
    assert len({id(world) for world, _ in made}) == len(SEEDS), "the template finds nothing in one of the worlds"
    checks = checks_of(toolbox.domain)
    for world, draft in made:
        after, ok = replayed(toolbox, world, draft.gold)
        assert all(ok), [action for action, good in zip(draft.gold, ok, strict=True) if not good]
        assert breaches_of_gold(draft.gold, world, toolbox) == []
        context = CheckContext(world, after, (), [(action, True) for action in draft.gold])
        assert all(checks[check.name](context, **check.arguments) for check in draft.checks)
        for place, action in enumerate(draft.gold):
            if action.name in WRITE_TOOLS:
                without, _ = replayed(toolbox, world, draft.gold[:place] + draft.gold[place + 1 :])
                assert without.outcome_hash() != after.outcome_hash()
        nothing = CheckContext(world, world, (), ())
        assert not all(checks[check.name](nothing, **check.arguments) for check in draft.checks)
        if not any(action.name in WRITE_TOOLS for action in draft.gold):
            assert after.outcome_hash() == world.outcome_hash()


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_what_the_template_declares(generated: Any, name: str) -> None:
    template, kinds = _BY_NAME[name], {kind.name for kind in Retail.fact_kinds}
    for world, draft in drafts(generated, name):
        assert {action.name for action in draft.gold} <= set(template.tools)
        assert draft.clauses == template.clauses
        assert draft.known[0].name == "identity"
        assert draft.gold[0].name.startswith("find_user_id_by_")
        for goal in draft.goals:
            names, spec = {fact.name for fact in goal.facts}, INTENTS[goal.intent]
            assert set(spec.always) <= names <= set(spec.always) | set(spec.sometimes)
            assert names <= kinds
            assert goal.request[0].isupper() and goal.request[-1] in ".?!"
        again = template.draft(world, derive_rng("again", name))
        assert content_hash(again) == content_hash(template.draft(world, derive_rng("again", name)))


@pytest.mark.parametrize("name", NAMES)
def test_the_user_can_tell_what_gold_needs(generated: Any, name: str) -> None:
    for _, draft in drafts(generated, name):
        told = str([fact.value for fact in (*draft.known, *(fact for goal in draft.goals for fact in goal.facts))])
        for action in draft.gold:
            if "order_id" not in draft.unknown:
                assert str(action.arguments.get("order_id", "")) in told
            if action.name in WRITE_TOOLS:
                assert str(action.arguments.get("payment_method_id", "")) in told
                if "the address on my profile" not in told:
                    assert str(action.arguments.get("address1", "")) in told


def breaching(generated: Any) -> dict[str, list[tuple[World, Draft]]]:
    found = defaultdict(list)
    for name in NAMES:
        for world, draft in drafts(generated, name, each=5):
            if draft.breach:
                found[name].append((world, draft))
    return found


def test_careless_gold_runs_but_breaks_a_guard(generated: Any, toolbox: Any) -> None:
    found = breaching(generated)
    broken: set[str] = set()
    for name, made in found.items():
        for world, draft in made:
            _, ok = replayed(toolbox, world, draft.breach)
            assert all(ok), name
            breaches = breaches_of_gold(draft.breach, world, toolbox)
            assert breaches, name
            broken |= {breach.clause for breach in breaches}
    assert set(found) >= {
        template.name for template in TEMPLATES if any(tool in WRITE_TOOLS for tool in template.tools)
    }
    assert broken == {"2.1", "2.2", "3.1", "3.3", "5.3"}


def test_every_tool_and_every_clause_is_covered(toolbox: Any) -> None:
    assert {tool for template in TEMPLATES for tool in template.tools} == set(toolbox.tools["agent"])
    assert {clause for template in TEMPLATES for clause in template.clauses} == {
        clause.id for clause in toolbox.domain.clauses
    }
    assert {template.difficulty for template in TEMPLATES} == {1, 2, 3}
    assert len(TEMPLATES) >= 50 and len(set(NAMES)) == len(NAMES)


def test_every_intent_is_used_and_worded_in_several_ways(generated: Any) -> None:
    requests: dict[str, set[str]] = defaultdict(set)
    for name in NAMES:
        for _, draft in drafts(generated, name, each=6):
            for goal in draft.goals:
                requests[goal.intent].add(goal.request)
    assert set(requests) == set(INTENTS)
    few = {intent: texts for intent, texts in requests.items() if len(texts) < 3}
    assert few == {}


def test_customers_introduce_themselves_in_both_ways(generated: Any) -> None:
    made = [draft for name in NAMES for _, draft in drafts(generated, name)]
    ways = Counter(draft.gold[0].name for draft in made)
    assert min(ways.values()) > 0.25 * len(made) and len(ways) == 2


def test_drafts_differ(generated: Any) -> None:
    for name in NAMES:
        made = [content_hash(draft) for _, draft in drafts(generated, name)]
        assert Counter(made).most_common(1)[0][1] == 1, name
