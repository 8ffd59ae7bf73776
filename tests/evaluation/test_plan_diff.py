"""What became of plans: slots, children tried in vain, and the lines by which plans differ."""

from __future__ import annotations

from typing import Literal

from eigen_cli.api.plans import EvaluationPlan, Guideline, Plan, PlanBody, PlanRecord, Quota, SynthesisPlan
from eigen_cli.evaluation.plan_diff import plan_changes, plan_text, text_changes


def plan(
    slot: int = 0,
    *,
    focus: str = "Conversations about 'a', 'b' and 'c'.",
    quotas: tuple[tuple[str, int], ...] = (("lend", 2), ("return", 1)),
    guidelines: tuple[tuple[str, str], ...] = (),
    criteria: tuple[tuple[str, str], ...] = (),
    parent: str | None = None,
    domain: str = "library",
) -> Plan:
    return Plan.of(
        PlanBody(
            domain,
            slot,
            SynthesisPlan(
                focus,
                tuple(Quota(*quota) for quota in quotas),
                ("in a hurry",),
                tuple(Guideline(*line) for line in guidelines),
            ),
            EvaluationPlan(tuple(Guideline(*line) for line in criteria)),
            parent,
            "planner" if parent is None else "reflector",
        )
    )


def record(of: Plan, status: Literal["used", "adopted", "rejected"] = "used") -> PlanRecord:
    return PlanRecord(of, status)


def test_a_plan_as_lines_that_stand_alone() -> None:
    whole = plan(guidelines=(("missing_fact", "Name\nthe book."), ("", "Be brief.")), criteria=(("gave_up", "No."),))
    assert list(plan_text(whole)) == [
        "guideline (missing_fact): Name the book.",
        "guideline: Be brief.",
        "criterion (gave_up): No.",
        "focus: Conversations about 'a',",
        "focus: 'b' and 'c'.",
        "persona: in a hurry",
        "quota: lend 2",
        "quota: return 1",
    ]


def test_only_the_lines_that_differ_are_told() -> None:
    before = plan(guidelines=(("", "-- begins with dashes"), ("", "Stays.")))
    after = plan(
        focus="Conversations about 'a', 'd' and 'c'.",
        quotas=(("return", 1), ("lend", 3)),
        guidelines=(("", "Stays."), ("near_duplicate", "++ begins with pluses")),
    )
    assert text_changes(before, after) == (
        "-guideline: -- begins with dashes",
        "+guideline (near_duplicate): ++ begins with pluses",
        "-focus: 'b' and 'c'.",
        "+focus: 'd' and 'c'.",
        "-quota: lend 2",
        "+quota: lend 3",
    )
    assert text_changes(before, before) == ()


def test_slots_are_kept_replaced_added_and_dropped() -> None:
    kept, old, gone, fresh = plan(0), plan(1), plan(2), plan(4)
    child = plan(1, parent=old.id, quotas=(("lend", 5),))
    tried = plan(0, parent=kept.id, quotas=(("lend", 9),))
    other = plan(0, domain="airline")
    changes = plan_changes(
        [record(kept), record(old), record(gone), record(plan(1, parent="x"), "rejected")],
        [record(kept), record(child, "adopted"), record(fresh), record(tried, "rejected"), record(other)],
    )
    assert [(change.domain, change.slot, change.kind) for change in changes] == [
        ("airline", 0, "added"),
        ("library", 0, "kept"),
        ("library", 1, "replaced"),
        ("library", 2, "dropped"),
        ("library", 4, "added"),
    ]
    by_slot = {(change.domain, change.slot): change for change in changes}
    assert by_slot["library", 0].rejected == (record(tried, "rejected"),)
    # What the earlier generation had rejected is no news of the later one.
    assert by_slot["library", 1].rejected == ()
    assert by_slot["library", 1].after == record(child, "adopted")
    assert by_slot["library", 1].text == ("-quota: lend 2", "-quota: return 1", "+quota: lend 5")
