"""What an evaluation would cost, before anything is asked; by the same rule of thumb as a run of rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eigen_cli.api.backend import RoleName, Usage
from eigen_cli.commands.generation_views import SCHEMA, SIMULATED
from eigen_cli.console import aligned
from eigen_cli.evaluation.runs import EvalRun
from eigen_cli.evolve.estimate import (
    AGENT_TURNS,
    CHARACTERS_A_TOKEN,
    HEARD_TOKENS,
    REPLY_TOKENS,
    SCENARIO_TOKENS,
    USER_TURNS,
    CallEstimate,
)
from eigen_cli.roles.prompting import policy_text
from eigen_cli.run.sections import Config


def expected(run: EvalRun) -> Mapping[RoleName, CallEstimate]:
    """Return what agent and user would be asked; whether a judge is needed shows only afterwards."""
    episodes = len(run.selection.tasks) * run.settings.trials
    policy = len(policy_text(run.part.domain)) // CHARACTERS_A_TOKEN
    schemas = run.part.toolbox.schemas
    tools = {side: len(bytes(raw.encoded)) // CHARACTERS_A_TOKEN if raw else 0 for side, raw in schemas.items()}
    return {
        "agent": _dialogue(episodes, AGENT_TURNS, policy + tools["agent"]),
        "user": _dialogue(episodes, USER_TURNS, SCENARIO_TOKENS + tools["user"]),
    }


def _dialogue(episodes: int, turns: int, opening: int) -> CallEstimate:
    heard = (REPLY_TOKENS + HEARD_TOKENS) * turns * (turns - 1) // 2
    return CallEstimate(episodes * turns, episodes * (turns * opening + heard), episodes * turns * REPLY_TOKENS)


def estimate_json(runs: Sequence[EvalRun], config: Config) -> dict[str, Any]:
    """Return the expected calls, tokens and dollars, by domain and role and in all; null dollars: no price is known."""
    actors = runs[0].actors
    domains = [
        {
            "domain": run.part.domain.name,
            "split": run.selection.split,
            "release": run.selection.release,
            "tasks": len(run.selection.tasks),
            "trials": run.settings.trials,
            "skipped": run.selection.skipped,
            "estimate": {role: _priced(run, config, role, calls) for role, calls in expected(run).items()},
        }
        for run in runs
    ]
    rows = [row for domain in domains for row in domain["estimate"].values()]  # type: ignore[attr-defined]
    total: dict[str, Any] = {
        name: sum(row[name] for row in rows) for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    dollars = [row["usd"] for row in rows]
    total["usd"] = None if None in dollars else round(sum(dollars), 2)
    notice = {"notice": SIMULATED} if actors.simulated else {}
    return {"schema": SCHEMA, "simulated": actors.simulated, **notice, "domains": domains, "total": total}


def _priced(run: EvalRun, config: Config, role: RoleName, calls: CallEstimate) -> dict[str, Any]:
    price = config.roles[role].price
    usage = Usage(prompt_tokens=calls.prompt_tokens, completion_tokens=calls.completion_tokens)
    usd = None if price is None else round(price.of(usage), 2)
    return {
        "backend": config.roles[role].backend,
        "calls": calls.calls,
        "prompt_tokens": calls.prompt_tokens,
        "completion_tokens": calls.completion_tokens,
        "usd": 0.0 if run.actors.backends[role].simulated else usd,
    }


def estimate_table(runs: Sequence[EvalRun], config: Config) -> str:
    """Return the estimate as text."""
    report = estimate_json(runs, config)
    counts = ("calls", "prompt_tokens", "completion_tokens")
    named = [(one["domain"], role, row) for one in report["domains"] for role, row in one["estimate"].items()]
    rows = [
        (domain, role, row.get("backend", ""), *(f"{row[key]:,}" for key in counts), _dollar_text(row["usd"]))
        for domain, role, row in [*named, ("total", "", report["total"])]
    ]
    header = ("domain", "role", "backend", "calls", "prompt tokens", "reply tokens", "USD")
    sizes = [f"{one['domain']}: {one['tasks']} tasks, {one['trials']} trials each" for one in report["domains"]]
    sizes += [f"{one['domain']}: {len(one['skipped'])} tasks skipped" for one in report["domains"] if one["skipped"]]
    notes = ["at most about: nothing answered from the journal"]
    if report["total"]["usd"] is None:
        notes.append('no price: give one in eigen.toml, as in [prices."my-model"] prompt = 0.2, completion = 0.6')
    if report["simulated"]:
        notes.append(SIMULATED)
    return "\n".join([aligned(rows, header=header, right=range(3, 7)), *sizes, *notes])


def _dollar_text(dollars: float | None) -> str:
    return "?" if dollars is None else f"{dollars:,.2f}"
