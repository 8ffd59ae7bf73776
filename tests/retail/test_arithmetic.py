"""The calculator."""

from __future__ import annotations

import pytest

from eigen_cli.api.errors import ToolError
from eigen_retail.arithmetic import calculated


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 2", "4.0"),
        ("94.10 + 40.20", "134.3"),
        ("2 * (14.50 + 3)", "35.0"),
        ("0.1 + 0.2", "0.3"),
        ("10 / 4 - 1", "1.5"),
        ("1 - 2 - 3", "-4.0"),
        ("12 / 2 / 3", "2.0"),
        ("-(4 - 6) / 8", "0.25"),
        ("--3 + +1", "4.0"),
        ("1 / 3", "0.33"),
        (".5 + 5.", "5.5"),
        ("  7  ", "7.0"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert calculated(expression) == value


@pytest.mark.parametrize(
    "expression",
    ["", "1 +", "2 ** 3", "5 // 2", "(1 + 2", "1 + 2)", "1 2", "abc", "1; 2", "__import__('os')", "1e3", "1..2", "."],
)
def test_anything_else_is_refused(expression: str) -> None:
    with pytest.raises(ToolError, match="no arithmetic expression"):
        calculated(expression)


def test_limits() -> None:
    with pytest.raises(ToolError, match="divides by zero"):
        calculated("1 / (2 - 2)")
    with pytest.raises(ToolError, match="longer than 300"):
        calculated("1+" * 200 + "1")
    with pytest.raises(ToolError, match="longer than 300"):
        calculated("(" * 301)
    assert calculated("(" * 100 + "1" + ")" * 100) == "1.0"
