"""What a sample shows before a turn is, byte for byte, what the model that took the turn was sent."""

from __future__ import annotations

import msgspec
import pytest
from eigen_tidy_library.domain import TidyLibrary
from training.overheard import Overhearing

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import EpisodeRecord, Generation, GenerationContents
from eigen_cli.api.messages import Requestor
from eigen_cli.api.projection import own_turn
from eigen_cli.api.samples import ChatSample, SampleKind
from eigen_cli.roles.speech import with_turns
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample
from eigen_cli.training.selection import EVERYTHING, Selection
from eigen_cli.training.source import GenerationSource

SIDES: dict[SampleKind, Requestor] = {"agent_sft": "agent", "user_sft": "user"}


def turns(heard: Overhearing, kind: SampleKind) -> list[ChatSample]:
    """Return every turn to learn of every dialogue, what came before a user's fault included."""
    whole = Selection(passed=False, blame_free=False, turns="each", until_violation=kind == "user_sft")
    return list(GenerationSource(heard.store, heard.generation, whole).chats(kind))


def turn_of(sample: ChatSample) -> int:
    return int(sample.id.rpartition("/")[2])


@pytest.mark.parametrize("kind", SIDES)
def test_prompts_and_tools_are_those_that_were_sent(heard: Overhearing, kind: SampleKind) -> None:
    samples = turns(heard, kind)
    for sample in samples:
        request = heard.asked[sample.episode, sample.side, turn_of(sample)]
        assert [msgspec.json.encode(turn) for turn in sample.messages[:-1]] == [*map(bytes, request.chat.encoded)]
        assert msgspec.json.encode(sample.tools) == (bytes(request.tools.encoded) if request.tools else b"[]")
        assert (sample.side, sample.targets) == (SIDES[kind], (len(sample.messages) - 1,))
    with_tools = {sample.origin.domain for sample in samples if sample.tools}
    assert {sample.origin.domain for sample in samples} == {"airline", "retail", "telecom"}
    assert with_tools == ({"airline", "retail", "telecom"} if kind == "agent_sft" else {"telecom"})


def refused(record: EpisodeRecord) -> set[str]:
    return {m.result.call_id for m in record.episode.messages if m.result is not None and m.result.error}


@pytest.mark.parametrize("kind", SIDES)
def test_what_is_learned_is_what_was_answered(heard: Overhearing, kind: SampleKind) -> None:
    """Every answer in an episode that went its way is learned once, as it was written; refused calls are not."""
    side = SIDES[kind]
    answers = {
        (record.episode.id, turn): own_turn(message)
        for record in heard.store.episodes(heard.generation.hash)
        if record.episode.stop == "user_stop" and (side == "agent" or not record.verdict.violations)
        for turn, message in with_turns(record.episode.messages)
        if message.speaker == side and message.finish_reason is not None
        if not {call.id for call in message.tool_calls} & refused(record)
    }
    learned = {(sample.episode, turn_of(sample)): sample.messages[-1] for sample in turns(heard, kind)}
    assert {key: learned[key] for key in answers} == answers
    assert len(answers) > 100


@pytest.mark.parametrize("kind", SIDES)
def test_whole_dialogues_hold_the_same_turns(heard: Overhearing, kind: SampleKind) -> None:
    whole = Selection(passed=False, blame_free=False, until_violation=kind == "user_sft")
    expected: dict[str, list[ChatSample]] = {}
    for sample in turns(heard, kind):
        expected.setdefault(sample.episode, []).append(sample)
    for sample in GenerationSource(heard.store, heard.generation, whole).chats(kind):
        single = expected.pop(sample.episode)
        assert sample.messages == single[-1].messages
        assert sample.targets == tuple(index for turn in single for index in turn.targets)
    assert expected == {}


def test_a_greeting_is_context_and_rl_tasks_begin_with_it(heard: Overhearing) -> None:
    first = next(GenerationSource(heard.store, heard.generation, EVERYTHING).chats("agent_sft"))
    assert first.messages[1] == {"role": "assistant", "content": "Hello, this is Heron Air. What can I do for you?"}
    assert 1 not in first.targets
    for task in GenerationSource(heard.store, heard.generation, EVERYTHING).rl_tasks():
        (episode, *_) = (record.episode for record in heard.store.episodes(heard.generation.hash, task=task.id))
        sent = heard.asked[episode.id, "agent", 1]
        assert [msgspec.json.encode(turn) for turn in task.messages] == [*map(bytes, sent.chat.encoded)][:-1]
        asked = heard.asked[episode.id, "user", 0]
        heard_by_user = [msgspec.json.encode(turn) for turn in task.user]
        assert heard_by_user == [*map(bytes, asked.chat.encoded)][: len(heard_by_user)]
        assert msgspec.json.encode(task.user_tools) == (bytes(asked.tools.encoded) if asked.tools else b"[]")
        assert msgspec.json.encode(task.tools) == bytes(sent.tools.encoded if sent.tools else b"")


class Forgetful(MemoryStore):
    """Seals as stores did before prompts were kept."""

    def seal(self, body, observed, contents: GenerationContents) -> Generation:  # type: ignore[no-untyped-def]
        return super().seal(body, observed, msgspec.structs.replace(contents, openings=(), toolsets=()))


def test_a_generation_without_prompts_says_so() -> None:
    context, store = contract_context(TidyLibrary()), Forgetful()
    source = GenerationSource(store, seal_sample(store, context, list(drafted_tasks(context, each=1))))
    for read in (lambda: source.chats("agent_sft"), lambda: source.chats("user_sft"), source.rl_tasks, source.tasks):
        with pytest.raises(RegistryError) as caught:
            list(read())
        assert caught.value.message.startswith("gen-0001 was sealed before prompts were kept")
        assert caught.value.hint == "evolve again; `--format jsonl` writes its raw episodes"
    whole = GenerationSource(store, source.generation, EVERYTHING)
    assert [task.id for task in whole.tasks()] == [task.id for task in store.tasks(source.generation.id)]
