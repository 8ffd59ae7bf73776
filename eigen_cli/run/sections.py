"""The settings there are: sections with types, bounds and defaults, and what they add up to for a command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from eigen_cli.api.backend import BackendSettings, RoleName
from eigen_cli.run.prices import Price

# Upper bounds are beyond any use: they catch a slipped key before it grinds for hours.
Positive = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Few = Annotated[int, msgspec.Meta(ge=1, le=1_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class EvolveSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[evolve]`: the size and the switches of a run."""

    rounds: Positive = 5
    tasks: Positive = 40
    """Proposals a round, repairs not counted."""
    trials: Few = 4
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    plans: Few = 4
    probe: Few = 6
    """Proposals by which a plan and its child are compared."""
    repairs: Annotated[int, msgspec.Meta(ge=0, le=8)] = 1
    """Repair attempts for a rejected task."""
    attempts: Few = 3
    """Starts of a trial, infrastructure failures included."""
    concurrency: Positive = 64
    verifiers: tuple[str, ...] = ("actions",)
    """Verifiers asked besides those of the domain's reward basis: reported, not rewarded."""
    world_size: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    """Records of the generated world, approximately; 0 is the domain's default."""
    validation: bool = True
    evolution: bool = True


class BackendSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[backend]` for every role, `[roles.agent]` and its like for one; there `name` is written `backend`."""

    name: str = "offline"
    base_url: str = ""
    model: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    connect_timeout: Seconds = 5.0
    timeout: Seconds = 600.0
    max_retries: Annotated[int, msgspec.Meta(ge=0, le=100)] = 6
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    """Of sampling; the server's own where nothing is set."""
    options: dict[str, Any] = {}
    """Whatever else the backend understands."""


class BudgetSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[budget]`: what a run may spend; nothing set is no limit."""

    usd: Annotated[float, msgspec.Meta(gt=0)] | None = None
    tokens: Annotated[int, msgspec.Meta(gt=0)] | None = None


@dataclass(frozen=True)
class RoleBackend:
    """Which backend plays a role, and with what settings."""

    role: RoleName
    backend: str
    settings: BackendSettings
    temperature: float | None = None
    price: Price | None = None
    """None where neither `[prices]` nor eigen's own table knows the model."""
    named: bool = False
    """Whether the role names its backend itself, and does not take the one given for all."""


@dataclass(frozen=True)
class Setting:
    """One effective value and the layer that set it: `default`, `eigen.toml:12`, `EIGEN_…` or a flag."""

    key: str
    value: Any
    source: str


@dataclass(frozen=True)
class Config:
    """Effective settings."""

    registry: Path
    evolve: EvolveSection
    roles: Mapping[RoleName, RoleBackend]
    settings: tuple[Setting, ...]
    domain_options: Mapping[str, str] = field(default_factory=dict)
    """Settings for the domains that ask for them, by name; those that nothing set are absent."""
    budget: BudgetSection = BudgetSection()  # noqa: RUF009 - frozen
    cache: Path | None = None
    """Folder of the response cache; None without one."""
    record: Path | None = None
    """Cassette to record; None without one."""
    unknown_variables: Mapping[str, str] = field(default_factory=dict)
    """`EIGEN_*` variables that name no setting, and a hint each. Not an error: other programs use the prefix too."""
