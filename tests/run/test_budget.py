"""A budget is never passed, whatever is in flight."""

from __future__ import annotations

import random

import pytest

from eigen_cli.api.backend import CallKey, Chat, Request, Usage
from eigen_cli.api.errors import BudgetReachedError
from eigen_cli.run.budget import Allowance, Budget
from eigen_cli.run.prices import Price

PRICE = Price(1.0, 10.0)


def request(*, words: int = 30, max_tokens: int = 100) -> Request:
    chat = Chat.of({"role": "user", "content": "word " * words})
    return Request("agent", CallKey("x:0", 1, "p", "t", 0, "agent", 0, 0), None, chat, max_tokens=max_tokens)


def test_without_limits_everything_passes() -> None:
    budget = Budget(Allowance())
    assert budget.limits.unlimited
    for _ in range(100):
        budget.reserve(request(), None)
    assert budget.spent_usd == 0


def test_what_is_in_flight_counts_at_its_worst_and_is_given_back() -> None:
    budget = Budget(Allowance(usd=0.0025))
    with budget.reserve(request(), PRICE), pytest.raises(BudgetReachedError, match=r"budget of 0\.0025 USD"):
        budget.reserve(request(), PRICE)
    budget.spend(Usage(cost_usd=0.0004))
    with budget.reserve(request(), PRICE):
        assert budget.spent_usd == pytest.approx(0.0004)


def test_tokens_have_a_limit_of_their_own_even_without_a_price() -> None:
    budget = Budget(Allowance(tokens=1000), spent_tokens=700)
    with pytest.raises(BudgetReachedError, match="budget of 1,000 tokens; 700 are spent"):
        budget.reserve(request(), None)


def test_no_order_of_calls_passes_it() -> None:
    rng = random.Random(5)
    budget = Budget(Allowance(usd=0.05, tokens=20_000))
    flying = []
    refused = 0
    for _ in range(2_000):
        if flying and rng.random() < 0.5:
            asked, reservation = flying.pop(rng.randrange(len(flying)))
            with reservation:
                prompt = asked.chat.size // 4
                used = Usage(prompt_tokens=prompt, completion_tokens=rng.randrange(asked.max_tokens + 1))
                budget.spend(
                    Usage(prompt_tokens=prompt, completion_tokens=used.completion_tokens, cost_usd=PRICE.of(used))
                )
        else:
            asked = request(words=rng.randrange(200), max_tokens=rng.randrange(1, 500))
            try:
                flying.append((asked, budget.reserve(asked, PRICE)))
            except BudgetReachedError:
                refused += 1
        assert budget.spent_usd <= 0.05
        assert budget.spent_tokens <= 20_000
    assert refused > 100
    assert budget.spent_usd > 0.03, "it stops early, not at once"
