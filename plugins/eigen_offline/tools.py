"""What the agent knows of its tools: schemas from the request, and which tools write from the domain's marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eigen_cli.api.backend import ToolSchemas
from eigen_cli.api.domain import Domain


@dataclass(frozen=True)
class ToolSketch:
    """A tool as its schema describes it."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    writes: bool


_sketched: dict[tuple[Domain, str], Mapping[str, ToolSketch]] = {}


def sketches_of(domain: Domain, schemas: ToolSchemas | None) -> Mapping[str, ToolSketch]:
    """Return the agent's tools by name, in schema order."""
    if schemas is None:
        return {}
    found = _sketched.get((domain, schemas.digest))
    if found is None:
        found = _sketched[domain, schemas.digest] = _sketches(domain, schemas)
    return found


def _sketches(domain: Domain, schemas: ToolSchemas) -> Mapping[str, ToolSketch]:
    found = {}
    for definition in schemas.definitions():
        function = definition["function"]
        parameters = function.get("parameters", {})
        name = function["name"]
        found[name] = ToolSketch(
            name=name,
            description=function.get("description", ""),
            parameters=parameters.get("properties", {}),
            required=tuple(parameters.get("required", ())),
            writes=writes(domain, name),
        )
    return found


def writes(domain: Domain, tool: str) -> bool:
    """Whether a tool of the agent changes the world."""
    return getattr(getattr(domain.agent_tools, tool, None), "__eigen_tool__", None) == "write"
