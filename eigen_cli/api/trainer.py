"""Trainers: a pure plan (what would run) and a launch. Trainers run in their own interpreter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class TrainPlan:
    """Everything a launch would do: argv, environment, files to write and files expected afterwards."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    files: Mapping[str, bytes]
    outputs: tuple[str, ...]


class Trainer(ABC):
    """Base class of trainer plugins."""

    @abstractmethod
    def plan(self, recipe: Mapping[str, Any], data: Path, workdir: Path) -> TrainPlan:
        """Return what a launch would run; touches nothing."""

    @abstractmethod
    def launch(self, plan: TrainPlan) -> int:
        """Run the plan and return its exit status."""
