"""Records to fill a registry with: the tasks and episodes of a real offline round, with other ids and other words.

Every copy says sentences of its own over a vocabulary as skewed as that of any language, and its tool results hold
numbers of its own, so that neither compression nor the text index finds it easier than real dialogues. A body comes to
about 8 KB, of which 2.5 KB are said.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from eigen_cli.api.episodes import Episode
from eigen_cli.api.generations import EpisodeRecord, GenerationBody, GenerationContents, ToolSet
from eigen_cli.api.messages import Message
from eigen_cli.api.plans import PlanRecord
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task

R = TypeVar("R")

TRIALS = 4
_SYLLABLES = [first + second for first in "bcdfghjklmnprstvwxz" for second in "aeiou"]
_VOCABULARY = 30_000
_SENTENCES = 20_000
_WORDS_ADDED = 17
"""In each message that says something; about 95 bytes."""


class Clock:
    """Seconds spent making records, which are nobody's work but the benchmark's."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, items: Iterator[R]) -> Iterator[R]:
        """Pass items on and keep the time they took to make."""
        while True:
            started = time.perf_counter()
            item = next(items, None)
            self.seconds += time.perf_counter() - started
            if item is None:
                return
            yield item


class Synthetic:
    """As many tasks and episodes as are asked for, the same ones each time."""

    def __init__(self, store: Store, ref: str, *, episodes: int, seed: int = 0) -> None:
        """Take the records of a sealed generation as patterns; another `seed` changes a hundredth of the tasks."""
        self._tasks = list(store.tasks(ref))
        self._played: dict[str, list[EpisodeRecord]] = {task.id: [] for task in self._tasks}
        for record in store.episodes(ref):
            self._played[record.episode.task].append(record)
        self._plans: list[PlanRecord] = store.plans(ref)
        self._toolsets: list[ToolSet] = store.toolsets(ref)
        self.body: GenerationBody = store.generation(ref).body
        self.episodes = episodes
        self._seed = seed
        rng = random.Random(7)
        words = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(_VOCABULARY)]
        frequency = list(itertools.accumulate(1 / (rank + 3) for rank in range(_VOCABULARY)))
        self._sentences = [
            " ".join(rng.choices(words, cum_weights=frequency, k=_WORDS_ADDED)).capitalize() + "."
            for _ in range(_SENTENCES)
        ]

    def contents(self, clock: Clock) -> GenerationContents:
        """Return what a generation holds, made as it is read."""
        return GenerationContents(
            self._plans,
            clock.timed(self.task_records()),
            (),
            clock.timed(self.episode_records()),
            toolsets=self._toolsets,
        )

    def task_records(self) -> Iterator[Task]:
        """Make the tasks, one for every four episodes."""
        for number in range(-(-self.episodes // TRIALS)):
            pattern = self._tasks[number % len(self._tasks)]
            sentence = self._sentences[(number * 31 + (self._seed if number % 100 == 7 else 0)) % _SENTENCES]
            scenario = msgspec.structs.replace(
                pattern.scenario, instructions=f"{pattern.scenario.instructions} {sentence} Case {case(number)}."
            )
            yield msgspec.structs.replace(pattern, id=task_id(number), scenario=scenario)

    def episode_records(self) -> Iterator[EpisodeRecord]:
        """Make the episodes in task and trial order."""
        for number in range(self.episodes):
            task, trial = divmod(number, TRIALS)
            played = self._played[self._tasks[task % len(self._tasks)].id]
            record = played[trial % len(played)]
            rng = random.Random(number)
            messages = tuple(self._varied(message, task, rng) for message in record.episode.messages)
            episode = msgspec.structs.replace(
                record.episode, id=f"ep-{task:09x}-{trial}", task=task_id(task), trial=trial, messages=messages
            )
            yield EpisodeRecord(episode, record.verdict, record.usage)

    def _varied(self, message: Message, task: int, rng: random.Random) -> Message:
        if message.result is not None:
            content = f'{{"case":"{rng.getrandbits(1024):0256x}","was":{message.result.content}}}'
            return msgspec.structs.replace(message, result=msgspec.structs.replace(message.result, content=content))
        if not message.text:
            return message
        said = self._sentences[int(rng.random() * _SENTENCES)]
        return msgspec.structs.replace(message, text=f"{message.text} {said} Case {case(task)}.")


def task_id(number: int) -> str:
    """Return the id of the task of a number."""
    return f"task-{number:09x}"


def case(number: int) -> str:
    """Return a word that only the records of one task have."""
    return f"{number * 2_654_435_761 % 2**32:08X}"


def size(episode: Episode) -> int:
    """Return how many bytes an episode says."""
    return sum(len(message.text) for message in episode.messages)
