"""The offline backend: one small module a role, chosen by the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName
from eigen_offline import agent, judge, planner, reflector, synthesizer, user
from eigen_offline.profiles import Profile, profile_of

_ROLES: Mapping[RoleName, Callable[[Request, Profile], Reply]] = {
    "planner": planner.answer,
    "synthesizer": synthesizer.answer,
    "agent": agent.answer,
    "user": user.answer,
    "judge": judge.answer,
    "reflector": reflector.answer,
}


class OfflineBackend(Backend):
    """Actors played by code. Options: `skill`, `user`, `defects` (profiles) and `deaf` (reasons)."""

    simulated = True

    def __init__(self, settings: BackendSettings) -> None:
        super().__init__(settings)
        self.profile = profile_of(settings.options)

    @property
    def identity(self) -> str:
        """The profile's name: all that content depends on."""
        return self.profile.identity

    async def complete(self, request: Request) -> Reply:
        """Answer from the request's typed inputs; never waits."""
        return _ROLES[request.role](request, self.profile)
