"""Every request of a push and of a pull may fail, in every way, over LFS and over Xet: it is done, and done once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eigen_cli.api.store import Store


class _Drive:
    """Runs `drive_faults.py` and checks that every fault was met and outlived."""

    def __init__(self, store: Store, place: Path) -> None:
        self._store = store
        self._place = place

    def __call__(self, what: str, *, xet: bool, match: str = "", each: bool = True) -> tuple[list[str], int]:
        """Return the requests of a clean run, and how many faults were met."""
        environ = {
            **os.environ,
            "HF_TOKEN": "hf_tester",
            "HF_HOME": str(self._place / "hf"),
            "HF_HUB_DISABLE_XET": "0" if xet else "1",
        }
        program, output = Path(__file__).with_name("drive_faults.py"), self._place / "outcomes.json"
        arguments = [str(program), what, str(self._store.folder), str(output), match, str(int(each))]
        done = subprocess.run(
            [sys.executable, *arguments], env=environ, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr
        # Nothing is said on the way: whoever runs the command says it, once.
        assert (done.stdout, done.stderr) == ("", "")
        found: dict[str, Any] = msgspec.json.decode(output.read_bytes())
        assert [outcome for outcome in found["outcomes"] if not outcome["met"]] == []
        assert [outcome for outcome in found["outcomes"] if not outcome["whole"]] == []
        return found["requests"], len(found["outcomes"])


@pytest.fixture
def drive(store: Store, tmp_path: Path) -> _Drive:
    return _Drive(store, tmp_path)


PUSH = ("repos/create", "/settings", "/refs", "/commits/", "/tree/", "preupload", "/commit/", "/tag/")
OVER_LFS = ("lfs/objects/batch", "PUT", "/verify")
OVER_XET = ("xet\\-write\\-token", "xorbs", "v1/shards")


def _has(requests: list[str], parts: tuple[str, ...]) -> None:
    assert [part for part in parts if not any(part in request for request in requests)] == []


@pytest.mark.proof
def test_a_push_over_lfs(drive: _Drive) -> None:
    requests, met = drive("push", xet=False)
    _has(requests, PUSH + OVER_LFS)
    assert met == 6 * len(requests) >= 6 * 15


@pytest.mark.proof
def test_a_pull_over_lfs_meets_one_fault_a_request(drive: _Drive) -> None:
    requests, met = drive("pull", xet=False, each=False)
    _has(requests, ("/revision/", "paths\\-info", "HEAD", "manifest", "episodes"))
    assert met == len(requests) > 15


@pytest.mark.proof
def test_a_pull_over_lfs(drive: _Drive) -> None:
    requests, met = drive("pull", xet=False)
    assert met == 6 * len(requests) > 6 * 15


@pytest.mark.proof
def test_a_push_over_xet(drive: _Drive) -> None:
    requests, met = drive("push", xet=True)
    _has(requests, PUSH + OVER_XET)
    assert met == 6 * len(requests)


@pytest.mark.proof
def test_a_pull_over_xet(drive: _Drive) -> None:
    requests, met = drive("pull", xet=True, match="xet")
    _has(requests, ("xet\\-read\\-token", "reconstructions", "xorb/"))
    assert met > 6 * 3
