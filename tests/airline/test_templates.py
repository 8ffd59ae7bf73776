"""Scenario templates: every one drafts on several worlds, and its gold is right where a near miss is wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_airline.policy import WRITE_TOOLS
from eigen_airline.records import Passenger, Reservation, User
from eigen_airline.templates import INTENTS, TEMPLATES
from eigen_airline.wording import say_passengers
from eigen_cli.api.canonical import content_hash, derive_rng
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext, Draft
from eigen_cli.api.record import from_json
from eigen_cli.api.tasks import Action
from eigen_cli.episode.guards import breaches_of_gold
from eigen_cli.world.world import World

SEEDS = (1, 2, 3)
NAMES = [template.name for template in TEMPLATES]
_BY_NAME = {template.name: template for template in TEMPLATES}


@lru_cache(maxsize=1024)
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
        if not any(action.name in WRITE_TOOLS for action in draft.gold):
            assert after.outcome_hash() == world.outcome_hash()
            nothing = CheckContext(world, world, (), ())
            assert not all(checks[check.name](nothing, **check.arguments) for check in draft.checks)


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_what_the_template_declares(generated: Any, name: str) -> None:
    template, kinds = _BY_NAME[name], {kind.name for kind in Airline.fact_kinds}
    for world, draft in drafts(generated, name):
        assert {action.name for action in draft.gold} <= set(template.tools)
        assert draft.clauses == template.clauses
        assert draft.known[0].name == "user_id"
        for goal in draft.goals:
            names, spec = {fact.name for fact in goal.facts}, INTENTS[goal.intent]
            assert set(spec.always) <= names <= set(spec.always) | set(spec.sometimes)
            assert names <= kinds
            assert goal.request[0].isupper() and goal.request[-1] in ".?!"
        again = template.draft(world, derive_rng("again", name))
        assert content_hash(again) == content_hash(template.draft(world, derive_rng("again", name)))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "change_gift_card_short"])
def test_the_user_can_tell_what_gold_needs(generated: Any, name: str) -> None:
    for _, draft in drafts(generated, name):
        told = str([fact.value for fact in (*draft.known, *(fact for goal in draft.goals for fact in goal.facts))])
        for action in draft.gold:
            arguments = action.arguments
            assert arguments.get("user_id", "") in told
            if "reservation_id" not in draft.unknown:
                assert arguments.get("reservation_id", "") in told
            if action.name in WRITE_TOOLS:
                assert arguments.get("payment_id", "") in told
                assert all(payment["payment_id"] in told for payment in arguments.get("payment_methods", []))


def breaching(generated: Any) -> dict[str, list[tuple[World, Draft]]]:
    found = defaultdict(list)
    for name in NAMES:
        for world, draft in drafts(generated, name):
            if draft.breach:
                found[name].append((world, draft))
    return found


def test_careless_gold_runs_but_breaks_a_guard(generated: Any, toolbox: Any) -> None:
    found = breaching(generated)
    assert len(found) >= 15
    for name, made in found.items():
        for world, draft in made:
            _, ok = replayed(toolbox, world, draft.breach)
            assert all(ok), name
            assert breaches_of_gold(draft.breach, world, toolbox), name


def test_careless_gold_breaks_many_different_clauses(generated: Any, toolbox: Any) -> None:
    broken = {
        breach.clause
        for made in breaching(generated).values()
        for world, draft in made
        for breach in breaches_of_gold(draft.breach, world, toolbox)
    }
    assert {"3.2", "4.1", "5.1", "5.3", "6.1", "6.2", "6.6", "6.7", "7.2", "7.3", "8.2", "8.3", "8.4"} <= broken


def test_every_tool_and_every_clause_is_covered(toolbox: Any) -> None:
    assert {tool for template in TEMPLATES for tool in template.tools} == set(toolbox.tools["agent"])
    assert {clause for template in TEMPLATES for clause in template.clauses} == {
        clause.id for clause in toolbox.domain.clauses
    }
    assert {template.difficulty for template in TEMPLATES} == {1, 2, 3}


def test_every_intent_is_used_and_worded_in_several_ways(generated: Any) -> None:
    requests: dict[str, set[str]] = defaultdict(set)
    for name in NAMES:
        for _, draft in drafts(generated, name, each=6):
            for goal in draft.goals:
                requests[goal.intent].add(goal.request)
    assert set(requests) == set(INTENTS)
    few = {intent: texts for intent, texts in requests.items() if len(texts) < 3}
    assert few == {}


def test_drafts_differ(generated: Any) -> None:
    for name in NAMES:
        made = [content_hash(draft) for _, draft in drafts(generated, name)]
        assert Counter(made).most_common(1)[0][1] == 1, name


def test_a_misspelt_name_is_wrong_on_the_booking_and_right_in_the_profile(generated: Any) -> None:
    made = drafts(generated, "fix_passenger_name", each=8)
    assert len(made) > 16
    customers = 0
    for world, draft in made:
        facts = {fact.name: fact.value for goal in draft.goals for fact in goal.facts}
        user = world.table(User).get(draft.known[0].value)
        reservation = world.table(Reservation).get(facts["reservation_id"])
        own = Passenger(user.name.first_name, user.name.last_name, user.dob)
        booked = [person for person in reservation.passengers if person.full_name == facts["old_passenger"]]
        put = [from_json(one, Passenger) for one in draft.gold[-1].arguments["passengers"]]
        right = [person for person in put if person not in reservation.passengers]
        assert len(booked) == len(right) == 1
        assert facts["new_passenger"] == say_passengers(right)
        assert booked[0] not in (own, *user.saved_passengers)
        assert right[0] in (own, *user.saved_passengers)
        assert abs(len(booked[0].first_name) - len(right[0].first_name)) == 1
        assert (booked[0].last_name, booked[0].dob) == (right[0].last_name, right[0].dob)
        assert {item.value for item in draft.communicate} == {right[0].full_name}
        customers += right[0] == own
        if right[0] == own:
            assert draft.known[1].value == own.full_name != facts["old_passenger"]
    assert customers
