"""A generation as a source: twins by their own rules, equal at every reading, one task held at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest
from eigen_tidy_library.domain import TidyLibrary
from training.overheard import Overhearing

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import EpisodeRecord, Generation
from eigen_cli.api.samples import ChatSample, RlTask
from eigen_cli.api.tasks import Action
from eigen_cli.api.verdicts import Blame
from eigen_cli.testing.drafted import DraftedTask, contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample
from eigen_cli.training.selection import EVERYTHING, Selection
from eigen_cli.training.source import GenerationSource

_replace = msgspec.structs.replace


class Amended(MemoryStore):
    """A store whose episodes are changed on their way out, and counted."""

    pulled = 0

    def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
        for record in super().episodes(ref, task=task):
            self.pulled += 1
            yield self.amend(record)

    def amend(self, record: EpisodeRecord) -> EpisodeRecord:
        return record


def sample(store: MemoryStore, *, each: int = 2, simulated: bool = False) -> Generation:
    context = contract_context(TidyLibrary())
    return seal_sample(store, context, list(drafted_tasks(context, each=each)), simulated=simulated)


def agents(heard: Overhearing, selection: Selection) -> tuple[list[ChatSample], GenerationSource]:
    source = GenerationSource(heard.store, heard.generation, selection)
    return list(source.chats("agent_sft")), source


def test_agents_learn_from_what_passed(heard: Overhearing) -> None:
    samples, source = agents(heard, Selection())
    records = list(heard.store.episodes(heard.generation.hash))
    clean = [r.episode.id for r in records if r.verdict.passed and not r.verdict.violations]
    assert [sample.episode for sample in samples] == clean
    assert {(sample.reward, sample.blame, sample.stop) for sample in samples} == {(1.0, None, "user_stop")}
    assert source.tally.selected == len(clean) < source.tally.considered == len(records)
    everything, source = agents(heard, EVERYTHING)
    assert [sample.episode for sample in everything] == [record.episode.id for record in records]
    assert source.tally.left_out == {}


def test_users_are_selected_by_their_own_contract(heard: Overhearing) -> None:
    source = GenerationSource(heard.store, heard.generation)
    samples = list(source.chats("user_sft"))
    records = {record.episode.id: record for record in heard.store.episodes(heard.generation.hash)}
    broken = {
        key
        for key, record in records.items()
        if record.verdict.violations or (record.verdict.blame and record.verdict.blame.party == "user")
    }
    assert broken and {sample.episode for sample in samples} == set(records) - broken
    assert source.tally.left_out == {"with the user at fault": len(broken)}
    assert {sample.blame for sample in samples} >= {None, "agent"}  # what users do with agents that fail is learned too
    for sample in samples:
        stops = "###STOP###" in sample.messages[-1]["content"]
        assert stops == (sample.stop == "user_stop")
        assert not any("###STOP###" in (turn["content"] or "") for turn in sample.messages[1:-1])


def test_what_comes_before_a_users_fault_can_be_kept(heard: Overhearing) -> None:
    until = list(GenerationSource(heard.store, heard.generation, Selection(until_violation=True)).chats("user_sft"))
    whole = {s.episode for s in GenerationSource(heard.store, heard.generation).chats("user_sft")}
    verdicts = {r.episode.id: r.verdict for r in heard.store.episodes(heard.generation.hash)}
    parts = [sample for sample in until if sample.episode not in whole]
    assert parts
    for sample in parts:
        assert verdicts[sample.episode].violations
        assert "###STOP###" not in sample.messages[-1]["content"]


def test_a_passed_dialogue_whose_user_broke_its_contract_teaches_neither_side() -> None:
    class Untrue(Amended):
        def amend(self, record: EpisodeRecord) -> EpisodeRecord:
            found = (Blame("user", "invented_fact", turn=0),) if record.verdict.passed else ()
            return _replace(record, verdict=_replace(record.verdict, violations=found))

    store = Untrue()
    generation = sample(store)
    for kind, reason in (("agent_sft", "with somebody at fault"), ("user_sft", "with the user at fault")):
        source = GenerationSource(store, generation, Selection(passed=True))
        assert list(source.chats(kind)) == []  # type: ignore[arg-type]
        assert source.tally.left_out == {"broken down": 6, "not passed": 6, reason: 6}
    source = GenerationSource(store, generation, Selection(blame_free=False))
    assert len(list(source.chats("agent_sft"))) == 6


def test_the_best_trials_of_a_task_are_the_passed_and_then_the_short(heard: Overhearing) -> None:
    records: dict[str, list[EpisodeRecord]] = {}
    for record in heard.store.episodes(heard.generation.hash):
        records.setdefault(record.episode.task, []).append(record)

    def length(record: EpisodeRecord) -> int:
        return sum(message.finish_reason is not None for message in record.episode.messages)

    chosen, source = agents(heard, replace(EVERYTHING, best_of=1))
    assert [sample.episode for sample in chosen] == [
        min(trials, key=lambda record: (not record.verdict.passed, length(record), record.episode.trial)).episode.id
        for trials in records.values()
    ]
    assert source.tally.left_out == {"beyond the best of their task": source.tally.considered - len(records)}
    two, _ = agents(heard, replace(EVERYTHING, best_of=2))
    assert [(sample.origin.task, sample.trial) for sample in two] == sorted(
        ((sample.origin.task, sample.trial) for sample in two),
        key=lambda pair: (list(records).index(pair[0]), pair[1]),
    )
    assert set(Counter(sample.origin.task for sample in two).values()) == {2}


def test_quotas_limits_and_splits_of_dialogues(heard: Overhearing) -> None:
    chosen, source = agents(heard, Selection(per_domain=3))
    assert Counter(sample.origin.domain for sample in chosen) == {"airline": 3, "retail": 3, "telecom": 3}
    assert "beyond their domain's quota" in source.tally.left_out
    limited, source = agents(heard, Selection(limit=5, turns="each"))
    assert len({sample.episode for sample in limited}) == 5 < len(limited)
    whole, _ = agents(heard, Selection(limit=5))
    assert [sample.episode for sample in whole] == list(dict.fromkeys(sample.episode for sample in limited))
    splits = {split: agents(heard, Selection(split=split))[0] for split in ("train", "validation", "test")}
    assert all({sample.origin.split for sample in found} <= {split} for split, found in splits.items())
    everything, _ = agents(heard, Selection())
    assert sum(len(found) for found in splits.values()) == len(everything)


def test_tasks_in_the_learnable_band(heard: Overhearing) -> None:
    source = GenerationSource(heard.store, heard.generation, Selection(band=(0.0, 1.0), no_write_cap=1.0))
    tasks = list(source.rl_tasks())
    rates = {task.id: task.passed / task.trials for task in _everything(heard)}
    assert [task.id for task in tasks] == [key for key, rate in rates.items() if 0 < rate < 1]
    assert source.tally.left_out == {"pass rate not between 0 and 1": len(rates) - len(tasks)}
    assert tasks and {task.trials for task in tasks} == {3}


def _everything(heard: Overhearing) -> list[RlTask]:
    return list(GenerationSource(heard.store, heard.generation, EVERYTHING).rl_tasks())


def test_tasks_that_write_nothing_are_few() -> None:
    context = contract_context(TidyLibrary())
    drafted = list(drafted_tasks(context, each=6))
    reading = [
        DraftedTask(item.template, item.draft, _replace(item.task, id=f"{item.task.id}-r", gold=_reads(item)))
        for item in drafted
    ]
    store = MemoryStore()
    generation = seal_sample(store, context, [*drafted, *reading])
    writes = {
        item.task.id: any(action.name in ("lend_book", "return_book") for action in item.task.gold) for item in drafted
    }
    writing = sum(writes.values())
    assert writing >= 12
    source = GenerationSource(store, generation)
    kept = [task.id for task in source.rl_tasks()]
    allowed = writing // 4
    assert len(kept) == writing + allowed
    assert sum(not writes.get(task, False) for task in kept) == allowed
    assert source.tally.left_out == {"writing nothing, beyond the cap": len(drafted) * 2 - writing - allowed}
    assert [task.id for task in GenerationSource(store, generation).rl_tasks()] == kept
    assert [task.id for task in GenerationSource(store, generation).tasks()] == kept
    order = [task.id for task in store.tasks(generation.id)]
    assert kept == sorted(kept, key=order.index)


def _reads(item: DraftedTask) -> tuple[Action, ...]:
    return tuple(action for action in item.task.gold if action.name.startswith("get_"))


def test_equal_readings_give_equal_samples(heard: Overhearing) -> None:
    source = GenerationSource(heard.store, heard.generation, Selection(limit=7, no_write_cap=0.2))
    for read in (lambda: source.chats("agent_sft"), lambda: source.chats("user_sft"), source.rl_tasks):
        first = msgspec.json.encode(list(read()))
        assert msgspec.json.encode(list(read())) == first
    ids = [
        sample.id
        for sample in GenerationSource(heard.store, heard.generation, Selection(turns="each")).chats("agent_sft")
    ]
    assert len(set(ids)) == len(ids) > 100


def test_one_tasks_episodes_are_read_ahead_at_most() -> None:
    store = Amended()
    source = GenerationSource(store, sample(store), EVERYTHING)
    read = source.chats("agent_sft")
    for number, _ in enumerate(read, start=1):
        assert store.pulled <= number // 2 * 3 + 4  # two of three trials have a dialogue; the next task's first is seen
    assert store.pulled == 18


def test_where_a_sample_comes_from() -> None:
    store = MemoryStore()
    generation = sample(store, simulated=True)
    first = next(GenerationSource(store, generation).chats("agent_sft"))
    task = next(store.tasks(generation.id))
    assert first.origin == msgspec.convert(
        {
            "generation": generation.hash,
            "domain": "tidy-library",
            "task": task.id,
            "family": task.family,
            "split": task.split,
            "difficulty": task.difficulty,
            "simulated": True,
        },
        type(first.origin),
    )
    assert first.id == f"{first.episode}/agent"


def test_episodes_out_of_order_are_damage() -> None:
    class Reversed(MemoryStore):
        def episodes(self, ref: str, *, task: str | None = None) -> Iterator[EpisodeRecord]:
            return reversed(list(super().episodes(ref, task=task)))

    store = Reversed()
    with pytest.raises(RegistryError, match="do not stand in the order of the tasks"):
        list(GenerationSource(store, sample(store), EVERYTHING).chats("agent_sft"))
    with pytest.raises(ValueError, match="plans has no dialogues"):
        next(GenerationSource(store, sample(store)).chats("plans"))
