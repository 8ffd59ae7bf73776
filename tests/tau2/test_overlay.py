"""A world with changes on top: reads see them, the world below does not, and patches are what differs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from telecom_pair import DOMAIN, OFFICIAL

from eigen_cli.api.errors import ToolError
from eigen_tau2.overlay import Overlay
from eigen_telecom.records import Line, Plan


@pytest.fixture
def overlay() -> Overlay:
    return Overlay(OFFICIAL, DOMAIN.tables)


def test_reads_see_what_was_put_and_removed(overlay: Overlay) -> None:
    lines = overlay.table(Line)
    first = lines.require("L1001")
    lines.put(replace(first, phone_number="1"))
    lines.put(replace(first, line_id="L2000", phone_number="1"))
    lines.delete("L1002")
    assert [line.line_id for line in lines.find(phone_number="1")] == ["L1001", "L2000"]
    assert list(lines.keys()) == ["L1001", *(f"L100{place}" for place in range(3, 10)), "L2000"]
    assert [line.line_id for line in lines.values()] == list(lines.keys())
    assert ("L1002" in lines, "L2000" in lines, len(lines)) == (False, True, 9)
    assert lines.get("L1002") is None
    assert OFFICIAL.table(Line).get("L1002") is not None
    with pytest.raises(ToolError, match="Line 'L1002' not found"):
        lines.delete("L1002")


def test_patches_make_the_same_world(overlay: Overlay) -> None:
    lines, plans = overlay.table(Line), overlay.table(Plan)
    first = lines.require("L1001")
    lines.put(replace(first, data_used_gb=1.0))
    lines.delete("L1003")
    plans.put(replace(plans.require("P1001"), name="Other"))
    plans.put(plans.below.get("P1001"))  # type: ignore[arg-type]
    patches = overlay.patches()
    assert [(patch.table, patch.key) for patch in patches] == [("lines", "L1001"), ("lines", "L1003")]
    world = OFFICIAL.patched(patches)
    assert DOMAIN.sides(world) == DOMAIN.sides(OFFICIAL.patched(patches[:1]).patched(patches[1:]))
    assert list(world.table(Line).values()) == list(lines.values())


def test_sequences_count_up(overlay: Overlay) -> None:
    assert [overlay.sequence("bills"), overlay.sequence("bills"), overlay.sequence("others")] == [1, 2, 1]
