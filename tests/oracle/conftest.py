"""Stages of the three domains, made once."""

from __future__ import annotations

import pytest
from stage import DOMAINS, Stage, StageOf

from eigen_cli.api.backend import BackendSettings
from eigen_oracle.oracle import OracleBackend


@pytest.fixture(scope="session")
def stage_of() -> StageOf:
    """Return the stage of a domain, made once."""
    made: dict[str, Stage] = {}

    def stage(name: str) -> Stage:
        if name not in made:
            made[name] = Stage(DOMAINS[name]())
        return made[name]

    return stage


@pytest.fixture(scope="session")
def telecom(stage_of: StageOf) -> Stage:
    """Return the stage of the domain whose users have tools."""
    return stage_of("telecom")


@pytest.fixture
def oracle() -> OracleBackend:
    return OracleBackend(BackendSettings())
