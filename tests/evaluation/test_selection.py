"""Which tasks are evaluated, and what is said of those there are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Eigen
from ledger import Ledger

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.tasks import Task
from eigen_cli.evaluation.selection import select
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample


@pytest.fixture
def stored(kiosk) -> MemoryStore:
    """A registry with two generations of the library, none of the ledger."""
    from eigen_tidy_library.domain import TidyLibrary

    context = contract_context(TidyLibrary())
    drafted = list(drafted_tasks(context, each=6))
    store = MemoryStore(Path("somewhere"))
    seal_sample(store, context, drafted[:4])
    seal_sample(store, context, drafted, round_=2)
    return store


def selected(store: MemoryStore, **settings) -> tuple[Task, ...]:
    from eigen_tidy_library.domain import TidyLibrary

    return select(EvalSettings(**settings), TidyLibrary(), store).tasks


def test_a_domain_without_tasks_takes_those_of_its_latest_generation(stored: MemoryStore) -> None:
    everything = list(stored.tasks("gen-0002"))
    assert list(selected(stored, split="all")) == everything
    for split in sorted({task.split for task in everything}):
        assert list(selected(stored, split=split)) == [task for task in everything if task.split == split]
    assert list(selected(stored, split="all", generation="gen-0001")) == list(stored.tasks("gen-0001"))
    assert list(selected(stored, split="all", limit=3)) == everything[:3]
    wanted = (everything[5].id, everything[2].id)
    assert [task.id for task in selected(stored, split="all", tasks=wanted)] == [everything[2].id, everything[5].id]


def test_what_names_the_tasks_is_the_generation(stored: MemoryStore) -> None:
    from eigen_tidy_library.domain import TidyLibrary

    selection = select(EvalSettings(split="all"), TidyLibrary(), stored)
    assert selection.release == f"generation {stored.generation('gen-0002').hash[:12]}"
    assert selection.generation == stored.generation("gen-0002")


def test_splits_and_generations_that_are_not_there(stored: MemoryStore) -> None:
    from eigen_tidy_library.domain import TidyLibrary

    with pytest.raises(ConfigError, match="no split 'base'; there are train, validation, test, all"):
        select(EvalSettings(split="base"), TidyLibrary(), stored)
    with pytest.raises(ConfigError, match="ledger comes with no tasks, and somewhere has no generation of it"):
        select(EvalSettings(), Ledger(), stored)
    splits = {task.split for task in stored.tasks("gen-0001")}
    missing = next(split for split in ("validation", "test", "train") if split not in splits)
    with pytest.raises(ConfigError, match=rf"gen-0001 has no {missing} task of tidy-library; it has \w+ \d"):
        select(EvalSettings(split=missing, generation="gen-0001"), TidyLibrary(), stored)


def test_a_benchmarks_splits_keep_the_order_of_the_release(kiosk) -> None:
    from eigen_kiosk.domain import Kiosk

    selection = select(EvalSettings(split="base"), Kiosk(), MemoryStore())
    assert [task.id for task in selection.tasks] == ["lend-0", "lend-1", "polite", "ask", "lend-2", "refused"]
    assert [item.id for item in selection.skipped] == ["fly"]
    assert (selection.release, selection.generation) == ("kiosk 3.1", None)


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (("--split", "tset"), "kiosk has no split 'tset'; there are base, test, train", "did you mean `test`?"),
        (("--task", "lend-9"), "the split test of kiosk 3.1 has no task 'lend-9'", "did you mean `lend-"),
        (("--task", "fly"), "the task 'fly' cannot be used: the tool `fly` is unknown", ""),
        (("--scoring", "own"), "kiosk has no scoring 'own'; it has official, strict", ""),
        (("--generation", "gen-0007"), "there is no registry in", "seals a first generation"),
        (("--agent", "scirpt"), "there is no backend `scirpt`", "did you mean `script`?"),
        (("--agent", ":model"), "':model' names no backend", "eigen eval --help"),
        (("--against", "eval-0001"), "there is no registry in", ""),
        (("--trials", "0"), "Invalid value for '--trials'", "eigen eval --help"),
        (("--judge", "openai"), "the openai backend needs a model", "--model"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_asked(kiosk, eigen: Eigen, arguments, error: str, hint: str) -> None:
    done = eigen("eval", "kiosk", "--agent", "script", "--user", "script", *arguments)
    said = done.err.splitlines()
    assert (done.code, done.out, kiosk.asked()) == (2, "", [])
    assert said[0].startswith(f"eigen: error: {error}") or error in said[0]
    assert hint in done.err
    assert len(said) <= 2


@pytest.mark.parametrize(
    ("domains", "error"),
    [("kiosk,", "has an empty name"), ("kiosk,kiosk", "names kiosk twice"), ("kiosk,kisok", "no domain `kisok`")],
)
def test_a_list_of_domains_is_checked_whole(kiosk, eigen: Eigen, domains: str, error: str) -> None:
    done = eigen("eval", domains, "--agent", "script", "--user", "script")
    assert (done.code, kiosk.asked()) == (2, [])
    assert error in done.err


def test_a_domain_is_needed(eigen: Eigen) -> None:
    done = eigen("eval")
    assert done.code == 2
    assert "Missing argument 'DOMAIN[,DOMAIN…]'" in done.err
