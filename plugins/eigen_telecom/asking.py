"""Building fact kinds: how an agent's question for one is recognised."""

from __future__ import annotations

from eigen_cli.api.domain import FactKind

_ASKING = (
    r"what|which|where|when|who|how|may i|could|can you|can i|would you|please|provide|tell me|give me|share|need|"
    r"confirm|let me know|do you|did you|are you|is there|have you"
)


def fact_kind(
    name: str, label: str, nouns: str, *, question: tuple[str, ...], says: tuple[str, ...], pattern: str | None = None
) -> FactKind:
    """Return a fact kind; `nouns` is the alternation of words whose question it answers.

    A question is an asking word and then the noun in one sentence, or the noun and then `?`.
    """
    asks = (
        rf"(?is)\b(?:{_ASKING})\b(?:[^.!?]|\d\.|\.\d){{0,300}}?\b(?:{nouns})\b",
        rf"(?is)\b(?:{nouns})\b[^.!?]{{0,80}}\?",
    )
    return FactKind(name=name, label=label, question=question, says=says, asks=asks, pattern=pattern)
