"""What the oracle user reads out of an agent's words; no model's help, so it listens for plain wording only."""

from __future__ import annotations

import re
from functools import lru_cache

from eigen_cli.api.domain import Domain

_CONFIRMS = re.compile(
    r"\b(?:(?:shall|should|may|can|could) i (?:now |then |also )?(?!help|assist|get your|have your|ask)\w+"
    r"|go ahead|proceed|(?:do|can|could|would|please) (?:you )?(?:please )?(?:confirm|agree)"
    r"|is (?:that|this|it) (?:okay|ok|right|correct|fine|all right)"
    r"|do you want me to|would you like me to|yes(?:/| or )no)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:anything else|something else|what else|else i can|further (?:help|questions?))\b", re.IGNORECASE
)
_REFUSES = re.compile(
    r"\b(?:(?:i|we)(?: am| are|'m|'re)? (?:unable|not able|not allowed) to"
    r"|(?:i|we) (?:can ?not|can'?t|won'?t be able to) (?:help|do|assist|offer|make|process|change|cancel)"
    r"|(?:(?:have|need) to|must) (?:decline|refuse))\b",
    re.IGNORECASE,
)
_HANDS_OVER = re.compile(
    r"\b(?:transferr?(?:ed|ing)?|hand(?:ed|ing)?|pass(?:ed|ing)?|connect(?:ed|ing)?)\b[^.?!]{0,40}"
    r"\b(?:colleague|human|specialist|supervisor|representative|agent)\b",
    re.IGNORECASE,
)
_GAP = r"\W+(?:\w+\W+){0,2}?"
"""Between two words of a tool's name, in speech: "toggle the airplane mode"."""


def tools_named(text: str, domain: Domain) -> list[str]:
    """Return the user's tools whose words stand in a text in their order, as often and in the order they do."""
    named = _user_tools_in_speech(domain)
    if named is None:
        return []
    return [match.lastgroup for match in named.finditer(text) if match.lastgroup is not None]


@lru_cache(maxsize=16)
def _user_tools_in_speech(domain: Domain) -> re.Pattern[str] | None:
    tools = domain.user_tools
    if tools is None:
        return None
    names = [name for name in dir(tools) if hasattr(getattr(tools, name), "__eigen_tool__")]
    # Longest first: "toggle the data saver mode" is not a wish to toggle the data.
    ranked = sorted(names, key=lambda name: (-len(name.split("_")), name))
    spoken = (f"(?P<{name}>{_GAP.join(map(re.escape, name.split('_')))})" for name in ranked)
    return re.compile(rf"\b(?:{'|'.join(spoken)})\b", re.IGNORECASE)


def asks_for_a_yes(text: str) -> bool:
    """Whether a text asks for consent to something laid out."""
    return _CONFIRMS.search(text) is not None


def offers_more(text: str) -> bool:
    """Whether a text asks if there is anything else."""
    return _MORE.search(text) is not None


def lets_down(text: str) -> bool:
    """Whether a text refuses the customer, or passes the customer on."""
    return _REFUSES.search(text) is not None or _HANDS_OVER.search(text) is not None
