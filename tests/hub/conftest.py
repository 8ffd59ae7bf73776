"""The Hub's tests work on a registry that the program evolved, and on a Hub of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_shared import Staging
from running import SMALL, evolve

from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import Hub, Release, ReleaseTerms
from eigen_cli.api.store import Store
from eigen_cli.testing.hub_server import HubServer, serving_hub
from eigen_registry import open_hub, open_registry


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A registry with two generations of the airline, made by the program itself. Read only."""
    folder = tmp_path_factory.mktemp("evolved")
    evolve(folder, *SMALL)
    return open_registry(folder / ".eigen")


@pytest.fixture(scope="session")
def generation(store: Store) -> Generation:
    """The first of them."""
    return store.generation("gen-0001")


@pytest.fixture
def server() -> HubServer:
    """A Hub without any repository."""
    return HubServer()


@pytest.fixture
def endpoint(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where it is; this process has the token of `tester`."""
    monkeypatch.setenv("HF_TOKEN", "hf_tester")
    with serving_hub(server) as url:
        yield url


@pytest.fixture
def hub(endpoint: str) -> Hub:
    """The way there."""
    return open_hub(eigen_version="1.2.3", endpoint=endpoint, pause=0.02)


@pytest.fixture(scope="session")
def payloads(store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The records of each generation, written once. Read only."""
    offline = open_hub(eigen_version="1.2.3")
    folders = {}
    for generation in store.generations():
        folders[generation.hash] = tmp_path_factory.mktemp(generation.id)
        offline.write_generation(store, generation.hash, folders[generation.hash])
    return folders


@pytest.fixture
def staged(payloads: dict[str, Path], tmp_path: Path) -> Staging:
    """Stage a generation for a repository and a tag."""

    def stage(generation: Generation, *, repo: str = "tester/agents", tag: str = "") -> Release:
        terms = ReleaseTerms(repo=repo, tag=tag or generation.id, license="other")
        folder = tmp_path / f"staged-{generation.id}-{terms.tag}-{repo.replace('/', '-')}"
        folder.mkdir()
        # Links to the files, which are never changed: a copy each would cost more than the push.
        for path in payloads[generation.hash].rglob("*.parquet"):
            target = folder / path.relative_to(payloads[generation.hash])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.hardlink_to(path)
        return open_hub(eigen_version="1.2.3").release(generation, terms, folder)

    return stage
