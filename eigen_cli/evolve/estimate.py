"""What a run would cost, before anything is asked.

Counts of calls follow from the settings; lengths of dialogues and replies are averages of customer-service episodes
(about a dozen agent completions, 80 tokens each), and a token is taken as four characters. It is a magnitude, not a
bill: real usage is recorded with every generation.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eigen_cli.api.backend import RoleName, ToolSchemas
from eigen_cli.api.domain import Domain
from eigen_cli.evolve.runs import Run
from eigen_cli.evolve.settings import EvolveSettings, dealt
from eigen_cli.roles.prompting import policy_text
from eigen_cli.world.toolbox import Toolbox

AGENT_TURNS = 12
USER_TURNS = 7
REPLY_TOKENS = 80
HEARD_TOKENS = 120
"""Tokens a conversation grows by between two completions of one side: the other's words, tool results."""
STRUCTURED_TOKENS = 700
"""Tokens of a plan, a task or a diagnosis."""
SCENARIO_TOKENS = 400
CHARACTERS_A_TOKEN = 4
_JUDGED_SHARE = 0.1
"""Share of episodes whose failure evidence leaves open."""


class CallEstimate(msgspec.Struct, frozen=True):
    """Expected calls of one role and their tokens."""

    calls: int
    prompt_tokens: int
    completion_tokens: int

    def plus(self, other: CallEstimate) -> CallEstimate:
        """Return what both come to."""
        return CallEstimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


def estimates(run: Run) -> Mapping[str, Mapping[RoleName, CallEstimate]]:
    """Return for each of a run's domains what each role would be asked in its lane."""
    shares = dealt(run.settings.tasks, len(run.domains))
    reads = run.actors.read("task_verifier")
    return {
        part.name: estimate(
            run.settings,
            part.domain,
            part.toolbox,
            tasks=tasks,
            reads_tasks=reads,
            continued=run.parent is not None,
        )
        for part, tasks in zip(run.domains, shares, strict=True)
    }


def estimate(
    settings: EvolveSettings,
    domain: Domain,
    toolbox: Toolbox,
    *,
    tasks: int,
    reads_tasks: bool = False,
    continued: bool = False,
) -> Mapping[RoleName, CallEstimate]:
    """Return what each role would be asked in all rounds, every proposal accepted and every trial rolled out.

    `tasks`: proposals the domain gets each round. `reads_tasks`: whether a model reads the tasks that code accepted.
    `continued`: whether the first round follows another one, so that its plans are there and are reflected on.
    """
    policy = _tokens(policy_text(domain))
    agent_tools, user_tools = (_tool_tokens(toolbox.schemas[side]) for side in ("agent", "user"))
    probed = settings.plans * settings.probed(continued=continued)
    proposals = settings.rounds * tasks + probed * settings.probe
    episodes = proposals * settings.trials
    reflections = settings.plans * (settings.rounds - 1 + continued) if settings.evolution else 0
    repaired = settings.repairs if settings.validation else 0
    grounding = policy + agent_tools + SCENARIO_TOKENS
    conversation = AGENT_TURNS * (REPLY_TOKENS + HEARD_TOKENS)
    return {
        "planner": _structured(0 if continued else settings.plans, grounding),
        "synthesizer": _structured(proposals + proposals * repaired // 2, grounding + SCENARIO_TOKENS),
        "task_verifier": _structured(
            proposals if settings.validation and reads_tasks else 0, grounding + SCENARIO_TOKENS
        ),
        "agent": _dialogue(episodes, AGENT_TURNS, policy + agent_tools),
        "user": _dialogue(episodes, USER_TURNS, SCENARIO_TOKENS + user_tools),
        "judge": _structured(round(episodes * _JUDGED_SHARE), conversation),
        "reflector": _structured(reflections, grounding),
    }


def _structured(calls: int, prompt: int) -> CallEstimate:
    return CallEstimate(calls, calls * prompt, calls * STRUCTURED_TOKENS)


def _dialogue(episodes: int, turns: int, opening: int) -> CallEstimate:
    calls = episodes * turns
    heard = (REPLY_TOKENS + HEARD_TOKENS) * turns * (turns - 1) // 2
    return CallEstimate(calls, episodes * (turns * opening + heard), calls * REPLY_TOKENS)


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_A_TOKEN


def _tool_tokens(schemas: ToolSchemas | None) -> int:
    return _tokens(bytes(schemas.encoded).decode()) if schemas else 0
