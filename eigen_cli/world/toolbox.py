"""Tool calling: one compiled toolbox a domain; every call returns a result, whatever the model wrote."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from eigen_cli.api.backend import ToolSchemas
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import DomainError, ToolError
from eigen_cli.api.messages import RecordChange, Requestor
from eigen_cli.api.tools import ToolKind, Tools
from eigen_cli.world.arguments import ArgumentError, Parameters, nearest, summary_of
from eigen_cli.world.world import World


@dataclass(frozen=True)
class Tool:
    """A compiled tool."""

    name: str
    owner: Requestor
    kind: ToolKind
    summary: str
    parameters: Parameters
    tools: type[Tools]
    method: Any

    def definition(self) -> dict[str, Any]:
        """Return the OpenAI tool definition."""
        function = {"name": self.name, "description": self.summary, "parameters": self.parameters.schema()}
        return {"type": "function", "function": function}


class CallOutcome(msgspec.Struct, frozen=True):
    """What a call did: the world after it (the same object if nothing changed), its text, and its diff."""

    world: World
    content: str
    error: bool = False
    changes: tuple[RecordChange, ...] = ()
    defect: str | None = None
    """Set when the tool itself broke (an exception other than `ToolError`): the domain's fault, not the caller's."""


class Toolbox:
    """All tools of a domain, by owner and name."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.tools: dict[Requestor, dict[str, Tool]] = {"agent": {}, "user": {}}
        for owner, tools in (("agent", domain.agent_tools), ("user", domain.user_tools)):
            if tools is not None:
                self.tools[owner] = _compiled(owner, tools)  # type: ignore[index,arg-type]
        self.schemas: dict[Requestor, ToolSchemas | None] = {
            owner: ToolSchemas.of([tool.definition() for tool in tools.values()]) if tools else None
            for owner, tools in self.tools.items()
        }

    def tool(self, requestor: Requestor, name: str) -> Tool | None:
        """Return a side's tool by name."""
        return self.tools[requestor].get(name)

    def writes(self, requestor: Requestor, name: str) -> bool:
        """Whether a name is a writing tool of that side."""
        tool = self.tool(requestor, name)
        return tool is not None and tool.kind == "write"

    def call(
        self, world: World, name: str, arguments: Mapping[str, Any], *, requestor: Requestor = "agent"
    ) -> CallOutcome:
        """Run one call. Never raises for anything a model or a domain tool does; a refused call changes nothing."""
        tool = self.tools[requestor].get(name)
        if tool is None:
            return CallOutcome(
                world, f"Error: there is no tool '{name}'{nearest(name, self.tools[requestor])}", error=True
            )
        transaction = world.begin()
        try:
            typed = tool.parameters.convert(arguments)
            unknown = tool.parameters.unknown_reference(typed, lambda table, key: self._exists(world, table, key))
            if unknown is not None:
                record = world.base.tables[unknown[0]].spec.record.__name__
                return CallOutcome(world, f"Error: {record} '{unknown[1]}' not found", error=True)
            value = tool.method(tool.tools(transaction), **typed)
            content = value if isinstance(value, str) else canonical_json(value).decode()
        except (ArgumentError, ToolError) as error:
            return CallOutcome(world, f"Error: {error}", error=True)
        except Exception as error:  # a domain's bug must cost one call, not the run
            defect = f"{name}: {type(error).__name__}: {error}"
            return CallOutcome(world, f"Error: {name} failed internally", error=True, defect=defect)
        if tool.kind != "write" and transaction.wrote:
            return CallOutcome(
                world, f"Error: {name} failed internally", error=True, defect=f"{name} is marked {tool.kind} but wrote"
            )
        after, changes = transaction.commit()
        return CallOutcome(after, content, changes=changes)

    def _exists(self, world: World, table: str, key: str) -> bool:
        base = world.base.tables.get(table)
        if base is None:
            raise DomainError(f"{self.domain.name}: a tool refers to the unknown table {table!r}")
        rows = world.delta.get(table)
        if rows is not None and key in rows:
            return rows[key] is not None
        return key in base.rows


def _compiled(owner: Requestor, tools: type[Tools]) -> dict[str, Tool]:
    compiled: dict[str, Tool] = {}
    # Definition order, base classes first: the order a reader of the domain sees.
    for cls in reversed(tools.__mro__):
        for name, method in vars(cls).items():
            kind = getattr(method, "__eigen_tool__", None)
            if kind is None:
                continue
            if inspect.iscoroutinefunction(method):
                raise DomainError(f"tool {name}: domain tools are synchronous")
            summary = summary_of(method)
            if not summary:
                raise DomainError(f"tool {name} has no docstring; models need one")
            compiled[name] = Tool(name, owner, kind, summary, Parameters(name, method), tools, method)
    return compiled
