"""What the agent says: sentences wait here until the next message, and are dropped once the transcript has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eigen_offline import reading, slips
from eigen_offline.stage import Stage, Turn
from eigen_offline.wording import pick, rotated, worded

_SURE = (
    "Sure, let me look into that for you.",
    "I'd be happy to help with that.",
    "Happy to help.",
    "Let me take a look at that for you.",
    "Thanks for getting in touch.",
)
_THANKS = (
    "Thank you.",
    "",
    "Got it, thank you.",
    "",
    "Great, thanks.",
    "All right.",
    "",
    "Noted, thank you.",
    "Thanks.",
)
_ABRUPT = re.compile(
    r"I'm (?:sorry|afraid)|I (?:can't|couldn't|see)\b|No problem|Sorry|That(?:'s| is) (?:your|\$)"
    r"|The (?:fare )?difference"
)
"""Beginnings before which thanks sound wrong, or are too many."""
_SAME_WORDS = 0.6
"""Share of a sentence's words that another sentence of the same meaning has."""


@dataclass(frozen=True)
class _Part:
    text: str
    fault: str = ""


class Speech:
    """Sentences waiting to be said."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.pending: list[_Part] = []

    def tell(self, text: str, *, fault: str = "") -> None:
        """Have a text said, unless the transcript says it already."""
        altered, slip = self.misreported(worded(text, self._stage.seed))
        at = self._said(altered)
        if at is None and any(part.text == altered for part in self.pending):
            return
        if at is None:
            self.pending.append(_Part(altered, fault or slip))
        else:
            self._stage.reach(at)

    def say(self, *texts: str, fault: str = "") -> Turn:
        """Return a turn that says everything pending and then the given texts."""
        faults = [part.fault for part in self.pending if part.fault] + ([fault] if fault else [])
        parts = [part.text for part in self.pending] + [text for text in texts if text]
        self.pending = []
        joiner = "\n\n" if any("\n" in part for part in parts) else " "
        return Turn(joiner.join(parts), faults=tuple(dict.fromkeys(faults)))

    def acknowledgement(self, coming: str) -> str:
        """Return a word of thanks or welcome before what is coming, where nothing else answers the user."""
        log, seed = self._stage.log, self._stage.seed
        if self.pending or _ABRUPT.match(coming) or "\n" in coming:
            return ""
        turns = len(log.user)
        if turns < 2:
            return pick(_SURE, seed, "sure")
        return rotated(_THANKS, seed, turns)

    def misreported(self, text: str, *, proposing: bool = False) -> tuple[str, str]:
        """Return the text as this agent gets it out, and the fault if that is not as it should be."""
        if self._stage.hit("forgets_figure") is not None:
            if reading.values_in(text):
                return worded(
                    slips.without_figures(text, proposing=proposing), self._stage.seed
                ), "agent:forgets_figure"
        elif self._stage.hit("misstates_figure") is not None:
            wrong = slips.misstated(text)
            if wrong is not None:
                return wrong, "agent:misstates_figure"
        return text, ""

    def _said(self, text: str) -> int | None:
        """Return the message that says a text: in these words, or, after the last step, its figures and names."""
        stage = self._stage
        for line in stage.agent:
            if text in line.text:
                return line.at
        floor = max(stage.floor, stage.confirm_floor)
        if not stage.agent or stage.agent[-1].at <= floor:
            return None
        needed, words = reading.values_in(text), reading.words_in(text)
        for line in stage.agent:
            if line.at <= floor or reading.asks_confirmation(line.text):
                continue
            if needed and needed <= reading.values_in(line.text):
                return line.at
            if not needed and words and len(words & reading.words_in(line.text)) >= _SAME_WORDS * len(words):
                return line.at
        return None
