"""One task of the benchmark's JSON as a task of ours.

How the user's instructions are laid down in a `Scenario`, so that a prompt can be rebuilt from it: `persona` (empty for
none), `reason` = reason_for_call, one known `Fact` named `known_info`, one `unknown` text, `instructions` =
task_instructions. Instructions that are one text stand in `instructions` alone, with an empty reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import (
    Action,
    Communicate,
    Fact,
    Provenance,
    RecordPatch,
    RewardBasis,
    Scenario,
    Split,
    Task,
    WorldRef,
)
from eigen_cli.api.tools import ToolKind
from eigen_tau2.bridged import Bridged
from eigen_tau2.known_ids import KnownIds, tool_kinds
from eigen_tau2.records_view import RecordsView
from eigen_tau2.scoring import basis_of
from eigen_tau2.task_json import REQUESTORS, Criteria, TaskJson, UserScenario, parsed

KNOWN = "known_info"
"""Name of the one fact that holds all a user is said to know."""

_NUMBER = re.compile(r"-?\$?\d[\d,]*(?:\.\d+)?")
_FAMILY = re.compile(r"\[([^\]]+)\]")


class TaskReader:
    """Reads the tasks of one domain; what tasks share (worlds, initial states) is made once."""

    def __init__(self, domain: Bridged, tolerated: Callable[[], Container[str]] = frozenset) -> None:
        """`tolerated` gives the ids that gold reads may name although no record has them; asked only if one does."""
        self.domain = domain
        self._tolerated = tolerated
        self._kinds = tool_kinds(domain)
        self._worlds: dict[int, RecordsView] = {}
        self._ids: dict[int, KnownIds] = {}
        self._patches: dict[tuple[int, bytes], tuple[RecordPatch, ...]] = {}

    def task(self, raw: Mapping[str, Any], *, number: int, split: Split, seed: int = 0) -> Task:
        """Return the task that a JSON object is; raises `ValueError` saying why it cannot be used.

        `seed` names the database it stands on: 0 the official one.
        """
        task = parsed(raw)
        criteria = self._measured(task)
        gold, patch = gold_of(criteria), self._patch(raw.get("initial_state"), seed)
        self._check_gold(gold, self.ids(seed), brought={record.key for record in patch})
        assertions = (raw["evaluation_criteria"].get("env_assertions") or ()) if criteria.env_assertions else ()
        family = _FAMILY.match(task.id)
        return Task(
            id=task.id,
            domain=self.domain.name,
            family=family[1] if family else task.id,
            split=split,
            world=WorldRef(seed=seed, size=0),
            scenario=scenario_of(task.user_scenario),
            gold=gold,
            reward=RewardBasis(*basis_of(criteria.reward_basis)),
            provenance=Provenance(plan="tau2", round=0, proposal=number),
            communicate=tuple(map(communicate_of, criteria.communicate_info or ())),
            checks=tuple(self.domain.check_of(assertion) for assertion in assertions),
            patch=patch,
            imported={"task": dict(raw)},
        )

    def ids(self, seed: int = 0) -> KnownIds:
        """Return the ids of a database."""
        if seed not in self._ids:
            self._ids[seed] = KnownIds.of(self.domain, self._records(seed))
        return self._ids[seed]

    def _measured(self, task: TaskJson) -> Criteria:
        criteria, start = task.evaluation_criteria, task.initial_state
        if criteria is None or not criteria.reward_basis:
            raise ValueError("it has no evaluation criteria: every episode would pass")
        if start is not None and start.message_history:
            raise ValueError("it starts in the middle of a conversation; episodes here start at the beginning")
        return criteria

    def _check_gold(self, gold: tuple[Action, ...], ids: KnownIds, *, brought: set[str]) -> None:
        """Refuse calls of tools nobody has, and ids that cannot exist.

        A read may name an unknown id where the benchmark's own gold does: its evaluator passes over such calls.
        """
        wrote = False
        for action in gold:
            kind = self._kind(action)
            missing = ids.unknown(action, also=brought, after_a_write=wrote)
            if missing and (kind == "write" or missing[1] not in self._tolerated()):
                raise ValueError(f"gold {action.name} names {missing[0]} {missing[1]!r}, which no record has")
            wrote = wrote or kind == "write"

    def _kind(self, action: Action) -> ToolKind:
        kind = self._kinds.get(action.requestor, {}).get(action.name)
        if kind is None:
            raise ValueError(f"the {action.requestor} has no tool {action.name!r} in {self.domain.name}")
        return kind

    def _records(self, seed: int) -> tuple[Record, ...]:
        return tuple(self.domain.generate(seed=seed, size=0))

    def _patch(self, state: Mapping[str, Any] | None, seed: int) -> tuple[RecordPatch, ...]:
        if not state or not any(state.values()):
            return ()
        key = (seed, canonical_json(state))
        if key not in self._patches:
            if seed not in self._worlds:
                self._worlds[seed] = RecordsView(self.domain, self._records(seed))
            self._patches[key] = self.domain.initial_patch(state, self._worlds[seed])
        return self._patches[key]


def scenario_of(user: UserScenario) -> Scenario:
    """Return what a simulated user is told; see the module for the layout."""
    told, persona = user.instructions, user.persona or ""
    if isinstance(told, str):
        return Scenario(persona=persona, reason="", instructions=told)
    return Scenario(
        persona=persona,
        reason=told.reason_for_call,
        known=() if told.known_info is None else (Fact(KNOWN, told.known_info),),
        unknown=() if told.unknown_info is None else (told.unknown_info,),
        instructions=told.task_instructions,
    )


def gold_of(criteria: Criteria) -> tuple[Action, ...]:
    """Return the gold calls."""
    return tuple(
        Action(action.name, action.arguments, REQUESTORS[action.requestor]) for action in criteria.actions or ()
    )


def communicate_of(info: str) -> Communicate:
    """Return what must be told: an amount if it reads as one, a name else."""
    text = info.strip()
    return Communicate("number" if _NUMBER.fullmatch(text) else "name", text)
