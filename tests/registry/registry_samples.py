"""Generations to seal: every field of every record is set somewhere. Test scripts in other processes import it too."""

from __future__ import annotations

import base64
import random

from eigen_cli.api.backend import Usage
from eigen_cli.api.episodes import Episode
from eigen_cli.api.generations import (
    Coverage,
    CoverageCount,
    EpisodeRecord,
    GenerationBody,
    GenerationContents,
    GenerationObserved,
    InjectedFault,
    ProposalRecord,
)
from eigen_cli.api.messages import FieldChange, Message, RecordChange, TokenTrace, ToolCall, ToolResult
from eigen_cli.api.plans import (
    EvaluationPlan,
    Guideline,
    Plan,
    PlanBody,
    PlanRecord,
    ProbeFigures,
    Quota,
    SynthesisPlan,
)
from eigen_cli.api.tasks import (
    Action,
    CheckCall,
    Communicate,
    Fact,
    Goal,
    Provenance,
    RecordPatch,
    RewardBasis,
    Scenario,
    Task,
    WorldRef,
)
from eigen_cli.api.verdicts import Blame, EpisodeVerdict, Part, Rejection

Sealable = tuple[GenerationBody, GenerationObserved, GenerationContents]


def plan_record(slot: int, status: str = "used") -> PlanRecord:
    body = PlanBody(
        domain="airline",
        slot=slot,
        synthesis=SynthesisPlan(
            focus=f"focus {slot} {status}",
            quotas=(Quota("cancel", 2), Quota("book", 1)),
            personas=("hurried",),
            guidelines=(Guideline("policy_breach", "mind the 24 hours"),),
        ),
        evaluation=EvaluationPlan(criteria=(Guideline("", "be strict"),)),
        parent="plan-0123456789ab" if status == "rejected" else None,
        author="reflector" if status == "rejected" else "planner",
    )
    if status == "used":
        return PlanRecord(Plan.of(body), "used")
    figures = ProbeFigures(proposed=10, accepted=7, learnable=3, coverage=21, agent="offline/agent-1")
    return PlanRecord(Plan.of(body), "rejected", figures=figures, parent_figures=figures, why="coverage 20 < 21")


def task(index: int, round_: int = 1) -> Task:
    return Task(
        id=f"task-{round_:02d}{index:03d}-{'abc'[index % 3]}",
        domain="airline",
        family=f"cancel-{index % 3}",
        split=("train", "validation", "test")[index % 3],
        world=WorldRef(seed=2**63 - 1 - index, size=0),
        scenario=Scenario(
            persona="hurried",
            reason="a trip fell through \u2014 \u65e5\u672c, \u0000 and \U0001f6eb",
            known=(Fact("user_id", "mia_li_1", text="I am mia_li_1"), Fact("age", 41)),
            goals=(Goal("cancel", "please cancel", facts=(Fact("reservation_id", "ZX3F01"),)),),
            unknown=("card number",),
            instructions="do not offer more than asked",
        ),
        gold=(
            Action("get_user_details", {"user_id": "mia_li_1"}),
            Action(
                "cancel_reservation", {"reservation_id": "ZX3F01", "refund": 12.5, "legs": [1, {"a": None}]}, "user"
            ),
        ),
        reward=RewardBasis(("state",), ("state", "communicate")),
        provenance=Provenance(
            "plan-0123456789ab", round_, index, attempt=1, template="cancel", model="m", prompt_version="p1"
        ),
        communicate=(Communicate("number", "1250", label="refund"),),
        checks=(CheckCall("was_read", {"table": "users"}),),
        clauses=("3.1", "4.2"),
        difficulty=2,
        patch=(RecordPatch("users", "mia_li_1", {"tier": "gold"}), RecordPatch("flights", "F1")),
    )


def messages(index: int, size: int) -> tuple[Message, ...]:
    """About `size` bytes of dialogue that hardly compresses, although what is said uses few words."""
    noise = random.Random(index)
    text = " ".join(f"w{noise.getrandbits(10)}" for _ in range(5))
    looked_up = base64.b64encode(noise.randbytes(size * 3 // 4)).decode()
    call = ToolCall(
        "call-1", "agent", "cancel_reservation", '{"reservation_id": "ZX3F01" }', {"reservation_id": "ZX3F01"}
    )
    changed = RecordChange(
        "reservations", "ZX3F01", "changed", (FieldChange("status", "open", {"was": [1, 2.5, None]}),)
    )
    return (
        Message("user", text=text),
        Message(
            "agent",
            text="one moment",
            reasoning="look it up",
            tool_calls=(call, ToolCall("call-2", "agent", "nonsense", "{", error="not JSON")),
            finish_reason="tool_calls",
            model="m",
            prompt_version="p1",
            tokens=TokenTrace((1, 2), (3,), (-0.25,), "feed"),
        ),
        Message(
            "environment",
            result=ToolResult("call-1", "agent", "cancel_reservation", f'{{"ok":"{looked_up}"}}', changes=(changed,)),
        ),
        Message("environment", result=ToolResult("call-2", "agent", "nonsense", "unknown tool", error=True)),
    )


def episode_record(index: int, of_task: Task, trial: int, size: int = 200) -> EpisodeRecord:
    episode = Episode(
        id=f"ep-{of_task.id[5:]}-{trial}",
        task=of_task.id,
        trial=trial,
        messages=messages(index, size),
        stop=("user_stop", "agent_turn_limit", "infrastructure")[index % 3],
        state_hash=f"{index:064x}",
        outcome_hash=f"{index + 1:064x}",
        parent_episode="ep-of-another-generation" if trial else None,
        fork_turn=3 if trial else None,
    )
    verdict = (
        EpisodeVerdict(1.0, (Part("state", "1", 1.0), Part("communicate", "1", 1.0, applicable=False))),
        EpisodeVerdict(
            0.5, (Part("state", "1", 0.5, ("ZX3F01 is open",)),), Blame("agent", "missing_write", "e", 4, "judge")
        ),
        EpisodeVerdict(None, (), Blame("infrastructure", "timeout")),
    )[index % 3]
    return EpisodeRecord(episode, verdict, Usage(calls=20, prompt_tokens=1000 + index, seconds=1.5, cost_usd=0.01))


def sealable(
    round_: int = 1, *, tasks: int = 3, trials: int = 2, parent: str | None = None, size: int = 200
) -> Sealable:
    """Return what `Store.seal` takes: `tasks` tasks with `trials` episodes of about `size` bytes each."""
    accepted = tuple(task(index, round_) for index in range(tasks))
    episodes = tuple(
        episode_record(position * trials + trial, of_task, trial, size)
        for position, of_task in enumerate(accepted)
        for trial in range(trials)
    )
    rejected = (
        ProposalRecord("1/4", "plan-a", "cancel", 3, (Rejection("gold_error", "no such flight"),), task(999, round_)),
        ProposalRecord(
            "1/5", "plan-a", "book", 1, (Rejection("invalid_output", "{"), Rejection("missing_fact", "card"))
        ),
    )
    faults = (
        InjectedFault(episodes[0].episode.id, "agent", 4, "wrong_argument"),
        InjectedFault("1/4", "synthesizer", 0, "breach"),
    )
    body = GenerationBody(
        domain="airline",
        seed=7,
        round=round_,
        parent=parent,
        actors={"agent": "offline/agent-1", "user": "offline/user-1"},
        simulated=True,
        fingerprint="f" * 64,
        prompts={"planner": "p1"},
        verifiers={"state": "1"},
        settings={"tasks": tasks, "temperature": 0.7, "validation": True, "pace": "fast"},
        tasks_proposed=tasks + 2,
        tasks_accepted=tasks,
        rejections={"gold_error": 1},
        episodes=len(episodes),
        passed=sum(record.verdict.passed for record in episodes),
        blame={"agent": 2, "infrastructure": 2},
        coverage=Coverage(CoverageCount(3, 14), CoverageCount(5, 60), CoverageCount(9, 30)),
        near_duplicates=1,
        splits={"train": 1, "validation": 1, "test": 1},
        contents={},
    )
    observed = GenerationObserved("run-1", 1000.5, 1060.25, {"agent": Usage(calls=3, seconds=0.5)}, "host", "0.1.0")
    plans = (plan_record(0), plan_record(1), plan_record(0, "rejected"))
    return body, observed, GenerationContents(plans, accepted, rejected, episodes, faults)
