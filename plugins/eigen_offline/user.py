"""The simulated user: opens with a request, reveals facts when asked, confirms, and ends when everything is settled."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.inputs import UserInputs
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Fact, Goal
from eigen_offline.acts import Act, act_of
from eigen_offline.faults import UserLapses, user_lapses
from eigen_offline.kinds import kind_of
from eigen_offline.manners import manner_of, phrase, stated
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied
from eigen_offline.untruths import contradicting, invented, other_request
from eigen_offline.wording import lower_first, rotated, sentence

PATIENCE = 3
"""How often a user repeats itself before it ends the call."""
LONGEST = 26
"""Turns after which a user ends the call, whatever is open."""

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
_WAIT = ("Okay, thank you.", "Sure, take your time.", "Alright.", "Okay, I'll wait.")
_DECLINE = ("No, thank you.", "No thanks, I'd rather leave it then.", "No, that's not what I'm after, thanks.")
_NO_EXTRA = ("No, thanks, just what I asked for.", "No, that won't be necessary.", "No, thank you.")
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


class Move(NamedTuple):
    """What the user does on its turn. `names` are the fact kinds it answers; `lacking` those it does not know."""

    kind: str
    names: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    fault: str = ""


@dataclass
class Standing:
    """How far the call has come, folded over what the agent has said."""

    goals: list[Goal]
    goal: int = 0
    turns: int = 0
    told: dict[str, int] = field(default_factory=dict)
    pushed: bool = False
    nagged: bool = False
    adrift: int = 0
    invented: str = ""
    corrected: bool = False
    bolted: bool = False
    switched: bool = False


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return the user's next message."""
    inputs: UserInputs = request.inputs
    caller = _Caller(inputs, user_lapses(request.key, profile.user_rates))
    text, fault = caller.reply()
    return replied(text, model=profile.identity, faults=(fault,) if fault else ())


def _heard(conversation: Sequence[Message]) -> list[str]:
    """Return what the agent said between the user's own turns, one text a turn; a greeting before the first is none."""
    heard: list[str] = []
    parts: list[str] = []
    spoken = False
    for message in conversation:
        if message.speaker == "agent" and message.text:
            parts.append(message.text)
        elif message.speaker == "user":
            if spoken:
                heard.append("\n\n".join(parts))
            parts = []
            spoken = True
    if spoken:
        heard.append("\n\n".join(parts))
    return heard


class _Caller:
    def __init__(self, inputs: UserInputs, lapses: UserLapses) -> None:
        self.inputs, self.lapses = inputs, lapses
        # The scenario joins the seed: equal draws in different tasks should not sound alike.
        self.seed = zlib.crc32(inputs.scenario.reason.encode(), lapses.seed)
        self.domain, self.scenario = inputs.domain, inputs.scenario
        self.manner = manner_of(self.domain, self.scenario.persona)
        self.standing = Standing(list(self.scenario.goals))

    def reply(self) -> tuple[str, str]:
        """Return the next message and the fault it commits."""
        heard = _heard(self.inputs.conversation)
        if not heard:
            return self._opening(), ""
        for text in heard[:-1]:
            self._move(act_of(self.domain, text))
        last = act_of(self.domain, heard[-1])
        move = self._move(last)
        return self._words(move, heard[-1]), move.fault

    # Deciding

    def _move(self, act: Act) -> Move:
        """Take in one turn of the agent and decide the answer."""
        standing = self.standing
        standing.turns += 1
        bolt = self.lapses.faults.get("stops_early")
        if bolt is not None and standing.turns == 1 + int(bolt * 4):
            return Move("bolt", fault="user:stops_early")
        if standing.turns >= LONGEST:
            return Move("give_up")
        if act.hands_over:
            return Move("handed_over")
        if act.refuses:
            return self._refused(act)
        if act.more and (act.done or act.informs):
            return self._settled()
        if act.parting:
            return self._left(act)
        if act.confirms:
            return self._confirmed(act)
        if act.asked:
            return self._asked(act)
        if act.done:
            return self._settled() if not act.question else Move("wait")
        return self._adrift(act)

    def _refused(self, act: Act) -> Move:
        standing = self.standing
        if not standing.pushed and not act.alternative and self.seed % 100 < 35:
            standing.pushed = True
            return Move("push")
        accepted = self._settled()
        return accepted._replace(
            kind="decline_then_" + accepted.kind if act.alternative else "accept_then_" + accepted.kind
        )

    def _left(self, act: Act) -> Move:
        """Answer an agent that says goodbye: with what is still open, once, and then with a goodbye."""
        standing = self.standing
        if act.done or standing.nagged or standing.pushed:
            return self._settled()
        standing.nagged = True
        return Move("nag")

    def _settled(self) -> Move:
        standing = self.standing
        standing.goal += 1
        standing.adrift = 0
        standing.nagged = standing.pushed = False
        return Move("further" if standing.goal < len(standing.goals) else "farewell")

    def _confirmed(self, act: Act) -> Move:
        standing = self.standing
        standing.adrift = 0
        if "contradicts_fact" in self.lapses.faults and not standing.corrected:
            fact = self._contradictable()
            if fact is not None:
                standing.corrected = True
                return Move("contradict", (fact.name,), fault="user:contradicts_fact")
        fresh = tuple(name for name in act.asked if name not in standing.told and self._fact(name) is not None)
        self._tell(fresh)
        return Move("agree", fresh)

    def _asked(self, act: Act) -> Move:
        standing = self.standing
        held = tuple(name for name in act.asked if self._fact(name) is not None)
        if self._switches(held):
            standing.switched = True
            standing.goals[standing.goal] = self._other_goal()
            return Move("switch", fault="user:changes_goal")
        fresh = tuple(name for name in held if name not in standing.told)
        names = fresh or held
        unknown = tuple(name for name in act.asked if name in self.scenario.unknown and name not in held)
        if not names and not unknown:
            if act.offers:
                standing.adrift += 1
                return Move("no_extra") if standing.adrift <= PATIENCE else Move("give_up")
            unknown = act.asked[:1]
        if any(standing.told.get(name, 0) >= PATIENCE for name in (*names, *unknown)):
            return Move("give_up")
        self._tell((*names, *unknown))
        return self._with_invention(Move("facts", names, unknown))

    def _switches(self, held: tuple[str, ...]) -> bool:
        """Whether this is where a fickle user drops its last goal for another: when asked for one of its facts."""
        standing = self.standing
        if "changes_goal" not in self.lapses.faults or standing.switched:
            return False
        return standing.goal == len(standing.goals) - 1 and any(name in self._goal_facts() for name in held)

    def _adrift(self, act: Act) -> Move:
        standing = self.standing
        standing.adrift += 1
        if standing.adrift > PATIENCE:
            return Move("give_up")
        if act.more:
            if standing.nagged:
                return self._settled()
            standing.nagged = True
            return Move("nag")
        if act.question:
            return Move("no_extra" if act.offers else "restate")
        return Move("wait")

    def _with_invention(self, move: Move) -> Move:
        place = self.lapses.faults.get("invents_fact")
        if place is None:
            return move
        standing = self.standing
        if not standing.invented:
            eligible = [name for name in move.names if self._invention(name) is not None]
            if not eligible or (place < 0.5 and eligible[0] not in self._goal_facts()):
                return move
            standing.invented = eligible[0]
            return move._replace(fault="user:invents_fact")
        # Half of them stand by what they made up; the others look again when asked again.
        if standing.invented in move.names and int(place * 10) % 2:
            return move._replace(fault="user:invents_fact")
        if standing.invented in move.names:
            standing.invented = "-"
        return move

    def _tell(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.standing.told[name] = self.standing.told.get(name, 0) + 1

    # Knowing

    def _goal_facts(self) -> dict[str, Fact]:
        goals = self.standing.goals
        return {fact.name: fact for fact in goals[self.standing.goal].facts} if self.standing.goal < len(goals) else {}

    def _fact(self, name: str) -> Fact | None:
        own = self._goal_facts().get(name)
        if own is not None:
            return own
        return next((fact for fact in self.scenario.known if fact.name == name), None)

    def _invention(self, name: str) -> Fact | None:
        fact = self._fact(name)
        return invented(kind_of(self.domain, name), fact, self.scenario) if fact is not None else None

    def _contradictable(self) -> Fact | None:
        for name in reversed(self.standing.told):
            fact = self._goal_facts().get(name)
            if fact is not None and (other := contradicting(kind_of(self.domain, name), fact)) is not None:
                return other
        return None

    def _other_goal(self) -> Goal:
        goal = self.standing.goals[self.standing.goal]
        return Goal(goal.intent, f"Please {other_request(self.domain, self.seed)}.", goal.facts)

    # Saying

    def _opening(self) -> str:
        return self._phrase(self.manner.opening, "opening", request=self._request(0))

    def _request(self, goal: int) -> str:
        goals = self.standing.goals
        return goals[goal].request if goal < len(goals) else self.scenario.reason

    def _phrase(self, options: tuple[str, ...], purpose: str, *, request: str = "", **values: str) -> str:
        return phrase(
            options, self.seed, purpose, request=lower_first(request), Request=sentence(request), **values
        ).strip()

    def _words(self, move: Move, heard: str) -> str:
        kind, _, then = move.kind.partition("_then_")
        purpose = f"{kind} {self.standing.turns}"
        if then:
            lead = self._phrase(_DECLINE if kind == "decline" else self.manner.accept, purpose)
            rest = self._words(Move(then), heard)
            if then == "farewell":
                rest = rest.removeprefix("No, ").removeprefix("No. ")
            return f"{lead} {rest[0].upper()}{rest[1:]}"
        ending = self._ending(kind, purpose)
        if ending is not None:
            return f"{ending} {self.inputs.stop_token}"
        if kind == "further":
            return self._phrase(self.manner.further, purpose, request=self._request(self.standing.goal))
        if kind == "facts":
            return self._facts(move)
        if kind == "agree":
            return " ".join([self._phrase(self.manner.agree, purpose), *self._stated(move.names)])
        if kind == "contradict":
            fact = self._contradictable()
            assert fact is not None
            return self._phrase(_CORRECTION, purpose, fact=stated(self.domain, fact, self.seed))
        if kind == "switch":
            return self._phrase(_SWITCH, purpose, other=other_request(self.domain, self.seed))
        if kind in ("nag", "restate"):
            return self._phrase(_NAG if kind == "nag" else _RESTATE, purpose, request=self._request(self.standing.goal))
        plain = {"push": self.manner.push, "wait": _WAIT, "no_extra": _NO_EXTRA}
        return self._phrase(plain[kind], purpose)

    def _ending(self, kind: str, purpose: str) -> str | None:
        endings = {
            "farewell": self.manner.farewell,
            "handed_over": self.manner.handover,
            "give_up": _GIVE_UP,
            "bolt": _BOLT,
        }
        return self._phrase(endings[kind], purpose) if kind in endings else None

    def _facts(self, move: Move) -> str:
        parts = self._stated(move.names, inventing=move.fault == "user:invents_fact")
        labels = [kind_of(self.domain, name).spec.label for name in move.lacking]
        unknown = [self._phrase(self.manner.unknown, f"unknown {label}", label=label) for label in labels]
        lead = rotated(self.manner.lead, self.seed, self.standing.turns) if parts else ""
        return " ".join(part for part in (lead, *unknown, *parts) if part)

    def _stated(self, names: tuple[str, ...], *, inventing: bool = False) -> list[str]:
        said = []
        for name in names:
            fact = self._invention(name) if inventing and name == self.standing.invented else self._fact(name)
            if fact is not None:
                said.append(stated(self.domain, fact, self.seed))
        return said
