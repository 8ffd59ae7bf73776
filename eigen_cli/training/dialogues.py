"""Dialogues to learn from: an episode as one side's model saw it, and which of its turns are worth learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eigen_cli.api.episodes import Episode
from eigen_cli.api.generations import Opening
from eigen_cli.api.messages import Message, Requestor
from eigen_cli.api.projection import side_turns
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_cli.roles.speech import with_turns


@dataclass(frozen=True)
class Dialogue:
    """A side's chat up to the last turn to learn."""

    messages: tuple[dict[str, Any], ...]
    targets: tuple[int, ...]
    """Indices of the messages to learn."""
    turns: tuple[int, ...]
    """Which completion of the episode each target is, counted from 0 over both sides."""
    reasoning: dict[int, str]

    def up_to(self, target: int) -> Dialogue:
        """Return the dialogue up to its target of a given number, which alone is learned."""
        end = self.targets[target] + 1
        return Dialogue(
            self.messages[:end],
            self.targets[target : target + 1],
            self.turns[target : target + 1],
            {index: text for index, text in self.reasoning.items() if index < end},
        )


def dialogue_of(
    opening: Opening, episode: Episode, *, before: int | None = None, may_stop: bool = True
) -> Dialogue | None:
    """Return the dialogue of the side that an opening is of, or None where no turn of it is worth learning.

    `before` leaves out what comes at that completion or later. `may_stop` tells whether the user ended the call as it
    should: then its last turn, which says so, is learned like any other.
    """
    side = opening.side
    messages, targets, turns = opening.chat(), [], []
    reasoning: dict[int, str] = {}
    own = iter(list(_own_turns(episode, side, may_stop=may_stop)))
    for turn, message in side_turns(episode.messages, side):
        messages.append(turn)
        if message is None or message.result is not None:
            continue
        index, (number, worth_learning) = len(messages) - 1, next(own)
        if message.reasoning:
            reasoning[index] = message.reasoning
        if worth_learning and (before is None or number < before):
            targets.append(index)
            turns.append(number)
    if not targets:
        return None
    end = targets[-1] + 1
    kept = {index: text for index, text in reasoning.items() if index < end}
    return Dialogue(tuple(messages[:end]), tuple(targets), tuple(turns), kept)


def _own_turns(episode: Episode, side: Requestor, *, may_stop: bool) -> Iterator[tuple[int, bool]]:
    """Yield of each of a side's own messages which completion it is, and whether it is worth learning."""
    results = (message.result for message in episode.messages if message.result is not None)
    done = {result.call_id for result in results if not result.error}
    own = [(turn, message) for turn, message in with_turns(episode.messages) if message.speaker == side]
    for place, (turn, message) in enumerate(own, start=1):
        ends_call = place == len(own) and episode.stop == f"{side}_stop"
        yield turn, _well_formed(message, done) and (not ends_call or (side == "user" and may_stop))


def _well_formed(message: Message, done: set[str]) -> bool:
    """Whether a model wrote the message, to its end, and everything it called was done.

    A greeting is fixed words. What was cut short, says nothing, or makes calls that could not be read or came after
    the last one allowed, ended its episode: nobody should learn to write it. A call that a tool refused is a mistake
    even where the episode passed; how to go on from it is worth learning, to make it is not.
    """
    return (
        message.finish_reason in ("stop", "tool_calls")
        and bool(message.text.strip() or message.tool_calls)
        and all(call.error is None and call.id in done for call in message.tool_calls)
    )


def first_violation(verdict: EpisodeVerdict) -> int | None:
    """Return at which completion the user first broke its contract: -1 where nobody knows, None where it kept it."""
    found = [*verdict.violations]
    if verdict.blame is not None and verdict.blame.party == "user":
        found.append(verdict.blame)
    return min((-1 if blame.turn is None else blame.turn for blame in found), default=None)
