"""Agents that do nothing for the customer: what they pass is worth nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from eigen_cli.api.backend import Backend, Reply, Request, RoleName, ToolSchemas
from eigen_cli.api.errors import BackendError
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.api.tasks import Action
from eigen_oracle.replies import calling, saying

_SUMMARY = "The customer has a request and is handed over without any work done on it."
_EMPTY = {"number": 0, "integer": 0, "boolean": False, "array": [], "object": {}}


class NullAgent(Backend):
    """Base of the agents that do nothing; it plays no other role."""

    simulated = True
    roles: frozenset[RoleName] = frozenset({"agent"})
    name: str

    @property
    def identity(self) -> str:
        """Its name: it has no settings."""
        return self.name

    async def complete(self, request: Request) -> Reply:
        """Answer an agent's request; raises `BackendError` for every other role."""
        if not isinstance(request.inputs, AgentInputs):
            raise BackendError(
                f"the backend `{self.name}` plays the agent, not the {request.role}",
                hint=f"set roles.{request.role}.name in eigen.toml to another backend",
            )
        return self.turn(request.inputs, request.tools)

    @abstractmethod
    def turn(self, inputs: AgentInputs, tools: ToolSchemas | None) -> Reply:
        """Return the agent's next turn."""


class SilentAgent(NullAgent):
    """Only ever asks for patience."""

    name = "null-silence"

    def turn(self, inputs: AgentInputs, tools: ToolSchemas | None) -> Reply:
        """Ask for a moment."""
        del inputs, tools
        return saying("One moment, please.")


class RefusingAgent(NullAgent):
    """Declines whatever is asked."""

    name = "null-refusal"

    def turn(self, inputs: AgentInputs, tools: ToolSchemas | None) -> Reply:
        """Decline."""
        del inputs, tools
        return saying("I am sorry, but I cannot help you with that request.")


class TransferringAgent(NullAgent):
    """Hands the customer over at once: with the domain's tool for it, and in words."""

    name = "null-transfer"

    def turn(self, inputs: AgentInputs, tools: ToolSchemas | None) -> Reply:
        """Call the tool once, then say so; where there is none, only say so."""
        handover = inputs.domain.handover_tool
        called = any(message.tool_calls for message in inputs.conversation)
        if handover is None or called:
            return saying("I have transferred you to a human colleague, who will take it from here.")
        return calling([Action(handover, _required(handover, tools))], number=0)


def _required(tool: str, tools: ToolSchemas | None) -> dict[str, Any]:
    """Return a value for each argument a tool requires: a text for text, the least there is for anything else."""
    definitions = () if tools is None else tools.definitions()
    schemas: Iterator[dict[str, Any]] = (
        one["function"]["parameters"] for one in definitions if one["function"]["name"] == tool
    )
    schema = next(schemas, {})
    return {name: _value(schema["properties"][name]) for name in schema.get("required", ())}


def _value(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    return _EMPTY.get(schema.get("type", "string"), _SUMMARY)
