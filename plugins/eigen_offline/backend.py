"""The offline backend: one small module a role, chosen by the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, RoleName
from eigen_offline.agent import answer as agent
from eigen_offline.judge import answer as judge
from eigen_offline.planner import answer as planner
from eigen_offline.profiles import Profile, profile_of
from eigen_offline.reflector import answer as reflector
from eigen_offline.synthesizer import answer as synthesizer
from eigen_offline.user import answer as user

_ROLES: Mapping[RoleName, Callable[[Request, Profile], Reply]] = {
    "planner": planner,
    "synthesizer": synthesizer,
    "agent": agent,
    "user": user,
    "judge": judge,
    "reflector": reflector,
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
