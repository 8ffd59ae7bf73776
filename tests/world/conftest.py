from __future__ import annotations

import pytest
from ledger import Ledger

from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


@pytest.fixture(scope="session")
def toolbox() -> Toolbox:
    return Toolbox(Ledger())


@pytest.fixture(scope="session")
def world(toolbox: Toolbox) -> World:
    return World(build_base(toolbox.domain, WorldRef(1, 100), freeze=False))
