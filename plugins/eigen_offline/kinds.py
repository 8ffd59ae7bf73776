"""Fact kinds, compiled: how agents ask for a fact, how users state it, and how it is found in free text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from eigen_cli.api.domain import Domain, FactKind
from eigen_offline import reading

_BARE = 14
"""Words up to which a reply may itself be the value asked for."""
_WORDS = re.compile(r"[a-z']+")
_GENERIC = frozenset(
    [
        "value",
        "please",
        "it",
        "it's",
        "that's",
        "that",
        "the",
        "is",
        "a",
        "i",
        "i'd",
        "like",
        "make",
        "sure",
        "would",
        "be",
        "okay",
        "then",
        "just",
        "want",
        "give",
        "me",
    ]
)
"""Words that say nothing of what kind of value stands beside them."""
_FLAGS = re.compile(r"^\(\?[aiLmsux]+\)")


@dataclass(frozen=True, eq=False)
class Kind:
    """One fact kind, ready to ask, state and recognise."""

    spec: FactKind
    asks: tuple[re.Pattern[str], ...]
    pattern: re.Pattern[str] | None
    in_context: re.Pattern[str] | None
    """A value after the words that usually come before it: `from DEN` where `DEN` alone could be either end."""
    says: tuple[re.Pattern[str], ...]
    """Whole sentences of the kind's own that name the value among other words."""
    narrower: tuple[re.Pattern[str], ...] = ()
    """Patterns of kinds that claim some of these values by the words around them (a date said to be the way back)."""
    memory: dict[str, str | None] = field(default_factory=dict, repr=False)
    """Values of texts already read; bounded."""

    def value(self, text: str) -> str | None:
        """Return the value a text states, or None; the last one where the text corrects itself."""
        if text in self.memory:
            return self.memory[text]
        if len(self.memory) > 4096:
            self.memory.clear()
        found = self.memory[text] = self._value(text)
        return found

    def _value(self, text: str) -> str | None:
        if self.pattern is not None:
            claimed = {_span(match) for other in self.narrower for match in other.finditer(text)}
            found = [_group(match) for match in self.pattern.finditer(text) if _span(match) not in claimed]
            if len(found) > 1 and reading.corrects(text):
                return found[-1]
            if len(found) > 1 and self.in_context is not None and (match := self.in_context.search(text)):
                return _group(match)
            if found:
                return found[0]
        for part in reading.sentences(text):
            for says in self.says:
                if match := says.fullmatch(part):
                    return match[1].strip(" .!,")
        return None

    def bare(self, reply: str) -> str | None:
        """Return a short reply to this kind's question as its own value; None where it plainly holds none."""
        if "?" in reply or reading.lacks(reply) or reading.abandons(reply) or len(reply.split()) > _BARE:
            return None
        return reply.strip(" .!") or None

    def asked_in(self, text: str) -> bool:
        """Whether a text asks for this kind of fact."""
        requests = reading.request_text(text)
        return bool(requests) and any(ask.search(requests) for ask in self.asks)


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span(match.lastindex or 0)


def _group(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), match[0]).strip()


@lru_cache(maxsize=64)
def kinds_of(domain: Domain) -> Mapping[str, Kind]:
    """Return a domain's fact kinds by name."""
    return {spec.name: _compiled(spec, domain.fact_kinds) for spec in domain.fact_kinds}


@lru_cache(maxsize=512)
def kind_of(domain: Domain, name: str) -> Kind:
    """Return a fact kind by name; a name the domain does not declare is read as its own words (`card_number`)."""
    declared = kinds_of(domain).get(name)
    return declared if declared is not None else _compiled(improvised(name))


def improvised(name: str) -> FactKind:
    """Return a fact kind made from a bare name, such as a tool's parameter."""
    label = re.sub(r"\bid\b", "ID", name.replace("_", " ").strip())
    needle = r"\W+".join(re.escape(word) for word in label.split())
    return FactKind(
        name=name,
        label=label,
        question=(f"Could you give me the {label}, please?", f"What is the {label}?"),
        says=(f"The {label} is {{value}}.", "It's {value}."),
        asks=(rf"\b{needle}\b",),
    )


def _compiled(spec: FactKind, others: Sequence[FactKind] = ()) -> Kind:
    # Kinds may bring global flags; an expression that is joined to others must not.
    value = _FLAGS.sub("", spec.pattern) if spec.pattern else None
    leads = [lead for says in spec.says if (lead := " ".join(says.split("{value}")[0].split()[-2:]))]
    narrower = [other.pattern for other in others if spec.pattern and other.pattern and spec.pattern != other.pattern]
    context = "|".join(rf"\b{re.escape(lead)}" for lead in leads)
    return Kind(
        spec=spec,
        asks=tuple(re.compile(ask, re.I | re.S) for ask in spec.asks or (re.escape(spec.label),)),
        pattern=re.compile(value, re.I) if value else None,
        in_context=re.compile(rf"(?:{context})\s+(?:{value})", re.I) if value and context else None,
        narrower=tuple(re.compile(one, re.I) for one in narrower if spec.pattern and spec.pattern in one),
        says=tuple(_sentence(says) for says in spec.says if set(_WORDS.findall(says.lower())) - _GENERIC),
    )


def _sentence(says: str) -> re.Pattern[str]:
    before, after = says.split("{value}", 1)
    return re.compile(rf"{re.escape(before)}(.+?){re.escape(after.rstrip(' .!'))}[.!]?", re.I | re.S)


def kinds_asked(domain: Domain, text: str) -> tuple[str, ...]:
    """Return the names of the fact kinds a text asks for, in the order of the text."""
    # Agents ask the same questions after ever different sentences: only the questions are remembered.
    requests = reading.request_text(text)
    return _kinds_asked(domain, requests) if requests else ()


@lru_cache(maxsize=16384)
def _kinds_asked(domain: Domain, requests: str) -> tuple[str, ...]:
    found = []
    for kind in kinds_of(domain).values():
        starts = [match.end() for ask in kind.asks if (match := ask.search(requests))]
        if starts:
            found.append((min(starts), kind.spec.name))
    return tuple(name for _, name in sorted(found))


def asks_for(domain: Domain, kind: Kind, text: str) -> bool:
    """Whether a text asks for a kind of fact, declared or improvised."""
    if kind.spec.name in kinds_of(domain):
        return kind.spec.name in kinds_asked(domain, text)
    return kind.asked_in(text)
