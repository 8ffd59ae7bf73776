"""A task's criteria as the benchmark's evaluators read them, also for tasks that were never the benchmark's."""

from __future__ import annotations

from eigen_cli.api.tasks import Task
from eigen_tau2.task_json import SIDES, Criteria, ExpectedAction, criteria_of


def criteria_of_task(task: Task) -> Criteria:
    """Return what an imported task said, or what an own task's fields come to in the benchmark's terms."""
    imported = task.imported.get("task")
    if imported is not None:
        return criteria_of(imported)
    return Criteria(
        actions=tuple(
            ExpectedAction(action.name, action.arguments, None, SIDES[action.requestor]) for action in task.gold
        ),
        communicate_info=tuple(item.value for item in task.communicate),
    )
