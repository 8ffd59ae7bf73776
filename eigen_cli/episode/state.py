"""The state of an episode, the events that move it and the effects it asks for. Nothing here waits or calls out."""

from __future__ import annotations

from typing import Literal

import msgspec

from eigen_cli.api.backend import Chat
from eigen_cli.api.episodes import Limits, StopReason
from eigen_cli.api.messages import Completion, Message, Requestor, ToolCall
from eigen_cli.api.tasks import STOP_TOKEN, Task
from eigen_cli.world.toolbox import CallOutcome
from eigen_cli.world.world import World


class EpisodeKey(msgspec.Struct, frozen=True):
    """Names one rollout inside a run. `attempt` counts fresh starts after infrastructure failures; `fork` is empty for
    an original and names parent and turn for a fork."""

    run: str
    round: int
    plan: str
    task: str
    trial: int
    attempt: int = 0
    fork: str = ""


class SideCounts(msgspec.Struct, frozen=True):
    """What one side has used: completions, completion tokens, model seconds."""

    turns: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def plus(self, completion: Completion) -> SideCounts:
        """Return the counts after one more completion."""
        return SideCounts(self.turns + 1, self.tokens + completion.completion_tokens, self.seconds + completion.seconds)


class Replied(msgspec.Struct, frozen=True):
    """A side's model answered."""

    side: Requestor
    completion: Completion
    prompt_version: str = ""


class Returned(msgspec.Struct, frozen=True):
    """A tool call came back."""

    call: ToolCall
    outcome: CallOutcome


class Overflowed(msgspec.Struct, frozen=True):
    """The conversation no longer fits the context of the side asked."""

    side: Requestor


class Failed(msgspec.Struct, frozen=True):
    """Something no policy can cause went wrong: transport, server, key."""

    reason: str


Event = Replied | Returned | Overflowed | Failed


class Ask(msgspec.Struct, frozen=True):
    """Ask a side's model for its next completion."""

    side: Requestor


class CallTool(msgspec.Struct, frozen=True):
    """Run a tool call on the state's world."""

    call: ToolCall


class Stop(msgspec.Struct, frozen=True):
    """The episode is over."""

    reason: StopReason


Effect = Ask | CallTool | Stop


class EpisodeState(msgspec.Struct, frozen=True, gc=True):
    """One moment of an episode, immutable; successive moments share everything that did not change.

    `agent_view` and `user_view` are the messages each side may know; `agent_chat` and `user_chat` the same as chat
    messages, encoded once. `unheard_*` is text already said to a side but not yet delivered, because the speaker went
    on to call tools. `asked` links to the previous moment at which a side was asked, for forking.
    """

    key: EpisodeKey
    task: Task
    limits: Limits
    initial: World
    world: World
    agent_chat: Chat
    user_chat: Chat
    stop_tokens: tuple[str, ...] = (STOP_TOKEN,)
    messages: tuple[Message, ...] = ()
    agent_view: tuple[Message, ...] = ()
    user_view: tuple[Message, ...] = ()
    pending: tuple[ToolCall, ...] = ()
    unheard_agent: tuple[str, ...] = ()
    unheard_user: tuple[str, ...] = ()
    agent: SideCounts = SideCounts()
    user: SideCounts = SideCounts()
    tool_errors: int = 0
    calls: int = 0
    waiting: Literal["agent", "user", "tools"] | None = None
    stop: StopReason | None = None
    failure: str = ""
    defects: tuple[str, ...] = ()
    parent_episode: str | None = None
    fork_turn: int | None = None
    asked: EpisodeState | None = None

    @property
    def turn(self) -> int:
        """How many completions both sides have made."""
        return self.agent.turns + self.user.turns
