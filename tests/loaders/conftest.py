"""Consumers of exported files in environments of their own. `make test-loaders` runs these tests.

EIGEN_LOADERS names the folder that `environment` made.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Read now: tests run without anybody's settings, and under a home of their own.
LOADERS = os.environ.get("EIGEN_LOADERS", "")
_HERE = Path(__file__).parent
_TEMPLATES = "lib/*/site-packages/trl/chat_templates"

Probe = Callable[..., Any]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there are no loaders, and those of a consumer that could not be installed."""
    for item in items:
        if _HERE not in item.path.parents:
            continue
        if not LOADERS:
            item.add_marker(pytest.mark.skip(reason="needs the trainers' own loaders: `make test-loaders`"))
            continue
        for consumer in (name for marker in item.iter_markers("consumer") for name in marker.args):
            reason = Path(LOADERS, f"{consumer}.unavailable")
            if reason.exists():
                item.add_marker(pytest.mark.skip(reason=f"{consumer}: {reason.read_text().strip()}"))


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """Run one of the probes on the files in a folder and return what it found: `probe("trl_sft", folder)`."""

    def run(name: str, folder: Path, *arguments: str, served: Any = (), side: str = "current") -> Any:
        (folder / "served.json").write_text(json.dumps(served))
        done = subprocess.run(
            [f"{LOADERS}/{side}/bin/python", _HERE / "probes" / f"{name}.py", folder, *arguments],
            env={
                "PATH": os.environ["PATH"],
                "CHAT_TEMPLATES": "".join(map(str, Path(LOADERS, "current").glob(_TEMPLATES))),
                "HOME": str(tmp_path),
                "HF_HOME": str(tmp_path / "hf"),
                "HF_HUB_OFFLINE": "1",
                "OMP_NUM_THREADS": "1",
            },
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return json.loads((folder / "found.json").read_text())

    return run
