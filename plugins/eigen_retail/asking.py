"""Building fact kinds: how an agent's question for one is recognised."""

from __future__ import annotations

from eigen_cli.api.domain import FactKind

_OPENERS = (
    r"what|which|where|why|who|how|may i|might i|could|can you|can i|would you|will you|please|provide|tell me|give me|"
    r"share|send me|need|confirm|let me know|do you|did you|is there|have you"
)
_WITHIN = r"(?:[^.!?]|\d\.|\.\d){0,300}?"
"""Anything inside one sentence or numbered list."""


def fact_kind(
    name: str, label: str, asks: str, *, question: tuple[str, ...], says: tuple[str, ...], pattern: str | None = None
) -> FactKind:
    """Return a fact kind; `asks` is the alternation of nouns whose question it answers.

    A question is an asking word with such a noun later in the sentence, or such a noun in a sentence that ends in `?`.
    """
    sought = rf"\b(?:{asks})\b"
    recognised = (rf"(?is)\b(?:{_OPENERS})\b{_WITHIN}{sought}", rf"(?is){sought}[^.!?]{{0,80}}\?")
    return FactKind(name=name, label=label, question=question, says=says, asks=recognised, pattern=pattern)
