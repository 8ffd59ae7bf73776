"""The ledger with a policy, scripted models and sound tasks: what tests of roles and of the loop stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from ledger import Account, Ledger

from eigen_cli.api.backend import Completer, Reply, Request
from eigen_cli.api.domain import Clause, FactKind, GuardContext, Persona
from eigen_cli.api.messages import Completion
from eigen_cli.api.tasks import (
    Action,
    CheckCall,
    Communicate,
    Fact,
    Goal,
    Provenance,
    RewardBasis,
    Scenario,
    Task,
    WorldRef,
)
from eigen_cli.evolve.templates import templates_of
from eigen_cli.roles.context import RoleContext
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_verifiers.actions import ActionsVerifier
from eigen_verifiers.checks import ChecksVerifier
from eigen_verifiers.communicate import CommunicateVerifier
from eigen_verifiers.state import StateVerifier


def _small_amounts(context: GuardContext) -> str | None:
    amount = context.arguments.get("amount", 0)
    return f"{amount} is above the limit of 500" if amount > 500 else None


def _said_yes(context: GuardContext) -> str | None:
    if context.dialogue is None:
        return None
    said = [m.text.lower() for m in context.dialogue if m.speaker == "user"]
    return None if said and "yes" in said[-1] else "the customer has not said yes"


class Bank(Ledger):
    """The ledger with a policy, kinds of facts and a benchmark to keep away from."""

    name = "bank"
    title = "Bank"
    clauses = (
        Clause("B1", "Limit", "Never move more than 500 dollars at once.", ("transfer",), _small_amounts),
        Clause("B2", "Consent", "Move money only after a yes.", ("transfer", "close_account"), _said_yes),
    )
    fact_kinds = (FactKind("account_id", "account id", ("Which?",), ("It is {value}.",), ("which",), r"\bA\d{4}\b"),)
    personas = (Persona("plain", "You are brief."), Persona("chatty", "You talk a lot."))
    benchmark_entities = frozenset({"A0099"})


class Scripted:
    """Answers requests from a list of texts, or by a function of the request."""

    def __init__(self, answers: Sequence[str] | Callable[[Request], str]) -> None:
        self.requests: list[Request] = []
        self._answers = answers

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        text = self._answers(request) if callable(self._answers) else self._answers[len(self.requests) - 1]
        return Reply(Completion(text=text, model="scripted"))


MakeContext = Callable[..., RoleContext]


@pytest.fixture(scope="session")
def toolbox() -> Toolbox:
    return Toolbox(Bank())


@pytest.fixture(scope="session")
def bases() -> BaseCache:
    return BaseCache()


@pytest.fixture
def make_context(toolbox: Toolbox, bases: BaseCache) -> MakeContext:
    def make(completer: Completer | None = None, **changes: Any) -> RoleContext:
        verifiers = (StateVerifier(), ChecksVerifier(), CommunicateVerifier(), ActionsVerifier())
        return RoleContext(
            run="bank:1",
            seed=1,
            domain=toolbox.domain,
            templates=templates_of(toolbox.domain, toolbox),
            toolbox=toolbox,
            bases=bases,
            completer=completer or Scripted([]),
            verifiers={verifier.name: verifier for verifier in verifiers},
            **changes,
        )

    return make


MOVE = Action("transfer", {"source": "A0001", "target": "A0002", "amount": 10})
FACTS = (Fact("account_id", "A0001"), Fact("account_id", "A0002"))


def a_task(
    gold: tuple[Action, ...] = (MOVE,),
    *,
    facts: tuple[Fact, ...] = FACTS,
    checks: tuple[CheckCall, ...] = (),
    communicate: tuple[Communicate, ...] = (),
    basis: tuple[str, ...] = ("state", "checks", "communicate", "policy"),
    **changes: Any,
) -> Task:
    fields: dict[str, Any] = {
        "id": "task-1",
        "domain": "bank",
        "family": "transfer",
        "split": "train",
        "world": WorldRef(1, 50),
        "scenario": Scenario("plain", "you move money", goals=(Goal("transfer", "Please move some money.", facts),)),
        "gold": gold,
        "reward": RewardBasis(basis, basis),
        "provenance": Provenance("plan-1", 1, 0),
        "checks": checks,
        "communicate": communicate,
    }
    return Task(**{**fields, **changes})


__all__ = ["Account", "Bank", "MakeContext", "Scripted", "a_task"]
