"""What structured roles must answer: the JSON schemas of requests are made from these records."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from eigen_cli.api.backend import Schema
from eigen_cli.api.plans import EvaluationPlan, SynthesisPlan
from eigen_cli.api.tasks import Action, CheckCall, Communicate, Fact, Goal
from eigen_cli.api.verdicts import BlameParty


class PlannerOutput(msgspec.Struct, frozen=True):
    """One (synthesis, evaluation) pair."""

    synthesis: SynthesisPlan
    evaluation: EvaluationPlan


class SynthesizerOutput(msgspec.Struct, frozen=True):
    """A worded task. Ids and gold actions come from the grounded draft unless the plan gives a reason to differ."""

    persona: str
    reason: str
    goals: tuple[Goal, ...]
    gold: tuple[Action, ...]
    clauses: tuple[str, ...]
    known: tuple[Fact, ...] = ()
    unknown: tuple[str, ...] = ()
    instructions: str = ""
    communicate: tuple[Communicate, ...] = ()
    checks: tuple[CheckCall, ...] = ()


class JudgeOutput(msgspec.Struct, frozen=True):
    """A judge's reading of a failure that evidence left open."""

    party: BlameParty
    reason: str
    evidence: str


class ReflectorOutput(msgspec.Struct, frozen=True):
    """The child of a plan pair and the diagnosis that led to it."""

    diagnosis: str
    synthesis: SynthesisPlan
    evaluation: EvaluationPlan


@cache
def schema_of(output: type[msgspec.Struct]) -> Schema:
    """Return a self-contained JSON schema of an output record (definitions inlined under `$defs`)."""
    (reference,), components = msgspec.json.schema_components([output], ref_template="#/$defs/{name}")
    name = output.__name__
    body: dict[str, Any] = dict(components.pop(name)) if name in components else dict(reference)
    if components:
        body["$defs"] = components
    return Schema(name=name, body=body)
