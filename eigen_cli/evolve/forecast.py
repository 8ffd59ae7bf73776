"""What a run would ask for: calls, tokens and dollars by role, before anything is paid.

An estimate, and said to be one: episode lengths are assumptions (below), prompt sizes are those of the run's prompts.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eigen_cli.api.backend import ROLES, Backend, RoleName
from eigen_cli.evolve.runs import Run
from eigen_cli.evolve.templates import templates_of
from eigen_cli.roles.prompting import load_prompt, policy_text, tools_text

CHARACTERS_PER_TOKEN = 4
AGENT_CALLS, USER_CALLS = 11, 7
"""Completions of each side in an average episode."""
WRITTEN: Mapping[RoleName, int] = {
    "planner": 700,
    "synthesizer": 900,
    "agent": 70,
    "user": 35,
    "judge": 120,
    "reflector": 900,
}
"""Completion tokens of an average answer."""
TURN_TOKENS = 160
"""What an average turn, tool results included, adds to a conversation."""
FAILED_SHARE, OPEN_SHARE, REJECTED_SHARE = 0.4, 0.1, 0.3
"""Shares of episodes that fail, of those that evidence leaves open, and of proposals that need a repair."""


class RoleForecast(msgspec.Struct, frozen=True):
    """Expected calls and tokens of one role over all rounds; `usd` is None where the price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None


def forecast(run: Run) -> dict[str, RoleForecast]:
    """Return the forecast by role. Prices come from the backend's options, in dollars per million tokens."""
    calls = _calls(run)
    sizes = _prompt_tokens(run)
    return {
        role: _priced(run.actors.backends[role], calls[role], calls[role] * sizes[role], calls[role] * WRITTEN[role])
        for role in ROLES
    }


def _calls(run: Run) -> dict[RoleName, int]:
    settings = run.settings
    reflections = (settings.rounds - 1) * settings.plans if settings.evolution else 0
    probed = (reflections + settings.plans) * settings.probe if reflections else 0
    proposals = settings.rounds * settings.tasks + probed
    episodes = proposals * settings.trials
    return {
        "planner": settings.plans,
        "synthesizer": round(proposals * (1 + REJECTED_SHARE)),
        "agent": episodes * AGENT_CALLS,
        "user": episodes * USER_CALLS,
        "judge": round(episodes * FAILED_SHARE * OPEN_SHARE),
        "reflector": reflections,
    }


def _prompt_tokens(run: Run) -> dict[RoleName, int]:
    """Return the tokens of an average prompt: the fixed part as it will be sent, and half a conversation's growth."""
    policy, tools = len(policy_text(run.domain)), len(tools_text(run.toolbox.schemas["agent"]))
    schemas = run.toolbox.schemas["agent"]
    definitions = len(bytes(schemas.encoded)) if schemas else 0
    templates = len(
        "\n".join(f"{t.name} {t.tools} {t.clauses}" for t in templates_of(run.domain, run.toolbox).values())
    )
    fixed: dict[RoleName, int] = {
        "planner": policy + tools + templates,
        "synthesizer": policy + tools + 2_500,
        "agent": policy + definitions,
        "user": 1_200,
        "judge": 6_000,
        "reflector": policy + templates + 3_000,
    }
    growth = {"agent": (AGENT_CALLS + USER_CALLS) // 2 * TURN_TOKENS, "user": USER_CALLS * TURN_TOKENS // 2}
    return {
        role: (size + len(load_prompt(role).template.template)) // CHARACTERS_PER_TOKEN + growth.get(role, 0)
        for role, size in fixed.items()
    }


def _priced(backend: Backend, calls: int, prompt: int, completion: int) -> RoleForecast:
    if backend.simulated:
        return RoleForecast(calls, prompt, completion, 0.0)
    options = backend.settings.options
    prices = [options.get("usd_per_million_prompt"), options.get("usd_per_million_completion")]
    if not all(isinstance(price, int | float) for price in prices):
        return RoleForecast(calls, prompt, completion, None)
    usd = (prompt * float(prices[0]) + completion * float(prices[1])) / 1e6  # type: ignore[arg-type]
    return RoleForecast(calls, prompt, completion, round(usd, 4))
