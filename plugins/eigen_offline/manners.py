"""How callers talk: one set of phrases a style, and how a caller of that style states what they know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Fact
from eigen_offline.kinds import kind_of
from eigen_offline.wording import pick, worded


@dataclass(frozen=True)
class Manner:
    """The phrases of one style; every text may offer alternatives. `{request}` and `{label}` are filled in."""

    opening: tuple[str, ...]
    further: tuple[str, ...]
    agree: tuple[str, ...]
    unknown: tuple[str, ...]
    farewell: tuple[str, ...]
    accept: tuple[str, ...]
    push: tuple[str, ...]
    handover: tuple[str, ...]
    lead: tuple[str, ...] = ("",)
    """Said before a fact."""


_PLAIN = Manner(
    opening=("Hi, {request}", "Hello, {request}", "Hi there. {Request}", "<Good morning|Good afternoon>. {Request}"),
    further=(
        "Yes, one more thing: {request}",
        "There is something else, actually. {Request}",
        "Yes please. {Request}",
        "Thanks. I also have another request: {request}",
    ),
    agree=("Yes, please go ahead.", "Yes, that's right.", "Yes, please do that.", "That's correct, go ahead."),
    unknown=(
        "I'm sorry, I don't know the {label}.",
        "I don't have the {label} with me, sorry.",
        "Sorry, I'm not sure about the {label}.",
    ),
    farewell=(
        "No, that's all. Thank you for your help!",
        "That's everything, thanks a lot.",
        "No, thank you, that was all. Bye!",
    ),
    accept=("I see, thanks for explaining.", "Okay, I understand.", "That's a pity, but I understand."),
    push=("Are you sure there's no way to make an exception?", "Is there really nothing you can do?"),
    handover=("Okay, thank you for your help.", "Alright, I'll wait for your colleague. Thanks."),
)
_STYLES: Mapping[str, Manner] = {
    "plain": _PLAIN,
    "terse": Manner(
        opening=("{Request}", "Hi. {Request}", "Hello. {Request}"),
        further=("Yes. {Request}", "One more: {request}", "Yes, {request}"),
        agree=("Yes.", "Yes, go ahead.", "Correct.", "Yep, do it.", "Confirmed."),
        unknown=("Don't know the {label}.", "No idea about the {label}.", "I don't have the {label}."),
        farewell=("No, thanks.", "That's all. Thanks.", "No. Bye."),
        accept=("Fine.", "Okay.", "Understood."),
        push=("Really no exception?", "Are you sure?"),
        handover=("Okay, thanks.", "Fine, I'll wait."),
    ),
    "chatty": Manner(
        opening=(
            "Hi there! I hope <your day is going well|you're having a good one>. {Request}",
            "Hello! <Thanks for picking up so quickly.|Oh good, someone is there.> {Request}",
            "Hey! So, <it's a bit of a long story, but|long story short,> {request}",
        ),
        further=(
            "Oh, that's great, thank you! While I have you, {request}",
            "Wonderful. You know what, there's one more thing on my list. {Request}",
            "Lovely, that's a weight off my mind. And there's something else: {request}",
        ),
        agree=(
            "Yes, that sounds perfect, please go ahead!",
            "Oh yes, exactly like that, thank you!",
            "Yes please, that's just what I had in mind.",
        ),
        unknown=(
            "Oh dear, I really don't know the {label}, I'm afraid.",
            "Hmm, you've got me there. I don't have the {label} to hand.",
        ),
        farewell=(
            "No, that's everything. You've been so helpful, thank you! Have a lovely day.",
            "That's all from me. Thanks a million, you made this easy!",
        ),
        accept=(
            "Oh, what a shame. Well, <rules are rules, I suppose|it was worth asking>. Thanks for being honest.",
            "I had a feeling you might say that. Never mind, thank you for looking.",
        ),
        push=(
            "Oh no, really? Isn't there any way you could make an exception?",
            "Hmm, are you sure? Surely there's something you can do, just this once?",
        ),
        handover=("Oh, all right. Thank you so much for trying!", "Okay, I'll hold on then. Thanks for everything."),
        lead=("", "Sure, let me look that up.", "", "", "Of course!", "", "Let me see.", ""),
    ),
    "formal": Manner(
        opening=(
            "<Good morning|Good afternoon>. {Request}",
            "Hello. I would appreciate your assistance. {Request}",
            "Good day. {Request}",
        ),
        further=(
            "Yes, I have one further request. {Request}",
            "Thank you. There is another matter: {request}",
            "Yes, there is one more matter. {Request}",
        ),
        agree=(
            "Yes, I confirm. Please proceed.",
            "That is correct, please proceed.",
            "Yes, you have my approval.",
        ),
        unknown=(
            "I regret that I do not have the {label}.",
            "I am afraid I do not know the {label}.",
        ),
        farewell=(
            "No, that will be all. Thank you for your assistance.",
            "That is everything, thank you. Goodbye.",
        ),
        accept=("I understand. Thank you for the clarification.", "Very well. I appreciate the explanation."),
        push=(
            "Would it be possible to make an exception in this case?",
            "Are you certain that there is no way to accommodate this?",
        ),
        handover=("Very well, thank you.", "Understood. I will hold, thank you."),
    ),
    "hurried": Manner(
        opening=(
            "Hi, <I only have a few minutes|I'm a little short on time>. {Request}",
            "Hello, quick one: {request}",
            "Hi, I'm in a bit of a rush. {Request}",
        ),
        further=("Yes, quickly: {request}", "One more, then I have to run. {Request}", "Great. Also, {request}"),
        agree=("Yes, go ahead please.", "Yes, yes, do it.", "Yes. Please be quick.", "Right, go ahead."),
        unknown=("I don't have the {label} right now.", "No time to look up the {label}, I don't know it."),
        farewell=("That's it, got to go. Thanks!", "No, all good. Thanks, bye!"),
        accept=("Okay, fine. I don't have time to argue.", "Alright, never mind then."),
        push=("Come on, is there really no way around that?", "Are you sure? I really need this."),
        handover=("Okay, but please make it quick. Thanks.", "Fine, I'll hold."),
    ),
    "anxious": Manner(
        opening=(
            "Hi, I'm a little worried about this. {Request}",
            "Hello, I hope you can help me. {Request}",
            "Hi, <sorry to bother you|I'm not sure I'm in the right place>. {Request}",
        ),
        further=(
            "Phew, thank you. There's one more thing I'm worried about: {request}",
            "Okay, good. And also, {request}",
        ),
        agree=(
            "Yes, please, if you're sure that's right.",
            "Yes, please go ahead. Thank you.",
            "Okay, yes, let's do that.",
        ),
        unknown=("I'm so sorry, I don't know the {label}. Is that a problem?", "Oh no, I don't have the {label}."),
        farewell=(
            "No, that's all. Thank you, I feel much better now.",
            "That's everything. Thank you so much for your help.",
        ),
        accept=("Oh. Okay, I understand, I suppose.", "I was afraid of that. Thank you for telling me."),
        push=(
            "Is there really nothing that can be done? I'm quite worried.",
            "Are you sure? Could you double-check, please?",
        ),
        handover=("Okay. Thank you, I'll wait.", "Oh, all right. I hope they can help."),
    ),
    "annoyed": Manner(
        opening=(
            "Hello. <I've been waiting for a while now|Finally>. {Request}",
            "Hi. This has been <a frustrating day|more hassle than it should be>, so let's keep it simple. {Request}",
            "Look, {request}",
        ),
        further=(
            "Yes, I'm not finished. {Request}",
            "There's more, unfortunately. {Request}",
            "Right. Next: {request}",
        ),
        agree=("Yes, that's what I asked for.", "Yes. Go ahead.", "Yes, please just do it."),
        unknown=(
            "I don't know the {label}. Can't you see that on your side?",
            "How would I know the {label}? I don't have it.",
        ),
        farewell=("No, that's all. Thanks.", "Nothing else. Goodbye."),
        accept=("I'm not happy about that, but fine.", "Great. Well, I can't change your rules."),
        push=(
            "That's ridiculous. Surely you can make an exception?",
            "That's really disappointing. Is there no way at all?",
        ),
        handover=("Fine. I hope they know what they're doing.", "Okay, I'll wait. Again."),
    ),
    "friendly": Manner(
        opening=("Hi! {Request}", "Hello there! {Request}", "Hey, how are you? {Request}"),
        further=("Great, thanks! One more thing, {request}", "Perfect. Could we look at something else too? {Request}"),
        agree=("Yes, that's perfect, thanks!", "Sounds good, please go ahead.", "Yes please, thank you!"),
        unknown=("Sorry, I don't know the {label}!", "Hmm, I don't have the {label}, sorry about that."),
        farewell=("No, that's all. Thanks so much!", "All good, thank you. Have a nice day!"),
        accept=("Okay, no worries. Thanks for checking!", "Ah, too bad. Thanks anyway!"),
        push=("Aw, are you sure? Could you maybe make an exception?", "Is there any way to get around that?"),
        handover=("Okay, thanks for your help!", "Sure, I'll hold. Thank you!"),
        lead=("", "Sure!", "", "", "Of course.", ""),
    ),
}
_SIGNS: tuple[tuple[str, str], ...] = (
    ("terse", r"terse|brief|few words|curt|laconic|to the point|concise"),
    ("chatty", r"chatty|talkative|rambl|story|stories|small talk|detail"),
    ("formal", r"formal|polite|courteous|proper|reserved|lawyer|precise"),
    ("hurried", r"hurr|rush|busy|short on time|impatient|between meetings|quick"),
    ("anxious", r"anxious|nervous|worried|unsure|first[- ]time|insecure|uncertain|elderly"),
    ("annoyed", r"annoyed|angry|frustrat|irritat|upset|demanding|grump"),
    ("friendly", r"friendly|cheerful|warm|easygoing|relaxed|kind|sunny"),
)


@lru_cache(maxsize=4096)
def manner_of(domain: Domain, persona: str) -> Manner:
    """Return the manner of a persona's text: its declared style, or what its words suggest."""
    for declared in domain.personas:
        if declared.style in _STYLES and (declared.text in persona or declared.name == persona):
            return _STYLES[declared.style]
    for style, signs in _SIGNS:
        if re.search(rf"\b(?:{signs})", persona, re.I):
            return _STYLES[style]
    return _PLAIN


def phrase(options: tuple[str, ...], seed: int, purpose: str, **values: str) -> str:
    """Return one of the phrases, worded and filled in."""
    text = worded(pick(options, seed, purpose), seed)
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def stated(domain: Domain, fact: Fact, seed: int) -> str:
    """Return how this caller states a fact."""
    if fact.text:
        return fact.text
    says = kind_of(domain, fact.name).spec.says
    value = shown(fact.value)
    text = worded(pick(says, seed, f"say {fact.name}"), seed).replace("{value}", value)
    # Words begin a sentence with a capital; ids stay as they are.
    return text[:1].upper() + text[1:] if value.replace(" ", "").isalpha() else text


def shown(value: Any) -> str:
    """Return a fact's value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(shown(item) for item in value)
    if isinstance(value, dict):
        return " ".join(shown(item) for item in value.values())
    return str(value)
