"""Searching a generation's texts, by the index that was made when it was sealed."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eigen_cli.api.browsing import Found
from eigen_registry import rows
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.excerpts import excerpt_around
from eigen_registry.text_index import CORPORA, EPISODE_TEXTS, TASK_TEXTS, Corpus, ordinals_with, placed_words, words_of

if TYPE_CHECKING:
    import duckdb


class Query(NamedTuple):
    """Words that must all be there: whole ones, and one that may be the beginning of a word."""

    whole: tuple[str, ...]
    last: str

    @classmethod
    def of(cls, text: str) -> Query | None:
        """Return what a text asks for; None if it has no words."""
        words = words_of(text)
        return cls(tuple(dict.fromkeys(words[:-1])), words[-1]) if words else None

    def places_in(self, text: str) -> list[tuple[int, str]]:
        """Return where in a text which of the words stand."""
        return [
            (start, word if word in self.whole else self.last)
            for start, word in placed_words(text)
            if word in self.whole or word.startswith(self.last)
        ]


def search(con: duckdb.DuckDBPyConnection, files: ContentsFiles, hash_: str, words: str, *, limit: int) -> list[Found]:
    """Return up to `limit` records of a generation, whose contents `con` is open on, that have all the words.

    The last word may be the beginning of one. Tasks come first, but leave half the room to episodes if there are that
    many. Within a kind the records come in their order. No words find nothing. An index that is lost or cannot be read
    is made again first; raises `RegistryError` where it cannot be written.
    """
    query = Query.of(words)
    if query is None or limit <= 0:
        return []
    try:
        tasks, episodes = _ordinals(files, hash_, query, limit=limit)
    except sqlite3.Error:
        make_again(con, files, hash_)
        tasks, episodes = _ordinals(files, hash_, query, limit=limit)
    tasks = tasks[: max(limit - len(episodes), (limit + 1) // 2)]
    episodes = episodes[: limit - len(tasks)]
    return [*_opened(con, TASK_TEXTS, query, tasks), *_opened(con, EPISODE_TEXTS, query, episodes)]


def make_again(con: duckdb.DuckDBPyConnection, files: ContentsFiles, hash_: str) -> None:
    """Index a generation's records again and put the index in its place."""
    with files.indexing(hash_) as index:
        for corpus in CORPORA:
            layout = corpus.layout
            count = rows.count(con, layout) or 0
            for page, read in enumerate(rows.pages(con, layout, columns=layout.columns, count=count)):
                index.add(corpus, page * rows.PAGE, [corpus.text_of(layout.record(*row)) for row in read])


def _ordinals(files: ContentsFiles, hash_: str, query: Query, *, limit: int) -> list[list[int]]:
    path = files.index_path(hash_)
    return [ordinals_with(path, corpus, query.whole, query.last, limit=limit) for corpus in CORPORA]


def _opened(
    con: duckdb.DuckDBPyConnection, corpus: Corpus[Any], query: Query, ordinals: Sequence[int]
) -> Iterator[Found]:
    """Yield what was found, each with the words and what stands around them."""
    for row in itertools.chain.from_iterable(rows.with_ordinals(con, corpus.layout, ordinals)):
        record = corpus.layout.record(*row)
        text = corpus.text_of(record)
        yield Found(corpus.kind, *corpus.names_of(record), excerpt_around(text, query.places_in(text)))
