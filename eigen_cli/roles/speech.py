"""How people in service calls say things that matter for blame. English, and only what can be read off the words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eigen_cli.api.messages import Message

_PARTICIPLE = r"(?:\w+ed|made|sent|put|paid|done|taken|given|set|found)"
_CARRIED_OUT = (
    r"(?:cancell?ed|booked|changed|updated|requested|exchanged|returned|moved|added|refunded|resumed|suspended|"
    r"sent|paid)"
)
CLAIMS = re.compile(
    rf"\b(?:(?:has|have|had) (?:now |just |already |successfully )*been|(?:is|are) (?:now|{_CARRIED_OUT})|"
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
OFFERS = re.compile(
    r"\b(?:anything|something|what) (?:else|more)\b|\bmore (?:that )?i can\b|\bhelp (?:you )?with (?:today|next)\b|"
    r"\bfurther\b.*\?|\bbye\b|goodbye|have a \w+ day",
    re.IGNORECASE,
)
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


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(
    rf"\b(?:(\d{{4}})-(\d{{2}})-(\d{{2}})|({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?|"
    rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH}))\b"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_WORD = re.compile(r"\w+(?:[-'.:@/+_]+\w+)*")
_COUNTED = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
"""A number and its unit in one word, such as `2gb`."""
_SAY_LITTLE = frozenset(
    {"a", "an", "and", "at", "born", "both", "by", "code", "for", "from", "i", "i'd", "i'm", "in", "is", "it", "it's"}
    | {"my", "of", "on", "one", "or", "our", "please", "plu", "that", "the", "then", "thi", "to", "two", "we", "with"}
    | {"zip", "gb", "gig", "gigabyte"}
)
"""Words, without a plural's s, that say nothing of a value."""


def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry a value, whatever their order: ids, numbers, names, options.

    A day is one word however it is written, its year another: `2024-05-16`, `May 16`, `the 16th of May`.
    """
    plainly = _THOUSANDS.sub("", _DATE.sub(_date_words, text.lower()))
    split = (part for word in _WORD.findall(plainly) for part in _parts(word))
    return frozenset(word for word in split if word not in _SAY_LITTLE)


def _parts(word: str) -> tuple[str, ...]:
    counted = _COUNTED.fullmatch(word)
    if counted:
        return counted[1], counted[2].removesuffix("s")
    return (word.removesuffix("s") if word.isalpha() and len(word) > 3 else word.removesuffix(".00"),)


def _date_words(match: re.Match[str]) -> str:
    month = int(match[2]) if match[2] else _MONTHS.index((match[4] or match[7])[:3]) + 1
    return f"{match[1] or ''} month{month}day{int(match[3] or match[5] or match[6])}"


def with_turns(messages: Sequence[Message]) -> Iterator[tuple[int, Message]]:
    """Yield each message with the number of the completion it belongs to, from 0; a greeting belongs to -1."""
    turn = -1
    for message in messages:
        turn += message.finish_reason is not None
        yield turn, message


def dialogue_line(message: Message) -> str:
    """Return one message as a judge reads it."""
    if message.result is not None:
        return f"[{message.result.requestor}'s {message.result.name} returns {message.result.content}]"
    calls = "".join(f" [calls {call.name} {call.raw_arguments}]" for call in message.tool_calls)
    return f"{message.speaker}: {message.text}{calls}"
