"""The airline's real tools and policy, made once."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_airline.domain import Airline
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import contract_context


@pytest.fixture(scope="session")
def airline() -> RoleContext:
    """Return what roles need of the airline."""
    return contract_context(Airline())


@pytest.fixture(scope="session")
def tools(airline: RoleContext) -> list[dict[str, Any]]:
    """Return the definitions of the airline's agent tools."""
    schemas = airline.toolbox.schemas["agent"]
    assert schemas is not None
    return schemas.definitions()
