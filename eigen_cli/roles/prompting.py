"""Prompts: Markdown files beside their roles, versioned by content, filled with named values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from eigen_cli.api.backend import ToolSchemas
from eigen_cli.api.canonical import digest
from eigen_cli.api.domain import Domain

PROMPT_NAMES = (
    "planner",
    "synthesizer",
    "task_verifier",
    "agent",
    "customer_tools",
    "user",
    "own_tools",
    "judge",
    "reflector",
)


@dataclass(frozen=True)
class Prompt:
    """A prompt template; `version` is `name@digest`, recorded with every completion it led to."""

    name: str
    version: str
    template: Template

    def render(self, **values: str) -> str:
        """Return the text with every `$name` filled; raises `KeyError` for a value that was not given."""
        return self.template.substitute(values).strip()


@cache
def load_prompt(name: str) -> Prompt:
    """Return the prompt in `roles/<name>.md`."""
    text = files("eigen_cli.roles").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Prompt(name, f"{name}@{digest(text)[:8]}", Template(text))


def prompt_versions() -> dict[str, str]:
    """Return the version of every prompt, by name."""
    return {name: load_prompt(name).version for name in PROMPT_NAMES}


def policy_text(domain: Domain) -> str:
    """Return a domain's policy: its preamble, then its clauses, numbered as they are cited."""
    clauses = "\n".join(f"{clause.id}. **{clause.title}.** {clause.text}" for clause in domain.clauses)
    return f"{domain.preamble().strip()}\n\n{clauses}".strip()


def tools_text(schemas: ToolSchemas | None) -> str:
    """Return tool definitions as one line a tool: name, typed parameters, what it does."""
    if schemas is None:
        return "(none)"
    lines = []
    for definition in schemas.definitions():
        function = definition["function"]
        required = set(function["parameters"].get("required", ()))
        parameters = ", ".join(
            f"{name}{'' if name in required else '?'}: {_type_name(schema)}"
            for name, schema in function["parameters"].get("properties", {}).items()
        )
        lines.append(f"- `{function['name']}({parameters})` {function['description']}")
    return "\n".join(lines)


def user_tools_text(schemas: ToolSchemas | None) -> str:
    """Return the section that lists the customer's own tools; nothing where there are none."""
    title = "## The customer's own tools (the agent cannot call them)"
    return "" if schemas is None else f"\n{title}\n{tools_text(schemas)}\n"


def _type_name(schema: dict[str, object]) -> str:
    if "enum" in schema:
        values = schema["enum"]
        assert isinstance(values, list)
        return "|".join(str(value) for value in values)
    kind = schema.get("type", "any")
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"{_type_name(schema['items'])}[]"  # type: ignore[arg-type]
    if kind == "object" and isinstance(schema.get("properties"), dict):
        fields = ", ".join(schema["properties"])  # type: ignore[arg-type]
        return f"{{{fields}}}"
    return str(kind)
