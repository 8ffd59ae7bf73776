"""The calculator: numbers, `+ - * /` and parentheses, walked as a syntax tree and never evaluated as code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from eigen_cli.api.errors import ToolError

LONGEST = 300
"""Characters; bounds the tree's depth and the size of numbers."""

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def calculated(expression: str) -> str:
    """Return the value rounded to cents, written as a float (`4.0`). Raises `ToolError`."""
    if len(expression) > LONGEST:
        raise ToolError(f"The expression is longer than {LONGEST} characters")
    if not set(expression) <= set("0123456789+-*/(). "):
        raise ToolError("The expression may hold only numbers, + - * /, parentheses and spaces")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
        return str(round(value, 2))
    except ZeroDivisionError:
        raise ToolError("The expression divides by zero") from None
    except (SyntaxError, MemoryError, RecursionError, OverflowError, ValueError):
        raise ToolError(f"'{expression}' is not an arithmetic expression") from None


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand))
    raise ValueError("not arithmetic")
