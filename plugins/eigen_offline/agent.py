"""The simulated agent's answers. Each is what its conversation would do next, walked from the start of the transcript.

The walk of an episode is kept between turns, because walking it again costs the square of its length. It is only
continued where that provably gives what walking again would give: see `_Walk.continues`.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Sequence

import msgspec

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.inputs import AgentInputs
from eigen_cli.api.messages import Message, RawToolCall
from eigen_offline import reading
from eigen_offline.conversation import Conversation
from eigen_offline.faults import agent_lapses
from eigen_offline.improvised import improvised_script
from eigen_offline.intents import domain_script
from eigen_offline.player import Player
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied
from eigen_offline.stage import Turn
from eigen_offline.tools import sketches_of
from eigen_offline.transcript import Transcript

KEPT = 2048
"""Walks kept at a time; the oldest goes first. One that is missing is walked again."""

_walks: dict[tuple[str, str, int, str], _Walk] = {}


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return the agent's next turn."""
    inputs: AgentInputs = request.inputs
    key = (request.key.run, request.key.task, request.key.trial, profile.identity)
    walk = _walks.pop(key, None)
    if walk is None or not walk.continues(inputs.conversation):
        walk = _Walk(request, profile)
    turn = walk.next_turn()
    if len(_walks) >= KEPT:
        del _walks[next(iter(_walks))]
    _walks[key] = walk
    return _reply(turn, number=walk.log.count, model=profile.identity)


def forget() -> None:
    """Drop every kept walk, so that the next answers are walked from the start."""
    _walks.clear()


def _reply(turn: Turn, *, number: int, model: str) -> SimulatedReply:
    calls: tuple[RawToolCall, ...] = ()
    if turn.call is not None:
        name, arguments = turn.call
        calls = (RawToolCall(f"call_{number + 1}", name, msgspec.json.encode(arguments).decode()),)
    return replied(turn.text, model=model, calls=calls, faults=turn.faults)


class _Walk:
    """A conversation walked as far as its transcript goes."""

    def __init__(self, request: Request, profile: Profile) -> None:
        inputs: AgentInputs = request.inputs
        domain = inputs.domain
        self.log = Transcript(inputs.conversation)
        lapses = agent_lapses(request.key, profile.agent_rates)
        # The first words of the call join the seed: equal draws in different tasks should not sound alike.
        seed = zlib.crc32(self.log.user[0].text.encode(), lapses.seed) if self.log.user else lapses.seed
        player = Player(domain, self.log, tools=sketches_of(domain, request.tools), lapses=lapses, seed=seed)
        script = domain_script(domain) or improvised_script(domain, request.tools)
        self._conversation = Conversation(script, player)
        self._turns: Generator[Turn, None, None] = self._conversation.turns()
        self._last: Message | None = inputs.conversation[-1] if inputs.conversation else None
        self._straight = not any(_unsettles(line.text) for line in self.log.user)
        self._turn = Turn()

    def next_turn(self) -> Turn:
        """Return the turn that the transcript calls for."""
        self._turn = next(self._turns)
        return self._turn

    def continues(self, conversation: Sequence[Message]) -> bool:
        """Take in what a longer conversation adds, if going on from here is the same as walking it from the start.

        It is when the conversation begins with the one walked, its next message is the turn this walk took, and the
        user has never said anything that changes how earlier words are read: no correction, no change of mind.
        """
        known = self.log.length
        if not (self._straight and 0 < known < len(conversation)) or conversation[known - 1] is not self._last:
            return False
        own, *rest = conversation[known:]
        if own.speaker != "agent" or own.text != self._turn.text or not _same_call(own, self._turn):
            return False
        for message in rest:
            if message.speaker == "agent":
                return False
            if message.speaker == "user" and (_unsettles(message.text) or reading.offers_more(self._turn.text)):
                return False
        self.log.extend(conversation[known:])
        self._conversation.refresh()
        self._last = conversation[-1]
        return True


def _unsettles(text: str) -> bool:
    return reading.corrects(text) or reading.abandons(text)


def _same_call(message: Message, turn: Turn) -> bool:
    if turn.call is None or not message.tool_calls:
        return turn.call is None and not message.tool_calls
    call = message.tool_calls[0]
    return len(message.tool_calls) == 1 and (call.name, call.arguments) == turn.call
