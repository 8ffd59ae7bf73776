"""Building fact kinds: how an agent's question for one is recognised."""

from __future__ import annotations

from eigen_cli.api.domain import FactKind

_ASKING = (
    r"what|which|where|when|who|how|may i|could|can you|can i|would you|please|provide|tell me|give me|share|need|"
    r"confirm|let me know|do you|did you|are you|is there|have you"
)


def _asks(nouns: str) -> tuple[str, ...]:
    """Recognise a question: an asking word and then the noun in one sentence or list, or the noun and then `?`."""
    return (
        rf"(?is)\b(?:{_ASKING})\b(?:[^.!?]|\d\.|\.\d){{0,300}}?\b(?:{nouns})\b",
        rf"(?is)\b(?:{nouns})\b[^.!?]{{0,80}}\?",
    )


def fact_kind(
    name: str, label: str, asks: str, *, question: tuple[str, ...], says: tuple[str, ...], pattern: str | None = None
) -> FactKind:
    """Return a fact kind; `asks` is the alternation of nouns whose question it answers."""
    return FactKind(name=name, label=label, question=question, says=says, asks=_asks(asks), pattern=pattern)
