"""Evaluations run on another group's benchmark, installed as its users would install it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from third_party import LIBRARY, install

PACKAGE = Path(__file__).parent / "kiosk"
sys.path.insert(0, str(Path(__file__).parent))


class Kiosk:
    """The installed benchmark: the path other processes need, and what its actors were asked."""

    def __init__(self, site: Path, log: Path) -> None:
        self.path = [str(site), str(PACKAGE), str(LIBRARY)]
        self._log = log

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process that has the benchmark."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join(self.path), "KIOSK_LOG": str(self._log)}

    def asked(self) -> list[str]:
        """Return every question the actors were asked: its key and its request's hash."""
        return self._log.read_text().splitlines() if self._log.exists() else []


@pytest.fixture
def kiosk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kiosk]:
    """Install the benchmark for this process and for those it starts."""
    site = tmp_path / "site"
    install(site, "eigen-kiosk", groups={"eigen": {"eigen_kiosk": "eigen_kiosk.hooks"}}, modules={})
    installed = Kiosk(site, tmp_path / "asked.log")
    for folder in installed.path:
        monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("KIOSK_LOG", installed.environment["KIOSK_LOG"])
    yield installed
    for name in [name for name in sys.modules if name.startswith("eigen_kiosk")]:
        del sys.modules[name]
