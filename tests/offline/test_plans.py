"""Planner and reflector: narrow and apart at first, then exactly what the round taught."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import CallKey, Chat, Request
from eigen_cli.api.inputs import CoverageGap, PlannerInputs, ReflectorInputs
from eigen_cli.api.outputs import PlannerOutput, ReflectorOutput
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.verdicts import REJECTION_REASONS
from eigen_offline import planner, reflector
from eigen_offline.advice import AGAINST
from eigen_offline.planner import in_focus
from eigen_offline.profiles import profile_of

AIRLINE = Airline()
TEMPLATES = {template.name: template for template in AIRLINE.templates}
PROFILE = profile_of({})


def plans(slots: int, gap: CoverageGap | None = None) -> list[Plan]:
    made: list[Plan] = []
    for slot in range(slots):
        inputs = PlannerInputs(AIRLINE, slot, slots, tuple(made), gap or CoverageGap())
        key = CallKey("r", 1, f"slot-{slot}", "", 0, "planner", 0, 0)
        text = planner.answer(Request("planner", key, inputs, Chat()), PROFILE).completion.text
        output = msgspec.json.decode(text, type=PlannerOutput)
        made.append(Plan.of(PlanBody("airline", slot, output.synthesis, output.evaluation)))
    return made


def child(plan: Plan, *, deaf: tuple[str, ...] = (), **outcome: Any) -> ReflectorOutput:
    inputs = ReflectorInputs(
        domain=AIRLINE,
        plan=plan,
        templates=TEMPLATES,
        **{
            "proposed": 10,
            "accepted": 6,
            "rejections": {},
            "rejections_by_template": {},
            "blame": {},
            "pass_rates": {},
            "gap": CoverageGap(),
            **outcome,
        },
    )
    key = CallKey("r", 2, plan.id, "", 0, "reflector", 0, 0)
    profile = profile_of({"deaf": list(deaf)})
    text = reflector.answer(Request("reflector", key, inputs, Chat()), profile).completion.text
    return msgspec.json.decode(text, type=ReflectorOutput)


def weights(synthesis: SynthesisPlan) -> dict[str, int]:
    return {quota.template: quota.weight for quota in synthesis.quotas}


@pytest.mark.parametrize("slots", [1, 4, 8])
def test_first_plans_are_narrow_and_apart(slots: int) -> None:
    made = plans(slots)
    used = [quota.template for plan in made for quota in plan.body.synthesis.quotas]
    assert len(used) == len(set(used)), "two plans make the same template"
    assert set(used) <= set(TEMPLATES)
    assert all(len(plan.body.synthesis.quotas) <= 3 for plan in made)
    assert len({plan.body.synthesis.focus for plan in made}) == slots
    assert not any(plan.body.synthesis.guidelines or plan.body.evaluation.criteria for plan in made)
    assert len(used) < len(TEMPLATES)


def test_more_slots_than_templates_still_plan_something() -> None:
    made = plans(70)
    assert all(plan.body.synthesis.quotas for plan in made)


def test_a_known_gap_is_planned_for_first() -> None:
    gap = CoverageGap(tools=("send_certificate",))
    used = [TEMPLATES[quota.template] for plan in plans(4, gap) for quota in plan.body.synthesis.quotas]
    narrow = [TEMPLATES[quota.template] for plan in plans(4) for quota in plan.body.synthesis.quotas]
    assert sum("send_certificate" in t.tools for t in used) > sum("send_certificate" in t.tools for t in narrow)


@pytest.mark.parametrize("reasons", [("missing_fact",), ("gold_error", "near_duplicate"), tuple(REJECTION_REASONS)])
def test_the_child_answers_exactly_the_reasons_that_matter(reasons: tuple[str, ...]) -> None:
    output = child(plans(4)[0], rejections=dict.fromkeys(reasons, 3))
    assert {guideline.reason for guideline in output.synthesis.guidelines} == set(reasons)
    assert all(guideline.text == AGAINST[guideline.reason] for guideline in output.synthesis.guidelines)


def test_a_stray_rejection_in_a_large_round_is_not_answered() -> None:
    output = child(plans(4)[0], proposed=100, rejections={"gold_error": 1, "missing_fact": 9})
    assert [guideline.reason for guideline in output.synthesis.guidelines] == ["missing_fact"]


def test_a_deaf_reflector_ignores_that_reason_alone() -> None:
    rejections = {"gold_error": 4, "missing_fact": 4, "policy_breach": 4}
    hearing, deaf = (
        child(plans(4)[0], rejections=rejections),
        child(plans(4)[0], rejections=rejections, deaf=("missing_fact",)),
    )
    heard = {guideline.reason for guideline in hearing.synthesis.guidelines}
    assert {guideline.reason for guideline in deaf.synthesis.guidelines} == heard - {"missing_fact"}
    assert deaf.synthesis.quotas == hearing.synthesis.quotas


def test_guidelines_stay_and_are_not_given_twice() -> None:
    plan = plans(4)[0]
    first = child(plan, rejections={"gold_error": 4})
    grown = Plan.of(PlanBody("airline", 0, first.synthesis, first.evaluation, parent=plan.id))
    second = child(grown, rejections={"gold_error": 4, "missing_fact": 2})
    assert [guideline.reason for guideline in second.synthesis.guidelines] == ["gold_error", "missing_fact"]


def test_weight_moves_to_where_trials_differ_and_to_what_is_missing() -> None:
    plan = plans(4)[0]
    easy, hard, open_ = [quota.template for quota in plan.body.synthesis.quotas]
    before = weights(plan.body.synthesis)
    after = weights(child(plan, pass_rates={easy: 1.0, hard: 0.0, open_: 0.5}).synthesis)
    assert after[easy] < before[easy] and after[hard] < before[hard] and after[open_] > before[open_]
    # Only what lies in the plan's own families is taken up, what fills the gap first.
    own = [name for name in TEMPLATES if in_focus(plan.body.synthesis.focus, TEMPLATES[name].family)]
    wanted = next(name for name in reversed(own) if name not in before)
    gap = CoverageGap(clauses=TEMPLATES[wanted].clauses, tools=TEMPLATES[wanted].tools)
    grown = weights(child(plan, gap=gap).synthesis)
    assert wanted in grown and set(before) < set(grown) <= set(own)
    assert len(grown) <= len(before) + reflector.NEW_TEMPLATES


def test_quotas_stay_bounded_and_children_stay_apart() -> None:
    generation = plans(4)
    for _ in range(12):
        generation = [
            Plan.of(PlanBody("airline", plan.body.slot, output.synthesis, output.evaluation, parent=plan.id))
            for plan in generation
            for output in [child(plan, pass_rates=dict.fromkeys(TEMPLATES, 0.5), gap=CoverageGap(clauses=("9.1",)))]
        ]
        used = [quota.template for plan in generation for quota in plan.body.synthesis.quotas]
        assert len(used) == len(set(used))
        assert all(sum(weights(plan.body.synthesis).values()) <= 80 for plan in generation)
    assert set(used) == set(TEMPLATES), "in the end every template is taken up"
    assert all(len(plan.body.synthesis.personas) == len(AIRLINE.personas) for plan in generation)


def test_the_child_depends_on_nothing_but_its_inputs() -> None:
    plan = plans(4)[1]
    outcome = {"rejections": {"gold_error": 2}, "blame": {"agent:wrong_write": 5}, "pass_rates": {}}
    assert child(plan, **outcome) == child(plan, **outcome)
    assert [criterion.reason for criterion in child(plan, **outcome).evaluation.criteria] == ["agent:wrong_write"]


def test_a_focus_in_a_models_words_leaves_every_template_open() -> None:
    synthesis = SynthesisPlan("Tricky refunds on rainy days", (Quota("cancel_business", 2),))
    plan = Plan.of(PlanBody("airline", 0, synthesis, EvaluationPlan()))
    grown = weights(child(plan, gap=CoverageGap(tools=("book_reservation",))).synthesis)
    assert any("book_reservation" in TEMPLATES[name].tools for name in grown)
