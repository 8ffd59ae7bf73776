"""Prices: which one a model has, and what a usage costs."""

from __future__ import annotations

import pytest

from eigen_cli.api.backend import Usage
from eigen_cli.run.prices import Price, known_prices, price_of


def test_every_price_of_the_table_is_a_price() -> None:
    assert len(known_prices()) >= 9
    assert all(price.completion >= price.prompt > 0 for price in known_prices().values())


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4.1", "gpt-4.1"),
        ("gpt-4.1-2025-04-14", "gpt-4.1"),
        ("openai/gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
        ("gpt-5-nano", None),
        ("gpt-5", "gpt-5"),
        ("gpt-51", None),
        ("Qwen/Qwen3-30B", None),
    ],
)
def test_a_model_has_the_price_of_its_name_or_of_its_longest_beginning(model: str, name: str | None) -> None:
    assert price_of(model) == (known_prices()[name] if name else None)


def test_the_users_table_comes_first() -> None:
    own = {"gpt-4.1": Price(1, 2), "Qwen/Qwen3-30B": Price(0.1, 0.2)}
    assert price_of("gpt-4.1-mini", own) == known_prices()["gpt-4.1-mini"]
    assert price_of("gpt-4.1-2025-04-14", own) == Price(1, 2)
    assert price_of("Qwen/Qwen3-30B", own) == Price(0.1, 0.2)


def test_cached_prompt_tokens_cost_their_own_price() -> None:
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=500_000)
    assert Price(2, 8, 0.5).of(usage) == pytest.approx(1.2 + 0.2 + 4)
    assert Price(2, 8).of(usage) == pytest.approx(2 + 4)
    assert Price(2, 8, 0.5).of(Usage(prompt_tokens=10, cached_tokens=99)) == pytest.approx(5e-6)
