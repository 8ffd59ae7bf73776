"""Generating products: which items they come in, at what price, and which are sold out."""

from __future__ import annotations

import random
from itertools import product as choices

from eigen_cli.api.record import FrozenMap, Money, money
from eigen_retail.catalogue import KINDS, Kind
from eigen_retail.records import Product, Variant

_LEAST, _MOST = 9, 17
"""Items a product comes in; about twelve on average."""
_IN_STOCK = 0.72


def make_products(rng: random.Random) -> tuple[Product, ...]:
    """Return every product of the catalogue; at least half of the items of each are in stock."""
    ids = _Numbers(rng)
    return tuple(_product(rng, kind, ids) for kind in KINDS)


def _product(rng: random.Random, kind: Kind, ids: _Numbers) -> Product:
    every = list(choices(*kind.options.values()))
    count = min(len(every), _LEAST + int(rng.random() * (_MOST - _LEAST + 1)))
    variants: dict[str, Variant] = {}
    for place, values in enumerate(rng.sample(every, count)):
        # Stock is drawn, but every second item is there, so that no product is out of reach.
        available = place % 2 == 0 or rng.random() < 2 * _IN_STOCK - 1
        options = FrozenMap(zip(kind.options, values, strict=True))
        item = Variant(ids.next(), options, available, _price(rng, kind.price))
        variants[item.item_id] = item
    return Product(kind.name, ids.next(), FrozenMap(variants))


def _price(rng: random.Random, about: int) -> Money:
    cents = int(about * 100 * (0.85 + rng.random() * 0.3))
    return money(cents) / 100


class _Numbers:
    """Ten-digit ids that never repeat within a world; items and products draw from the same run."""

    _STEP = 2_718_281_829  # prime to 9e9

    def __init__(self, rng: random.Random) -> None:
        self._number = int(rng.random() * 9_000_000_000)

    def next(self) -> str:
        self._number = (self._number + self._STEP) % 9_000_000_000
        return str(1_000_000_000 + self._number)
