from __future__ import annotations

import decimal
import enum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.record import FrozenMap, Money, Record, from_json, money, to_json


class Colour(enum.Enum):
    RED = "red"


class Nested(Record, frozen=True):
    size: int


def test_every_immutable_annotation_is_accepted() -> None:
    class Fine(Record, frozen=True):
        a: str
        b: int | None
        c: tuple[Nested, ...]
        d: FrozenMap[str, Nested]
        e: Literal["x", "y"]
        f: Annotated[Money, "dollars"]
        g: Colour

    fine = Fine("a", None, (Nested(1),), FrozenMap(k=Nested(2)), "x", Money("1.50"), Colour.RED)
    assert from_json(to_json(fine), Fine) == fine
    assert hash(fine) == hash(from_json(to_json(fine), Fine))


@pytest.mark.parametrize(
    "annotation", [list[int], dict[str, int], set[int], Any, object, tuple[list[int], ...], FrozenMap[str, list[int]]]
)
def test_a_mutable_annotation_fails_when_the_class_is_created(annotation: Any) -> None:
    with pytest.raises(TypeError, match=r"Loose\.field.*mutable"):
        type(Record)("Loose", (Record,), {"__annotations__": {"field": annotation}}, frozen=True)


def test_equal_amounts_have_one_spelling() -> None:
    class Price(Record, frozen=True):
        amount: Money
        tip: Money | None = None

    spellings = [Price(Money(text)) for text in ("120", "120.00", "1.2E+2", "120.0")]
    assert {canonical_json(price) for price in spellings} == {b'{"amount":120,"tip":null}'}
    assert canonical_json(Price(money("136.830"), Money("0.10"))) == b'{"amount":136.83,"tip":0.1}'
    assert from_json({"amount": 136.83}, Price).amount == decimal.Decimal("136.83")


def test_a_frozen_map_refuses_every_change() -> None:
    frozen = FrozenMap(a=1)
    for change in (
        lambda: frozen.__setitem__("b", 2),
        lambda: frozen.pop("a"),
        lambda: frozen.update(b=2),
        lambda: frozen.setdefault("b", 2),
        frozen.clear,
        frozen.popitem,
        lambda: frozen.__delitem__("a"),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert frozen == {"a": 1}
    assert msgspec.json.encode(frozen) == b'{"a":1}'
