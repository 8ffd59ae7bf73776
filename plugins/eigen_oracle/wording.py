"""Calls, facts and demands of a task as people would say them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Action, Fact, Task

ANYTHING_ELSE = "Is there anything else I can help you with?"
_ACRONYMS = {word: word.upper() for word in ("apn", "gb", "id", "mms", "sim", "sms", "vpn")} | {"ids": "IDs"}
_WORDS = re.compile(r"[a-z]+(?:_[a-z]+)+")
_ALTERNATIVES = re.compile(r"<([^<>|]*)\|[^<>]*>")
_FIRST_PERSON: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (r"\byou are\b", "I am"),
        (r"\byou.re\b", "I'm"),
        (r"\bare you\b", "am I"),
        (r"\byou were\b", "I was"),
        (r"\byourself\b", "myself"),
        (r"\byours\b", "mine"),
        (r"\byour\b", "my"),
        (
            r"\b(to|for|with|from|give|gives|tell|tells|let|lets|help|helps|at|about|of|send|show|offer|offers) you\b",
            r"\1 me",
        ),
        (r"\byou (?=to\b|that\b)", "me "),
        (r"\byou\b", "I"),
    )
)


def spoken_call(action: Action) -> str:
    """Return a call in words: `cancel the reservation with reservation ID Y675Y5`."""
    verb, _, rest = action.name.partition("_")
    said = f"{verb} the {_words(rest)}" if rest else verb
    if verb == "can":
        said = f"check whether you can {_words(rest)}"
    told = _listed([f"{_words(name)} {spoken_value(value)}" for name, value in action.arguments.items() if value != ""])
    return f"{said} with {told}" if told else said


def spoken_value(value: Any) -> str:
    """Return a JSON value in words; ids stay as they are."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:g}" if abs(value) < 1e6 else str(value)
    if isinstance(value, list | tuple):
        return _listed([spoken_value(item) for item in value]) or "none"
    if isinstance(value, dict):
        return " ".join(spoken_value(item) for item in value.values())
    text = "none" if value is None else str(value)
    return text.replace("_", " ") if _WORDS.fullmatch(text) else text


def instruction(actions: Sequence[Action]) -> str:
    """Return an agent's request that the customer makes calls on their own side."""
    steps = ", then ".join(spoken_call(action) for action in actions)
    return f"Could you please {steps}, and tell me what you see?"


def layout(actions: Sequence[Action], told: Sequence[str]) -> str:
    """Return an agent's question for a yes to writes, with what there is to be told about them."""
    steps = [spoken_call(action) for action in actions]
    what = f"I would now {_listed(steps)}." if len(steps) == 1 else f"I would now do this: {'; then '.join(steps)}."
    return " ".join([what, *told, "Shall I go ahead?"])


def closing(task: Task, told: Sequence[str], *, wrote: bool, handover: str | None) -> str:
    """Return an agent's last words: how it ends, what there is to be told, and whether there is anything else."""
    if any(action.name == handover for action in task.gold):
        lead = "I have passed this on to a human colleague, who will take it from here."
    elif wrote:
        lead = "That should settle it."
    else:
        lead = "I have looked into it." if told else "I have looked into it, and there is nothing that I could change."
    return " ".join([lead, *told, ANYTHING_ELSE])


def demands(task: Task) -> list[str]:
    """Return sentences that tell all that a task wants told, as the format it was imported from spells it."""
    known = {item.value for item in task.communicate}
    told = [f"The {item.label or 'answer'} is {item.value}." for item in task.communicate]
    return told + [f"The answer is {text}." for text in _imported_demands(task) if text not in known]


def _imported_demands(task: Task) -> Iterable[str]:
    """Return tau2-bench's `communicate_info`, whose evaluator looks for its very letters."""
    criteria = task.imported.get("task", {}).get("evaluation_criteria") or {}
    return criteria.get("communicate_info") or ()


def spoken_fact(domain: Domain, fact: Fact) -> str:
    """Return how a customer states a fact: in its own words, else in its kind's."""
    if fact.text:
        return _as_sentence(in_first_person(fact.text))
    says = next((kind.says for kind in domain.fact_kinds if kind.name == fact.name), ())
    if not says and isinstance(fact.value, str) and " " in fact.value:
        return _as_sentence(fact.value)  # a whole text, as other formats have them
    ways = [way for way in says if way.startswith("My ")] or [*says, f"My {_words(fact.name)} is {{value}}."]
    pattern = ways[0]
    while _ALTERNATIVES.search(pattern):
        pattern = _ALTERNATIVES.sub(r"\1", pattern)
    return _as_sentence(pattern.replace("{value}", spoken_value(fact.value)))


def in_first_person(text: str) -> str:
    """Return what a scenario says of a customer ("You are Ada. Your flight …") as that customer would say it."""
    text = " ".join(text.split())
    for pattern, instead in _FIRST_PERSON:
        text = pattern.sub(instead, text)
    return re.sub(r"(?<=[.!?] )my\b", "My", text[:1].upper() + text[1:])


def _words(name: str) -> str:
    return " ".join(_ACRONYMS.get(word, word) for word in name.split("_"))


def _as_sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"
