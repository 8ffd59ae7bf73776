"""What an agent's message does, as a caller hears it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from eigen_cli.api.domain import Domain
from eigen_offline import reading
from eigen_offline.kinds import kinds_asked

_OFFER = re.compile(
    r"\b(?:would you like|do you want|are you interested|can i (?:offer|interest)|if you(?:'d)? like)\b", re.I
)
_KEEPS = re.compile(r"\b(?:same|stays?|keep|unchanged|as (?:it|they|things) (?:is|are))\b[^.!]*\?", re.I)
_INFORMS = 5
"""Words of a statement that make it more than small talk."""
_SMALL_TALK = re.compile(
    r"^\W*(?:thank(?:s| you)|of course|certainly|sure|happy to help|i'?d be happy|i'?m happy|great|perfect|got it"
    r"|hello|hi\b|welcome|i understand|no problem|good (?:morning|afternoon|evening)|let me|one moment"
    r"|please (?:hold|wait|give me))",
    re.I,
)


@dataclass(frozen=True)
class Act:
    """One message of the agent: several of these may hold at once."""

    asked: tuple[str, ...] = ()
    """Fact kinds asked for."""
    confirms: bool = False
    done: bool = False
    refuses: bool = False
    alternative: bool = False
    more: bool = False
    hands_over: bool = False
    offers: bool = False
    question: bool = False
    informs: bool = False
    parting: bool = False
    keeps: bool = False
    """Whether leaving things as they are is among the answers it offers."""


@lru_cache(maxsize=16384)
def act_of(domain: Domain, text: str) -> Act:
    """Return what an agent's message does."""
    more = reading.offers_more(text)
    confirms = reading.asks_confirmation(text)
    alternative = reading.offers_alternative(text)
    refuses = reading.declines(text) and (not confirms or alternative)
    asked = () if more and not confirms else kinds_asked(domain, text)
    return Act(
        asked=asked,
        confirms=confirms,
        done=reading.reports_done(text) and (more or not (confirms or asked)),
        refuses=refuses,
        alternative=alternative,
        more=more,
        hands_over=reading.hands_over(text),
        offers=_OFFER.search(text) is not None,
        question="?" in text or bool(asked),
        keeps=_KEEPS.search(text) is not None,
        parting=not asked and reading.parts(text),
        informs=any(
            "?" not in part and len(part.split()) >= _INFORMS and not _SMALL_TALK.search(part)
            for part in reading.sentences(text)
        ),
    )
