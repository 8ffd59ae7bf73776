"""How people in service calls say things that matter for blame. English, and only what can be read off the words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eigen_cli.api.messages import Message

_PARTICIPLE = r"(?:\w+ed|made|sent|put|paid|done|taken|given|set|found)"
CLAIMS = re.compile(
    rf"\b(?:(?:has|have|had) (?:now |just |already |successfully )*been|(?:is|are) now|"
    rf"i(?:'ve| have)(?: now| just| already| successfully)* {_PARTICIPLE}|successfully|all set|went through|"
    rf"you're (?:now )?booked|(?:^|[.!:] )done\b|that(?:'s| is) done)",
    re.IGNORECASE,
)
"""An agent says that something was carried out."""
DECLINES = re.compile(
    r"\b(?:can(?:no|')t|cannot|unable|not (?:able|possible|eligible|allowed|permitted)|won't be able|unfortunately)\b",
    re.IGNORECASE,
)
"""An agent declines."""
OFFERS = re.compile(r"\b(?:anything|something) else\b|\bfurther\b.*\?|\bbye\b|goodbye|have a \w+ day", re.IGNORECASE)
"""An agent asks whether that was all, or says goodbye."""
SWITCHES = re.compile(
    r"\b(?:changed my mind|never ?mind (?:that|it)|forget (?:that|it)|on second thought|i(?:'d| would) rather|"
    r"instead)\b",
    re.IGNORECASE,
)
"""A user drops what it asked for and wants something else."""


def still_at_work(text: str) -> bool:
    """Whether an agent's message asks for something it needs: it neither claims, declines nor offers more help."""
    finished = CLAIMS.search(text) or DECLINES.search(text) or OFFERS.search(text)
    return not finished and "?" in text


def plain(value: object) -> str:
    """Return a value as it is compared with speech."""
    return str(value).strip().lower()


def with_turns(messages: Sequence[Message]) -> Iterator[tuple[int, Message]]:
    """Yield each message with the number of the completion it belongs to, from 0; a greeting belongs to -1."""
    turn = -1
    for message in messages:
        turn += message.finish_reason is not None
        yield turn, message
