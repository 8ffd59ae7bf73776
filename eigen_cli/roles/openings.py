"""What each side's model is sent before anyone speaks: its instructions, and the tools that come with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eigen_cli.api.backend import Chat, ToolSchemas
from eigen_cli.api.domain import Domain
from eigen_cli.api.generations import Opening, ToolSet
from eigen_cli.api.tasks import Scenario, Task
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.prompting import load_prompt
from eigen_cli.roles.scenario_text import scenario_values

_SPEAK_FIRST = "(The line is open. You speak first.)"


def user_opening(domain: Domain, scenario: Scenario, tools: ToolSchemas | None, *, task: str = "") -> Opening:
    """Return what a simulated user starts with: its scenario, and how to play it."""
    own = f"\n{load_prompt('own_tools').render()}\n" if tools else ""  # the tools themselves come with every request
    text = domain.user_prompt(scenario) or load_prompt("user").render(
        **scenario_values(domain, scenario), tools=own, stop=domain.stop_tokens[0]
    )
    return Opening("user", domain.name, text, _SPEAK_FIRST if domain.greeting is None else "", task)


def opening_chat(opening: Opening) -> Chat:
    """Return the chat an opening begins."""
    return Chat.of(*opening.chat())


def openings_of(context: RoleContext, tasks: Iterable[Task]) -> Iterator[Opening]:
    """Yield the openings of tasks' users, in their order."""
    tools = context.toolbox.schemas["user"]
    for task in tasks:
        yield user_opening(context.domain, task.scenario, tools, task=task.id)


def toolsets_of(context: RoleContext) -> Iterator[ToolSet]:
    """Yield the tools of a domain's agent and, where it has any, of its users."""
    for side in ("agent", "user"):
        schemas = context.toolbox.schemas[side]
        if schemas is not None:
            writing = tuple(name for name in context.toolbox.tools[side] if context.toolbox.writes(side, name))
            yield ToolSet(side, context.domain.name, tuple(schemas.definitions()), writing)
