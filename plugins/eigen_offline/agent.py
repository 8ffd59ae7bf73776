"""The simulated agent: identifies the caller, works through their requests one by one, and says what it did."""

from __future__ import annotations

import zlib

import msgspec

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.api.messages import RawToolCall
from eigen_cli.api.playbook import Handover
from eigen_offline import reading
from eigen_offline.faults import agent_lapses
from eigen_offline.improvised import improvised_script
from eigen_offline.intents import Script, Wish, domain_script
from eigen_offline.player import Player
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied
from eigen_offline.stage import NEVER, Scope, Turn
from eigen_offline.tools import sketches_of
from eigen_offline.transcript import Line, Transcript
from eigen_offline.wording import pick

PATIENCE = 2
"""How often an agent asks what is wanted before it passes the caller on."""

_MORE = (
    "Is there anything else I can help you with today?",
    "Is there anything else I can do for you?",
    "Can I help you with anything else?",
    "Anything else I can take care of for you today?",
    "Is there anything else you need?",
)
_WHAT = (
    "What can I do for you today?",
    "How can I help you today?",
    "What would you like me to take care of?",
)
_UNCLEAR = (
    "I'm not sure I understood what you would like me to do. Could you tell me in a few words?",
    "Could you tell me a little more about what you need?",
    "I want to help with the right thing. What exactly would you like me to do?",
)
_GOODBYE = (
    "You're very welcome. Have a great day!",
    "You're welcome, and take care!",
    "Glad I could help. Goodbye!",
    "My pleasure. Have a lovely day!",
)
_STAND = (
    "I do understand, and I'm sorry for the disappointment, but I can't make an exception here. Is there anything else "
    "I can help you with?",
    "I'm sorry, I know this isn't what you hoped for. The rule applies to everyone, so I'm not able to change that. "
    "Is there anything else I can do?",
)
_REASSURE = (
    "Yes, that's all done. Is there anything else I can help you with?",
    "Yes, it has gone through. Is there anything else I can do for you?",
)
_HOLD = "Please stay on the line, a colleague will be with you shortly."


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return the agent's next turn."""
    inputs: AgentInputs = request.inputs
    log = Transcript(inputs.conversation)
    lapses = agent_lapses(request.key, profile.agent_rates)
    # The first words of the call join the seed: equal draws in different tasks should not sound alike.
    seed = zlib.crc32(log.user[0].text.encode(), lapses.seed) if log.user else lapses.seed
    player = Player(inputs.domain, log, tools=sketches_of(inputs.domain, request.tools), lapses=lapses, seed=seed)
    script = domain_script(inputs.domain) or improvised_script(inputs.domain, request.tools)
    turn = _Conversation(script, log, player).turn()
    return _reply(turn, number=log.count, model=profile.identity)


def _reply(turn: Turn, *, number: int, model: str) -> SimulatedReply:
    calls: tuple[RawToolCall, ...] = ()
    if turn.call is not None:
        name, arguments = turn.call
        calls = (RawToolCall(f"call_{number + 1}", name, msgspec.json.encode(arguments).decode()),)
    return replied(turn.text, model=model, calls=calls, faults=turn.faults)


class _Conversation:
    """One call, walked from its beginning to the first thing that is still to be done."""

    def __init__(self, script: Script, log: Transcript, player: Player) -> None:
        self.script, self.log, self.player, self.stage = script, log, player, player.stage
        self.queue: list[tuple[Wish, int]] = []
        self.goals = 0

    def turn(self) -> Turn:
        """Return what the agent does now."""
        turn = self.player.perform(self.script.playbook.opening, Scope(-1, 0, ""))
        if turn is not None:
            return turn
        self._enqueue(self.log.user)
        if not self.queue:
            return self._ask_what(len(self._unheard()))
        while True:
            while self.queue and not self.stage.over:
                turn = self._work(*self.queue.pop(0))
                if turn is not None:
                    return turn
            if self.stage.over:
                return self._after_handover()
            if self.player.speech.pending or not self._unheard():
                return self.player.speech.say(pick(_MORE, self.stage.seed, f"more {self.goals}"))
            turn = self._next()
            if turn is not None:
                return turn

    def _unheard(self) -> list[Line]:
        """Return what the user said since the last request was settled."""
        return [line for line in self.log.user if line.at > self.stage.at]

    def _enqueue(self, lines: list[Line]) -> Line | None:
        """Queue the requests of the first line that makes any; return that line."""
        for line in lines:
            wishes = self.script.further(line.text)
            if wishes:
                self.queue.extend((wish, line.at) for wish in wishes)
                return line
        return None

    def _work(self, wish: Wish, start: int) -> Turn | None:
        """Carry on with a request, as far as the line at which the user turned to another one."""
        turning = next((line for line in self.log.user if line.at > start and self._turns_away(line, wish)), None)
        limit = turning.at if turning is not None else NEVER
        turn = self.player.perform(wish.intent.procedure, Scope(self.goals, start, wish.clause, limit))
        self.goals += 1
        if turn is None or turning is None:
            return turn
        # Whatever was left of it, the user has moved on.
        self.player.speech.pending.clear()
        self.stage.reach(turning.at - 1)
        self.queue.clear()
        self._enqueue([turning])
        return None

    def _turns_away(self, line: Line, wish: Wish) -> bool:
        """Whether a line ends the work on a request: a new one after "anything else?", or another one in its place."""
        if reading.abandons(line.text):
            other = self.script.best(line.text)
            return other is not None and other is not wish.intent
        before = self.log.asked_before(line.at)
        if before is None or not reading.offers_more(before.text) or self._is_plea(line):
            return False
        return bool(self.script.further(line.text))

    def _is_plea(self, line: Line) -> bool:
        return reading.pleads(line.text) and not reading.adds_request(line.text)

    def _next(self) -> Turn | None:
        """Look for the next request in what the user said since the last one was settled."""
        lines = self._unheard()
        wish_at = self._first_wish(lines)
        if wish_at is not None:
            self._enqueue([wish_at])
            return None
        last = lines[-1].text
        if self.stage.refused and (reading.pleads(last) or "?" in last):
            return Turn(pick(_STAND, self.stage.seed, f"stand {len(lines)}"))
        if self.stage.wrote and "?" in last and not reading.closes(last):
            return Turn(pick(_REASSURE, self.stage.seed, f"done {len(lines)}"))
        if reading.closes(last) or reading.thanks(last) or reading.answer_in(last) == "no":
            return Turn(pick(_GOODBYE, self.stage.seed, "goodbye"))
        return self._ask_what(len(lines) - 1)

    def _first_wish(self, lines: list[Line]) -> Line | None:
        for line in lines:
            if self.stage.refused and self._is_plea(line):
                continue
            if self.script.further(line.text):
                return line
        return None

    def _ask_what(self, tries: int) -> Turn:
        """Ask what is wanted: openly first, then more precisely, then pass the caller on."""
        if tries > PATIENCE:
            turn = self.player.hand_over(Handover("The customer's request could not be made out."))
            return turn if turn is not None else self.player.speech.say()
        options = _UNCLEAR if tries else _WHAT
        return self.player.speech.say(pick(options, self.stage.seed, f"what {tries}"))

    def _after_handover(self) -> Turn:
        return self.player.speech.say() if self.player.speech.pending else Turn(_HOLD)
