"""The simulated user: opens with a request, reveals facts when asked, confirms, and ends when everything is settled.

A caller is kept between turns and only hears what is new; one that is missing hears the call from its beginning.
"""

from __future__ import annotations

from dataclasses import replace

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.inputs import UserInputs
from eigen_offline.caller import Caller, Move
from eigen_offline.faults import user_lapses
from eigen_offline.hands import act, hands_of, left_out
from eigen_offline.kinds import kind_of
from eigen_offline.manners import manner_of, phrase, stated
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied
from eigen_offline.untruths import other_request
from eigen_offline.wording import lower_first, rotated, sentence

KEPT = 2048
"""Callers kept at a time; the oldest goes first."""

_NAG = (
    "Wait, has that actually been done? {Request}",
    "Before we move on: what about my request? {Request}",
    "Hold on, I don't think we've settled this yet. {Request}",
)
_RESTATE = (
    "I'm not sure what you need from me. {Request}",
    "I don't think I can tell you more than that. {Request}",
    "As I said, {request}",
)
_LEAVE = (
    "That's all, then. Thank you.",
    "Then that's everything. Goodbye.",
    "Nothing else, thanks. Bye.",
    "That was all. Thanks anyway.",
)
_INSTEAD = (
    "There is something else, though. {Request}",
    "I have another request, then: {request}",
    "Then there's one more thing. {Request}",
)
_WAIT = ("Okay, thank you.", "Sure, take your time.", "Alright.", "Okay, I'll wait.")
_DECLINE = ("No, thank you.", "No thanks, I'd rather leave it then.", "No, that's not what I'm after, thanks.")
_NO_EXTRA = ("No, thanks, just what I asked for.", "No, that won't be necessary.", "No, thank you.")
_KEEP = ("That can stay as it is.", "I'd keep that the same.", "No change there, it stays the same.")
_AGAIN = ("I've checked again. {facts}", "I looked again, and it's still the same. {facts}", "Hmm. {facts}")
_GIVE_UP = (
    "This isn't getting us anywhere. I'll try again another time. Goodbye.",
    "I think I'd better call back later. Bye.",
    "I don't think we're making progress here, so I'll leave it. Goodbye.",
)
_BOLT = (
    "Sorry, something has come up and I have to go. Bye.",
    "Oh, my other phone is ringing, I'll have to leave it here. Bye!",
    "I've just run out of time, sorry. Goodbye.",
)
_SWITCH = (
    "Actually, never mind that. Could you {other} instead?",
    "You know what, forget that. I'd rather have you {other}.",
    "Hmm, I changed my mind. Please {other} instead.",
)
_CORRECTION = (
    "Wait, I got that wrong. {fact}",
    "Hold on, sorry, I misspoke. {fact}",
    "Actually, no, that's not right. {fact}",
)

_callers: dict[tuple[str, str, int, str], Caller] = {}


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return the user's next message."""
    inputs: UserInputs = request.inputs
    if cues := hands_of(inputs.domain):
        done = act(inputs, cues, profile)
        if done is not None:
            return done
        inputs = replace(inputs, conversation=left_out(inputs.conversation, cues))
    key = (request.key.run, request.key.task, request.key.trial, profile.identity)
    caller = _callers.pop(key, None)
    if caller is None or not caller.continues(inputs):
        caller = Caller(inputs, user_lapses(request.key, profile.user_rates))
    move = caller.hear(inputs.conversation)
    if len(_callers) >= KEPT:
        del _callers[next(iter(_callers))]
    _callers[key] = caller
    words = _Words(caller, inputs.stop_token)
    if move is None:
        return replied(words.opening(), model=profile.identity)
    return replied(words.of(move), model=profile.identity, faults=(move.fault,) if move.fault else ())


def forget() -> None:
    """Drop every kept caller, so that the next answers hear their calls from the beginning."""
    _callers.clear()


class _Words:
    """A move in the caller's own words."""

    def __init__(self, caller: Caller, stop_token: str) -> None:
        self._caller, self._stop_token = caller, stop_token
        self._manner = manner_of(caller.domain, caller.scenario.persona)

    def opening(self) -> str:
        """Return the caller's first words."""
        return self._phrase(self._manner.opening, "opening")

    def of(self, move: Move) -> str:
        """Return the words of a move."""
        caller, manner = self._caller, self._manner
        kind, _, then = move.kind.partition("_then_")
        purpose = f"{kind} {caller.turns}"
        if then:
            lead = self._phrase(_DECLINE if kind == "decline" else manner.accept, purpose)
            if then == "further":
                return f"{lead} {self._phrase(_INSTEAD, purpose)}"
            return f"{lead} {self._phrase(_LEAVE, purpose)} {self._stop_token}"
        if kind in ("farewell", "handed_over", "give_up", "bolt"):
            return f"{self._phrase(self._options(kind), purpose)} {self._stop_token}"
        if kind == "facts":
            return self._facts(move)
        if kind == "again":
            again = rotated(_AGAIN, caller.seed, caller.turns)
            return again.replace("{facts}", " ".join(self._stated(move)))
        if kind == "agree":
            return " ".join([self._phrase(manner.agree, purpose), *self._stated(move)])
        if kind == "contradict":
            fact = caller.contradiction()
            assert fact is not None
            return self._phrase(_CORRECTION, purpose, fact=stated(caller.domain, fact, caller.seed))
        if kind == "switch":
            return self._phrase(_SWITCH, purpose, other=other_request(caller.domain, caller.seed))
        return self._phrase(self._options(kind), purpose)

    def _options(self, kind: str) -> tuple[str, ...]:
        manner = self._manner
        return {
            "farewell": manner.farewell,
            "handed_over": manner.handover,
            "give_up": _GIVE_UP,
            "bolt": _BOLT,
            "further": manner.further,
            "push": manner.push,
            "nag": _NAG,
            "restate": _RESTATE,
            "wait": _WAIT,
            "keep": _KEEP,
            "no_extra": _NO_EXTRA,
        }[kind]

    def _phrase(self, options: tuple[str, ...], purpose: str, **values: str) -> str:
        request = self._caller.request()
        return phrase(
            options, self._caller.seed, purpose, request=lower_first(request), Request=sentence(request), **values
        ).strip()

    def _facts(self, move: Move) -> str:
        caller = self._caller
        parts = self._stated(move)
        labels = [kind_of(caller.domain, name).spec.label for name in move.lacking]
        unknown = [self._phrase(self._manner.unknown, f"unknown {label}", label=label) for label in labels]
        lead = rotated(self._manner.lead, caller.seed, caller.turns) if parts else ""
        if parts and parts[0].startswith(("Sure", "Oh", "Well")):
            lead = ""
        return " ".join(part for part in (lead, *unknown, *parts) if part)

    def _stated(self, move: Move) -> list[str]:
        caller, said = self._caller, []
        for name in move.names:
            made_up = move.fault == "user:invents_fact" and name == caller.invented
            fact = caller.invention(name) if made_up else caller.fact(name)
            if fact is not None:
                said.append(stated(caller.domain, fact, caller.seed))
        return said
