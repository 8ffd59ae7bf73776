"""Stored episodes, run again: the models' own words through today's machine and tools, without asking anybody."""

from __future__ import annotations

import msgspec

from eigen_cli.api.backend import Reply, Request
from eigen_cli.api.episodes import Episode
from eigen_cli.api.errors import BackendError
from eigen_cli.api.tasks import Task
from eigen_cli.episode.record import rebuild
from eigen_cli.episode.state import EpisodeKey, EpisodeState
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.openings import opening_chat, user_opening


class NoModel:
    """A completer for contexts in which no role is asked."""

    async def complete(self, request: Request) -> Reply:
        """Raise: nobody is here to answer."""
        raise BackendError(f"stored episodes are run again without a model, but the {request.role} was asked")


def rebuilt(context: RoleContext, key: EpisodeKey, task: Task, episode: Episode) -> EpisodeState:
    """Return the state an episode ends in when its calls are run again, within the context's limits.

    Raises what tools and the machine raise for what they no longer accept.
    """
    domain = context.domain
    state = rebuild(
        episode,
        key,
        task,
        context.initial_world(task),
        toolbox=context.toolbox,
        limits=context.limits,
        agent_chat=context.agent_chat,
        user_chat=opening_chat(user_opening(domain, task.scenario, context.toolbox.schemas["user"])),
        greeting=domain.greeting,
        stop_tokens=domain.stop_tokens,
    )
    # Stops by tokens, time or an overflowing context left no message to see them by; the record knows.
    return msgspec.structs.replace(state, stop=episode.stop, failure="")
