"""What the simulated user does on its own side of the line: told to look at or change something, it uses its tool and
says what it saw. Conversation about anything else is the caller's business and goes on around these exchanges.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from eigen_cli.api.backend import SimulatedReply
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain
from eigen_cli.api.inputs import UserInputs
from eigen_cli.api.messages import Completion, Message, RawToolCall
from eigen_cli.api.playbook import Hand
from eigen_offline import reading
from eigen_offline.profiles import Profile

Cues = tuple[tuple[re.Pattern[str], Hand], ...]


@cache
def hands_of(domain: Domain) -> Cues:
    """Return the compiled cues of a domain's playbook; empty for domains whose users have no tools."""
    playbook = domain.playbook() if domain.user_tools is not None else None
    return tuple((re.compile(hand.cue, re.IGNORECASE), hand) for hand in playbook.hands) if playbook else ()


def act(inputs: UserInputs, cues: Cues, profile: Profile) -> SimulatedReply | None:
    """Return the user's tool call or its report of one; None when the last words ask for nothing of the kind."""
    last = inputs.conversation[-1] if inputs.conversation else None
    if last is None:
        return None
    if last.result is not None:
        return SimulatedReply(Completion(text=last.result.content, model=profile.identity, completion_tokens=8))
    hand = _told(last, cues)
    if hand is None:
        return None
    call = RawToolCall(f"hand_{len(inputs.conversation)}", hand.tool, canonical_json(dict(hand.arguments)).decode())
    return SimulatedReply(
        Completion(tool_calls=(call,), finish_reason="tool_calls", model=profile.identity, completion_tokens=8)
    )


def left_out(conversation: Sequence[Message], cues: Cues) -> tuple[Message, ...]:
    """Return the conversation without instructions, the calls they led to and the reports of them."""
    kept: list[Message] = []
    reporting = False
    for message in conversation:
        if message.speaker == "agent":
            reporting = _told(message, cues) is not None
            if not reporting:
                kept.append(message)
        elif message.speaker == "user" and not message.tool_calls and not reporting:
            kept.append(message)
    return tuple(kept)


def _told(message: Message, cues: Cues) -> Hand | None:
    """Return what an agent's words tell the user to do; a question whether to go ahead tells nothing."""
    if message.speaker != "agent" or not message.text or reading.asks_confirmation(message.text):
        return None
    return next((hand for cue, hand in cues if cue.search(message.text)), None)
