"""What tokens cost: a table of hosted models, which the user's settings extend and override."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated

import msgspec

from eigen_cli.api.backend import Usage

Dollars = Annotated[float, msgspec.Meta(ge=0)]
_ENDS = "-:@"
"""Where a price's name may end inside a model's: dated and tuned versions cost what their model costs."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens. `cached`: prompt tokens the server had cached; the same price if left out."""

    prompt: Dollars
    completion: Dollars
    cached: Dollars | None = None

    def of(self, usage: Usage) -> float:
        """Return what a usage's tokens cost, in dollars."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        rate = self.prompt if self.cached is None else self.cached
        fresh = (usage.prompt_tokens - cached) * self.prompt
        return (fresh + cached * rate + usage.completion_tokens * self.completion) / 1e6


@cache
def known_prices() -> Mapping[str, Price]:
    """Return the table that comes with eigen."""
    text = files("eigen_cli.run").joinpath("prices.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Price])


def price_of(model: str, own: Mapping[str, Price] | None = None) -> Price | None:
    """Return a model's price: the user's table before ours, a whole name before the longest beginning; None if unknown.

    A name with an owner in front (`openai/gpt-4.1`) is looked up without it too.
    """
    names = (model, model.rpartition("/")[2])
    for table in (own or {}, known_prices()):
        for name in names:
            found = max((known for known in table if _covers(known, name)), key=len, default=None)
            if found is not None:
                return table[found]
    return None


def _covers(known: str, name: str) -> bool:
    rest = name.removeprefix(known) if name.startswith(known) else None
    return rest == "" or (rest is not None and rest[0] in _ENDS and not _another_model(rest))


def _another_model(rest: str) -> bool:
    """Whether what follows names a smaller sibling (`gpt-5-nano`), whose price would be a guess."""
    return rest[1:].partition("-")[0] in ("mini", "nano", "lite", "small", "pro", "max", "turbo", "audio", "realtime")
