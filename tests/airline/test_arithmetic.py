"""The calculator."""

from __future__ import annotations

import pytest

from eigen_airline.arithmetic import LONGEST, calculated
from eigen_cli.api.errors import ToolError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 2", "4.0"),
        ("2 * (145 + 30)", "350.0"),
        ("10 / 4", "2.5"),
        ("10 / 3", "3.33"),
        ("-5 + +2", "-3.0"),
        ("0.1 + 0.2", "0.3"),
        (" (1) ", "1.0"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert calculated(expression) == value


@pytest.mark.parametrize(
    "expression",
    ["", "7 -", "2 3", "1e3", "__import__('os')", "2 ** 8", "7 // 2", "a + 1", "1,000 + 1", "(1", "1 < 2", "()"],
)
def test_what_is_no_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ToolError):
        calculated(expression)


def test_division_by_zero_says_so() -> None:
    with pytest.raises(ToolError, match="zero"):
        calculated("1 / (2 - 2)")


def test_long_and_deep_and_huge_expressions_are_refused_not_run() -> None:
    with pytest.raises(ToolError, match="longer"):
        calculated("1+" * LONGEST + "1")
    with pytest.raises(ToolError):
        calculated("(" * 149 + "1" + ")" * 140)
    # Too short to leave the range of floats: nothing prints as infinite.
    assert calculated("9" * 150 + "*" + "9" * 149) == "1e+299"
