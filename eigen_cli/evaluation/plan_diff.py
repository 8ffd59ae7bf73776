"""What became of plans from one generation to another: slot by slot, and line by line of what a plan says."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal

import msgspec

from eigen_cli.api.plans import Plan, PlanRecord

Slot = tuple[str, int]


class SlotChange(msgspec.Struct, frozen=True):
    """One slot of one domain: the plan each generation used there, and the children the later one tried in vain."""

    domain: str
    slot: int
    kind: Literal["kept", "replaced", "added", "dropped"]
    before: PlanRecord | None
    after: PlanRecord | None
    rejected: tuple[PlanRecord, ...] = ()
    """Kept as rejected by the later generation."""
    text: tuple[str, ...] = ()
    """Lines only the earlier plan has, after `-`, and only the later one, after `+`; where a plan was replaced."""


def plan_changes(before: Sequence[PlanRecord], after: Sequence[PlanRecord]) -> tuple[SlotChange, ...]:
    """Return what became of every slot, by domain and slot."""
    earlier, later = _in_force(before), _in_force(after)
    tried: dict[Slot, list[PlanRecord]] = {}
    for record in after:
        if record.status == "rejected":
            tried.setdefault(_slot(record), []).append(record)
    return tuple(
        _change(slot, earlier.get(slot), later.get(slot), tuple(tried.get(slot, ())))
        for slot in sorted({*earlier, *later, *tried})
    )


def _change(
    slot: Slot, before: PlanRecord | None, after: PlanRecord | None, rejected: tuple[PlanRecord, ...]
) -> SlotChange:
    domain, number = slot
    if before is None or after is None:
        return SlotChange(domain, number, "dropped" if after is None else "added", before, after, rejected)
    if before.plan.id == after.plan.id:
        return SlotChange(domain, number, "kept", before, after, rejected)
    return SlotChange(domain, number, "replaced", before, after, rejected, text_changes(before.plan, after.plan))


def text_changes(before: Plan, after: Plan) -> tuple[str, ...]:
    """Return the lines by which two plans differ, each behind its sign, in the order of the plan's parts."""
    lines = difflib.unified_diff(list(plan_text(before)), list(plan_text(after)), lineterm="", n=0)
    return tuple(line for line in lines if line[:2] not in ("--", "++", "@@"))


def plan_text(plan: Plan) -> Iterator[str]:
    """Yield a plan as lines that begin with what they are, so that a line tells its meaning without its neighbours."""
    synthesis = plan.body.synthesis
    texts = chain(
        (("guideline", line) for line in synthesis.guidelines),
        (("criterion", line) for line in plan.body.evaluation.criteria),
    )
    for name, line in texts:
        why = f" ({line.reason})" if line.reason else ""
        yield f"{name}{why}: {' '.join(line.text.split())}"
    yield from (f"focus: {piece}" for piece in _pieces(synthesis.focus))
    yield from (f"persona: {persona}" for persona in synthesis.personas)
    yield from sorted(f"quota: {quota.template} {quota.weight}" for quota in synthesis.quotas)


def _pieces(focus: str) -> list[str]:
    """Return a focus in pieces: an enumeration of thirty templates must not differ as one line."""
    return " ".join(focus.split()).replace(", ", ",\n").replace(". ", ".\n").splitlines()


def _in_force(records: Sequence[PlanRecord]) -> dict[Slot, PlanRecord]:
    return {_slot(record): record for record in records if record.status != "rejected"}


def _slot(record: PlanRecord) -> Slot:
    return record.plan.body.domain, record.plan.body.slot
