"""Reading English: what a line of dialogue asks, states, confirms or declines.

Both simulated sides read with these functions, and the other side may be a model: the expressions look for what
people and models commonly write, not for our own wording. Everything is memoised on the text, because a stateless
actor reads the same lines again on every turn.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Answer = Literal["yes", "no", "unclear"]

_CACHE = 16384

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9$*•-])|\n+")

_NO = re.compile(
    r"^\W*(?:no|nope|nah)\b(?! (?:problem|worries|rush|hurry|issue))"
    r"|\b(?:do ?n[o']t|please don'?t|rather not|not (?:now|yet|interested|correct|right|okay)|that'?s wrong"
    r"|incorrect)\b"
    r"(?! (?:want to )?(?:worry|mind|see any|have any (?:problem|objection)))"
    r"|\b(?:never ?mind|forget (?:it|that|about)|hold off|leave (?:it|things|everything) as|stop there|cancel that idea"
    r"|changed my mind)\b",
    re.I,
)
_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|absolutely|definitely|of course|certainly|correct|confirm(?:ed)?|agreed?|affirmative"
    r"|go ahead|please (?:do|proceed|go|book|cancel|make)|proceed|do (?:it|that|so)|(?:sounds?|looks?|that'?s) "
    r"(?:good|great|right|fine|perfect|okay|ok|correct)|perfect|ok(?:ay)?|fine (?:by|with) me|works for me"
    r"|let'?s do)\b",
    re.I,
)

_CONFIRMS = re.compile(
    r"\b(?:(?:shall|should|may|can|could) i (?:go ahead|proceed|process|make|book|cancel|do that|do this|apply|submit)"
    r"|(?:would|do) you (?:like|want|wish) (?:me )?to (?:go ahead|proceed|continue|confirm|do (?:that|this|it)|make "
    r"(?:this|these|that)|book|cancel|move forward)"
    r"|(?:please|kindly|could you|can you|do you|just|i need you to|i'll need you to) (?:please )?"
    r"(?:explicitly )?confirm "
    r"(?!your\b|the (?:reservation|booking|user|order) (?:id|number)\b)"
    r"|(?:reply|respond|answer|say|type) (?:with )?(?:a )?[\"'“]?yes|\(?yes\s?(?:/|or)\s?no\)?"
    r"|ready (?:for me )?to (?:go ahead|proceed)|happy for me to|okay (?:for me )?to (?:go ahead|proceed)"
    r"|is (?:that|this|everything|all (?:of )?(?:that|this)) (?:all )?(?:correct|right|ok(?:ay)?|fine|good|alright)"
    r"|does (?:that|this|everything) (?:all )?(?:look|sound|work)"
    r"|do i have your (?:confirmation|approval|permission|go-ahead)|(?:want|like) me to do (?:that|this|it))",
    re.I,
)
_ALTERNATIVE = re.compile(r"\b(?:instead|alternativ\w+|other options?|another option)\b", re.I)

_VERBS = (
    r"(?:cancell?ed|booked|rebooked|updated|changed|modified|added|removed|refunded|issued|sent|upgraded|downgraded"
    r"|processed|completed|submitted|applied|corrected|scheduled|rescheduled|moved|switched|replaced|registered|created"
    r"|extended|renewed|returned|exchanged|closed|opened|paid|charged|credited|confirmed|finali[sz]ed|saved|activated"
    r"|enabled|disabled|deleted|placed|recorded|reserved|transferred|set up|sorted(?: out)?|taken care of|done|made"
    r"|fixed|arranged|filed|ordered|lent|checked out|put through|put in)"
)
_DONE = re.compile(
    r"\b(?:i(?:'ve| have)(?: now| just| also| already| successfully| gone ahead and)* " + _VERBS + r"\b"
    r"|(?:has|have)(?: now| just| also| both| all| already)? been(?: now| just| successfully)* " + _VERBS + r"\b"
    r"|(?:is|are|was|were)(?: now| all| both| successfully)+ " + _VERBS + r"\b"
    r"|successfully " + _VERBS + r"\b"
    r"|(?:cancellation|booking|change|update|refund|request|upgrade|certificate|transfer|payment|order|exchange|return)"
    r" (?:is|was|went|has gone) (?:now )?(?:complete|completed|confirmed|done|successful|through)"
    r"|(?:you'?re|you are|it'?s|that'?s|everything(?:'s| is)) (?:now )?(?:all set|all done|booked|taken care of|done|"
    r"in place)|all (?:set|done|taken care of|sorted)\b"
    r"|your new (?:reservation|booking|order)(?: id| number)? is\b)",
    re.I,
)
_NOT_DONE = re.compile(
    r"\b(?:once|after|when|before|until|if|unless)\b[^.!?]*\b(?:has|have|is|are|been)\b"
    r"|\b(?:not|never|n't) (?:yet )?been\b|\b(?:nothing|none)\b[^.!?]*\bbeen\b|\bwill (?:be|have been)\b[^.!?]*\?",
    re.I,
)
_REFUSES = re.compile(
    r"\b(?:(?:i'?m|i am|we'?re|we are|am)(?: \w+){0,2} (?:unable|not able|not allowed|not permitted)"
    r"|(?:i|we) (?:(?:really|simply|also|still|unfortunately) )?(?:can ?not|can'?t|may not|won'?t be able to)\b"
    r"(?! (?:find|locate|see|seem|pull|access))"
    r"|(?:not|n't|isn'?t|aren'?t) (?:\w+ ){0,2}(?:possible|eligible|allowed|permitted|available to|covered|entitled|"
    r"refundable)|does(?:n'?t| not) (?:qualify|allow|permit|meet)|do(?:n'?t| not) (?:qualify|allow|permit|offer)"
    r"|(?:can ?not|can'?t) be (?:cancell?ed|changed|modified|refunded|removed|added|made|done|upgraded|combined|booked"
    r"|waived|moved)|no (?:refund|compensation) (?:is|can|will)|have to (?:decline|refuse|say no)|must decline"
    r"|against (?:our|the) policy|outside (?:of )?what (?:i|we) can)",
    re.I,
)
_MORE = re.compile(
    r"\b(?:anything else|anything more|any other (?:way|question|request|thing|issue|help)|what else|something else"
    r"|(?:is|was) there (?:anything|something)(?! (?:wrong|specific))|further (?:assistance|help|questions?)"
    r"|else (?:i can|today|you (?:need|would))|help you with today|assist you (?:further|with today))\b",
    re.I,
)
_HANDS_OVER = re.compile(
    r"\b(?:being transferred|(?:i'?m|i am|i'?ll|i will|let me|going to) (?:now |be )?(?:transfer(?:ring)?|hand(?:ing)? "
    r"(?:you|this) over|connect(?:ing)?|pass(?:ing)?)\b[^.!?]*\b(?:you|this|human|agent|colleague|specialist|team"
    r"|person)|(?:have|has|i'?ve) (?:now )?(?:been )?(?:transferred|handed (?:you|this) over|connected|passed) "
    r"(?:you|this|to)\b[^.!?]*(?:human|agent|colleague|specialist|team|person))",
    re.I,
)
_REQUESTS = re.compile(
    r"\?|\b(?:please|provide|share|tell me|let me know|send me|give me"
    r"|i(?:'ll| will|'d| would)? (?:also )?(?:just )?need|i require|may i have"
    r"|could i (?:have|get)|can i (?:have|get)|what(?:'s| is)|which)\b",
    re.I,
)
_LACKS = re.compile(
    r"\b(?:(?:do ?n[o']?t|don'?t|do not) (?:actually |really )?(?:know|have|remember|recall|see|think i have)"
    r"|not (?:sure|certain|aware)|no (?:idea|clue)|(?:can'?t|cannot|couldn'?t) (?:find|remember|recall|say|tell)"
    r"|never (?:had|got|received)|forgot(?:ten)?|lost (?:it|the))\b",
    re.I,
)
_CORRECTS = re.compile(
    r"\b(?:actually|sorry|i meant|i mean|correction|hold on|wait|my mistake|scratch that|on second thou?ghts?"
    r"|i misspoke|not that|rather)\b",
    re.I,
)
_ABANDONS = re.compile(
    r"\b(?:never ?mind|forget (?:it|that|about|the)|changed my mind|instead of that|rather than that|scrap that"
    r"|drop that)\b",
    re.I,
)
_ADDS = re.compile(
    r"\b(?:also|another (?:thing|request|question)|one more thing|in addition|additionally|besides|secondly|second,"
    r"|two things|as well|while (?:i have|i've got) you|on top of that|next,|then (?:i|we)|and then|other thing)\b",
    re.I,
)
_PLEADS = re.compile(
    r"\b(?:are you (?:sure|certain|positive)|no way|would it be possible|exception"
    r"|is there (?:really )?no(?:thing| way)|any way|really can'?t|please,? (?:just|can)"
    r"|(?:come on|unfair|ridiculous|frustrat|disappoint|unaccept)\w*|surely|just this once|double[- ]check|supervisor"
    r"|there must be)\b",
    re.I,
)
_CLOSES = re.compile(
    r"\b(?:that(?:'s| is|'ll be| will be| was) (?:all|everything|it)\b|nothing else|no(?:thing)? (?:more|further)"
    r"|(?:good)?bye|have a (?:good|great|nice|lovely)|all i need(?:ed)?|i'?m (?:all )?(?:good|set|done))\b",
    re.I,
)
_THANKS = re.compile(r"\bthank(?:s| you)\b", re.I)

_PARTS = re.compile(
    r"\b(?:goodbye|bye|take care(?! of)|have a (?:great|good|nice|lovely|wonderful|pleasant)|(?:very |most )?welcome"
    r"|my pleasure|glad (?:i|we) could)\b",
    re.I,
)

_VALUE = re.compile(r"\b[A-Za-z_]*\d[\w-]*(?:[.,:/]\d\w*)*|\b[A-Z]{3,}\b")
_ITEM = re.compile(r"\W*(?:\d{1,2}[.)]|[-*•])")
_NUMBER_ALONE = re.compile(r"\W*\d{1,2}[.)]?\W*")
_WORD = re.compile(r"[a-z]{4,}")


@lru_cache(maxsize=_CACHE)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences and list lines of a text."""
    return tuple(part.strip() for part in _SENTENCE_END.split(text) if part and part.strip())


@lru_cache(maxsize=_CACHE)
def answer_in(text: str) -> Answer:
    """Return whether a reply to a yes-or-no question says yes, no, or neither."""
    first = sentences(text)[0] if text.strip() else ""
    if _NO.search(first) and not re.match(r"^\W*yes\b", first, re.I):
        return "no"
    if _YES.search(first):
        return "yes"
    if _NO.search(text):
        return "no"
    return "yes" if _YES.search(text) else "unclear"


@lru_cache(maxsize=_CACHE)
def request_text(text: str) -> str:
    """Return the sentences of a text that ask the reader for something, and the list such a sentence opens."""
    kept, listing, numbered = [], False, False
    for part in sentences(text):
        item = listing and (numbered or _ITEM.match(part) is not None)
        numbered = _NUMBER_ALONE.fullmatch(part) is not None
        listing = item or (numbered and listing)
        if item or _REQUESTS.search(part):
            kept.append(part)
            listing = listing or part.endswith(":")
    return " ".join(kept)


@lru_cache(maxsize=_CACHE)
def asks_confirmation(text: str) -> bool:
    """Whether a text asks for a yes before something is done."""
    return _CONFIRMS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def reports_done(text: str) -> bool:
    """Whether a text says that something was carried out."""
    return any(_DONE.search(part) and not _NOT_DONE.search(part) and "?" not in part for part in sentences(text))


@lru_cache(maxsize=_CACHE)
def declines(text: str) -> bool:
    """Whether a text turns a request down."""
    return any(_REFUSES.search(part) and "?" not in part for part in sentences(text))


@lru_cache(maxsize=_CACHE)
def values_in(text: str) -> frozenset[str]:
    """Return numbers, ids and codes in a text, spelled so that `$1,250.00` equals `1250`."""
    return frozenset(_canonical(match[0]) for match in _VALUE.finditer(text))


def _canonical(token: str) -> str:
    bare = token.replace(",", "")
    try:
        return f"{float(bare):g}"
    except ValueError:
        return bare.upper()


@lru_cache(maxsize=_CACHE)
def words_in(text: str) -> frozenset[str]:
    """Return the longer words of a text, lower case."""
    return frozenset(_WORD.findall(text.lower()))


@lru_cache(maxsize=_CACHE)
def offers_alternative(text: str) -> bool:
    """Whether a text proposes something other than what was asked for."""
    return _ALTERNATIVE.search(text) is not None


@lru_cache(maxsize=_CACHE)
def offers_more(text: str) -> bool:
    """Whether a text asks what else the reader needs."""
    return _MORE.search(text) is not None


@lru_cache(maxsize=_CACHE)
def hands_over(text: str) -> bool:
    """Whether a text passes the reader on to a person."""
    return _HANDS_OVER.search(text) is not None


@lru_cache(maxsize=_CACHE)
def lacks(text: str) -> bool:
    """Whether a text says that its writer does not have or know what was asked."""
    return _LACKS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def corrects(text: str) -> bool:
    """Whether a text takes back something said before."""
    return _CORRECTS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def abandons(text: str) -> bool:
    """Whether a text drops the request being worked on."""
    return _ABANDONS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def adds_request(text: str) -> bool:
    """Whether a text marks a further request beside the one being worked on."""
    return _ADDS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def pleads(text: str) -> bool:
    """Whether a text pushes back against a refusal."""
    return _PLEADS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def closes(text: str) -> bool:
    """Whether a text says that nothing more is needed."""
    return _CLOSES.search(text) is not None


@lru_cache(maxsize=_CACHE)
def parts(text: str) -> bool:
    """Whether a text takes leave of its reader."""
    return "?" not in text and _PARTS.search(text) is not None


@lru_cache(maxsize=_CACHE)
def thanks(text: str) -> bool:
    """Whether a text thanks its reader."""
    return _THANKS.search(text) is not None
