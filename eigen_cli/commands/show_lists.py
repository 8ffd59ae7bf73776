"""Lists that `eigen show` prints: pages of light rows, words found, and which episodes make a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigen_cli.api.browsing import EpisodeFilter, EpisodeRow, Found, TaskRow
from eigen_cli.api.store import Store
from eigen_cli.commands.tables import by_column, table_within

PAGE = 50
"""Rows of one page."""
FOUND = 50
"""Places a search shows at most."""
_SCANNED = 1_000
"""Rows read at a time while a sample is drawn."""

_FRAMES = ("You want to ", "You would like to ", "You need to ", "You are ", "You have ")
_FRAME = 30
"""Characters that may stand before what the user is told to say."""


def task_rows_table(rows: Sequence[TaskRow], *, width: int) -> str:
    """Return one line a task, with how many of its trials passed."""
    header = ("task", "domain", "split", "difficulty", "passed", "template", "reason")
    one_domain = len({row.domain for row in rows}) == 1
    first_to_go = (*(("domain",) if one_domain else ()), "reason", "difficulty", "split")
    cells = [
        (
            row.id,
            row.domain,
            row.split,
            str(row.difficulty),
            f"{row.passed}/{row.trials}",
            row.template or row.family,
            gist(row.reason),
        )
        for row in rows
    ]
    right = ("difficulty", "passed")
    return table_within(by_column(header, cells), width=width, first_to_go=first_to_go, right=right, text="reason")


def gist(reason: str) -> str:
    """Return what a reason says, without the words that address the user: `You want to` and the like.

    Where it begins by telling the user what to say, what is said is the gist.
    """
    before, colon, said = reason.partition(': "')
    if colon and before.startswith("You ") and len(before) <= _FRAME:
        return f'"{said}'
    return next((reason.removeprefix(frame) for frame in _FRAMES if reason.startswith(frame)), reason)


def episode_rows_table(rows: Sequence[EpisodeRow], *, width: int) -> str:
    """Return one line an episode."""
    header = ("episode", "task", "trial", "reward", "blame", "turns", "stop")
    cells = [
        (
            row.id,
            row.task,
            str(row.trial),
            "none" if row.reward is None else f"{row.reward:g}",
            row.blame or "-",
            str(row.turns),
            row.stop,
        )
        for row in rows
    ]
    first_to_go, right = ("turns", "trial", "task"), ("trial", "reward", "turns")
    return table_within(by_column(header, cells), width=width, first_to_go=first_to_go, right=right)


def found_table(found: Sequence[Found], words: str, *, width: int) -> str:
    """Return one line a place where words were found, with what stands around them."""
    cells = [(each.id, each.task if each.kind == "episode" else "-", each.excerpt) for each in found]
    columns = by_column(("id", "of task", "excerpt"), cells)
    room = width - max(map(len, columns["id"])) - 2
    columns["excerpt"] = [_around(excerpt, words, room) for excerpt in columns["excerpt"]]
    return table_within(columns, width=width, first_to_go=("of task",), text="excerpt")


def _around(excerpt: str, words: str, room: int) -> str:
    """Return an excerpt from where it must begin for the first of the words in it to be seen, and most of what follows.

    `room`: how many characters there are for it.
    """
    folded = excerpt.casefold()
    place = min((place for word in words.casefold().split() if (place := folded.find(word)) >= 0), default=0)
    if place <= room // 2:
        return excerpt
    blank = excerpt.find(" ", max(0, place - room // 3), place)
    return f"…{excerpt[blank + 1 if blank >= 0 else place :]}"


def sampled_ids(store: Store, ref: str, count: int) -> list[str]:
    """Return the ids of at most `count` episodes: failures first, each task's first one before anyone's second.

    Reads rows, and no more of them than it takes: where enough tasks failed, not even those of all failures.
    """
    chosen = _spread(store, ref, count, passed=False)
    if len(chosen) < count:
        chosen += _spread(store, ref, count - len(chosen), passed=True)
    return chosen


def _spread(store: Store, ref: str, count: int, *, passed: bool) -> list[str]:
    ranks: dict[str, int] = {}
    by_rank: list[list[str]] = []
    for row in _all_rows(store, ref, EpisodeFilter(passed=passed)):
        rank = ranks.get(row.task, 0)
        ranks[row.task] = rank + 1
        if rank == len(by_rank):
            by_rank.append([])
        if len(by_rank[rank]) < count:
            by_rank[rank].append(row.id)
        if len(by_rank[0]) == count:
            break  # as many tasks as are wanted: nobody's second comes into it
    return [id_ for ids in by_rank for id_ in ids][:count]


def _all_rows(store: Store, ref: str, which: EpisodeFilter) -> Iterator[EpisodeRow]:
    offset = 0
    while rows := store.episode_rows(ref, which, limit=_SCANNED, offset=offset):
        yield from rows
        offset += len(rows)
