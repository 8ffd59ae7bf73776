"""The benchmark's task as its JSON says it. Other keys are kept by whoever holds the JSON, and not looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from eigen_cli.api.messages import Requestor

Side = Literal["assistant", "user"]
Basis = Literal["DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE"]

DEFAULT_BASIS: tuple[Basis, ...] = ("DB", "COMMUNICATE")
REQUESTORS: Mapping[Side, Requestor] = {"assistant": "agent", "user": "user"}
SIDES: Mapping[Requestor, Side] = {"agent": "assistant", "user": "user"}


class ExpectedAction(msgspec.Struct, frozen=True):
    """A gold call. `compare_args` names the arguments that count when calls are matched; None: see `tau2-action`."""

    name: str
    arguments: dict[str, Any]
    action_id: str | None = None
    requestor: Side = "assistant"
    info: str | None = None
    compare_args: tuple[str, ...] | None = None


class EnvAssertion(msgspec.Struct, frozen=True):
    """A function of one side's tool set that must return `assert_value` in the end."""

    env_type: Side
    func_name: str
    arguments: dict[str, Any]
    assert_value: bool = True
    message: str | None = None


class Criteria(msgspec.Struct, frozen=True):
    """What the benchmark measures. None and empty differ: without actions *and* assertions no state is compared."""

    actions: tuple[ExpectedAction, ...] | None = None
    env_assertions: tuple[EnvAssertion, ...] | None = None
    communicate_info: tuple[str, ...] | None = None
    nl_assertions: tuple[str, ...] | None = None
    reward_basis: tuple[Basis, ...] = DEFAULT_BASIS


class Instructions(msgspec.Struct, frozen=True):
    """What the simulated user is told, field by field."""

    domain: str
    reason_for_call: str
    task_instructions: str
    known_info: str | None = None
    unknown_info: str | None = None


class UserScenario(msgspec.Struct, frozen=True):
    """The simulated user; instructions are one text in some releases."""

    instructions: Instructions | str
    persona: str | None = None


class InitializationData(msgspec.Struct, frozen=True):
    """Values laid over the two databases."""

    agent_data: dict[str, Any] | None = None
    user_data: dict[str, Any] | None = None


class EnvFunctionCall(msgspec.Struct, frozen=True):
    """A function of one side's tool set, run before the episode."""

    env_type: Side
    func_name: str
    arguments: dict[str, Any]


class InitialState(msgspec.Struct, frozen=True):
    """What differs from the official database at the start."""

    initialization_data: InitializationData | None = None
    initialization_actions: list[EnvFunctionCall] | None = None
    message_history: list[Any] | None = None


class TaskJson(msgspec.Struct, frozen=True):
    """One task."""

    id: str
    user_scenario: UserScenario
    evaluation_criteria: Criteria | None = None
    initial_state: InitialState | None = None


def parsed(task: Mapping[str, Any]) -> TaskJson:
    """Return a task's typed form; raises `ValueError` saying what was found, what was expected and where."""
    try:
        return msgspec.convert(task, TaskJson)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def criteria_of(task: Mapping[str, Any]) -> Criteria:
    """Return the criteria of a task's JSON that was imported before, and so is well-formed."""
    return msgspec.convert(task.get("evaluation_criteria") or {}, Criteria)
