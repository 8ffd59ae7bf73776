"""The oracle agent: makes its side's gold calls, asks the customer for theirs, and tells what must be told.

It keeps nothing between requests. What comes next is the first of its moves, worked out from the task, that the
conversation does not hold yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from eigen_cli.api.backend import Reply
from eigen_cli.api.domain import Domain
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Action, Task
from eigen_oracle.replies import calling, saying
from eigen_oracle.wording import ANYTHING_ELSE, closing, demands, instruction, layout

Move = str | Action


def answer(inputs: AgentInputs, task: Task) -> Reply:
    """Return the agent's next turn: words, or one call."""
    own = [message for message in inputs.conversation if message.speaker == "agent"]
    move = _first_unmade(moves(task, inputs.domain), own)
    return saying(move) if isinstance(move, str) else calling([move], number=len(own))


def moves(task: Task, domain: Domain) -> Iterator[Move]:
    """Yield an agent's turns for a task in order.

    Writes that follow each other are laid out together and a yes is asked for once; whether a call was refused changes
    nothing, because the gold of benchmarks holds refused calls.
    """
    told, writing, wrote = demands(task), _writing(domain), False
    for kind, group in groupby(task.gold, lambda action: _kind(action, writing)):
        actions = list(group)
        wrote = wrote or kind != "other"
        if kind == "customer's":
            yield instruction(actions)
            continue
        if kind == "write":
            yield layout(actions, told)
        yield from actions
    yield closing(task, told, wrote=wrote, handover=domain.handover_tool)


def _kind(action: Action, writing: frozenset[str]) -> str:
    if action.requestor == "user":
        return "customer's"
    return "write" if action.name in writing else "other"


def _first_unmade(script: Iterator[Move], own: Sequence[Message]) -> Move:
    """Return the first move without its message; after the last, the question whether there is anything else."""
    at = 0
    for move in script:
        place = next((place for place in range(at, len(own)) if _is_made(move, own[place])), None)
        if place is None:
            return move
        at = place + 1
    return ANYTHING_ELSE


def _is_made(move: Move, message: Message) -> bool:
    if isinstance(move, str):
        return message.text == move
    return any(call.name == move.name and call.arguments == move.arguments for call in message.tool_calls)


@lru_cache(maxsize=16)
def _writing(domain: Domain) -> frozenset[str]:
    tools = domain.agent_tools
    return frozenset(name for name in dir(tools) if getattr(getattr(tools, name), "__eigen_tool__", "") == "write")
