"""The simulated user's mind: what it has been told, where it stands with its goals, and what it does next."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from eigen_cli.api.inputs import UserInputs
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Fact, Goal
from eigen_offline.acts import Act, act_of
from eigen_offline.faults import UserLapses
from eigen_offline.kinds import kind_of, kinds_of
from eigen_offline.untruths import contradicting, invented, other_request

PATIENCE = 3
"""How often a user repeats itself before it ends the call."""
LONGEST = 26
"""Turns after which a user ends the call, whatever is open."""
_PUSHES = 35
"""Callers in a hundred who push back against a refusal, once a goal."""
_CORRECTED = "corrected_"
"""Prefix of kinds that hold the right value after a misread one of the kind without it."""


class Move(NamedTuple):
    """What the user does on its turn. `names` are the fact kinds it answers; `lacking` those it does not know."""

    kind: str
    names: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    fault: str = ""


class Caller:
    """A user in one call. It hears the agent turn by turn and decides; it never looks back."""

    def __init__(self, inputs: UserInputs, lapses: UserLapses) -> None:
        self.domain, self.scenario, self.faults = inputs.domain, inputs.scenario, lapses.faults
        # The scenario joins the seed: equal draws in different tasks should not sound alike.
        self.seed = zlib.crc32(inputs.scenario.reason.encode(), lapses.seed)
        self.goals = list(inputs.scenario.goals)
        self.goal = self.turns = 0
        self.heard = ""
        """What the agent said last."""
        self._known = {fact.name: fact for fact in inputs.scenario.known}
        self._own = self._facts_of(0)
        declared = kinds_of(self.domain)
        names = dict.fromkeys(fact.name for fact in inputs.scenario.facts())
        self._undeclared = [kind_of(self.domain, name) for name in names if name not in declared]
        self._told: dict[str, int] = {}
        self._pushed = self._nagged = self._corrected = self._switched = False
        self._adrift_turns = 0
        self.invented = ""
        """The kind whose value was made up."""
        self._length = 0
        self._last: Message | None = None
        self._spoken = False

    def hear(self, conversation: Sequence[Message]) -> Move | None:
        """Take in what a conversation adds and return the move it calls for; None for the opening words."""
        parts: list[str] = []
        for message in conversation[self._length :]:
            if message.speaker == "agent" and message.text:
                parts.append(message.text)
            elif message.speaker == "user":
                if self._spoken and parts:
                    self.decide("\n\n".join(parts))
                parts = []
                self._spoken = True
        self._length = len(conversation)
        self._last = conversation[-1] if conversation else None
        if not self._spoken:
            return None
        return self.decide("\n\n".join(parts))

    def continues(self, inputs: UserInputs) -> bool:
        """Whether a request goes on with the call this caller is in: it has heard a beginning of it, and nothing else.

        The turn it decided last must be the next message, so that nothing is decided twice or left out.
        """
        conversation, known = inputs.conversation, self._length
        return (
            0 < known < len(conversation)
            and self._spoken
            and inputs.scenario is self.scenario
            and conversation[known - 1] is self._last
            and conversation[known].speaker == "user"
            and all(message.speaker == "agent" for message in conversation[known + 1 :])
        )

    # Deciding

    def decide(self, heard: str) -> Move:
        """Take in one turn of the agent and decide the answer."""
        self.heard = heard
        self.turns += 1
        act = self._act(heard)
        bolt = self.faults.get("stops_early")
        if bolt is not None and self.turns == 1 + int(bolt * 4):
            return Move("bolt", fault="user:stops_early")
        if self.turns >= LONGEST:
            return Move("give_up")
        if act.hands_over:
            return Move("handed_over")
        if act.refuses:
            return self._refused(act)
        if act.more and (act.done or act.informs):
            return self._settled()
        if act.confirms:
            return self._confirmed(act)
        if act.asked:
            return self._asked(act)
        if act.parting:
            return self._left(act)
        if act.done:
            return self._settled() if not act.question else Move("wait")
        return self._adrift(act)

    def _act(self, heard: str) -> Act:
        act = act_of(self.domain, heard)
        more = tuple([kind.spec.name for kind in self._undeclared if kind.asked_in(heard)])
        if not more or (act.more and not act.confirms):
            return act
        return replace(act, asked=act.asked + more, question=True, done=act.done and act.more)

    def _refused(self, act: Act) -> Move:
        if not self._pushed and not act.alternative and self.seed % 100 < _PUSHES:
            self._pushed = True
            return Move("push")
        accepted = self._settled()
        how = "decline" if act.alternative else "accept"
        return accepted._replace(kind=f"{how}_then_{accepted.kind}")

    def _left(self, act: Act) -> Move:
        """Answer an agent that says goodbye: with what is still open, once, and then with a goodbye."""
        if act.done or self._nagged or self._pushed:
            return self._settled()
        self._nagged = True
        return Move("nag")

    def _settled(self) -> Move:
        self.goal += 1
        self._own = self._facts_of(self.goal)
        self._adrift_turns = 0
        self._nagged = self._pushed = False
        return Move("further" if self.goal < len(self.goals) else "farewell")

    def _confirmed(self, act: Act) -> Move:
        self._adrift_turns = 0
        if "contradicts_fact" in self.faults and not self._corrected:
            fact = self.contradiction()
            if fact is not None:
                self._corrected = True
                return Move("contradict", (fact.name,), fault="user:contradicts_fact")
        fresh = tuple(name for name in act.asked if name not in self._told and self.fact(name) is not None)
        self._tell(fresh)
        return Move("agree", fresh)

    def _asked(self, act: Act) -> Move:
        own, known = self._own, self._known
        held = tuple([name for name in act.asked if name in own or name in known])
        if self._switches(held):
            self._switched = True
            self.goals[self.goal] = self._other_goal()
            return Move("switch", fault="user:changes_goal")
        names = tuple([name for name in held if name not in self._told]) or held
        unknown: tuple[str, ...] = ()
        if self.scenario.unknown:
            unknown = tuple([name for name in act.asked if name in self.scenario.unknown and name not in held])
        if not names and not unknown:
            return self._asked_in_vain(act)
        return self._tell_facts(names, unknown)

    def _asked_in_vain(self, act: Act) -> Move:
        """Answer a question for what the scenario does not hold: look again, decline an offer, or say so."""
        again = [name.removeprefix(_CORRECTED) for name in act.asked if name.startswith(_CORRECTED)]
        repeated = tuple([name for name in again if self.fact(name) is not None])
        if repeated:
            return self._tell_facts(repeated, ())._replace(kind="again")
        if act.keeps:
            return Move("keep")
        if act.offers:
            self._adrift_turns += 1
            return Move("no_extra") if self._adrift_turns <= PATIENCE else Move("give_up")
        return self._tell_facts((), act.asked[:1])

    def _tell_facts(self, names: tuple[str, ...], unknown: tuple[str, ...]) -> Move:
        if any(self._told.get(name, 0) >= PATIENCE for name in (*names, *unknown)):
            return Move("give_up")
        self._tell((*names, *unknown))
        move = Move("facts", names, unknown)
        return self._with_invention(move) if "invents_fact" in self.faults else move

    def _switches(self, held: tuple[str, ...]) -> bool:
        """Whether this is where a fickle user drops its last goal for another: when asked for one of its facts."""
        if "changes_goal" not in self.faults or self._switched:
            return False
        return self.goal == len(self.goals) - 1 and any(name in self._own for name in held)

    def _adrift(self, act: Act) -> Move:
        self._adrift_turns += 1
        if self._adrift_turns > PATIENCE:
            return Move("give_up")
        if act.more:
            if self._nagged:
                return self._settled()
            self._nagged = True
            return Move("nag")
        if act.question:
            return Move("no_extra" if act.offers else "restate")
        return Move("wait")

    def _with_invention(self, move: Move) -> Move:
        place = self.faults["invents_fact"]
        if not self.invented:
            eligible = [name for name in move.names if self.invention(name) is not None]
            if not eligible or (place < 0.5 and eligible[0] not in self._own):
                return move
            self.invented = eligible[0]
            return move._replace(fault="user:invents_fact")
        if self.invented not in move.names:
            return move
        # Half of them stand by what they made up; the others look again when asked again.
        if int(place * 10) % 2:
            return move._replace(fault="user:invents_fact")
        self.invented = "-"
        return move

    def _tell(self, names: tuple[str, ...]) -> None:
        for name in names:
            self._told[name] = self._told.get(name, 0) + 1

    # Knowing

    def _facts_of(self, goal: int) -> dict[str, Fact]:
        return {fact.name: fact for fact in self.goals[goal].facts} if goal < len(self.goals) else {}

    def fact(self, name: str) -> Fact | None:
        """Return what the user knows of a kind for the goal at hand."""
        return self._own.get(name) or self._known.get(name)

    def invention(self, name: str) -> Fact | None:
        """Return what the user says of a kind when it makes the value up."""
        fact = self.fact(name)
        return invented(kind_of(self.domain, name), fact, self.scenario) if fact is not None else None

    def contradiction(self) -> Fact | None:
        """Return the last fact told, with another value than the user's."""
        for name in reversed(self._told):
            fact = self._own.get(name)
            if fact is not None and (other := contradicting(kind_of(self.domain, name), fact)) is not None:
                return other
        return None

    def request(self) -> str:
        """Return the request of the goal at hand."""
        return self.goals[self.goal].request if self.goal < len(self.goals) else self.scenario.reason

    def _other_goal(self) -> Goal:
        goal = self.goals[self.goal]
        return Goal(goal.intent, f"Please {other_request(self.domain, self.seed)}.", goal.facts)
