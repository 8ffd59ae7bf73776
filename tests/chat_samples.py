"""Samples made by hand, with all that formats break on, and a source that gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.samples import ChatSample, Origin, RlTask, SampleKind
from eigen_cli.api.tasks import Action, Provenance, RewardBasis, Scenario, Task, WorldRef

GENERATION = "9f" * 32

Turn = dict[str, Any]


def origin(task: str = "task-1", domain: str = "airline") -> Origin:
    return Origin(GENERATION, domain, task, "refunds", "train", difficulty=2, simulated=False)


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": sorted(properties)[:1]}
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": parameters}}


AGENT_TOOLS = (
    tool("find", passenger={"type": "string", "description": "Zoë's \N{LATIN SMALL LETTER E WITH ACUTE}tui"}),
    tool("book", seats={"type": "integer", "enum": [1, 2]}, meal={"anyOf": [{"type": "string"}, {"type": "null"}]}),
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
)
USER_TOOLS = (tool("toggle_data", on={"type": "boolean"}), tool("reboot"))


def calls(*wanted: tuple[str, str], content: str | None = "") -> Turn:
    """Return an assistant turn that calls tools; arguments are JSON text, as models write it."""
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": f"call-{name}-{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(wanted)
        ],
    }


def returned(call: str, content: str) -> Turn:
    return {"role": "tool", "tool_call_id": call, "content": content}


def said(text: str) -> Turn:
    return {"role": "assistant", "content": text}


def heard(text: str) -> Turn:
    return {"role": "user", "content": text}


SYSTEM = {
    "role": "system",
    "content": "# Policy\n1. Be \N{LEFT DOUBLE QUOTATION MARK}kind\N{RIGHT DOUBLE QUOTATION MARK}.",
}
GREETING = said("Hi! How can I help?")
WHOLE = (
    SYSTEM,
    GREETING,
    heard("I am Zoë \N{GRINNING FACE},\u2028two lines\n\"quoted\""),
    calls(("find", '{"passenger": "Zoë"}'), ("book", '{ "seats": 2, "meal": null, "price": 1.50 }'), content="Wait."),
    returned("call-find-0", '{"id":"p1","vip":null}'),
    returned("call-book-1", "Error: no seats"),
    calls(("now", "{}")),
    returned("call-now-0", '"12:00"'),
    said("No seats are left."),
    heard("Thanks"),
    said("Goodbye, <b>Zoë</b>."),
)  # fmt: skip


def chat(
    id_: str,
    messages: Iterable[Turn],
    *,
    targets: tuple[int, ...],
    tools: tuple[dict[str, Any], ...] = AGENT_TOOLS,
    **fields: Any,
) -> ChatSample:
    whole = {"side": "agent", "episode": "ep-1", "trial": 0, "stop": "user_stop", "reward": 1.0, "blame": None}
    return ChatSample(
        id=id_, messages=tuple(messages), tools=tools, targets=targets, **{**whole, "origin": origin(), **fields}
    )


GREETED = chat("ep-1:agent", WHOLE, targets=(3, 6, 8, 10))
"""A whole dialogue whose greeting nobody was asked for: context."""
ASKED = chat("ep-2:agent", (SYSTEM, *WHOLE[2:]), targets=(2, 5, 7, 9), episode="ep-2")
"""The same, opened by the user: everything the assistant says is to be learned."""
LAST_TURN = chat("ep-3:agent:7", (SYSTEM, *WHOLE[2:9]), targets=(7,), episode="ep-3", reasoning={2: "hm", 7: "so"})
"""A turn-level sample, of a model that reasons."""
SKIPPING = chat("ep-4:agent", (SYSTEM, *WHOLE[2:]), targets=(2, 9), episode="ep-4", reward=0.0, blame="user")
"""Between two turns to learn there are two that are context."""
UNPARSABLE = chat(
    "ep-5:agent",
    (SYSTEM, heard("Book"), calls(("book", '{"seats": 2'))),
    targets=(2,),
    episode="ep-5",
    stop="agent_unparsable_call",
    reward=0.0,
    blame="agent",
)
NO_CONTENT = chat(
    "ep-6:agent",
    (SYSTEM, heard("Time?"), calls(("now", "{}"), content=None), returned("call-now-0", "12"), said("Noon.")),
    targets=(2, 4),
    episode="ep-6",
)
AGENT_CHATS = (GREETED, ASKED, LAST_TURN, SKIPPING, UNPARSABLE, NO_CONTENT)

PLAIN_USER = chat(
    "ep-1:user",
    (
        {"role": "system", "content": "You are Zoë. Write ###STOP### to end the call."},
        heard("Hi! How can I help?"),
        said("Seats, please"),
        heard("No seats are left."),
        said("Thanks ###STOP###"),
    ),
    targets=(2, 4),
    tools=(),
    side="user",
)
PHONE_USER = chat(
    "ep-7:user",
    (
        {"role": "system", "content": "You are Bo, at your phone."},
        heard("(The line is open. You speak first.)"),
        said("No data"),
        heard("Please turn data on."),
        calls(("toggle_data", '{"on": true}')),
        returned("call-toggle_data-0", "on"),
        said("Done ###STOP###"),
    ),
    targets=(2, 4, 6),
    tools=USER_TOOLS,
    side="user",
    episode="ep-7",
    origin=origin("task-7", "telecom"),
)
USER_CHATS = (PLAIN_USER, PHONE_USER)

TASK = Task(
    id="task-1",
    domain="airline",
    family="refunds",
    split="train",
    world=WorldRef(7, 0),
    scenario=Scenario("Zoë", "wants a seat"),
    gold=(Action("book", {"seats": 2, "meal": None}),),
    reward=RewardBasis(("state",), ("state",)),
    provenance=Provenance("plan-1", 1, 4),
)
RL_TASK = RlTask(
    id="task-1",
    messages=(SYSTEM, GREETING),
    tools=AGENT_TOOLS,
    user=({"role": "system", "content": "You are Zoë."},),
    user_tools=USER_TOOLS,
    task=TASK,
    trials=4,
    passed=1,
    origin=origin(),
)
UNGREETED_TASK = RlTask(
    id="task-2",
    messages=(SYSTEM,),
    tools=(),
    user=({"role": "system", "content": "You are Al."}, heard("(The line is open. You speak first.)")),
    user_tools=(),
    task=TASK,
    trials=0,
    passed=0,
    origin=origin("task-2"),
)


class HandmadeSource:
    """Gives the samples above, or those it is made with; it has neither episodes nor plans."""

    generation: Any = SimpleNamespace(hash=GENERATION, body=SimpleNamespace(simulated=False))

    def __init__(self, *chats: ChatSample, tasks: tuple[RlTask, ...] = (RL_TASK, UNGREETED_TASK)) -> None:
        self._chats = chats
        self._tasks = tasks

    def chats(self, kind: SampleKind) -> Iterator[ChatSample]:
        return iter(self._chats or (AGENT_CHATS if kind == "agent_sft" else USER_CHATS))

    def rl_tasks(self) -> Iterator[RlTask]:
        return iter(self._tasks)

    def tasks(self) -> Iterator[Task]:
        return (item.task for item in self._tasks)

    def episodes(self) -> Iterator[tuple[Task, EpisodeRecord]]:
        return iter(())

    def plans(self) -> Iterator[PlanRecord]:
        return iter(())


def rendered_as_served(sample: ChatSample) -> list[Turn]:
    """Return a sample's chat as a server hands it to the template: arguments parsed, no content empty."""
    turns = []
    for message in sample.messages:
        turn = {**message, "content": message["content"] or ""}
        if "tool_calls" in message:
            turn["tool_calls"] = [
                {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
                for call in message["tool_calls"]
            ]
        turns.append(turn)
    return turns
