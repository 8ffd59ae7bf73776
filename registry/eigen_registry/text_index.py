"""The words of a generation: an index made while it is sealed, of what its scenarios tell and its episodes say.

A row of `task_words` or `episode_words` says in which records of a segment a word stands. The rows of a segment lie in
the order of their words, so that DuckDB passes over all blocks but those that can have a word, and nobody scans texts.

Taking texts apart is most of what the index costs. Measured on episodes that say 3 KB (microseconds each, on the
machine where DuckDB's appender takes 90): this way 135; regular expressions 160 for the words alone; splitting and
grouping in DuckDB 260, in Arrow 230.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from eigen_cli.api.browsing import Found
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.tasks import Task
from eigen_registry.codec import EPISODES, TASKS, Layout
from eigen_registry.excerpts import excerpt_around

if TYPE_CHECKING:
    import duckdb

R = TypeVar("R")

SEGMENT = 8_192
"""Records indexed at a time: bounds memory while sealing, and what a search for a frequent word reads. A place within a
segment takes two bytes, so 65,536 at most."""
LONGEST = 64
"""Characters of a word that count: nobody searches for the rest of a coded picture."""

WordRow = tuple[str, int, bytes]
"""A word, a segment, and the places in it of the records that have the word, ascending, two bytes each."""

_WORD = re.compile(r"[^\W_]+")
_APART = bytes(
    byte if byte > 127 else ord(character.lower()) if character.isalnum() else 32
    for byte, character in enumerate(map(chr, range(256)))
)
"""Lower case for ASCII letters and blanks for all ASCII that is in no word; other bytes are left for `words_of`."""


@dataclass(frozen=True)
class Corpus(Generic[R]):
    """Records whose words are indexed: those of `layout`. `text_of` gives all that one says, `task` is the column with
    its task's id."""

    kind: Literal["task", "episode"]
    layout: Layout[R]
    words: str
    text_of: Callable[[R], str]
    task: str


def _said(record: EpisodeRecord) -> str:
    return "\n".join([message.text for message in record.episode.messages])


def _told(task: Task) -> str:
    scenario = task.scenario
    facts = (text for fact in scenario.facts() for text in (fact.text, _written(fact.value)))
    requests = (goal.request for goal in scenario.goals)
    return "\n".join([scenario.persona, scenario.reason, *requests, *facts, scenario.instructions])


def _written(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()


TASK_TEXTS = Corpus("task", TASKS, "task_words", _told, "id")
EPISODE_TEXTS = Corpus("episode", EPISODES, "episode_words", _said, "task")


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order and without case: its runs of letters and digits."""
    return [_folded(match[0]) for match in _WORD.finditer(text)]


class WordCollector:
    """Collects the words of texts that come in the order of their ordinals, segment by segment."""

    def __init__(self, words: str) -> None:
        """`words`: the table that the rows are for."""
        self.words = words
        self._count = 0
        self._places: defaultdict[bytes, list[int]] = defaultdict(list)
        self._finished: list[list[WordRow]] = []

    def add(self, text: str) -> None:
        """Take in the next text."""
        place = self._count % SEGMENT
        if place == 0 and self._count:
            self._finish()
        places = self._places
        for piece in set(text.encode().translate(_APART).split()):
            places[piece].append(place)
        self._count += 1

    def finished(self, *, all_of_it: bool = False) -> list[list[WordRow]]:
        """Return the rows of the segments that are full since it was last asked, each in the order of its words."""
        if all_of_it and self._places:
            self._finish()
        finished, self._finished = self._finished, []
        return finished

    def _finish(self) -> None:
        number = (self._count - 1) // SEGMENT
        words = _by_word(self._places)
        self._finished.append([(word, number, _packed(words[word])) for word in sorted(words)])
        self._places = defaultdict(list)


def _by_word(pieces: dict[bytes, list[int]]) -> dict[str, list[int]]:
    """Return where words stand, from where the pieces stand that they are, or are in."""
    words: dict[str, list[int]] = {}
    mixed: defaultdict[str, set[int]] = defaultdict(set)
    for piece, places in pieces.items():
        if piece.isascii() and len(piece) <= LONGEST:  # one word as it stands; others are cut, folded or shortened
            words[piece.decode()] = places
        else:
            for word in words_of(piece.decode()):
                mixed[word].update(places)
    for word, more in mixed.items():
        words[word] = sorted(more.union(words.get(word, ())))
    return words


def _packed(places: Sequence[int]) -> bytes:
    packed = array("H", places)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpacked(packed: bytes) -> array[int]:
    places = array("H", packed)
    if sys.byteorder == "big":
        places.byteswap()
    return places


def search(con: duckdb.DuckDBPyConnection, words: str, *, limit: int) -> list[Found]:
    """Return up to `limit` records that have all the words, the last of which may be the beginning of one.

    Tasks come first, but leave half the room to episodes if there are that many. Within a kind the records come in
    their order. No words find nothing.
    """
    wanted = tuple(dict.fromkeys(words_of(words)))
    if not wanted or limit <= 0:
        return []
    last = words_of(words)[-1]
    query = Query(tuple(word for word in wanted if word != last), last)
    found = {corpus: _ordinals(con, corpus, query, limit=limit) for corpus in (TASK_TEXTS, EPISODE_TEXTS)}
    tasks = found[TASK_TEXTS][: max(limit - len(found[EPISODE_TEXTS]), (limit + 1) // 2)]
    episodes = found[EPISODE_TEXTS][: limit - len(tasks)]
    return [*_opened(con, TASK_TEXTS, query, tasks), *_opened(con, EPISODE_TEXTS, query, episodes)]


class Query(NamedTuple):
    """Words that must all be there: whole ones, and one that may be the beginning of a word."""

    whole: tuple[str, ...]
    last: str

    def places_in(self, text: str) -> list[tuple[int, str]]:
        """Return where in a text which of the words stand."""
        words = ((match.start(), _folded(match[0])) for match in _WORD.finditer(text))
        return [
            (start, word if word in self.whole else self.last)
            for start, word in words
            if word in self.whole or word.startswith(self.last)
        ]


def _folded(word: str) -> str:
    return word.casefold()[:LONGEST]


def _opened(
    con: duckdb.DuckDBPyConnection, corpus: Corpus[Any], query: Query, ordinals: Sequence[int]
) -> Iterator[Found]:
    """Yield what was found, each with the words and what stands around them."""
    if not ordinals:
        return
    layout = corpus.layout
    rows = con.execute(
        f"SELECT id, {corpus.task}, {', '.join(layout.columns)} FROM {layout.table} "
        f"WHERE ordinal IN ({', '.join(map(str, ordinals))}) ORDER BY ordinal"
    ).fetchall()
    for id_, task, *stored in rows:
        text = corpus.text_of(layout.record(*stored))
        yield Found(corpus.kind, id_, task, excerpt_around(text, query.places_in(text)))


def _ordinals(con: duckdb.DuckDBPyConnection, corpus: Corpus[Any], query: Query, *, limit: int) -> list[int]:
    """Return the ordinals of the first records that have all the words.

    A few segments are looked through at first, for frequent words are found in any, and ever more after that.
    """
    ((segments,),) = con.execute(f"SELECT coalesce(max(segment) + 1, 0) FROM {corpus.words}").fetchall()
    found: list[int] = []
    begin, many = 0, 1
    while begin < segments and len(found) < limit:
        span = (begin, begin + many - 1)
        having = [_places_of(con, corpus, span, word, word) for word in query.whole]
        # No character comes after the one that ends the upper bound.
        having.append(_places_of(con, corpus, span, query.last, f"{query.last}\U0010ffff"))
        for segment in sorted(set.intersection(*(set(places) for places in having))):
            within = set.intersection(*(places[segment] for places in having))
            found += [segment * SEGMENT + place for place in sorted(within)]
        begin, many = begin + many, 2 * many
    return found[:limit]


def _places_of(
    con: duckdb.DuckDBPyConnection, corpus: Corpus[Any], span: tuple[int, int], least: str, most: str
) -> dict[int, set[int]]:
    """Return where words between two bounds stand, by segment."""
    rows = con.execute(
        f"SELECT segment, places FROM {corpus.words} WHERE segment BETWEEN ? AND ? AND word BETWEEN ? AND ?",
        (*span, least, most),
    ).fetchall()
    found: defaultdict[int, set[int]] = defaultdict(set)
    for segment, packed in rows:
        found[segment].update(_unpacked(packed))
    return found
