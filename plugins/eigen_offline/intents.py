"""What a user's words are about: a playbook's intents, compiled, and how requests are told apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from eigen_cli.api.domain import Domain
from eigen_cli.api.playbook import Intent, Playbook
from eigen_offline import reading

_SPLIT = re.compile(
    r"(?<=[.!?;])\s+|,?\s+(?=(?:and|then)?\s?(?:also|secondly|additionally|in addition|besides that|on top of that|"
    r"another thing|and then)\b)",
    re.I,
)
_WANTS = re.compile(
    r"\b(?:i(?:'d| would)? (?:like|need|want(?:ed)?|wish|have to|was hoping)|can (?:you|i|we)|could (?:you|i|we)|please"
    r"|help|looking to|trying to|want to|need to|let'?s|also|another|one more|i'?m (?:calling|after|hoping))\b",
    re.I,
)


@dataclass(frozen=True)
class Wish:
    """A request found in a user's words: the intent, and the part of the text that is about it."""

    intent: Intent
    clause: str


@dataclass(frozen=True, eq=False)
class Script:
    """A playbook with its cues compiled."""

    playbook: Playbook
    cues: tuple[tuple[Intent, tuple[re.Pattern[str], ...]], ...]
    memory: dict[str, tuple[Wish, ...]] = field(default_factory=dict, repr=False)

    def best(self, text: str) -> Intent | None:
        """Return the intent with the most cue matches; the earlier one in the playbook wins a tie."""
        best, most = None, 0
        for intent, cues in self.cues:
            matches = sum(1 for cue in cues for _ in cue.finditer(text))
            if matches > most:
                best, most = intent, matches
        return best

    def wishes(self, text: str) -> tuple[Wish, ...]:
        """Return the requests a text makes, in its order. Several only where the text itself says there are."""
        found = self.memory.get(text)
        if found is None:
            if len(self.memory) > 4096:
                self.memory.clear()
            found = self.memory[text] = tuple(self._wishes(text))
        return found

    def _wishes(self, text: str) -> list[Wish]:
        whole = self.best(text)
        if whole is None:
            return []
        if not reading.adds_request(text):
            return [Wish(whole, text)]
        wishes: list[Wish] = []
        for part in _SPLIT.split(text):
            intent = self.best(part)
            if intent is not None and (not wishes or (intent is not wishes[-1].intent and _WANTS.search(part))):
                wishes.append(Wish(intent, part))
            elif wishes:
                last = wishes.pop()
                wishes.append(Wish(last.intent, f"{last.clause} {part}"))
        return wishes if len(wishes) > 1 else [Wish(whole, text)]

    def further(self, text: str) -> tuple[Wish, ...]:
        """Return the requests in a reply to "anything else?"; thanks that mention the last request are none."""
        kept = [part for part in reading.sentences(text) if not reading.thanks(part) or _WANTS.search(part)]
        rest = " ".join(kept)
        if reading.closes(rest) and not _WANTS.search(rest):
            return ()
        return self.wishes(rest)


@lru_cache(maxsize=64)
def script_of(playbook: Playbook) -> Script:
    """Return a playbook's script."""
    cues = tuple((intent, tuple(re.compile(cue, re.I) for cue in intent.cues)) for intent in playbook.intents)
    return Script(playbook, cues)


@lru_cache(maxsize=64)
def domain_script(domain: Domain) -> Script | None:
    """Return the script of a domain's own playbook, if it has one."""
    playbook = domain.playbook()
    return script_of(playbook) if playbook is not None else None
