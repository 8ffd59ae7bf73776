"""Runs a command until stdin closes; whatever the end, nothing the command started in its process group outlives it.

Whoever starts this holds the other end of stdin, so letting go of it and being killed outright come to the same. Run as
a file by `python -I -S`: the standard library alone, and nothing of the caller's settings.

Usage: keeper.py PATIENCE COMMAND…  (seconds between SIGTERM and SIGKILL)
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

NOT_STARTED = 127
_PR_SET_PDEATHSIG = 1


def main(patience: float, command: list[str]) -> int:
    """Run the command and return its exit code, as a shell would write it."""
    dying = _die_with_parent if sys.platform == "linux" else None
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0, preexec_fn=dying)
    except OSError as error:
        print(f"error: {command[0]} cannot be run: {error}", file=sys.stderr)
        return NOT_STARTED
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _ask_to_end(child.pid))
    threading.Thread(target=_end_when_released, args=(child.pid, patience), daemon=True).start()
    code = child.wait()
    _signal_group(child.pid, signal.SIGKILL)  # workers that outlived it
    return code if code >= 0 else 128 - code


def _end_when_released(leader: int, patience: float) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    _ask_to_end(leader)
    time.sleep(patience)
    _signal_group(leader, signal.SIGKILL)


def _ask_to_end(leader: int) -> None:
    """Ask the leader alone: it ends its workers itself, and would take their deaths for failures."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(leader, signal.SIGTERM)


def _die_with_parent() -> None:
    """Ask Linux, in the child, for a SIGTERM when the keeper itself is killed (prctl(2))."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
