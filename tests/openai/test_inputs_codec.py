"""Typed inputs survive the wire whole: what the actor behind the socket sees is what the role gave."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import msgspec
import pytest

from eigen_cli.api.backend import Schema, ToolSchemas
from eigen_cli.api.domain import Domain, Draft
from eigen_cli.api.inputs import (
    AgentInputs,
    CoverageGap,
    JudgeInputs,
    PlannerInputs,
    ReflectorInputs,
    SynthesizerInputs,
    UserInputs,
)
from eigen_cli.api.messages import FieldChange, Message, RecordChange, ToolCall, ToolResult
from eigen_cli.api.plans import EvaluationPlan, Guideline, Plan, PlanBody, ProbeFigures, Quota, SynthesisPlan
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal, RecordPatch, Scenario
from eigen_cli.api.tools import Tools
from eigen_cli.api.verdicts import Rejection
from eigen_cli.testing.inputs_codec import DescribedTemplate, decode, encode
from eigen_cli.testing.openai_server import OpenAIServer, serving_async
from eigen_cli.testing.openai_server.actors import call_key, simulated_request
from eigen_openai.simulated import trace


@dataclass(frozen=True)
class Template:
    name: str
    family: str = "lending"
    tools: tuple[str, ...] = ("lend",)
    clauses: tuple[str, ...] = ("1.1",)
    difficulty: int = 1

    def draft(self, world, rng):
        return None


class Library(Domain):
    name = "library"
    title = "A library"
    version = "1"
    tables = ()
    agent_tools = Tools
    templates = (Template("lend one"), Template("return late"))

    def clock(self):
        return datetime.datetime(2026, 1, 1)

    def generate(self, *, seed, size):
        return ()


LIBRARY = Library()
PLAN = Plan.of(
    PlanBody(
        domain="library",
        slot=1,
        synthesis=SynthesisPlan(
            "fines", (Quota("lend one", 3),), ("blunt",), (Guideline("missing_fact", "Give ids."),)
        ),
        evaluation=EvaluationPlan((Guideline("", "Be strict."),)),
        parent="plan-0",
    )
)
SCENARIO = Scenario(
    persona="blunt",
    reason="late book",
    known=(Fact("member_id", "m-1", "It's m-1"), Fact("fine", 12.5), Fact("books", ["a", {"b": None}])),
    goals=(Goal("renew", "Renew it, naïvely “quoted”.\n", (Fact("book", "b-9"),)),),
    unknown=("branch",),
)
CHANGE = RecordChange("loans", "l1", "changed", (FieldChange("n", 1, None),))
CONVERSATION = (
    Message("user", "Hi"),
    Message("agent", "", "look", (ToolCall("c1", "agent", "find", '{"z": 1, "a": 2}', {"z": 1, "a": 2}),)),
    Message("agent", "", "", (ToolCall("c2", "agent", "find", "{bad", None, "not JSON"),)),
    Message(
        "environment",
        result=ToolResult(
            "c1",
            "agent",
            "find",
            '{"x":1}',
            False,
            (RecordChange("loans", "l1", "changed", (FieldChange("n", 1, None),)),),
        ),
    ),
)
DRAFT = Draft(
    goals=SCENARIO.goals,
    known=SCENARIO.known,
    gold=(Action("lend", {"z": [1, 2.5], "a": {"k": True}}), Action("pay", {}, "user")),
    clauses=("1.1",),
    communicate=(Communicate("number", "12.50", "fine"),),
    checks=(CheckCall("denied", {"why": "late"}),),
    patch=(RecordPatch("loans", "l1", {"n": 1}), RecordPatch("loans", "l2")),
    breach=(Action("lend", {}),),
)
GAP = CoverageGap(tools=("lend",), tool_pairs=(("lend", "pay"),), clauses=("2",))

INPUTS = [
    PlannerInputs(LIBRARY, 0, 3, (PLAN,), GAP, {"lend one": LIBRARY.templates[0]}),
    SynthesizerInputs(LIBRARY, PLAN, "lend one", DRAFT, "{}", (Rejection("gold_error", "no such book"),)),
    AgentInputs(LIBRARY, CONVERSATION),
    UserInputs(LIBRARY, SCENARIO, CONVERSATION, "###STOP###"),
    JudgeInputs(LIBRARY, PLAN, SCENARIO, CONVERSATION, ("the fine was named twice",)),
    ReflectorInputs(
        LIBRARY,
        PLAN,
        {"second": LIBRARY.templates[1], "first": LIBRARY.templates[0]},
        8,
        5,
        {"near_duplicate": 2, "gold_error": 1},
        {"lend one": 3},
        {"agent": 2},
        {"lend one": 0.5},
        GAP,
        ProbeFigures(8, 5, 3, 11, "offline/competent"),
    ),
]


def find_domain(name: str) -> Domain:
    if name != "library":
        raise KeyError(name)
    return LIBRARY


@pytest.mark.parametrize("inputs", INPUTS, ids=lambda inputs: type(inputs).__name__)
def test_inputs_come_back_equal(inputs):
    assert decode(encode(inputs), find_domain=find_domain) == inputs


def test_the_order_of_arguments_and_of_reasons_is_kept():
    synthesizer = decode(encode(INPUTS[1]), find_domain=find_domain)
    reflector = decode(encode(INPUTS[5]), find_domain=find_domain)
    assert list(synthesizer.draft.gold[0].arguments) == ["z", "a"]
    assert list(reflector.rejections) == ["near_duplicate", "gold_error"]
    assert list(reflector.templates) == ["second", "first"]


def test_a_template_no_domain_declares_comes_back_as_its_description():
    explored = Template("explored lend, pay", family="explored", tools=("lend", "pay"), clauses=(), difficulty=2)
    inputs = PlannerInputs(LIBRARY, 0, 1, (), GAP, {"explored lend, pay": explored, "lend one": LIBRARY.templates[0]})
    found = decode(encode(inputs), find_domain=find_domain).templates
    assert list(found) == ["explored lend, pay", "lend one"]
    assert found["explored lend, pay"] == DescribedTemplate("explored lend, pay", "explored", ("lend", "pay"), (), 2)
    assert found["lend one"] is LIBRARY.templates[0]


def test_a_list_comes_back_as_a_tuple():
    inputs = decode(encode(AgentInputs(LIBRARY, list(CONVERSATION))), find_domain=find_domain)
    assert inputs.conversation == CONVERSATION


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b'{"type":"Request","domain":"library","fields":{}}',
        b'{"type":"AgentInputs","domain":"library","fields":{}}',
        b'{"type":"AgentInputs","domain":"library","fields":{"conversation":[{"speaker":"judge"}]}}',
    ],
)
def test_what_is_no_inputs_is_refused(data):
    with pytest.raises(msgspec.ValidationError):
        decode(data, find_domain=find_domain)


def test_an_unknown_domain_is_the_finders_to_refuse():
    with pytest.raises(KeyError, match="library-2"):
        decode(encode(INPUTS[2]).replace(b'"library"', b'"library-2"'), find_domain=find_domain)


@pytest.mark.parametrize("inputs", INPUTS, ids=lambda inputs: type(inputs).__name__)
async def test_the_server_rebuilds_the_request_that_was_sent(connect, ask_for, inputs):
    rebuilt = []

    def answer(request):
        rebuilt.append(simulated_request(request, decode(request.metadata["eigen_inputs"], find_domain=find_domain)))
        return "ok"

    role = {"PlannerInputs": "planner", "SynthesizerInputs": "synthesizer"}.get(type(inputs).__name__, "agent")
    tools = ToolSchemas.of([{"type": "function", "function": {"name": "lend"}}])
    schema = Schema("Verdict", {"z": 1, "a": {"type": "string"}}) if role == "planner" else None
    sent = ask_for("é \x00 \\n", role=role, inputs=inputs, max_tokens=99, temperature=0.5, tools=tools, schema=schema)
    async with serving_async(OpenAIServer(answer)) as url:
        await connect(url, options={"simulated_inputs": True}).complete(sent)
    assert rebuilt[0].inputs == inputs
    assert rebuilt[0].key == sent.key
    assert rebuilt[0].role == sent.role
    assert rebuilt[0].fingerprint() == sent.fingerprint()


def test_a_trace_names_its_call(ask_for):
    request = ask_for()
    assert request.key.task == "task-7/b"
    assert call_key(trace(request)) == request.key


@pytest.mark.parametrize("bad", ["", "a/b", "r/1/p/t/0/nobody/0/0/abc"])
def test_a_trace_that_names_no_call_is_refused(bad):
    with pytest.raises(ValueError, match=r"."):
        call_key(bad)
