from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from ledger import Account, Ledger

from eigen_cli.api.backend import Chat
from eigen_cli.api.episodes import Limits
from eigen_cli.api.messages import Completion, RawToolCall, Requestor
from eigen_cli.api.record import money
from eigen_cli.api.tasks import Action, Goal, Provenance, RewardBasis, Scenario, Task, WorldRef
from eigen_cli.api.tools import Tools, reads, writes
from eigen_cli.episode.driver import run_tools
from eigen_cli.episode.machine import Step, advance, start
from eigen_cli.episode.state import EpisodeKey, EpisodeState, Replied
from eigen_cli.world.base import Base, build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


class AppTools(Tools):
    owner = "user"

    @reads
    def see_balance(self, account_id: str) -> str:
        """Look at the balance in the app."""
        return str(self.world.table(Account).require(account_id).balance)

    @writes
    def top_up(self, account_id: str) -> str:
        """Put ten dollars in."""
        account = self.world.table(Account).require(account_id)
        self.world.table(Account).put(
            Account(account.account_id, account.owner, money(account.balance + 10), account.tier)
        )
        return "topped up"


class PhoneLedger(Ledger):
    name = "phone_ledger"
    user_tools = AppTools
    greeting = "Hello, how can I help?"


@pytest.fixture(scope="session")
def toolbox() -> Toolbox:
    return Toolbox(PhoneLedger())


@pytest.fixture(scope="session")
def base(toolbox: Toolbox) -> Base:
    return build_base(toolbox.domain, WorldRef(1, 50), freeze=False)


@pytest.fixture
def task() -> Task:
    return Task(
        id="task-1",
        domain="phone_ledger",
        family="transfer",
        split="train",
        world=WorldRef(1, 50),
        scenario=Scenario("plain", "you want to move money", goals=(Goal("transfer", "Please move 10 dollars."),)),
        gold=(Action("transfer", {"source": "A0001", "target": "A0002", "amount": 10}),),
        reward=RewardBasis(("state",), ("state",)),
        provenance=Provenance("plan-1", 1, 0),
    )


def opened(task: Task, base: Base, *, limits: Limits | None = None, greeting: str | None = "Hello!") -> Step:
    return start(
        EpisodeKey("run", 1, "plan-1", "0000", 0),
        task,
        World(base),
        limits=limits or Limits(),
        agent_chat=Chat.of({"role": "system", "content": "agent"}),
        user_chat=Chat.of({"role": "system", "content": "user"}),
        greeting=greeting,
    )


def says(
    text: str = "", *calls: tuple[str, Any], finish: Any = "stop", tokens: int = 5, seconds: float = 0.0
) -> Completion:
    raw = tuple(
        RawToolCall(f"c{place}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for place, (name, arguments) in enumerate(calls)
    )
    return Completion(
        text=text, tool_calls=raw, finish_reason=finish, completion_tokens=tokens, seconds=seconds, model="scripted"
    )


def played(step: Step, toolbox: Toolbox, *completions: Completion) -> EpisodeState:
    """Feed completions to whoever is asked; tools run in between."""
    step = run_tools(step, toolbox)
    for completion in completions:
        state = step[0]
        assert state.waiting in ("agent", "user"), state.stop
        side: Requestor = state.waiting
        step = run_tools(advance(state, Replied(side, completion)), toolbox)
    return step[0]


Script = Callable[[], tuple[Completion, ...]]


@pytest.fixture
def dialogue() -> tuple[Completion, ...]:
    """A whole episode: both sides use tools, one turn carries text and a call, one turn two calls."""
    transfer = {"source": "A0001", "target": "A0002", "amount": 10}
    return (
        says("Please move 10 dollars."),
        says("Let me look.", ("get_account", {"account_id": "A0001"}), ("get_account", {"account_id": "A0002"})),
        says("From A0001 to A0002, shall I?"),
        says("One moment.", ("see_balance", {"account_id": "A0001"})),
        says("Yes, go ahead."),
        says("", ("transfer", transfer)),
        says("Done. Anything else?"),
        says("", ("top_up", {"account_id": "A0003"})),
        says("No, thanks. ###STOP###"),
    )
