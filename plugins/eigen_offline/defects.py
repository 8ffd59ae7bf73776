"""Planting defects in a task: each is what one rejection reason exists to catch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from eigen_cli.api.domain import Domain, Draft
from eigen_cli.api.inputs import SynthesizerInputs
from eigen_cli.api.outputs import SynthesizerOutput
from eigen_cli.api.tasks import Action, CheckCall
from eigen_offline.faults import DefectDraws
from eigen_offline.tools import writes
from eigen_offline.untruths import mangled

HEEDED = 0.1
"""What is left of a defect's rate under a guideline against it: authors mostly do what they are told."""
MENDED = 0.7
"""How often a repair mends a defect that its rejection names."""

_ID = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])\w{4,}")
_replace = msgspec.structs.replace


def planted(inputs: SynthesizerInputs, draws: DefectDraws, rates: Mapping[str, float]) -> tuple[str, ...]:
    """Return the defects of this attempt, in the order of the draws.

    A first attempt plants what its draws say under the plan's guidelines; a repair keeps what it was told of and did
    not manage to mend, and what it was not told of.
    """
    heeded = {guideline.reason for guideline in inputs.plan.body.synthesis.guidelines}
    drawn = [
        defect for defect, draw in draws.draws.items() if draw < rates.get(defect, 0.0) and _possible(defect, inputs)
    ]
    if "gold_error" in drawn or "policy_breach" in drawn:
        # Gold can be spoilt in one way at a time; which way is drawn before any guideline, so that plans compare.
        drawn = [defect for defect in drawn if defect != "null_policy_passes"]
    defects = [
        defect for defect in drawn if defect not in heeded or draws.draws[defect] < HEEDED * rates.get(defect, 0.0)
    ]
    named = {rejection.reason for rejection in inputs.rejections}
    return tuple(defect for defect in defects if not (defect in named and draws.fixes[defect] < MENDED))


def _possible(defect: str, inputs: SynthesizerInputs) -> bool:
    draft, domain = inputs.draft, inputs.domain
    if defect == "policy_breach":
        return bool(draft.breach)
    if defect == "null_policy_passes":
        return _writes(domain, draft.gold)
    if defect == "missing_positive_check":
        return not _writes(domain, draft.gold) and bool(draft.checks or draft.communicate)
    if defect == "missing_fact":
        return bool(_needed_facts(draft))
    if defect == "gold_error":
        return any(_ID.fullmatch(value) for action in draft.gold for value in _texts(action.arguments))
    return True


def with_defect(
    defect: str, output: SynthesizerOutput, *, inputs: SynthesizerInputs, place: float
) -> SynthesizerOutput:
    """Return the task with one defect; `place` in [0, 1) chooses where it goes."""
    if defect == "gold_error":
        return _replace(output, gold=_with_wrong_id(output.gold, place))
    if defect == "missing_fact":
        return _without_fact(output, _needed_facts(inputs.draft), place)
    if defect == "policy_breach":
        return _replace(output, gold=inputs.draft.breach)
    if defect == "null_policy_passes":
        reads = tuple(action for action in output.gold if not writes(inputs.domain, action.name))
        return _replace(output, gold=reads, checks=(CheckCall("world_unchanged"),), communicate=())
    if defect == "missing_positive_check":
        return _replace(output, checks=(), communicate=())
    return output


def broken_text(text: str, place: float, attempt: int) -> str:
    """Return the answer in a form that cannot be used: cut short (once or stubbornly), or naming no known clause."""
    if place >= 0.7:
        return text.replace('"clauses":[', '"clauses":["0.0",', 1).replace('"0.0",]', '"0.0"]', 1)
    if place < 0.35 and attempt % 10:
        return text
    return text[: len(text) * 2 // 3]


def _writes(domain: Domain, gold: Sequence[Action]) -> bool:
    return any(action.requestor == "user" or writes(domain, action.name) for action in gold)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return []


def _needed_facts(draft: Draft) -> list[str]:
    """Return values of facts that gold uses and that the requests do not already tell, identities first."""
    used = {text for action in draft.gold for text in _texts(action.arguments)}
    prose = " ".join([draft.instructions, *(goal.request for goal in draft.goals)])
    facts = [*draft.known, *(fact for goal in draft.goals for fact in goal.facts)]
    values = [fact.value for fact in facts if isinstance(fact.value, str)]
    return [value for value in dict.fromkeys(values) if value in used and _ID.fullmatch(value) and value not in prose]


def _without_fact(output: SynthesizerOutput, values: list[str], place: float) -> SynthesizerOutput:
    value = values[int(place * len(values))]
    goals = tuple(
        _replace(goal, facts=tuple(fact for fact in goal.facts if fact.value != value)) for goal in output.goals
    )
    return _replace(output, goals=goals, known=tuple(fact for fact in output.known if fact.value != value))


def _with_wrong_id(gold: tuple[Action, ...], place: float) -> tuple[Action, ...]:
    ids = [value for action in gold for value in _texts(action.arguments) if _ID.fullmatch(value)]
    wrong = ids[int(place * len(ids))]
    spelt = mangled(wrong)
    return tuple(_replace(action, arguments=_swapped(action.arguments, wrong, spelt)) for action in gold)


def _swapped(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {name: _swapped(item, old, new) for name, item in value.items()}
    if isinstance(value, list):
        return [_swapped(item, old, new) for item in value]
    return new if value == old else value
