from __future__ import annotations

import pytest
from episode.conftest import opened, played, says

from eigen_cli.api.backend import Chat
from eigen_cli.api.episodes import Limits
from eigen_cli.api.messages import Completion
from eigen_cli.api.tasks import Task, WorldRef
from eigen_cli.episode.fork import fork, moments
from eigen_cli.episode.record import episode_id, rebuild, to_record
from eigen_cli.episode.snapshot import freeze, thaw
from eigen_cli.world.base import Base, build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


def test_a_fork_at_every_turn_reaches_the_same_end_with_the_same_actors(
    task: Task, base: Base, toolbox: Toolbox, dialogue: tuple[Completion, ...]
) -> None:
    state = played(opened(task, base), toolbox, *dialogue)
    for turn in range(len(dialogue)):
        again = played(fork(state, turn), toolbox, *dialogue[turn:])
        assert again.messages == state.messages
        assert again.world.outcome_hash() == state.world.outcome_hash()
        assert again.agent_chat.digest == state.agent_chat.digest
        assert (again.parent_episode, again.fork_turn) == (episode_id(state.key), turn)
        assert to_record(again).id != to_record(state).id
    with pytest.raises(ValueError, match="has no turn 9"):
        fork(state, 9)


def test_a_fork_may_go_another_way_and_leaves_its_parent_alone(
    task: Task, base: Base, toolbox: Toolbox, dialogue: tuple[Completion, ...]
) -> None:
    state = played(opened(task, base), toolbox, *dialogue)
    messages, outcome = state.messages, state.world.outcome_hash()
    other = played(fork(state, 5), toolbox, says("I cannot do that."), says("Oh well. ###STOP###"))
    assert other.world.outcome_hash() == World(base).outcome_hash() != outcome
    assert (state.messages, state.world.outcome_hash()) == (messages, outcome)
    twice = fork(other, 5)[0]
    assert twice.key.fork == "5~5"


def test_every_moment_is_kept_in_bytes_that_do_not_grow_with_the_world(
    task: Task, base: Base, toolbox: Toolbox, dialogue: tuple[Completion, ...]
) -> None:
    state = played(opened(task, base), toolbox, *dialogue)
    chats = {
        "agent_chat": Chat.of({"role": "system", "content": "agent"}),
        "user_chat": Chat.of({"role": "system", "content": "user"}),
    }
    seen = list(moments(state))
    assert [moment.turn for moment in seen] == list(range(8, -1, -1))
    for moment in seen:
        thawed = thaw(freeze(moment), base, **chats)
        assert thawed.agent_chat.digest == moment.agent_chat.digest
        assert thawed.user_chat.digest == moment.user_chat.digest
        assert thawed.world.state_hash() == moment.world.state_hash()
        again = played((thawed, ()), toolbox, *dialogue[moment.turn :])
        assert to_record(again) == to_record(state)
    with pytest.raises(ValueError, match="another base"):
        thaw(freeze(state), build_base(toolbox.domain, WorldRef(9, 9), freeze=False), **chats)


def test_a_stored_episode_is_rebuilt_whole_and_can_be_forked(
    task: Task, base: Base, toolbox: Toolbox, dialogue: tuple[Completion, ...]
) -> None:
    state = played(opened(task, base), toolbox, *dialogue)
    rebuilt = rebuild(
        to_record(state),
        state.key,
        task,
        World(base),
        toolbox=toolbox,
        limits=Limits(),
        agent_chat=Chat.of({"role": "system", "content": "agent"}),
        user_chat=Chat.of({"role": "system", "content": "user"}),
        greeting="Hello!",
    )
    assert to_record(rebuilt) == to_record(state)
    again = played(fork(rebuilt, 3), toolbox, *dialogue[3:])
    assert again.world.state_hash() == state.world.state_hash()
