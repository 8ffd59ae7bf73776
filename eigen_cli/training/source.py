"""A sealed generation as a source of samples: what exporters read, whatever they write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from eigen_cli.api.generations import EpisodeRecord, Generation, Opening
from eigen_cli.api.messages import Requestor
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.samples import ChatSample, Origin, RlTask, SampleKind
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.training.dialogues import Dialogue, dialogue_of, first_violation
from eigen_cli.training.prompts import Prompts, UserOpenings
from eigen_cli.training.selection import Candidate, Choice, Selection, Tally, choose, rank_of
from eigen_cli.training.trials import CountedTask, counted_tasks, tried_tasks


class _Found(NamedTuple):
    """A dialogue that no reason speaks against."""

    task: Task
    record: EpisodeRecord
    dialogue: Dialogue


class GenerationSource:
    """A generation and what was selected of it; implements `eigen_cli.api.exporter.ExportSource`.

    Streams: the episodes of one task are held at a time, and the hashes of what is selected where a cap, a quota or a
    limit has to know how many there are; then everything is read twice. Samples raise `RegistryError` for a generation
    whose prompts were not kept.
    """

    def __init__(self, store: Store, generation: Generation, selection: Selection | None = None) -> None:
        self._store = store
        self._generation = generation
        self._selection = selection or Selection()
        self.tally = Tally()
        """What came of the selection when samples were last read to the end."""

    @property
    def generation(self) -> Generation:
        """The generation."""
        return self._generation

    def chats(self, kind: SampleKind) -> Iterator[ChatSample]:
        """Iterate over the selected dialogues of `agent_sft` or `user_sft`, in task and trial order."""
        if kind not in ("agent_sft", "user_sft"):
            raise ValueError(f"{kind} has no dialogues")
        side: Requestor = "agent" if kind == "agent_sft" else "user"
        selection, prompts = self._selection.of_kind(kind), Prompts.of(self._store, self._generation)
        choice = None
        if selection.counted:
            found = self._dialogues(side, selection, prompts, Tally())
            choice = choose((self._candidate(item, prompts) for item in found), selection)
        tally = Tally()
        for item in self._dialogues(side, selection, prompts, tally):
            if choice is None or rank_of(item.record.episode.id) in choice.kept:
                tally.selected += 1
                yield from self._samples(item, side, selection, prompts)
        self._settle(tally, choice)

    def rl_tasks(self) -> Iterator[RlTask]:
        """Iterate over the selected tasks, in the generation's order."""
        prompts = Prompts.of(self._store, self._generation)
        users = UserOpenings(self._store, self._generation)
        for item in self._selected_tasks(prompts):
            yield self._rl_task(item, users.of(item.task), prompts)

    def tasks(self) -> Iterator[Task]:
        """Iterate over the same tasks as they are stored."""
        for item in self._selected_tasks(Prompts.of(self._store, self._generation)):
            yield item.task

    def episodes(self) -> Iterator[tuple[Task, EpisodeRecord]]:
        """Iterate over all episodes as they are stored, each with its task."""
        for item in tried_tasks(self._store, self._generation.hash):
            for record in item.records:
                yield item.task, record

    def plans(self) -> Iterator[PlanRecord]:
        """Iterate over all plans."""
        return iter(self._store.plans(self._generation.hash))

    def _selected_tasks(self, prompts: Prompts) -> Iterator[CountedTask]:
        selection = self._selection.of_kind("rl_tasks")
        choice = None
        if selection.counted:
            found = self._tasks(selection, Tally())
            choice = choose(
                (Candidate.of(item.task.id, item.task.domain, writes=prompts.gold_writes(item.task)) for item in found),
                selection,
            )
        tally = Tally()
        for item in self._tasks(selection, tally):
            if choice is None or rank_of(item.task.id) in choice.kept:
                tally.selected += 1
                yield item
        self._settle(tally, choice)

    def _settle(self, tally: Tally, choice: Choice | None) -> None:
        if choice is not None:
            tally.left_out.update(choice.left_out)
        self.tally = tally

    def _tasks(self, selection: Selection, tally: Tally) -> Iterator[CountedTask]:
        for item in counted_tasks(self._store, self._generation.hash):
            refusal = selection.task_refusal(item.task, item.trials)
            if refusal is None:
                yield item
            else:
                tally.left_out[refusal] += 1

    def _dialogues(self, side: Requestor, selection: Selection, prompts: Prompts, tally: Tally) -> Iterator[_Found]:
        """Yield the dialogues that no reason speaks against, and count the reasons that do."""
        users = UserOpenings(self._store, self._generation) if side == "user" else None
        for item in tried_tasks(self._store, self._generation.hash):
            opening = users.of(item.task) if users else prompts.agent(item.task.domain)
            refusal = selection.task_refusal(item.task, item.trials)
            if refusal is not None:
                tally.left_out[refusal] += len(item.records)
                continue
            found = []
            for record in item.records:
                refusal, dialogue = _dialogue(opening, record, selection)
                if refusal is not None or dialogue is None:
                    tally.left_out[refusal or "without a turn to learn"] += 1
                else:
                    found.append(_Found(item.task, record, dialogue))
            best = _best(found, selection.best_of)
            if len(best) < len(found):
                tally.left_out["beyond the best of their task"] += len(found) - len(best)
            yield from best

    def _candidate(self, item: _Found, prompts: Prompts) -> Candidate:
        return Candidate.of(item.record.episode.id, item.task.domain, writes=prompts.gold_writes(item.task))

    def _samples(self, item: _Found, side: Requestor, selection: Selection, prompts: Prompts) -> Iterator[ChatSample]:
        if selection.turns == "whole":
            yield self._sample(item, side, item.dialogue, prompts, name="")
            return
        for target, turn in enumerate(item.dialogue.turns):
            yield self._sample(item, side, item.dialogue.up_to(target), prompts, name=f"/{turn}")

    def _sample(self, item: _Found, side: Requestor, dialogue: Dialogue, prompts: Prompts, *, name: str) -> ChatSample:
        episode, verdict = item.record.episode, item.record.verdict
        return ChatSample(
            id=f"{episode.id}/{side}{name}",
            side=side,
            messages=dialogue.messages,
            tools=prompts.tools(side, item.task.domain),
            targets=dialogue.targets,
            episode=episode.id,
            trial=episode.trial,
            stop=episode.stop,
            reward=verdict.reward,
            blame=verdict.blame.party if verdict.blame else None,
            origin=self._origin(item.task),
            reasoning=dialogue.reasoning,
        )

    def _rl_task(self, item: CountedTask, opening: Opening, prompts: Prompts) -> RlTask:
        task, trials = item.task, item.trials
        return RlTask(
            id=task.id,
            messages=prompts.agent_start(task),
            tools=prompts.tools("agent", task.domain),
            user=tuple(opening.chat()),
            user_tools=prompts.tools("user", task.domain),
            task=task,
            trials=trials.judged,
            passed=trials.passed,
            origin=self._origin(task),
        )

    def _origin(self, task: Task) -> Origin:
        sealed = self._generation
        return Origin(
            sealed.hash, task.domain, task.id, task.family, task.split, task.difficulty, sealed.body.simulated
        )


def _dialogue(opening: Opening, record: EpisodeRecord, selection: Selection) -> tuple[str | None, Dialogue | None]:
    """Return a side's dialogue, or why there is none for this selection."""
    verdict = record.verdict
    if record.episode.stop == "infrastructure" or verdict.reward is None:
        return "broken down", None
    if selection.passed and not verdict.passed:
        return "not passed", None
    violation = first_violation(verdict)
    if selection.blame_free and (
        violation is not None or (verdict.blame is not None and verdict.blame.party != "task")
    ):
        return "with somebody at fault", None
    if opening.side == "agent":
        return None, dialogue_of(opening, record.episode)
    if violation is not None and not (selection.until_violation and violation >= 0):
        return "with the user at fault", None
    return None, dialogue_of(opening, record.episode, before=violation, may_stop=violation is None)


def _best(found: list[_Found], most: int | None) -> list[_Found]:
    """Return the best dialogues of a task, in trial order."""
    if most is None or len(found) <= most:
        return found
    ranked = sorted(found, key=lambda item: (not item.record.verdict.passed, _turns(item.record)))  # stable: by trial
    kept = {item.record.episode.id for item in ranked[:most]}
    return [item for item in found if item.record.episode.id in kept]


def _turns(record: EpisodeRecord) -> int:
    return sum(message.finish_reason is not None for message in record.episode.messages)
