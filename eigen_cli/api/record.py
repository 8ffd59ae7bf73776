"""Typed, deeply immutable records: the rows of a domain's tables."""

from __future__ import annotations

import datetime
import decimal
import enum
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import msgspec

K = TypeVar("K")
V = TypeVar("V")

Money = decimal.Decimal
"""Exact amounts. Written as a JSON number; build with `money()` so that equal amounts have equal bytes."""

_UNWRAPPED = (typing.Annotated, typing.Union, types.UnionType)
_SCALARS = (str, int, float, bool, bytes, type(None), decimal.Decimal, datetime.date, datetime.datetime, datetime.time)


def money(amount: int | str | decimal.Decimal) -> Money:
    """Return an exact amount in its one canonical spelling (`12.50` and `12.5` become `12.5`; `120.00` is `120`)."""
    value = decimal.Decimal(amount)
    return value.quantize(decimal.Decimal(1)) if value == value.to_integral_value() else value.normalize()


class FrozenMap(dict[K, V]):
    """A mapping that cannot be changed after construction; usable as a record field and encoded as a JSON object."""

    __slots__ = ()

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError("a FrozenMap cannot be changed; build a new one")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenMap, (dict(self),))


def _is_immutable(annotation: Any) -> bool:
    if annotation is Any:
        return False
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _is_immutable(typing.get_args(annotation)[0])
    if origin is typing.Literal:
        return True
    if origin in (typing.Union, types.UnionType):
        return all(_is_immutable(arm) for arm in typing.get_args(annotation))
    if origin is tuple:
        return all(arm is Ellipsis or _is_immutable(arm) for arm in typing.get_args(annotation))
    if origin is FrozenMap:
        return all(_is_immutable(arm) for arm in typing.get_args(annotation))
    if isinstance(annotation, type):
        if issubclass(annotation, Record) or annotation in _SCALARS:
            return True
        return issubclass(annotation, enum.Enum)
    return False


def _mentions_money(annotation: Any) -> bool:
    arms = typing.get_args(annotation) if typing.get_origin(annotation) in _UNWRAPPED else (annotation,)
    return decimal.Decimal in arms


def _money_normalizer(fields: tuple[str, ...]) -> Callable[[Any], None]:
    def normalize(record: Any) -> None:
        for name in fields:
            amount = getattr(record, name)
            if type(amount) is decimal.Decimal:
                msgspec.structs.force_setattr(record, name, money(amount))

    return normalize


class Record(msgspec.Struct, frozen=True):
    """A row, or a value nested in a row.

    `Money` fields are brought to their one canonical spelling when a record is made, so equal amounts hash equal.
    Fields are scalars, dates, `Money`, enums, literals, tuples, `FrozenMap`s and other records. Anything that could
    change under the world's feet (list, dict, set, object) fails when the class is created.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        amounts: list[str] = []
        for name, annotation in typing.get_type_hints(cls, include_extras=True).items():
            if typing.get_origin(annotation) is typing.ClassVar:
                continue
            if not _is_immutable(annotation):
                raise TypeError(
                    f"{cls.__name__}.{name}: {annotation!r} is mutable; use a tuple, a FrozenMap or a nested Record"
                )
            if _mentions_money(annotation):
                amounts.append(name)
        if amounts:
            cls.__post_init__ = _money_normalizer(tuple(amounts))  # type: ignore[attr-defined]


def decode_hook(expected: Any, value: Any) -> Any:
    """Decode what msgspec does not know by itself; pass it as `dec_hook` wherever records are decoded."""
    if typing.get_origin(expected) is FrozenMap or expected is FrozenMap:
        key, item = typing.get_args(expected) or (str, Any)
        mapping: Any = Mapping[key, item]  # type: ignore[valid-type]
        return FrozenMap(msgspec.convert(value, mapping, dec_hook=decode_hook))
    raise NotImplementedError(f"{expected!r} cannot be decoded")


_encoder = msgspec.json.Encoder(decimal_format="number")


def to_json(record: Any) -> Any:
    """Return a record (or any value made of records) as plain JSON values, decimals as int or float."""
    if record is None or type(record) in (str, int, bool):
        return record
    return msgspec.json.decode(_encoder.encode(record))


def from_json(value: Any, record: type[V]) -> V:
    """Return the record a JSON value describes. Raises `msgspec.ValidationError` where it does not fit."""
    return msgspec.convert(value, record, dec_hook=decode_hook)
