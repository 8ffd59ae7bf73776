"""A task of ours as the benchmark's JSON, with everything that JSON cannot say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.tasks import Communicate, Fact, Task
from eigen_tau2.scoring import CORRECTED, OFFICIAL
from eigen_tau2.task_json import SIDES, criteria_of, parsed
from eigen_tau2.task_reader import gold_of, scenario_of

Json = dict[str, Any]

_DOMAINS = ("airline", "retail", "telecom")
_BASIS: Mapping[str, str] = {
    "state": "DB",
    "checks": "ENV_ASSERTION",
    "communicate": "COMMUNICATE",
    "actions": "ACTION",
    **{name: basis for basis, name in OFFICIAL.items()},
    **{CORRECTED[name]: basis for basis, name in OFFICIAL.items()},
}


class Unwritable(ValueError):
    """A task that would be another task in the benchmark: better left out."""


def write_task(task: Task) -> tuple[Json, tuple[str, ...]]:
    """Return a task's JSON and what was lost; raises `Unwritable` where the start of the task cannot be said."""
    imported = task.imported.get("task")
    if imported is not None and _still_says(imported, task):
        return {**imported, "id": task.id}, tuple(_losses_of_row(task))
    losses = list(_common_losses(task))
    if imported is not None:
        losses.append("what the imported task says beyond our fields: it was changed since")
    state, assertions = _initial_state(task, losses)
    folder = task.domain.removeprefix("tau2-")
    scenario = task.scenario
    instructions = {
        "domain": folder,
        "reason_for_call": "\n".join(dict.fromkeys((scenario.reason, *(goal.request for goal in scenario.goals)))),
        "known_info": "\n".join(map(_fact, scenario.facts())) or None,
        "unknown_info": "\n".join(scenario.unknown) or None,
        "task_instructions": scenario.instructions,
    }
    return {
        "id": task.id,
        "description": {"purpose": task.family, "relevant_policies": ", ".join(task.clauses) or None, "notes": None},
        "user_scenario": {"persona": scenario.persona or None, "instructions": instructions},
        "ticket": None,
        "initial_state": state,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": f"{task.id}_{place}",
                    "requestor": SIDES[action.requestor],
                    "name": action.name,
                    "arguments": action.arguments,
                    "info": None,
                    "compare_args": None,
                }
                for place, action in enumerate(task.gold)
            ],
            "env_assertions": assertions,
            "communicate_info": list(map(_told, task.communicate)),
            "nl_assertions": None,
            "reward_basis": _basis(task, assertions, losses),
        },
    }, tuple(losses)


def _still_says(imported: Json, task: Task) -> bool:
    """Whether the task is what its import made of the JSON, its id aside."""
    return scenario_of(parsed(imported).user_scenario) == task.scenario and gold_of(criteria_of(imported)) == task.gold


def _losses_of_row(task: Task) -> Iterator[str]:
    if task.world.seed:
        yield "the database of the task file they came from: tau2 runs them on its own"
    extra = sorted(set(task.imported.get("row", ())) - {"id", "db_path"})
    if extra:
        yield f"fields of the row they came from: {', '.join(extra)}"


def _common_losses(task: Task) -> Iterator[str]:
    yield "split, family, difficulty and provenance"
    yield "names and types of the facts a user knows: they are told in words"
    if task.domain.removeprefix("tau2-") not in _DOMAINS:
        yield f"the domain: tau2 has no {task.domain!r}"
    if "policy" in task.reward.training:
        yield "the guards of the policy's clauses"
    if set(task.reward.training) != set(task.reward.evaluation):
        yield "the reward basis of training: tau2 has one basis, and gets that of evaluation"
    if any(item.label for item in task.communicate):
        yield "what a communicated value means, and that it is compared as a value: tau2 looks for the text"
    if not task.domain.startswith("tau2-") and task.domain != "telecom":
        yield "the generated world their ids belong to: tau2 runs them on its own database"


def _initial_state(task: Task, losses: list[str]) -> tuple[Json | None, list[Json]]:
    """Return the initial state and the environment assertions; notes the checks that are none."""
    assertions: list[Json | None] = [None] * len(task.checks)
    state = None
    if task.domain.removeprefix("tau2-") == "telecom":
        state, assertions = _telecom_state(task, losses)
    elif task.patch:
        raise Unwritable("they start in a patched world, which tau2 has no functions for")
    for check, assertion in zip(task.checks, assertions, strict=True):
        if assertion is None:
            losses.append(f"the check {check.name}: tau2 has no such assertion")
    return state, [assertion for assertion in assertions if assertion is not None]


def _telecom_state(task: Task, losses: list[str]) -> tuple[Json | None, list[Json | None]]:
    from eigen_tau2 import telecom_export

    if task.domain != "telecom":
        if task.patch:
            raise Unwritable("they start in a patched world whose initial state was not kept")
        return None, [telecom_export.assertion_of(check, {"lines": {}, "bills": {}}) for check in task.checks]
    try:
        records = telecom_export.records_of(task)
    except ValueError as error:
        raise Unwritable(str(error)) from None
    losses.append("the rest of the generated world: only the customers they are about come with them")
    losses.append("where a VPN and a reset access point lead: tau2's phones have addresses of their own")
    data = telecom_export.initialization_of(task, records)
    state = {"initialization_data": data, "initialization_actions": None, "message_history": None}
    return state, [telecom_export.assertion_of(check, records) for check in task.checks]


def _basis(task: Task, assertions: list[Json], losses: list[str]) -> list[str]:
    basis = []
    for name in task.reward.evaluation:
        if name not in _BASIS:
            losses.append(f"the verifier {name}: tau2 has no such evaluator")
        elif _BASIS[name] == "DB" and assertions:
            losses.append("the comparison of states: tau2 never synchronises telecom's gold; its assertions decide")
        elif _BASIS[name] != "ENV_ASSERTION" or assertions:
            basis.append(_BASIS[name])
    return list(dict.fromkeys(basis)) or ["DB"]


def _fact(fact: Fact) -> str:
    value = fact.value if isinstance(fact.value, str) else canonical_json(fact.value).decode()
    return fact.text or f"{fact.name.replace('_', ' ')}: {value}"


def _told(item: Communicate) -> str:
    # The benchmark takes commas out of messages before it looks for the text.
    return item.value.replace(",", "").lstrip("$") if item.kind == "number" else item.value.replace(",", "")
