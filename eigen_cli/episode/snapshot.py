"""Moments at rest: any turn of an episode as bytes, a base reference and a delta, whatever the world's size."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from eigen_cli.api.backend import Chat
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.episodes import Limits, StopReason
from eigen_cli.api.messages import Message, ToolCall
from eigen_cli.api.tasks import STOP_TOKEN, Task
from eigen_cli.episode.machine import deliver, said
from eigen_cli.episode.state import EpisodeKey, EpisodeState, SideCounts
from eigen_cli.world.base import Base
from eigen_cli.world.world import World


class Moment(msgspec.Struct, frozen=True):
    """The stored form of an `EpisodeState`; chats and views are projections and not stored."""

    base: str
    key: EpisodeKey
    task: Task
    limits: Limits
    initial: dict[str, Any]
    world: dict[str, Any]
    messages: tuple[Message, ...]
    pending: tuple[ToolCall, ...]
    agent: SideCounts
    user: SideCounts
    tool_errors: int
    calls: int
    waiting: Literal["agent", "user", "tools"] | None
    stop: StopReason | None
    failure: str
    defects: tuple[str, ...]
    parent_episode: str | None
    fork_turn: int | None
    stop_tokens: tuple[str, ...] = (STOP_TOKEN,)


_COPIED = tuple(name for name in Moment.__struct_fields__ if name not in ("base", "initial", "world"))


def freeze(state: EpisodeState) -> bytes:
    """Return a moment's bytes; costs what the episode touched."""
    copied = {name: getattr(state, name) for name in _COPIED}
    moment = Moment(
        base=state.world.base.hash, initial=state.initial.snapshot(), world=state.world.snapshot(), **copied
    )
    return canonical_json(moment)


def thaw(data: bytes, base: Base, *, agent_chat: Chat, user_chat: Chat) -> EpisodeState:
    """Return the moment `freeze` wrote, over the same base and the same opening chats; earlier moments stay behind.

    Raises `ValueError` for another base.
    """
    moment = msgspec.json.decode(data, type=Moment)
    if moment.base != base.hash:
        raise ValueError("the moment was frozen over another base world")
    state = EpisodeState(
        moment.key,
        moment.task,
        moment.limits,
        World.restore(base, moment.initial),
        World.restore(base, moment.world),
        agent_chat,
        user_chat,
    )
    for message in moment.messages:
        if message.speaker != "environment":
            state = deliver(state, message.speaker)
        state = said(state, message)
    if moment.waiting in ("agent", "user"):
        state = deliver(state, moment.waiting)
    copied = {name: getattr(moment, name) for name in _COPIED if name not in ("key", "task", "limits", "messages")}
    return msgspec.structs.replace(state, **copied)
