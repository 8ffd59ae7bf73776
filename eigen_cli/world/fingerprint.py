"""Fingerprints of a domain's parts, so that a change invalidates exactly what it touches.

A part's fingerprint covers its own source text and, transitively, that of every function and class of the same package
it names, and the values of the constants it names. Text, not byte code: the same on every Python version.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from eigen_cli.api.canonical import canonical_json, content_hash, digest
from eigen_cli.api.domain import Domain, DomainFingerprint
from eigen_cli.world.toolbox import Toolbox


def fingerprint_of(domain: Domain, toolbox: Toolbox) -> DomainFingerprint:
    """Return the digests of a domain's tools, clauses, checks and generator."""
    reader = SourceReader(_packages_of(domain))
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
        templates={template.name: digest(reader.closure(template)) for template in domain.templates},
        generator=digest(reader.closure(type(domain).generate), reader.closure(type(domain).canonical)),
        manner=_manner(domain),
    )


def _packages_of(domain: Domain) -> frozenset[str]:
    """Return the packages a domain is made of: its own and those of the domains it extends, but not eigen's core."""
    core = __name__.split(".", 1)[0]
    homes = {cls.__module__.split(".", 1)[0] for cls in type(domain).__mro__ if issubclass(cls, Domain)}
    return frozenset(homes - {core}) or frozenset({core})


def playbook_digest(domain: Domain) -> str:
    """Return the digest of a domain's procedures for simulated actors; they change what only simulators say."""
    playbook = domain.playbook()
    reader = SourceReader(_packages_of(domain))
    return digest(reader.closure(playbook)) if playbook is not None else ""


def _manner(domain: Domain) -> str:
    said = (domain.preamble(), domain.greeting, domain.fact_kinds, domain.personas, domain.handover_tool)
    return content_hash((said, domain.reward_training, domain.reward_evaluation, sorted(domain.benchmark_entities)))


def fingerprint_digest(fingerprint: DomainFingerprint) -> str:
    """Return one digest of all the parts."""
    return content_hash(fingerprint)


@dataclasses.dataclass(frozen=True)
class ModuleSource:
    """A module's text, and by qualified name the text and the tree of each function and class in it."""

    text: str
    parts: Mapping[str, tuple[str, ast.AST]]

    @classmethod
    def of(cls, module: ModuleType) -> ModuleSource:
        """Read and parse a module once; `inspect.getsource` would search it anew for every class."""
        try:
            text = inspect.getsource(module)
        except (OSError, TypeError):
            return cls(module.__name__, {})
        lines = text.splitlines()
        parts: dict[str, tuple[str, ast.AST]] = {}

        def collect(node: ast.AST, prefix: str) -> None:
            for child in getattr(node, "body", ()):  # statements only: definitions stand nowhere else
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                    parts[prefix + child.name] = ("\n".join(lines[first - 1 : child.end_lineno]), child)
                    inner = "." if isinstance(child, ast.ClassDef) else ".<locals>."
                    collect(child, prefix + child.name + inner)
                else:
                    collect(child, prefix)

        collect(ast.parse(text), "")
        return cls(text, parts)


class SourceReader:
    """Reads the sources a function depends on inside a domain's packages; each object's source is read once."""

    def __init__(self, packages: frozenset[str]) -> None:
        self._packages = packages
        self._modules: dict[str, ModuleSource] = {}
        self._sources: dict[int, tuple[str, tuple[Any, ...]]] = {}
        self._alive: list[Any] = []

    def closure(self, part: Any) -> str:
        """Return the text of a function, class or object and of all of the package that it names, in a fixed order."""
        if part is None:
            return ""
        texts: dict[str, None] = {}
        seen: set[int] = set()
        pending = [part]
        while pending:
            part = pending.pop()
            if id(part) not in seen:
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
        if not (inspect.isfunction(part) or inspect.isclass(part) or inspect.ismodule(part)):
            return self._read_object(part)
        module = part if inspect.ismodule(part) else inspect.getmodule(part)
        if module is None:
            return repr(type(part)), ()
        source = self._modules.get(module.__name__)
        if source is None:
            source = self._modules[module.__name__] = ModuleSource.of(module)
        if part is module:
            return source.text, ()
        found = source.parts.get(part.__qualname__)
        # A lambda has no place of its own: the whole module stands for it.
        return self._with_named(vars(module), *found) if found else (source.text, ())

    def _read_object(self, part: Any) -> tuple[str, tuple[Any, ...]]:
        """Return an object's plain values as text, and its class and whatever else it holds to be read on."""
        if isinstance(part, functools.partial):
            held: list[Any] = [part.func, *part.args, *part.keywords.values()]
        elif isinstance(part, tuple | list):
            held = list(part)
        elif isinstance(part, Mapping):
            held = [item for pair in part.items() for item in pair]
        else:
            held = [getattr(part, name) for name in _fields_of(part)]
        plain, deeper = [], [type(part)] if self._is_ours(type(part)) else []
        for value in held:
            text = _value_text(value)
            if text is not None:
                plain.append(text)
            elif self._holds_sources(value):
                deeper.append(value)
        return f"{type(part).__qualname__} {' '.join(plain)}", tuple(deeper)

    def _with_named(self, module: Mapping[str, Any], text: str, node: ast.AST) -> tuple[str, tuple[Any, ...]]:
        """Return a source text with the values of the constants it names, and the functions and classes it names."""
        named, constants = [], []
        for name in sorted({inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}):
            value = module.get(name)
            readable = inspect.isfunction(value) or inspect.isclass(value) or inspect.ismodule(value)
            if readable and self._is_ours(value):
                named.append(value)
            elif (constant := _value_text(value)) is not None:
                constants.append(f"{name} = {constant}")
            elif not readable and self._holds_sources(value):
                named.append(value)
        return "\n".join([text, *constants]), tuple(named)

    def _holds_sources(self, value: Any) -> bool:
        """Whether a value that is no plain constant leads to sources of the domain's."""
        if callable(value):
            return self._is_ours(value) or isinstance(value, functools.partial)
        return self._is_ours(type(value)) or isinstance(value, tuple | list | Mapping)

    def _is_ours(self, value: Any) -> bool:
        home = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
        return str(home).split(".", 1)[0] in self._packages


def _fields_of(part: Any) -> tuple[str, ...]:
    if dataclasses.is_dataclass(part):
        return tuple(field.name for field in dataclasses.fields(part))
    return tuple(sorted(vars(part))) if hasattr(part, "__dict__") else ()


def _value_text(value: Any) -> str | None:
    """Return a constant's canonical text; None for what is no plain value."""
    if value is None or callable(value) or inspect.ismodule(value):
        return None
    if isinstance(value, re.Pattern):
        return f"{value.pattern!r} {value.flags}"
    try:
        return canonical_json(value).decode()
    except (TypeError, ValueError, NotImplementedError):
        return None
