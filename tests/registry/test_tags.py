"""Tags name generations, move, and can be used wherever a ref can."""

from __future__ import annotations

from pathlib import Path

import pytest
from registry_samples import sealable

from eigen_cli.api.errors import RegistryError, UnknownRefError
from eigen_cli.api.store import Store
from eigen_registry import open_registry


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A registry of two generations, the second made from the first."""
    store: Store = open_registry(tmp_path_factory.mktemp("registry"))
    first = store.seal(*sealable(1))
    store.seal(*sealable(2, parent=first.hash))
    return store


def test_a_tag_moves_and_is_a_ref(store: Store) -> None:
    first, second = store.generations()
    assert store.tag("best", "gen-0001") == first
    assert store.generation("best") == first
    assert next(store.tasks("best")).id == "task-01000-a"
    assert store.tag("best", second.hash[:8]) == second
    assert store.tag("v1.0_a-b", "best") == second
    assert store.listing().tags == {"best": second.hash, "v1.0_a-b": second.hash}
    assert store.generation("v1.0_a-b") == second
    store.untag("best")
    store.untag("v1.0_a-b")
    assert store.listing().tags == {}


def test_a_forgotten_tag_is_no_ref_and_a_misspelt_one_is_guessed(store: Store) -> None:
    store.tag("released", "latest")
    with pytest.raises(UnknownRefError, match="no generation is called 'relased'") as caught:
        store.generation("relased")
    assert caught.value.hint == "did you mean `released`?"
    with pytest.raises(UnknownRefError, match="there is no tag 'relased'") as caught:
        store.untag("relased")
    assert caught.value.hint == "the tags are: released"
    store.untag("released")
    with pytest.raises(UnknownRefError, match="no generation is called 'released'"):
        store.generation("released")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("latest", "always names the last generation"),
        ("gen-0007", "is an id"),
        ("eval-2", "is an id"),
        ("decade", "could be the beginning of a hash"),
        ("0" * 64, "could be the beginning of a hash"),
        ("", "is no name for a tag"),
        ("Best", "is no name for a tag"),
        ("-f", "is no name for a tag"),
        ("a b", "is no name for a tag"),
        ("../up", "is no name for a tag"),
        ("x" * 65, "is no name for a tag"),
        ("best\n", "is no name for a tag"),
    ],
)
def test_names_that_no_tag_may_have(store: Store, name: str, why: str) -> None:
    with pytest.raises(RegistryError, match=why) as caught:
        store.tag(name, "latest")
    assert caught.value.hint
    assert store.listing().tags == {}


def test_a_tag_of_nothing_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownRefError, match="no generation is called 'gen-0009'"):
        store.tag("best", "gen-0009")
    assert store.listing().tags == {}
    empty = open_registry(tmp_path / "none")
    assert empty.listing().tags == {}
    with pytest.raises(UnknownRefError, match="there is no registry in"):
        empty.tag("best", "latest")
    with pytest.raises(UnknownRefError, match="there is no registry in"):
        empty.untag("best")
    assert list(tmp_path.iterdir()) == []
