"""The benchmark's calculator, which evaluates its expression as Python, read here as a syntax tree instead.

So `**` and `//` work, whole numbers stay exact until the end, and `01` is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from eigen_cli.api.errors import ToolError

LONGEST = 2_000
"""Characters; the benchmark takes any number."""
_LARGEST_POWER = 20_000
"""Bits a power may have; the benchmark computes any, for hours if need be."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def calculated(expression: Any) -> str:
    """Return the value rounded to cents, written as a float (`4.0`). Raises `ToolError`."""
    if not isinstance(expression, str) or not set(expression) <= set("0123456789+-*/(). "):
        raise ToolError("The expression may hold only numbers, + - * /, parentheses and spaces")
    if len(expression) > LONGEST:
        raise ToolError(f"The expression is longer than {LONGEST} characters")
    try:
        value = _value(ast.parse(expression.lstrip(), mode="eval").body)
        return str(round(float(value), 2))
    except ZeroDivisionError:
        raise ToolError("The expression divides by zero") from None
    except (SyntaxError, MemoryError, RecursionError, OverflowError, TypeError, ValueError):
        raise ToolError(f"'{expression}' is not an arithmetic expression") from None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](left, right)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
    raise ValueError("not arithmetic")


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > _LARGEST_POWER:
        raise OverflowError("too large")
    return base**exponent
