from __future__ import annotations

from bank import FACTS, MOVE, MakeContext, Scripted, a_task

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Draft
from eigen_cli.api.outputs import SynthesizerOutput
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.tasks import Action, Goal, Scenario, WorldRef
from eigen_cli.evolve.duplicates import DuplicateIndex
from eigen_cli.evolve.proposals import Rules, decide, total_rejections, write_and_verify
from eigen_cli.roles.synthesizer import Grounding, allot_templates, assign_split

PLAN = Plan.of(PlanBody("bank", 0, SynthesisPlan("x", (Quota("use_transfer", 1),)), EvaluationPlan()))
RULES = Rules(repairs=1, validation=True)


def _grounding(number: int = 0) -> Grounding:
    draft = Draft(goals=(Goal("transfer", "x", FACTS),), known=(), gold=(MOVE,), clauses=())
    return Grounding(PLAN, 1, number, f"{number:04}", "use_transfer", draft, WorldRef(1, 50))


def _written(request: str = "Please move some money.", gold: tuple[Action, ...] = (MOVE,)) -> str:
    goal = Goal("transfer", request, FACTS)
    return canonical_json(SynthesizerOutput("plain", "you pay", (goal,), gold, ("B2",))).decode()


BROKEN = (Action("transfer", {**MOVE.arguments, "source": "A0777"}),)


async def test_a_rejected_task_is_repaired_with_its_reasons(make_context: MakeContext) -> None:
    model = Scripted([_written(gold=BROKEN), _written()])
    proposal = await write_and_verify(make_context(model), _grounding(), rules=RULES)
    assert proposal.accepted and proposal.attempts == 2
    assert [r.reason for r in proposal.turned_down] == ["gold_error"] and proposal.final == ()
    repair = model.requests[1]
    assert "gold_error: Error: Account 'A0777' not found" in repair.chat.messages()[0]["content"]
    assert repair.inputs.rejections[0].reason == "gold_error" and "A0777" in repair.inputs.previous
    assert repair.key.attempt == 10 and proposal.task is not None
    assert proposal.task.provenance.attempt == 1 and proposal.task.scenario.goals[0].facts == FACTS


async def test_repairs_are_bounded(make_context: MakeContext) -> None:
    model = Scripted([_written(gold=BROKEN)] * 2)
    proposal = await write_and_verify(make_context(model), _grounding(), rules=RULES)
    assert not proposal.accepted and len(model.requests) == 2
    assert [r.reason for r in proposal.final] == ["gold_error"]
    assert total_rejections([proposal]) == {"gold_error": 2}


async def test_an_answer_that_never_validates_is_a_rejection(make_context: MakeContext) -> None:
    proposal = await write_and_verify(make_context(Scripted(["{"] * 6)), _grounding(), rules=RULES)
    assert proposal.task is None and {r.reason for r in proposal.turned_down} == {"invalid_output"}


async def test_what_a_reader_objects_to_is_repaired_and_it_is_asked_of_sound_tasks_only(
    make_context: MakeContext,
) -> None:
    objection = '{"problems": [{"reason": "ambiguous", "evidence": "two payees are called Sam"}]}'
    model = Scripted([_written(gold=BROKEN), _written(), objection, _written(), '{"problems": []}'])
    context = make_context(model, reads_tasks=True)
    proposal = await write_and_verify(context, _grounding(), rules=Rules(repairs=2, validation=True))
    assert proposal.accepted and [r.reason for r in proposal.turned_down] == ["gold_error", "ambiguous"]
    asked = [(request.role, request.key.attempt) for request in model.requests]
    writer, reader = "synthesizer", "task_verifier"
    assert asked == [(writer, 0), (writer, 10), (reader, 10), (writer, 20), (reader, 20)]
    assert "ambiguous: two payees are called Sam" in model.requests[3].chat.messages()[0]["content"]


async def test_without_validation_everything_well_formed_passes(make_context: MakeContext) -> None:
    model = Scripted([_written(gold=BROKEN)])
    proposal = await write_and_verify(make_context(model), _grounding(), rules=Rules(1, validation=False))
    assert proposal.accepted and proposal.turned_down == ()


async def test_near_duplicates_are_decided_in_proposal_order_and_repaired(make_context: MakeContext) -> None:
    index = DuplicateIndex()
    context = make_context(Scripted([_written(), _written(), _written("Could you wire my sister what I owe her?")]))
    first = await write_and_verify(context, _grounding(0), rules=RULES)
    second = await write_and_verify(context, _grounding(1), rules=RULES)
    assert (await decide(context, _grounding(0), first, rules=RULES, index=index)) == first
    decided = await decide(context, _grounding(1), second, rules=RULES, index=index)
    assert decided.accepted and [r.reason for r in decided.turned_down] == ["near_duplicate"]
    assert decided.task is not None and decided.task.scenario.goals[0].request.startswith("Could you wire")
    assert index.nearest(decided.task) is not None, "the repaired task is remembered"


async def test_a_near_duplicate_without_repairs_left_stays_rejected(make_context: MakeContext) -> None:
    index = DuplicateIndex()
    scenario = Scenario("plain", "you pay", goals=(Goal("transfer", "Please move some money.", FACTS),))
    index.add(a_task(scenario=scenario))
    rules = Rules(repairs=0, validation=True)
    context = make_context(Scripted([_written()]))
    proposal = await write_and_verify(context, _grounding(), rules=rules)
    decided = await decide(context, _grounding(), proposal, rules=rules, index=index)
    assert not decided.accepted and [r.reason for r in decided.final] == ["near_duplicate"]


def test_templates_are_allotted_by_quota() -> None:
    synthesis = SynthesisPlan("x", (Quota("a", 3), Quota("b", 1), Quota("c", 0)))
    allotted = allot_templates(synthesis, 8, names=("s",))
    assert (allotted.count("a"), allotted.count("b"), allotted.count("c")) == (6, 2, 0)
    assert allot_templates(synthesis, 8, names=("s",)) == allotted
    even = SynthesisPlan("x", tuple(Quota(name, 1) for name in "abcdef"))
    draws = {tuple(sorted(allot_templates(even, 2, names=(seed,)))) for seed in range(40)}
    assert len(draws) > 5, "what does not fit takes turns"


def test_splits_follow_family_and_world_in_fixed_shares() -> None:
    splits = [assign_split("airline", f"family{n}", WorldRef(seed, 0)) for n in range(50) for seed in range(40)]
    shares = {name: splits.count(name) / len(splits) for name in ("train", "validation", "test")}
    assert 0.76 < shares["train"] < 0.84 and 0.07 < shares["test"] < 0.13
    assert assign_split("airline", "f", WorldRef(1, 0)) == assign_split("airline", "f", WorldRef(1, 0))
