"""The simulated synthesizer: words a grounded draft, and plants defects at its profile's rates."""

from __future__ import annotations

import random
import re

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.canonical import canonical_json, content_hash, derive_rng
from eigen_cli.api.domain import Domain, Draft
from eigen_cli.api.inputs import SynthesizerInputs
from eigen_cli.api.outputs import SynthesizerOutput
from eigen_cli.api.tasks import Goal
from eigen_offline import stories
from eigen_offline.defects import broken_text, planted, with_defect
from eigen_offline.faults import defect_draws
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied

_WANTS = re.compile(r"^I(?:'d like| would like| want| need|'m hoping| was hoping|'m calling) to (.+)$", re.S)
_GREETING = re.compile(r"^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b(?: there)?[,.!]*\s*", re.I)
_OPENED, _COMMENTED = 0.2, 0.4
"""Shares of requests that come with a sentence before, and after them."""
_YOURS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b{mine}\b"), yours)
    for mine, yours in (
        ("I am", "you are"), ("I'm", "you're"), ("I was", "you were"), ("I've", "you've"), ("I'd", "you'd"),
        ("I'll", "you'll"), ("I", "you"), ("[Mm]y", "your"), ("[Mm]ine", "yours"), ("[Mm]yself", "yourself"),
        ("me", "you"), ("us", "you"), ("our", "your"), ("we are", "you are"), ("we", "you"),
    )
)  # fmt: skip


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return a worded task as JSON, with the defects that its draws and the plan's guidelines leave standing."""
    inputs: SynthesizerInputs = request.inputs
    draws = defect_draws(request.key)
    defects = planted(inputs, draws, profile.defect_rates)
    version = request.key.attempt // 10
    rng = derive_rng(request.key.run, request.key.task, "synthesizer", "wording", content_hash(inputs.draft), version)
    output = _worded(inputs, rng, stock="near_duplicate" in defects)
    for defect in defects:
        output = with_defect(defect, output, inputs=inputs, place=draws.places[defect])
    text = canonical_json(output).decode()
    if "invalid_output" in defects:
        text = broken_text(text, draws.places["invalid_output"], request.key.attempt)
    return replied(text, model=profile.identity, faults=tuple(f"synthesizer:{defect}" for defect in defects))


def _worded(inputs: SynthesizerInputs, rng: random.Random, *, stock: bool) -> SynthesizerOutput:
    draft = inputs.draft
    if stock:
        persona, reason, goals = stories.STOCK_PERSONA, stories.STOCK_REASON, draft.goals
    else:
        persona = _persona(inputs.domain, inputs.plan.body.synthesis.personas, rng)
        goals = tuple(_reworded(goal, rng, first=place == 0) for place, goal in enumerate(draft.goals))
        reason = _reason(draft, rng)
    return SynthesizerOutput(
        persona=persona,
        reason=reason,
        goals=goals,
        gold=draft.gold,
        clauses=draft.clauses,
        known=draft.known,
        unknown=draft.unknown,
        instructions=_instructions(draft, rng),
        communicate=draft.communicate,
        checks=draft.checks,
    )


def _persona(domain: Domain, wanted: tuple[str, ...], rng: random.Random) -> str:
    chosen = [persona for persona in domain.personas if persona.name in wanted] or list(domain.personas)
    manner = f"{rng.choice(chosen).text} " if chosen else ""
    details = [f"You work as {rng.choice(stories.TRADES)}.", rng.choice(stories.HABITS), rng.choice(stories.PLACES)]
    return manner + " ".join(rng.sample(details, 2))


def _reworded(goal: Goal, rng: random.Random, *, first: bool) -> Goal:
    request = _GREETING.sub("", goal.request.strip())
    request = request[:1].upper() + request[1:]
    # Both are drawn whether they are used or not, so that one wording does not shift the next.
    opener, aside = rng.choice(stories.OPENERS), rng.choice(stories.ASIDES)
    opener = opener if first and rng.random() < _OPENED else ""
    aside = aside if rng.random() < _COMMENTED else ""
    lead, mark, rest = _first_sentence(request)
    if match := _WANTS.match(lead):
        lead = rng.choice(stories.WANTING).replace("{verb}", match[1])
    if "?" in request:
        aside = ""
    parts = [opener, f"{lead}{mark}", rest, aside]
    return Goal(goal.intent, " ".join(part for part in parts if part), goal.facts)


def _first_sentence(text: str) -> tuple[str, str, str]:
    match = re.match(r"(.+?)([.!?])(?:\s+(.+))?$", text, re.S)
    return (match[1], match[2], match[3] or "") if match else (text, ".", "")


def _reason(draft: Draft, rng: random.Random) -> str:
    first, *others = [_first_sentence(_GREETING.sub("", goal.request.strip())) for goal in draft.goals]
    lead, mark, _ = first
    match = _WANTS.match(lead)
    lead = lead[:1].upper() + lead[1:]
    wish = f"You want to {_as_yours(match[1])}." if match else f'You are going to say: "{lead}{mark}"'
    more = f' After that you are going to say: "{others[0][0]}{others[0][1]}"' if others else ""
    return f"{wish}{more} You call now because {rng.choice(stories.MOMENTS)}. {rng.choice(stories.HOPES)}"


def _as_yours(text: str) -> str:
    for mine, yours in _YOURS:
        text = mine.sub(yours, text)
    return text


def _instructions(draft: Draft, rng: random.Random) -> str:
    return " ".join(part for part in (draft.instructions, *rng.sample(stories.BEHAVIOURS, 2)) if part)
