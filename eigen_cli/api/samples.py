"""Training samples: what a generation gives to trainers, whatever format they come to be written in.

One generation gives twins: dialogues as the agent saw them, the same dialogues as the user saw them, and its tasks for
reinforcement learning. A sample is complete in itself: prompt, tools and where it comes from.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from eigen_cli.api.messages import Requestor
from eigen_cli.api.tasks import Split, Task

SampleKind = Literal["agent_sft", "user_sft", "rl_tasks", "episodes", "plans"]
SAMPLE_KINDS: tuple[SampleKind, ...] = get_args(SampleKind)


class Origin(msgspec.Struct, frozen=True):
    """Where a sample comes from, and how that went."""

    generation: str
    """The generation's hash."""
    domain: str
    task: str
    family: str
    split: Split
    difficulty: int
    simulated: bool
    """Whether any actor was simulated: such dialogues are no training data."""


class ChatSample(msgspec.Struct, frozen=True):
    """A dialogue as one side's model saw it: OpenAI chat messages, `arguments` as JSON text, as it was sent them."""

    id: str
    """Unique within a generation: the episode and the side, and the turn in turn-level samples."""
    side: Requestor
    messages: tuple[dict[str, Any], ...]
    """From the system message to the last assistant turn to learn; nothing follows it."""
    tools: tuple[dict[str, Any], ...]
    """OpenAI definitions as they were sent; the other side's tools are not among them."""
    targets: tuple[int, ...]
    """Indices of the messages to learn, ascending; every other message is context."""
    episode: str
    trial: int
    stop: str
    reward: float | None
    blame: str | None
    """Who is to blame for a failure; None for a pass."""
    origin: Origin
    reasoning: dict[int, str] = {}
    """What a reasoning model thought before a turn, by the index of its message; never part of the chat."""


class RlTask(msgspec.Struct, frozen=True):
    """A task to roll out: the agent's prompt, and everything an environment needs to play and to judge it."""

    id: str
    messages: tuple[dict[str, Any], ...]
    """The agent's opening and, where the agent has the first word, its greeting; the user speaks next."""
    tools: tuple[dict[str, Any], ...]
    user: tuple[dict[str, Any], ...]
    """The simulated user's opening."""
    user_tools: tuple[dict[str, Any], ...]
    task: Task
    trials: int
    """Trials of it in this generation that have a reward."""
    passed: int
    origin: Origin
