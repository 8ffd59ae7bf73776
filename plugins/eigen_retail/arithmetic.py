"""The calculator: a recursive descent over `+ - * /`, parentheses and numbers; nothing is ever evaluated as code.

Sums are exact (`0.1 + 0.2` is 0.3); only the result is rounded, to cents.
"""

from __future__ import annotations

import re
from fractions import Fraction

from eigen_cli.api.errors import ToolError

LONGEST = 300
"""Characters; bounds the depth of the descent and the size of the numbers."""

_TOKEN = re.compile(r"\s*(\d+\.?\d*|\.\d+|[-+*/()])")


def calculated(expression: str) -> str:
    """Return the value rounded to cents, written as a float (`4.0`). Raises `ToolError`."""
    if len(expression) > LONGEST:
        raise ToolError(f"The expression is longer than {LONGEST} characters")
    try:
        reader = _Reader(_tokens(expression))
        value = reader.total()
        if reader.place != len(reader.tokens):
            raise ValueError("something is left over")
        return str(round(float(value), 2))
    except ZeroDivisionError:
        raise ToolError("The expression divides by zero") from None
    except (ValueError, IndexError, OverflowError):
        raise ToolError(
            f"'{expression}' is no arithmetic expression of numbers, + - * /, parentheses and spaces"
        ) from None


def _tokens(expression: str) -> list[str]:
    found, place, text = [], 0, expression.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError("a character that is not arithmetic")
        found.append(match[1])
        place = match.end()
    return found


class _Reader:
    """Reads tokens from left to right; one method a level of precedence."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place = tokens, 0

    def total(self) -> Fraction:
        value = self._product()
        while (sign := self._taken("+", "-")) is not None:
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Fraction:
        value = self._factor()
        while (sign := self._taken("*", "/")) is not None:
            value = value * self._factor() if sign == "*" else value / self._factor()
        return value

    def _factor(self) -> Fraction:
        if (sign := self._taken("+", "-")) is not None:
            return self._factor() if sign == "+" else -self._factor()
        if self._taken("(") is not None:
            value = self.total()
            if self._taken(")") is None:
                raise ValueError("a parenthesis is open")
            return value
        number = self.tokens[self.place]
        self.place += 1
        return Fraction(number.rstrip(".") if number != "." else number)

    def _taken(self, *wanted: str) -> str | None:
        if self.place < len(self.tokens) and self.tokens[self.place] in wanted:
            self.place += 1
            return self.tokens[self.place - 1]
        return None
