"""A budget: dollars and tokens that a run may spend. It stops before it could pass either, and can be resumed.

A call is let through only if everything spent, plus the most that the calls in flight could still cost, plus the most
this one could cost, stays within the budget. So a run never passes it, and stops a little early rather than late.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eigen_cli.api.backend import Request, Usage
from eigen_cli.api.errors import BudgetReachedError
from eigen_cli.run.prices import Price

_BYTES_A_TOKEN = 2
"""Prompts are bounded from above: tokenizers make a token of four bytes of English, and of two or more of any text they
were made for."""


@dataclass(frozen=True)
class Allowance:
    """What may be spent; None is no limit."""

    usd: float | None = None
    tokens: int | None = None

    @property
    def unlimited(self) -> bool:
        """Whether nothing is limited."""
        return self.usd is None and self.tokens is None


NO_LIMITS = Allowance()


@dataclass
class Budget:
    """Keeps the account of one run. `spent_*` include what earlier sittings of the run have spent."""

    limits: Allowance
    spent_usd: float = 0.0
    spent_tokens: int = 0
    _open_usd: float = field(default=0.0, repr=False)
    _open_tokens: int = field(default=0, repr=False)

    def reserve(self, request: Request, price: Price | None) -> Reservation:
        """Set aside the most a call could cost. Raises `BudgetReachedError` where that could pass the budget."""
        worst = Usage(prompt_tokens=_prompt_bound(request), completion_tokens=request.max_tokens)
        usd = 0.0 if price is None else Price(price.prompt, price.completion).of(worst)
        tokens = worst.prompt_tokens + worst.completion_tokens
        limits = self.limits
        if limits.usd is not None and self.spent_usd + self._open_usd + usd > limits.usd:
            raise BudgetReachedError(
                f"the next call could pass the budget of {limits.usd:g} USD; {self.spent_usd:.4f} USD are spent",
                hint="the same command with a larger --budget-usd goes on; nothing is paid for twice",
            )
        if limits.tokens is not None and self.spent_tokens + self._open_tokens + tokens > limits.tokens:
            raise BudgetReachedError(
                f"the next call could pass the budget of {limits.tokens:,} tokens; {self.spent_tokens:,} are spent",
                hint="the same command with a larger --budget-tokens goes on; nothing is paid for twice",
            )
        self._open_usd += usd
        self._open_tokens += tokens
        return Reservation(self, usd, tokens)

    def spend(self, usage: Usage) -> None:
        """Book what a call has used."""
        self.spent_usd += usage.cost_usd
        self.spent_tokens += usage.prompt_tokens + usage.completion_tokens


@dataclass
class Reservation:
    """The most a call in flight could cost; a context manager that gives it back when the call is over."""

    budget: Budget
    usd: float
    tokens: int

    def __enter__(self) -> Reservation:
        return self

    def __exit__(self, *_: object) -> None:
        self.budget._open_usd -= self.usd
        self.budget._open_tokens -= self.tokens


def _prompt_bound(request: Request) -> int:
    """Return more tokens than a request's prompt can have."""
    tools = len(bytes(request.tools.encoded)) if request.tools else 0
    return (request.chat.size + tools) // _BYTES_A_TOKEN + 16 * len(request.chat.encoded) + 256
