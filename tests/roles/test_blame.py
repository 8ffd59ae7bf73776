"""Blame by evidence, on whole episodes played over a real world."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bank import FACTS, MOVE, MakeContext, Scripted, a_task

from eigen_cli.api.messages import Completion, RawToolCall
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.tasks import Action, Fact, Goal, Scenario, Task
from eigen_cli.api.verdicts import Blame, EpisodeVerdict
from eigen_cli.episode.driver import run_tools
from eigen_cli.episode.machine import advance
from eigen_cli.episode.state import EpisodeKey, Failed, Replied
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import verify_episode
from eigen_cli.roles.rollout import open_episode

PLAN = Plan.of(PlanBody("bank", 0, SynthesisPlan("x", (Quota("use_transfer", 1),)), EvaluationPlan()))
STOP = "Thanks, bye. ###STOP###"
ASK = "From which account to which?"
LAY_OUT = "I will move 10 dollars from A0001 to A0002. Do you agree?"
TOLD = "From A0001 to A0002."


def call(**changes: Any) -> Completion:
    arguments = {**MOVE.arguments, **changes}
    return Completion(tool_calls=(RawToolCall("", "transfer", json.dumps(arguments)),))


async def judged(context: RoleContext, task: Task, *turns: str | Completion) -> EpisodeVerdict:
    step = run_tools(open_episode(context, EpisodeKey("run", 1, "plan-1", "0000", 0), task), context.toolbox)
    for turn in turns:
        completion = turn if isinstance(turn, Completion) else Completion(text=turn)
        side = step[0].waiting
        assert side in ("agent", "user"), step[0].stop
        step = run_tools(advance(step[0], Replied(side, completion)), context.toolbox)
    assert step[0].stop is not None
    return await verify_episode(context, PLAN, step[0])


GOOD = ("Move money please.", ASK, TOLD, LAY_OUT, "Yes.", call(), "That is done.", STOP)

CASES: dict[str, tuple[tuple[str | Completion, ...], str, str]] = {
    "the agent moves the wrong amount": (
        ("Move money.", ASK, TOLD, LAY_OUT, "Yes.", call(amount=11), "Done.", STOP),
        "agent",
        "wrong_write",
    ),
    "the agent claims what it did not do": (
        ("Move money.", ASK, TOLD, LAY_OUT, "Yes.", "It has been done.", STOP),
        "agent",
        "state_failed",
    ),
    "the agent does not wait for a yes": (
        ("Move money.", ASK, TOLD, call(), "Done.", STOP),
        "agent",
        "policy_breach",
    ),
    "the agent hangs up": (("Move money.", "No. ###STOP###"), "agent", "agent_stop"),
    "the agent writes no JSON": (
        ("Move money.", Completion(tool_calls=(RawToolCall("", "transfer", "{oops"),))),
        "agent",
        "agent_unparsable_call",
    ),
    "the user leaves before its yes is acted on": (
        ("Move money.", ASK, TOLD, LAY_OUT, "Yes. ###STOP###"),
        "user",
        "early_stop",
    ),
    "the user makes up an account, the agent follows": (
        ("Move money.", ASK, "From A0007 to A0002.", LAY_OUT, "Yes.", call(source="A0007"), "Done.", STOP),
        "user",
        "invented_fact",
    ),
    "the user says nothing": (("Move money.", ASK, ""), "user", "user_empty_reply"),
}


async def test_a_good_episode_passes_without_blame(make_context: MakeContext) -> None:
    verdict = await judged(make_context(), a_task(), *GOOD)
    assert (verdict.reward, verdict.passed, verdict.blame) == (1.0, True, None)
    assert {part.verifier: part.score for part in verdict.parts} == {
        "actions": 1.0,
        "checks": 1.0,
        "communicate": 1.0,
        "policy": 1.0,
        "state": 1.0,
    }


@pytest.mark.parametrize("name", CASES)
async def test_blame_follows_the_evidence(make_context: MakeContext, name: str) -> None:
    turns, party, reason = CASES[name]
    verdict = await judged(make_context(), a_task(), *turns)
    assert verdict.reward == 0.0 and verdict.blame is not None
    assert (verdict.blame.party, verdict.blame.reason, verdict.blame.by) == (party, reason, "evidence"), verdict.blame


async def test_gold_that_does_not_replay_is_the_tasks_fault(make_context: MakeContext) -> None:
    task = a_task((Action("transfer", {"source": "A0001", "target": "A0404", "amount": 1}),))
    verdict = await judged(make_context(), task, "Move money.", "No.", STOP)
    assert verdict.blame is not None and (verdict.blame.party, verdict.blame.reason) == ("task", "gold_error")


async def test_an_infrastructure_failure_has_no_reward(make_context: MakeContext) -> None:
    context = make_context()
    state = open_episode(context, EpisodeKey("run", 1, "p", "0", 0), a_task())[0]
    verdict = await verify_episode(context, PLAN, advance(state, Failed("reset by peer"))[0])
    assert verdict.reward is None and not verdict.passed
    assert verdict.blame is not None and verdict.blame.party == "infrastructure"


QUIET = ("Move money.", ASK, TOLD, "Let me see.", "Never mind then. ###STOP###")


async def test_the_judge_is_asked_only_for_what_evidence_leaves_open(make_context: MakeContext) -> None:
    answer = {"party": "user", "reason": "gave_up", "evidence": "Never mind then."}
    judge = Scripted([json.dumps(answer)])
    verdict = await judged(make_context(judge), a_task(), *QUIET)
    assert verdict.blame == Blame("user", "gave_up", "Never mind then.", by="judge")
    prompt = judge.requests[0].chat.messages()[0]["content"]
    assert "Never mind then." in prompt and "should have been changed and was not" in prompt
    silent = Scripted([])
    await judged(make_context(silent), a_task(), *CASES["the agent moves the wrong amount"][0])
    assert silent.requests == []


async def test_a_judge_without_a_usable_answer_changes_nothing(make_context: MakeContext) -> None:
    verdict = await judged(make_context(Scripted(["well..."] * 3)), a_task(), *QUIET)
    assert verdict.blame is not None and (verdict.blame.party, verdict.blame.by) == ("undetermined", "evidence")


TWO = Scenario(
    "plain",
    "you move money twice",
    goals=(Goal("first", "Please move some money.", FACTS), Goal("second", "And some back.", FACTS)),
)
BACK = Action("transfer", {"source": "A0002", "target": "A0001", "amount": 5})


@pytest.mark.parametrize(
    "turns",
    [
        ("Move money.", ASK, TOLD, LAY_OUT, "Yes.", call(), "That is done. Anything else?", STOP),
        ("Move money.", "I can't do that, I'm afraid. Anything else?", STOP),
    ],
)
async def test_a_wish_the_user_never_raised_is_not_laid_at_the_agents_door(
    make_context: MakeContext, turns: tuple[str | Completion, ...]
) -> None:
    judge = Scripted([json.dumps({"party": "user", "reason": "wish_not_raised", "evidence": "left after the first"})])
    verdict = await judged(make_context(judge), a_task((MOVE, BACK), scenario=TWO), *turns)
    assert verdict.blame is not None and (verdict.blame.party, verdict.blame.by) == ("user", "judge")
    prompt = judge.requests[0].chat.messages()[0]["content"]
    assert '2. "And some back."\n   - account id: [A0001]' in prompt, "the judge sees wishes with their facts"
    assert "0. user: Move money." in prompt and "B1. **Limit.**" in prompt, "turns and policy"


async def test_what_the_agent_claims_without_doing_anything_is_its_own(make_context: MakeContext) -> None:
    turns = ("Move money.", ASK, TOLD, LAY_OUT, "Yes.", "It has been done.", STOP)
    verdict = await judged(make_context(), a_task((MOVE, BACK), scenario=TWO), *turns)
    assert verdict.blame is not None and (verdict.blame.party, verdict.blame.reason) == ("agent", "state_failed")


async def test_a_fact_in_other_words_is_not_made_up(make_context: MakeContext) -> None:
    facts = (Fact("account_id", "A0001 and A0002", "From A0001 to A0002."),)
    turns = ("Move money.", ASK, "A0002 is the target, A0001 the source.", LAY_OUT, "Yes.", call(amount=11), STOP)
    verdict = await judged(make_context(), a_task(facts=facts), *turns)
    assert verdict.blame is not None and (verdict.blame.party, verdict.blame.reason) == ("agent", "wrong_write")


async def test_a_users_violations_are_told_of_passed_episodes_too(make_context: MakeContext) -> None:
    hasty = (*GOOD[:-2], "Which other account do you mean?", STOP)
    passed = await judged(make_context(), a_task(), *hasty)
    assert passed.passed and passed.blame is None
    left = Blame("user", "early_stop", "the user ended the call while the agent was still asking", 7)
    assert passed.violations == (left,)
    assert (await judged(make_context(), a_task(), *GOOD)).violations == ()


async def test_every_violation_stands_beside_the_first_that_is_blamed(make_context: MakeContext) -> None:
    turns = ("Move money.", ASK, "From A0008 to A0002.", LAY_OUT, "Yes. ###STOP###")
    verdict = await judged(make_context(), a_task(), *turns)
    assert [(found.reason, found.turn) for found in verdict.violations] == [
        ("invented_fact", 2),
        ("early_stop", 4),
    ]
    assert verdict.blame == verdict.violations[0]
