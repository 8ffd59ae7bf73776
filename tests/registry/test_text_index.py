"""Text search: what the index finds is what reading everything would find."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from registry_samples import Sealable, sealable

from eigen_cli.api.browsing import Found
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import GenerationContents
from eigen_cli.api.messages import Message
from eigen_cli.api.store import Store
from eigen_cli.testing import memory_views
from eigen_registry import open_registry, searching, text_index, writing
from eigen_registry.contents_file import ContentsFiles, tables
from eigen_registry.kinds import GENERATIONS

PIECES = ["refund", "Refunds", "re", "STRASSE", "straße", "Łódź", "İzmir", "don't", "ΟΔΟΣ", "οδος", "日本", "ZX3F01"]
PIECES += ["mia_li_1", "$1,250.00", "e\u0301", "\u0000", "\n", "a\tb", "²", "—", "😀"]
HASH = "0" * 64
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join) | st.text(max_size=20)


def sealed(
    folder: Path, said: list[list[str]], reasons: list[str], instructions: str = ""
) -> tuple[Store, GenerationContents]:
    """Seal what `made` makes."""
    store, (body, observed, contents) = open_registry(folder), made(said, reasons, instructions)
    store.seal(body, observed, contents)
    return store, contents


def made(said: list[list[str]], reasons: list[str], instructions: str = "") -> Sealable:
    """Make a task a reason, and episodes that say the given texts, dealt to the tasks in turn."""
    body, observed, contents = sealable(tasks=len(reasons), trials=1)
    tasks = tuple(
        msgspec.structs.replace(
            task, scenario=msgspec.structs.replace(task.scenario, reason=reason, instructions=instructions)
        )
        for task, reason in zip(contents.tasks, reasons, strict=True)
    )
    pattern = next(iter(contents.episodes))
    episodes = tuple(
        msgspec.structs.replace(
            pattern,
            episode=msgspec.structs.replace(
                pattern.episode,
                id=f"ep-{number}",
                task=tasks[number % len(tasks)].id,
                messages=tuple(Message("user" if turn % 2 else "agent", text) for turn, text in enumerate(texts)),
            ),
        )
        for number, texts in enumerate(said)
    )
    return body, observed, GenerationContents((), tasks, (), episodes)


def ids(found: list[Found]) -> list[tuple[str, str, str]]:
    return [(item.kind, item.id, item.task) for item in found]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    said=st.lists(st.lists(TEXTS, max_size=3), min_size=1, max_size=8),
    reasons=st.lists(TEXTS, min_size=1, max_size=3),
    queries=st.lists(TEXTS, min_size=1, max_size=4),
    segment=st.sampled_from([1, 3, 100]),
)
def test_it_finds_what_reading_everything_finds(
    said: list[list[str]], reasons: list[str], queries: list[str], segment: int
) -> None:
    contents = made(said, reasons)[-1]
    whole, text_index.SEGMENT = text_index.SEGMENT, segment
    try:
        with indexed(contents) as (con, files):
            own = [text[:end] for texts in said for text in texts for end in (1, len(text))]
            for query, limit in itertools.product([*queries, *own[:6]], (1, 100)):
                expected = memory_views.found(contents, query, limit=limit)
                assert ids(searching.search(con, files, HASH, query, limit=limit)) == ids(expected), query
    finally:
        text_index.SEGMENT = whole


@contextlib.contextmanager
def indexed(contents: GenerationContents) -> Iterator[tuple[duckdb.DuckDBPyConnection, ContentsFiles]]:
    """Put records where a search looks for them, without sealing, and index them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(duckdb.connect(config={"threads": 1})) as con:
        files = ContentsFiles(Path(folder))
        files.index_path(HASH).parent.mkdir()
        con.execute(tables(GENERATIONS))
        with contextlib.closing(text_index.IndexDraft(files.index_path(HASH))) as index:
            writing.write(con, GENERATIONS, contents, index=index)
            index.finish()
        yield con, files


def test_all_words_must_stand_in_one_record_and_the_last_may_be_a_beginning(tmp_path: Path) -> None:
    said = [["Please refund", "my ticket"], ["a refund"], ["my tickets, please"], ["ticketing refund"]]
    store, _ = sealed(tmp_path, said, ["nothing"])
    assert [item.id for item in store.search("latest", "REFUND ticket")] == ["ep-0", "ep-3"]
    assert [item.id for item in store.search("latest", "ticket refund")] == ["ep-0"]
    assert [item.id for item in store.search("latest", "tickets")] == ["ep-2"]
    assert store.search("latest", "refund voucher") == []
    assert store.search("latest", "?!") == store.search("latest", "") == []


def test_an_excerpt_shows_the_words_where_they_stand_together(tmp_path: Path) -> None:
    far = "I wanted to cancel something else before. " + "Well, that is another story. " * 10
    store, _ = sealed(
        tmp_path, [[far, "Now\nI want\x1b[31m to cancel the flight to Łódź. " + "And so on. " * 30]], ["-"]
    )
    (found,) = store.search("latest", "łódź cancel")
    assert "to cancel the flight to Łódź. And so on." in found.excerpt
    assert found.excerpt.startswith("…") and found.excerpt.endswith("…")
    assert found.excerpt.isprintable()
    assert len(found.excerpt) < 200


def test_scenarios_are_found_by_their_facts_and_instructions(tmp_path: Path) -> None:
    store, contents = sealed(tmp_path, [["hello"]], ["a broken leg"], instructions="never mention Quito")
    (task,) = contents.tasks
    for words in ("broken", "quito", "mia li", "hurried", "please cancel", "zx3f01", "41"):
        assert ids(store.search("latest", words)) == [("task", task.id, task.id)], words
    # What the gold calls and what the user does not know is not told.
    assert store.search("latest", "get_user_details") == store.search("latest", "card number") == []


def test_tool_results_are_not_said(tmp_path: Path) -> None:
    body, observed, contents = sealable()
    store = open_registry(tmp_path)
    store.seal(body, observed, contents)
    assert store.search("latest", "nonsense") == []


def test_tasks_leave_room_for_episodes(tmp_path: Path) -> None:
    store, _ = sealed(tmp_path, [["snow"]] * 9, ["snow"] * 9)
    assert [item.kind for item in store.search("latest", "snow", limit=5)] == ["task"] * 3 + ["episode"] * 2
    few, _ = sealed(tmp_path / "few", [["snow"]], ["snow"] * 9)
    assert [item.kind for item in few.search("latest", "snow", limit=5)] == ["task"] * 4 + ["episode"]


@pytest.mark.parametrize("text", ["x" * 5000, "word " * 5000])
def test_long_words_and_long_texts_are_found(tmp_path: Path, text: str) -> None:
    store, _ = sealed(tmp_path, [[text]], ["-"])
    assert [item.id for item in store.search("latest", text.split()[0])] == ["ep-0"]


def test_a_text_that_is_all_hits_takes_no_longer_than_another(tmp_path: Path) -> None:
    text = "snow " * 100_000
    store, _ = sealed(tmp_path, [[text + "rain"]], ["-"])
    started = time.process_time()
    (found,) = store.search("latest", "rain snow")
    assert time.process_time() - started < 10  # comparing each place with each takes hours
    assert found.excerpt.endswith("snow rain")


def test_a_long_query_asks_for_its_first_words(tmp_path: Path) -> None:
    said = " ".join(f"word{number}" for number in range(1000))
    store, _ = sealed(tmp_path, [[said], ["word1"]], ["-"])
    assert [item.id for item in store.search("latest", said)] == ["ep-0"]


@pytest.mark.parametrize(
    "spoil", [Path.unlink, lambda path: path.write_bytes(b"no index"), lambda path: os.truncate(path, 8192)]
)
def test_an_index_that_is_lost_is_made_again(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    store, _ = sealed(tmp_path, [["hello there"], ["snow"]], ["snow"])
    (index,) = (tmp_path / "generations").glob("*.words")
    spoil(index)
    assert [item.id for item in store.search("latest", "snow")][1:] == ["ep-1"]
    assert index.stat().st_size > 8192
    assert [item.id for item in store.search("latest", "hello")] == ["ep-0"]


def test_without_full_text_search_everything_else_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr(text_index, "_MODULE", "fts0")
        store, _ = sealed(tmp_path, [["snow"]], ["-"])
        store.verify("latest")
        with pytest.raises(RegistryError, match="SQLite was built without FTS5"):
            store.search("latest", "snow")
    assert [item.id for item in store.search("latest", "snow")] == ["ep-0"]


def test_where_none_can_be_made_it_is_said(tmp_path: Path) -> None:
    store, _ = sealed(tmp_path, [["snow"]], ["-"])
    (index,) = (tmp_path / "generations").glob("*.words")
    index.unlink()
    index.mkdir()
    with pytest.raises(RegistryError, match="is a folder, where a registry has a file"):
        store.search("latest", "snow")
    assert store.episodes("latest")


@pytest.mark.parametrize("at_once", [2**26, 100])
def test_the_segments_of_a_large_generation_are_one_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(text_index, "_AT_ONCE", at_once)  # what is longer goes text by text
    monkeypatch.setattr(text_index, "SEGMENT", 600)  # of no multiple of what is handed over at a time
    store, _ = sealed(tmp_path, [[f"common rare{number}"] for number in range(1500)], ["-"] * 3)
    assert [item.id for item in store.search("latest", "common", limit=2000)] == [f"ep-{n}" for n in range(1500)]
    for number in (0, 511, 512, 599, 600, 1199, 1200, 1499):
        assert [item.id for item in store.search("latest", f"common rare{number}", limit=1)] == [f"ep-{number}"]
