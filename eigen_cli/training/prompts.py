"""The prompts of a generation as they were sent: openings and tools, by side and domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import Generation, Opening, ToolSet
from eigen_cli.api.messages import Requestor
from eigen_cli.api.projection import own_turn
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task


def _not_kept(generation: Generation) -> RegistryError:
    return RegistryError(
        f"{generation.id} was sealed before prompts were kept with a generation: its dialogues cannot be exported as "
        "their models saw them",
        hint="evolve again; `--format jsonl` writes its raw episodes",
    )


@dataclass
class Prompts:
    """The agents' openings and both sides' tools; few, whatever the size of the generation."""

    store: Store
    generation: Generation
    openings: Mapping[str, Opening]
    """The agent's, by domain."""
    toolsets: Mapping[tuple[Requestor, str], ToolSet]
    _greetings: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, generation: Generation) -> Prompts:
        """Read a generation's prompts. Asking them for one that was not kept raises `RegistryError`."""
        first = takewhile(lambda opening: opening.side == "agent", store.openings(generation.hash))  # users' come after
        openings = {opening.domain: opening for opening in first}
        toolsets = {(tools.side, tools.domain): tools for tools in store.toolsets(generation.hash)}
        return cls(store, generation, openings, toolsets)

    def agent(self, domain: str) -> Opening:
        """Return the opening of a domain's agent."""
        if domain not in self.openings:
            raise _not_kept(self.generation)
        return self.openings[domain]

    def tools(self, side: Requestor, domain: str) -> tuple[dict[str, Any], ...]:
        """Return a side's tools; empty where it has none."""
        found = self.toolsets.get((side, domain))
        return found.tools if found else ()

    def gold_writes(self, task: Task) -> bool:
        """Whether a task's gold changes the world."""
        if ("agent", task.domain) not in self.toolsets:
            raise _not_kept(self.generation)
        writing = {side: self._writing(side, task.domain) for side in ("agent", "user")}
        return any(action.name in writing[action.requestor] for action in task.gold)

    def _writing(self, side: Requestor, domain: str) -> tuple[str, ...]:
        found = self.toolsets.get((side, domain))
        return found.writing if found else ()

    def agent_start(self, task: Task) -> tuple[dict[str, Any], ...]:
        """Return what an agent's model is sent first: its opening and, where it has the first word, its greeting.

        The greeting is read from an episode, once a domain: raises `RegistryError` where there is none to read.
        """
        domain = task.domain
        if domain not in self._greetings:
            record = next(self.store.episodes(self.generation.hash, task=task.id), None)
            if record is None or not record.episode.messages:
                raise RegistryError(f"{self.generation.id} has no episode of {task.id} that shows how its agent begins")
            first = record.episode.messages[0]
            greets = first.speaker == "agent" and first.finish_reason is None
            self._greetings[domain] = (own_turn(first),) if greets else ()
        return (*self.agent(domain).chat(), *self._greetings[domain])


class UserOpenings:
    """The openings of a generation's users, read in the order of its tasks."""

    def __init__(self, store: Store, generation: Generation) -> None:
        self._generation = generation
        self._upcoming: Iterator[Opening] = store.openings(generation.hash, side="user")

    def of(self, task: Task) -> Opening:
        """Return a task's opening; ask in the order of the tasks."""
        for opening in self._upcoming:
            if opening.task == task.id:
                return opening
        raise _not_kept(self._generation)
