"""How a domain declares tools: plain typed methods, marked as reading or writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

from eigen_cli.api.world import Transaction

ToolKind = Literal["read", "write", "other"]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Ref:
    """Marks a parameter as the key of a table: `user_id: Annotated[str, Ref("users")]`.

    The engine refuses unknown keys before the tool runs (unless `must_exist` is false) and draws real keys when
    it explores.
    """

    table: str
    must_exist: bool = True


@dataclass(frozen=True, slots=True)
class Examples:
    """Values an explorer may try for a parameter that no record supplies."""

    values: tuple[Any, ...]


def reads(method: F) -> F:
    """Mark a tool that only looks; a write inside it is an error of the domain."""
    method.__eigen_tool__ = "read"  # type: ignore[attr-defined]
    return method


def writes(method: F) -> F:
    """Mark a tool that may change the world."""
    method.__eigen_tool__ = "write"  # type: ignore[attr-defined]
    return method


def acts(method: F) -> F:
    """Mark a tool that neither reads nor writes records (a calculator, a hand-over)."""
    method.__eigen_tool__ = "other"  # type: ignore[attr-defined]
    return method


class Tools:
    """Base of a domain's tool set; one instance serves one call.

    A tool is a method marked with `reads`, `writes` or `acts`. Its signature becomes the JSON schema, its docstring
    (first paragraph, then Google-style `Args:`) the descriptions. It returns a record, a JSON value or a string, and
    raises `ToolError` with a text the model can act on.
    """

    owner: ClassVar[Literal["agent", "user"]] = "agent"
    __slots__ = ("world",)

    def __init__(self, world: Transaction) -> None:
        self.world = world
