"""The page about the bridge names every defect that the bridge repeats."""

from __future__ import annotations

import re
from pathlib import Path

from eigen_tau2.defects import DEFECTS

PAGE = Path(__file__).resolve().parents[2] / "docs/tau2.md"


def test_every_defect_is_on_the_page_and_no_other() -> None:
    section = PAGE.read_text("utf-8").split("## Known upstream defects")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", section.split("|---|")[-1]))
    assert named == {defect.name for defect in DEFECTS}
