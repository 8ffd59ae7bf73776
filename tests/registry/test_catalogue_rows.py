"""A row of the catalogue that is damaged: it is named, and it stands in nobody else's way."""

from __future__ import annotations

import contextlib
from pathlib import Path

import duckdb
import pytest
from evaluation_samples import evaluation
from registry_samples import sealable

from eigen_cli.api.browsing import Damaged, Sealed
from eigen_cli.api.canonical import digest
from eigen_cli.api.errors import RegistryError, UnknownRefError
from eigen_registry.store import DuckStore


def spoil(folder: Path, change: str, *values: object) -> None:
    """Change rows of a catalogue behind everybody's back."""
    with contextlib.closing(duckdb.connect(folder / "registry.duckdb")) as con:
        con.execute(change, values)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            "UPDATE generations SET body = replace(body, 'airline', 'airship') WHERE number = 2",
            "gen-0002 is damaged: its content does not have the hash it was sealed under",
        ),
        (
            f"UPDATE generations SET body = '{{}}', hash = '{digest('{}')}' WHERE number = 2",
            "gen-0002 is damaged: a stored GenerationBody cannot be read: ",
        ),
        (
            "UPDATE generations SET observed = '[7]' WHERE number = 2",
            "gen-0002 is damaged: a stored GenerationObserved cannot be read: ",
        ),
    ],
)
def test_a_damaged_row_is_listed_apart_and_the_others_are_read(tmp_path: Path, change: str, why: str) -> None:
    store = DuckStore(tmp_path)
    first = store.seal(*sealable(1))
    second = store.seal(*sealable(2, parent=first.hash))
    third = store.seal(*sealable(3, parent=second.hash))
    store.tag("best", "gen-0002")
    spoil(tmp_path, change)
    listing = store.listing()
    assert [one.id for one in listing.generations] == ["gen-0001", "gen-0003"]
    (damaged,) = listing.damaged
    assert damaged.id == "gen-0002" and damaged.why.startswith(why)
    assert listing.latest == third.hash and listing.tags == {"best": second.hash}
    assert [(one.kind, one.id) for one in store.sealed()] == [
        ("generation", "gen-0001"),
        ("generation", "gen-0002"),
        ("generation", "gen-0003"),
    ]
    assert store.sealed("gen-0002") == [Sealed("generation", "gen-0002", damaged.hash)]
    for read in (store.generations, lambda: store.generation("gen-0002"), lambda: store.verify("gen-0002")):
        with pytest.raises(RegistryError) as caught:
            read()
        assert caught.value.message == damaged.why
        assert "`eigen verify-registry` names everything that is damaged" in (caught.value.hint or "")
    assert store.generation("gen-0001") == first
    store.verify("gen-0003")


def test_latest_is_the_newest_be_it_damaged_or_not(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    assert (store.listing().latest, store.sealed()) == (None, [])
    store.seal(*sealable(1))
    second = store.seal(*sealable(2))
    assert store.listing().damaged == () and store.listing().latest == second.hash
    spoil(tmp_path, "UPDATE generations SET body = '{}' WHERE number = 2")
    listing = store.listing()
    assert listing.latest == second.hash
    why = "gen-0002 is damaged: its content does not have the hash it was sealed under"
    assert listing.damaged == (Damaged("gen-0002", second.hash, why),)
    assert store.sealed("latest") == [Sealed("generation", "gen-0002", second.hash)]
    with pytest.raises(UnknownRefError, match="no generation is called 'gen-0009'"):
        store.sealed("gen-0009")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("round = 7", "round is 7, in its body 1"),
        ("domain = 'retail', simulated = false", "domain is 'retail', in its body 'airline'; simulated is False, in"),
        ("parent = repeat('a', 64)", "parent is 'aaaaaa"),
    ],
)
def test_what_the_catalogue_repeats_of_a_generation_is_compared(tmp_path: Path, change: str, said: str) -> None:
    store = DuckStore(tmp_path)
    store.seal(*sealable(1))
    store.seal(*sealable(2))
    spoil(tmp_path, f"UPDATE generations SET {change} WHERE number = 1")
    with pytest.raises(RegistryError) as caught:
        store.verify("gen-0001")
    assert caught.value.message.startswith(f"gen-0001 is damaged: what the catalogue repeats of it is wrong: {said}")
    store.verify("gen-0002")
    assert len(store.generations()) == 2


def test_and_so_is_what_it_repeats_of_an_evaluation(tmp_path: Path) -> None:
    store = DuckStore(tmp_path)
    sealed = store.seal_evaluation(*evaluation())
    store.verify_evaluation("latest")
    assert store.sealed() == [Sealed("evaluation", "eval-0001", sealed.hash)]
    spoil(tmp_path, "UPDATE evaluations SET checkpoint = 'sft-9', split = 'none'")
    with pytest.raises(RegistryError) as caught:
        store.verify_evaluation("latest")
    body = sealed.body
    assert caught.value.message == (
        "eval-0001 is damaged: what the catalogue repeats of it is wrong: "
        f"split is 'none', in its body {body.split!r}; checkpoint is 'sft-9', in its body {body.checkpoint!r}"
    )
