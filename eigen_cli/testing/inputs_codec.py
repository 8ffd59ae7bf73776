"""Typed inputs of a request as JSON, so that simulated actors can sit behind a socket.

Domains and scenario templates are code: they travel by name and are looked up again at the other end. A template that
exploration made, and no domain declares, arrives as its description.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import random
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from eigen_cli.api.domain import Domain, ScenarioTemplate
from eigen_cli.api.inputs import (
    AgentInputs,
    JudgeInputs,
    PlannerInputs,
    ReflectorInputs,
    SynthesizerInputs,
    UserInputs,
)
from eigen_cli.api.world import WorldView

RoleInputs = PlannerInputs | SynthesizerInputs | AgentInputs | UserInputs | JudgeInputs | ReflectorInputs
FindDomain = Callable[[str], Domain]

_CLASSES: dict[str, type[RoleInputs]] = {cls.__name__: cls for cls in typing.get_args(RoleInputs)}
# Not canonical: the order of a call's arguments is the order they are written in.
_encoder = msgspec.json.Encoder(decimal_format="number")
_BY_NAME = frozenset({"domain", "templates"})


class DescribedTemplate(msgspec.Struct, frozen=True):
    """What a scenario template says of itself; tasks are drafted where the template is, never from here."""

    name: str
    family: str
    tools: tuple[str, ...]
    clauses: tuple[str, ...]
    difficulty: int

    @staticmethod
    def of(template: ScenarioTemplate) -> DescribedTemplate:
        """Return a template's description."""
        return DescribedTemplate(
            template.name, template.family, tuple(template.tools), tuple(template.clauses), template.difficulty
        )

    def draft(self, _world: WorldView, _rng: random.Random) -> None:
        """Return no draft."""


class _Envelope(msgspec.Struct, frozen=True):
    """What goes over the wire. `templates` keeps the keys and the order they have in the inputs."""

    type: str
    domain: str
    fields: dict[str, msgspec.Raw]
    templates: dict[str, DescribedTemplate] = {}


def encode(inputs: RoleInputs) -> bytes:
    """Return the inputs as JSON. Values typed `Any` (facts, arguments) must be JSON values."""
    names = [field.name for field in dataclasses.fields(inputs) if field.name not in _BY_NAME]
    templates: Mapping[str, ScenarioTemplate] = getattr(inputs, "templates", {})
    envelope = _Envelope(
        type=type(inputs).__name__,
        domain=inputs.domain.name,
        fields={name: msgspec.Raw(_encoder.encode(getattr(inputs, name))) for name in names},
        templates={key: DescribedTemplate.of(template) for key, template in templates.items()},
    )
    return msgspec.json.encode(envelope)


def decode(data: bytes | str, *, find_domain: FindDomain | None = None) -> RoleInputs:
    """Return the inputs that `encode` wrote; sequences come back as tuples.

    `find_domain` turns a name into a domain (default: the installed plugin). Raises `msgspec.ValidationError` for
    what is no encoded inputs, and what `find_domain` raises for a domain it does not know.
    """
    envelope = msgspec.json.decode(data, type=_Envelope)
    cls = _CLASSES.get(envelope.type)
    if cls is None:
        raise msgspec.ValidationError(f"no inputs are called {envelope.type!r}")
    domain = (find_domain or installed_domain)(envelope.domain)
    decoders = _decoders(envelope.type)
    if missing := decoders.keys() - envelope.fields.keys():
        raise msgspec.ValidationError(f"{envelope.type} lacks {', '.join(sorted(missing))}")
    values: dict[str, Any] = {name: decoder.decode(envelope.fields[name]) for name, decoder in decoders.items()}
    if "templates" in _hints(envelope.type):
        values["templates"] = _templates(domain, envelope.templates)
    return cls(domain=domain, **values)


@functools.cache
def installed_domain(name: str) -> Domain:
    """Return the installed domain plugin of that name, made once."""
    # Finding plugins reads package metadata: 40 ms that a process without simulated actors need not spend.
    from eigen_cli.run.plugins import load_plugins

    domain = load_plugins().load("domain", name)()
    assert isinstance(domain, Domain)
    return domain


def _templates(domain: Domain, described: Mapping[str, DescribedTemplate]) -> dict[str, ScenarioTemplate]:
    own: dict[str, ScenarioTemplate] = {template.name: template for template in domain.templates}
    return {key: own.get(template.name, template) for key, template in described.items()}


@functools.cache
def _hints(name: str) -> dict[str, Any]:
    return typing.get_type_hints(_CLASSES[name])


@functools.cache
def _decoders(name: str) -> dict[str, msgspec.json.Decoder[Any]]:
    return {
        field: msgspec.json.Decoder(_concrete(hint)) for field, hint in _hints(name).items() if field not in _BY_NAME
    }


def _concrete(hint: Any) -> Any:
    """Return a type hint with an abstract sequence as the tuple it is in practice."""
    if typing.get_origin(hint) is collections.abc.Sequence:
        return tuple.__class_getitem__((*typing.get_args(hint), ...))
    return hint
