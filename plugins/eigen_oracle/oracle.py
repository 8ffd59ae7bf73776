"""The oracle backend: agent and user who know the task's gold and talk it through, each on its own side of the line."""

from __future__ import annotations

from eigen_cli.api.backend import Backend, Reply, Request, RoleName
from eigen_cli.api.errors import BackendError
from eigen_cli.api.inputs import AgentInputs, UserInputs
from eigen_oracle import agent, user


class OracleBackend(Backend):
    """Plays the agent and the user of tasks whose gold it is handed. It proves gates and scores, and nothing else."""

    simulated = True
    oracle = True
    roles: frozenset[RoleName] = frozenset({"agent", "user"})

    @property
    def identity(self) -> str:
        """Its name: it has no settings."""
        return "oracle"

    async def complete(self, request: Request) -> Reply:
        """Answer from the task; raises `BackendError` for other roles and where no task came with the request."""
        inputs = request.inputs
        if not isinstance(inputs, AgentInputs | UserInputs):
            raise BackendError(
                f"the backend `oracle` plays agent and user, not the {request.role}",
                hint=f"set roles.{request.role}.name in eigen.toml to another backend",
            )
        if inputs.task is None:
            raise BackendError("the backend `oracle` was not handed the task; it can only play roles declared oracle")
        if isinstance(inputs, AgentInputs):
            return agent.answer(inputs, inputs.task)
        return user.answer(inputs, inputs.task)
