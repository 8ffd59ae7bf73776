"""tau2-bench's side: environment, LLM agent, user simulator, orchestrator and evaluator, joined as its `run_task` does.

`tau2.run` itself needs packages that none of these do. Import this after `standin.installed`.
"""

from __future__ import annotations

from typing import Any

from loguru import logger

logger.remove()

from tau2.agent.llm_agent import LLMAgent  # noqa: E402
from tau2.environment.environment import Environment  # noqa: E402
from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation  # noqa: E402
from tau2.orchestrator.orchestrator import Orchestrator  # noqa: E402
from tau2.registry import registry  # noqa: E402
from tau2.user.user_simulator import UserSimulator  # noqa: E402

STEPS, ERRORS = 200, 10
"""Limits of its command line."""


class Theirs:
    """One domain in tau2-bench's engine."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tasks: dict[str, Any] = {task.id: task for task in registry.get_tasks_loader(name)()}

    def episode(self, task: Any) -> float:
        """Play and score one episode; return its reward."""
        environment = registry.get_env_constructor(self.name)()
        agent = LLMAgent(
            tools=environment.get_tools(), domain_policy=environment.get_policy(), llm="agent", llm_args={}
        )
        user = UserSimulator(
            tools=environment.get_user_tools() if environment.user_tools else None,
            instructions=str(task.user_scenario),
            llm="user",
            llm_args={},
        )
        orchestrator = Orchestrator(
            domain=self.name,
            agent=agent,
            user=user,
            environment=environment,
            task=task,
            max_steps=STEPS,
            max_errors=ERRORS,
        )
        simulation = orchestrator.run()
        found = evaluate_simulation(
            domain=self.name,
            task=task,
            simulation=simulation,
            evaluation_type=EvaluationType.ALL,
            solo_mode=False,
        )
        return float(found.reward)

    def opened(self, task: Any) -> Environment:
        """Open a task's environment in its initial state."""
        environment = registry.get_env_constructor(self.name)()
        start = task.initial_state
        environment.set_state(
            initialization_data=start and start.initialization_data,
            initialization_actions=start and start.initialization_actions,
            message_history=[],
        )
        return environment
