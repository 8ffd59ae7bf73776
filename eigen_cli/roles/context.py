"""What all roles of a run share, and how their calls are named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from eigen_cli.api.backend import CallKey, Chat, Completer, RoleName, ToolSchemas
from eigen_cli.api.domain import Domain, ScenarioTemplate
from eigen_cli.api.episodes import Limits
from eigen_cli.api.generations import Opening
from eigen_cli.api.tasks import Task, WorldRef
from eigen_cli.api.verifier import Verifier
from eigen_cli.episode.replay import GoldReplayer
from eigen_cli.roles.prompting import load_prompt, policy_text, tools_text
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World

_GOLD_KEPT = 1024
"""Tasks whose gold is kept; the oldest goes first."""


@dataclass(frozen=True)
class RoleContext:
    """A run's domain, tools, worlds, verifiers and the one way to ask a model.

    `run` labels keys; with the same label, seed and inputs every derived random choice is the same. `templates` are the
    domain's, or those exploration found for a domain without any.
    """

    run: str
    seed: int
    domain: Domain
    templates: Mapping[str, ScenarioTemplate]
    toolbox: Toolbox
    bases: BaseCache
    completer: Completer
    verifiers: Mapping[str, Verifier]
    limits: Limits = field(default_factory=Limits)
    repairs: int = 2
    """How often an unusable answer, or a rejected task, is handed back with the reasons."""
    oracles: frozenset[RoleName] = frozenset()
    """Roles played by a backend declared oracle: they alone are handed the task."""
    reads_tasks: bool = False
    """Whether a model reads the tasks that code accepted; simulated actors cannot."""
    _gold: dict[str, tuple[Task, GoldReplayer]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def policy(self) -> str:
        """The domain's policy as prompts show it."""
        return policy_text(self.domain)

    @cached_property
    def tools(self) -> str:
        """The agent's tools as prompts list them."""
        return tools_text(self.toolbox.schemas["agent"])

    @cached_property
    def agent_opening(self) -> Opening:
        """What every agent of this domain starts with: how to work, whose tools are whose, and the policy."""
        text = load_prompt("agent").render(policy=self.policy, ownership=_ownership(self.toolbox.schemas["user"]))
        return Opening("agent", self.domain.name, text)

    @cached_property
    def agent_chat(self) -> Chat:
        """The chat that opening begins."""
        return Chat.of(*self.agent_opening.chat())

    def world(self, ref: WorldRef) -> World:
        """Return a generated world, untouched."""
        return World(self.bases.get(self.domain, ref))

    def initial_world(self, task: Task) -> World:
        """Return the world a task starts in."""
        return self.world(task.world).patched(task.patch)

    def gold(self, task: Task) -> GoldReplayer:
        """Return a task's gold, run once: its verification, its trials and their blame all ask for it."""
        known = self._gold.get(task.id)
        if known is None or known[0] is not task:
            if len(self._gold) >= _GOLD_KEPT:
                del self._gold[next(iter(self._gold))]
            known = self._gold[task.id] = (task, GoldReplayer(task.gold, self.initial_world(task), self.toolbox))
        return known[1]

    def key(
        self,
        role: RoleName,
        *,
        round_: int,
        plan: str = "",
        task: str = "",
        trial: int = 0,
        turn: int = 0,
        attempt: int = 0,
        fork: str = "",
    ) -> CallKey:
        """Return the name of one call."""
        return CallKey(self.run, round_, plan, task, trial, role, turn, attempt, fork)


def _ownership(user_tools: ToolSchemas | None) -> str:
    """Return what an agent must know of tools that only the customer has: what they do, without parameters, for it
    cannot call them; nothing where there are none.
    """
    if user_tools is None:
        return ""
    functions = (definition["function"] for definition in user_tools.definitions())
    tools = "\n".join(f"- {function['name']}: {function['description']}" for function in functions)
    return f"\n{load_prompt('customer_tools').render(tools=tools)}\n"
