"""Forking: take an episode back to any turn and let it go on differently."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eigen_cli.episode.machine import Step
from eigen_cli.episode.record import episode_id
from eigen_cli.episode.state import Ask, EpisodeState


def moments(state: EpisodeState) -> Iterator[EpisodeState]:
    """Yield every moment at which a side was asked, latest first; `moment.turn` is the turn about to be made."""
    moment = state if state.waiting in ("agent", "user") else state.asked
    while moment is not None:
        yield moment
        moment = moment.asked


def fork(state: EpisodeState, turn: int) -> Step:
    """Return the step at which completion number `turn` (from 0, both sides counted) is about to be made.

    The fork has a key of its own, so its calls are journaled apart, and records its parent. Raises `ValueError` for a
    turn the episode never reached.
    """
    for moment in moments(state):
        if moment.turn == turn:
            key = msgspec.structs.replace(state.key, fork=f"{state.key.fork}~{turn}" if state.key.fork else str(turn))
            forked = msgspec.structs.replace(moment, key=key, parent_episode=episode_id(state.key), fork_turn=turn)
            assert forked.waiting in ("agent", "user")
            return forked, (Ask(forked.waiting),)
    raise ValueError(f"the episode has no turn {turn}; it made {state.turn}")
