"""Fingerprints of a domain's parts, so that a change invalidates exactly what it touches.

A part's fingerprint covers its own source text and, transitively, that of every function and class of the same package
it names. Text, not byte code: the same on every Python version.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from eigen_cli.api.canonical import canonical_json, content_hash, digest
from eigen_cli.api.domain import Domain, DomainFingerprint
from eigen_cli.world.toolbox import Toolbox


def fingerprint_of(domain: Domain, toolbox: Toolbox) -> DomainFingerprint:
    """Return the digests of a domain's tools, clauses, checks and generator."""
    reader = SourceReader(type(domain).__module__.split(".", 1)[0])
    tools = {
        f"{owner}:{name}": digest(canonical_json(tool.definition()), reader.closure(tool.method))
        for owner, owned in toolbox.tools.items()
        for name, tool in owned.items()
    }
    clauses = {
        clause.id: digest(clause.title, clause.text, " ".join(clause.tools), reader.closure(clause.guard))
        for clause in domain.clauses
    }
    checks = {name: digest(reader.closure(check)) for name, check in domain.checks.items()}
    return DomainFingerprint(
        domain=domain.name,
        version=domain.version,
        tools=dict(sorted(tools.items())),
        clauses=clauses,
        checks=dict(sorted(checks.items())),
        generator=digest(reader.closure(type(domain).generate), reader.closure(type(domain).canonical)),
    )


def fingerprint_digest(fingerprint: DomainFingerprint) -> str:
    """Return one digest of all the parts."""
    return content_hash(fingerprint)


class SourceReader:
    """Reads the sources a function depends on inside one package; each object's source is read once."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._sources: dict[int, tuple[str, tuple[Any, ...]]] = {}
        self._alive: list[Any] = []

    def closure(self, function: Callable[..., Any] | None) -> str:
        """Return the source of a function and of everything of the package it names, in a fixed order."""
        if function is None:
            return ""
        texts: dict[str, None] = {}
        seen: set[int] = set()
        pending = [function]
        while pending:
            part = pending.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            text, named = self._read(part)
            texts[text] = None
            pending += named
        return "\n".join(sorted(texts))

    def _read(self, part: Any) -> tuple[str, tuple[Any, ...]]:
        if id(part) not in self._sources:
            self._alive.append(part)  # ids stay unique while the object lives
            self._sources[id(part)] = self._read_anew(part)
        return self._sources[id(part)]

    def _read_anew(self, part: Any) -> tuple[str, tuple[Any, ...]]:
        if not (inspect.isfunction(part) or inspect.isclass(part)):
            state = [part.func, *part.args] if hasattr(part, "func") and hasattr(part, "args") else []
            return type(part).__qualname__, (*state, *([type(part)] if self._is_ours(type(part)) else []))
        try:
            text = textwrap.dedent(inspect.getsource(part))
        except (OSError, TypeError):
            return getattr(part, "__qualname__", repr(type(part))), ()
        return text, tuple(self._named_in(part, text))

    def _named_in(self, part: Any, text: str) -> Iterator[Any]:
        names = inspect.getmodule(part)
        module = vars(names) if names is not None else {}
        try:
            tree = ast.parse(text)
        except SyntaxError:  # a lambda cut out of an expression; its own text is all there is
            return
        for name in sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}):
            value = module.get(name)
            if (inspect.isfunction(value) or inspect.isclass(value)) and self._is_ours(value):
                yield value

    def _is_ours(self, value: Any) -> bool:
        return str(getattr(value, "__module__", "")).split(".", 1)[0] == self._package
