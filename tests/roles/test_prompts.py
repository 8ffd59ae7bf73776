"""What each role is shown: all that it needs, in its place, and nothing that is another's."""

from __future__ import annotations

from typing import get_args

import pytest
from bank import MakeContext, Scripted

from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.tasks import Fact, Goal, Scenario, WorldRef
from eigen_cli.api.verdicts import RejectionReason
from eigen_cli.roles.draft_text import returned_text, success_text
from eigen_cli.roles.openings import user_opening
from eigen_cli.roles.planner import templates_text
from eigen_cli.roles.prompting import PROMPT_NAMES, load_prompt
from eigen_cli.roles.reasons import MEANINGS
from eigen_cli.roles.structured import UnusableReplyError
from eigen_cli.roles.synthesizer import Attempt, ground, synthesize

SCENARIO = Scenario(
    "You are Ada.",
    "You move house.",
    known=(Fact("account_id", "A0001", "The first one, A0001."),),
    goals=(
        Goal("pay", "I want to pay my rent.", (Fact("account_id", "A0002", "My landlord's."), Fact("amount", 10))),
        Goal("close", "And close the old account.", (Fact("account_id", "A0003"),)),
    ),
    unknown=("account_id", "pin_code"),
    instructions="You insist on today.",
)


def test_a_user_is_told_which_fact_belongs_to_which_wish(make_context: MakeContext) -> None:
    text = user_opening(make_context().domain, SCENARIO, None).system
    rent = '1. "I want to pay my rent."\n   - account id: "My landlord\'s." [A0002]\n   - amount: [10]\n'
    assert f'{rent}2. "And close the old account."\n   - account id: [A0003]\n' in text
    assert '- account id: "The first one, A0001."\n' in text, "the quotation says the value already"
    assert "What you do not know: account id, pin code\n" in text
    assert "How you decide: You insist on today.\n" in text and "###STOP###" in text
    assert "tools of your own" not in text


def test_a_user_with_tools_is_told_how_to_play_them(make_context: MakeContext) -> None:
    context = make_context()
    text = user_opening(context.domain, SCENARIO, context.toolbox.schemas["agent"]).system
    assert "you have tools of your own" in text
    assert "transfer" not in text, "they come with the request, once"


async def test_a_task_writer_sees_what_the_actions_return(make_context: MakeContext) -> None:
    asked = Scripted(lambda _: "no task")
    context = make_context(asked, repairs=0)
    plan = Plan.of(PlanBody("bank", 0, SynthesisPlan("Rent day.", (Quota("use_transfer", 1),)), EvaluationPlan()))
    grounding = ground(context, plan, round_=1, number=0, name="0000", template="use_transfer", world=WorldRef(1, 50))
    assert grounding is not None
    with pytest.raises(UnusableReplyError):
        await synthesize(context, grounding, Attempt())
    text = asked.requests[0].chat.messages()[0]["content"]
    assert "## The case to word: use transfer" in text and "Focus: Rent day." in text
    returned = returned_text(context, grounding.world, grounding.draft)
    assert returned in text and returned.startswith(f"- agent's {grounding.draft.gold[0].name}({{")
    assert len(returned.splitlines()) == len(grounding.draft.gold)
    assert "the database ends up as the gold actions leave it" in text


def test_success_in_words() -> None:
    assert success_text(("checks", "policy")) == "every check holds and no clause was broken"
    assert success_text(("mine",)) == "`mine` is satisfied"


def test_every_reason_has_a_meaning() -> None:
    assert tuple(MEANINGS) == get_args(RejectionReason)


def test_tools_that_all_templates_use_are_named_once(make_context: MakeContext) -> None:
    context = make_context()
    text = templates_text(context)
    for name in context.templates:
        assert text.count(f"- {name} (difficulty ") == 1


def test_every_prompt_loads() -> None:
    assert {load_prompt(name).version.split("@")[0] for name in PROMPT_NAMES} == set(PROMPT_NAMES)
