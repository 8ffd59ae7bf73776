"""Finished episodes: the stored record, the view verifiers get, and the state rebuilt from a stored record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eigen_cli.api.backend import Chat
from eigen_cli.api.canonical import SHORT, digest
from eigen_cli.api.episodes import Episode, Limits
from eigen_cli.api.messages import Completion, Message, RawToolCall
from eigen_cli.api.tasks import STOP_TOKEN, Action, Task
from eigen_cli.episode.driver import run_tools
from eigen_cli.episode.machine import Step, advance, start
from eigen_cli.episode.state import EpisodeKey, EpisodeState, Failed, Replied
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


def episode_id(key: EpisodeKey) -> str:
    """Return the id of the episode a key names; the run is left out, so equal content has equal ids."""
    fork = f"~{key.fork}" if key.fork else ""
    name = digest(f"{key.round}", key.plan, key.task, f"{key.trial}", f"{key.attempt}", fork)
    return f"ep-{name[:SHORT]}"


def to_record(state: EpisodeState) -> Episode:
    """Return the stored form of a finished episode."""
    if state.stop is None:
        raise ValueError("the episode is not over")
    return Episode(
        id=episode_id(state.key),
        task=state.task.id,
        trial=state.key.trial,
        messages=state.messages,
        stop=state.stop,
        state_hash=state.world.state_hash(),
        outcome_hash=state.world.outcome_hash(),
        parent_episode=state.parent_episode,
        fork_turn=state.fork_turn,
    )


@dataclass(frozen=True)
class FinishedEpisode:
    """What verifiers and checks see of a finished episode (implements `eigen_cli.api.verifier.EpisodeView`)."""

    messages: Sequence[Message]
    calls: Sequence[tuple[Action, bool]]
    initial: World
    final: World
    stop: str

    @classmethod
    def of(cls, state: EpisodeState) -> FinishedEpisode:
        """Return the view of a state that has stopped."""
        return cls(state.messages, executed_calls(state.messages), state.initial, state.world, state.stop or "")


def executed_calls(messages: Sequence[Message]) -> tuple[tuple[Action, bool], ...]:
    """Return the calls that ran, in order, each with whether it succeeded."""
    made = {call.id: call for message in messages for call in message.tool_calls}
    calls = []
    for message in messages:
        if message.result is not None:
            call = made[message.result.call_id]
            calls.append((Action(call.name, call.arguments or {}, call.requestor), not message.result.error))
    return tuple(calls)


def rebuild(
    episode: Episode,
    key: EpisodeKey,
    task: Task,
    world: World,
    *,
    toolbox: Toolbox,
    limits: Limits,
    agent_chat: Chat,
    user_chat: Chat,
    greeting: str | None,
    stop_tokens: tuple[str, ...] = (STOP_TOKEN,),
) -> EpisodeState:
    """Return the state a stored episode ended in by driving the machine over its messages; tools run again.

    Every moment is there again, so the episode can be forked at any turn.
    """
    step: Step = start(
        key,
        task,
        world,
        limits=limits,
        agent_chat=agent_chat,
        user_chat=user_chat,
        greeting=greeting,
        stop_tokens=stop_tokens,
    )
    spoken = [message for message in episode.messages if message.speaker != "environment"]
    for message in spoken[1:] if greeting is not None else spoken:
        step = run_tools(advance(step[0], _replied_again(message)), toolbox)
    state = step[0]
    if state.stop is None:
        state = advance(state, Failed("stored as an infrastructure failure"))[0]
    return state


def _replied_again(message: Message) -> Replied:
    assert message.speaker != "environment"
    calls = tuple(RawToolCall(call.id, call.name, call.raw_arguments) for call in message.tool_calls)
    completion = Completion(
        text=message.text,
        reasoning=message.reasoning,
        tool_calls=calls,
        finish_reason=message.finish_reason or "stop",
        model=message.model,
        tokens=message.tokens,
    )
    return Replied(message.speaker, completion, message.prompt_version)
