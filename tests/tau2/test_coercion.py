"""Values are taken and refused as the benchmark's models take and refuse them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from eigen_tau2.coercion import Reader, objects, one_of, real, text, whole

_NUMERALS = st.text(alphabet="0123456789+-._eE \t", max_size=8)
VALUES = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats() | _NUMERALS
SPELLINGS = (
    *("3", " 3 ", "+3", "03", "3.0", "3.", "3.00", "3.5", "1_0", "1__0", "_1", "1_", "1e2", ".5", "5.", ".", "", "٣"),
    *("1_0.0", "1_0.5", "0x10", "3\n", "3\u00a0", "+ 3", "--3", "1.0_0", "-0", "-0.0", "00.0", "1,000", "inf"),
    *(
        True,
        False,
        3.0,
        3.5,
        -0.0,
        None,
        [3],
        {},
        10**14,
        10**30,
        1e30,
        "1" * 30,
        "1" * 5000,
        10**400,
        "nan",
        "-Infinity",
    ),
    *(float("inf"), float("nan")),
)

_MODELS: dict[Any, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (int, float, str)}


MINUS_AFTER_ZEROS = re.compile(r"\s*[+-]?0[0_]*-")
"""What the models read as a negative number, and we knowingly do not (`NOT_REPEATED`)."""


def _taken(reader: Reader, value: Any) -> str:
    try:
        return repr(reader(value))
    except ValueError:
        return "refused"


def _taken_upstream(kind: Any, value: Any) -> str:
    try:
        found = _MODELS[kind].validate_python(value)
    except ValidationError:
        return "refused"
    return repr(found)


@pytest.mark.parametrize("value", SPELLINGS, ids=repr)
def test_numbers_as_they_are_spelled(value: Any) -> None:
    assert _taken(whole, value) == _taken_upstream(int, value)
    assert _taken(real, value) == _taken_upstream(float, value)
    assert _taken(text, value) == _taken_upstream(str, value)


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(VALUES)
def test_numbers_at_random(value: Any) -> None:
    assume(not (isinstance(value, str) and MINUS_AFTER_ZEROS.match(value)))
    assert _taken(whole, value) == _taken_upstream(int, value)
    assert _taken(real, value) == _taken_upstream(float, value)


def test_choices_are_exact() -> None:
    read = one_of("yes", "no")
    assert read("yes") == "yes"
    with pytest.raises(ValueError, match="should be one of yes, no, not 'Yes'"):
        read("Yes")
    with pytest.raises(ValueError, match="not \\['yes'\\]"):
        read(["yes"])


@pytest.mark.parametrize("empty", [[], {}, ""])
def test_anything_empty_is_an_empty_list(empty: Any) -> None:
    assert objects(whole, empty) == []


def test_what_is_no_list_is_none() -> None:
    for value in (None, 0, "ab", {"a": 1}):
        with pytest.raises(ValueError, match="should be a list"):
            objects(whole, value)
