"""The agent's side of one call: identify the caller, work through the requests one by one, take leave."""

from __future__ import annotations

from collections.abc import Generator

from eigen_cli.api.playbook import Handover
from eigen_offline import reading
from eigen_offline.intents import Script, Wish
from eigen_offline.player import Player
from eigen_offline.stage import NEVER, Scope, Turn
from eigen_offline.transcript import Line
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
    "I'm sorry, I know this isn't what you hoped for, but I'm not able to do anything further about it. Is there "
    "anything else I can do?",
)
_REASSURE = (
    "Yes, that's all done. Is there anything else I can help you with?",
    "Yes, it has gone through. Is there anything else I can do for you?",
)
_HOLD = "Please stay on the line, a colleague will be with you shortly."


class Conversation:
    """One call, walked along its transcript; what is not there yet is the next turn."""

    def __init__(self, script: Script, player: Player) -> None:
        self._script, self._player, self._stage, self._log = script, player, player.stage, player.stage.log
        self._queue: list[tuple[Wish, int]] = []
        self._goals = 0

    def refresh(self) -> None:
        """Take in that the transcript has grown."""
        self._stage.refresh()

    def turns(self) -> Generator[Turn, None, None]:
        """Yield one turn for each growth of the transcript; never ends, because the user ends the call."""
        yield from self._player.perform(self._script.playbook.opening, Scope(-1, 0, ""))
        while self._enqueue(self._log.user) is None:
            yield from self._ask_what(len(self._unheard()))
        while True:
            while self._queue and not self._stage.over:
                yield from self._work(*self._queue.pop(0))
            if self._stage.over:
                yield self._player.speech.say() if self._player.speech.pending else Turn(_HOLD)
            elif self._player.speech.pending or not self._unheard():
                yield self._player.speech.say(pick(_MORE, self._stage.seed, f"more {self._goals}"))
            else:
                yield from self._next()

    def _unheard(self) -> list[Line]:
        """Return what the user said since the last request was settled."""
        return [line for line in self._log.user if line.at > self._stage.at]

    def _enqueue(self, lines: list[Line]) -> Line | None:
        """Queue the requests of the first line that makes any; return that line."""
        for line in lines:
            wishes = self._script.further(line.text)
            if wishes:
                self._queue.extend((wish, line.at) for wish in wishes)
                return line
        return None

    def _work(self, wish: Wish, start: int) -> Generator[Turn, None, None]:
        """Carry on with a request, as far as the line at which the user turned to another one."""
        turning = next((line for line in self._log.user if line.at > start and self._turns_away(line, wish)), None)
        limit = turning.at if turning is not None else NEVER
        index = self._goals
        self._goals += 1
        for turn in self._player.perform(wish.intent.procedure, Scope(index, start, wish.clause, limit)):
            if turning is not None:
                # Something is missing of it, but the user has moved on.
                self._player.speech.pending.clear()
                self._stage.reach(turning.at - 1)
                self._queue.clear()
                self._enqueue([turning])
                return
            yield turn

    def _turns_away(self, line: Line, wish: Wish) -> bool:
        """Whether a line ends the work on a request: a new one after "anything else?", or another one in its place."""
        if reading.abandons(line.text):
            other = self._script.best(line.text)
            return other is not None and other is not wish.intent
        before = self._log.asked_before(line.at)
        if before is None or not reading.offers_more(before.text) or _is_plea(line):
            return False
        return bool(self._script.further(line.text))

    def _next(self) -> Generator[Turn, None, None]:
        """Look for the next request in what the user said since the last one was settled, or answer what they said."""
        lines = self._unheard()
        stage, last = self._stage, lines[-1].text
        if self._enqueue([line for line in lines if not (stage.refused and _is_plea(line))]) is not None:
            return
        if stage.refused and (reading.pleads(last) or "?" in last):
            yield Turn(pick(_STAND, stage.seed, f"stand {len(lines)}"))
        elif stage.wrote and "?" in last and not reading.closes(last):
            yield Turn(pick(_REASSURE, stage.seed, f"done {len(lines)}"))
        elif reading.closes(last) or reading.thanks(last) or reading.answer_in(last) == "no":
            yield Turn(pick(_GOODBYE, stage.seed, "goodbye"))
        else:
            yield from self._ask_what(len(lines) - 1)

    def _ask_what(self, tries: int) -> Generator[Turn, None, None]:
        """Ask what is wanted: openly first, then more precisely, then pass the caller on."""
        if tries > PATIENCE:
            yield from self._player.hand_over(Handover("The customer's request could not be made out."))
        options = _UNCLEAR if tries else _WHAT
        text = "" if self._stage.over else pick(options, self._stage.seed, f"what {tries}")
        yield self._player.speech.say(text)


def _is_plea(line: Line) -> bool:
    return reading.pleads(line.text) and not reading.adds_request(line.text)
