from __future__ import annotations

import pytest
from training.overheard import Overhearing, overheard

from eigen_cli.testing.memory_store import MemoryStore


@pytest.fixture(scope="session")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Overhearing:
    """A generation of the three domains; some of its users break their contract, some of its agents fail."""
    return overheard(MemoryStore(tmp_path_factory.mktemp("heard")))
