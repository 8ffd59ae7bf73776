"""A disk that fills while a run plays, puts episodes away or seals: one clear line, and more room is all it takes."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from running import SMALL, command, evolve, hashes

ARGUMENTS = (*SMALL, "--rounds", "1")
NAMESPACE = ("unshare", "--map-root-user", "--mount")


def _may_mount(folder: Path) -> bool:
    """Whether a disk of our own can be had: a tmpfs in a mount namespace of our own."""
    try:
        done = subprocess.run(
            [*NAMESPACE, "mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, timeout=30, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0


@pytest.mark.proof
def test_a_full_disk_ends_a_run_and_a_larger_one_resumes_it(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if not _may_mount(disk):
        pytest.skip("no disk of our own can be mounted here")
    (tmp_path / "whole").mkdir()
    whole = hashes(evolve(tmp_path / "whole", *ARGUMENTS))
    run = shlex.join([*command("evolve", "airline", *ARGUMENTS), "--registry", str(disk), "--json"])
    # Too small for the journal and the episodes; for the registry. Then large enough.
    steps = "\n".join(
        f"mount -o remount,size={size} {shlex.quote(str(disk))}\n"
        f"{run} > {size}.out 2> {size}.err; echo $? > {size}.code; find {shlex.quote(str(disk))} -type f > {size}.files"
        for size in ("40k", "400k", "60m")
    )
    script = f"mount -t tmpfs -o size=40k none {shlex.quote(str(disk))} && {steps}"
    done = subprocess.run(
        [*NAMESPACE, "bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr

    def said(size: str, kind: str) -> str:
        return (tmp_path / f"{size}.{kind}").read_text().strip()

    for size, what in (("40k", ("the journal", "episodes cannot be put away")), ("400k", "the registry")):
        error, hint = said(size, "err").splitlines()[-2:]
        assert said(size, "code") == "1" and said(size, "out") == "", size
        assert error.removeprefix("eigen: error: ").startswith(what) and "o space left" in error, error
        assert hint.startswith("hint: ") and "same command" in hint, hint
        assert "Traceback" not in said(size, "err")
        files = [Path(name) for name in said(size, "files").splitlines()]
        assert [file.parent.name for file in files] == ["journals"], "nothing half sealed, and no episodes left over"
    assert said("60m", "code") == "0", said("60m", "err")
    assert hashes(json.loads(said("60m", "out"))) == whole
