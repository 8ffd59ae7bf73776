"""Runs a command until stdin closes; whatever the end, nothing the command started in its process group outlives it.

Whoever starts this holds the other end of stdin, so letting go of it and being killed outright come to the same. Run as
a file by `python -I -S`: the standard library alone, and nothing of the caller's settings.

Usage: keeper.py PATIENCE COMMAND…  (seconds between SIGTERM and SIGKILL)
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

NOT_STARTED = 127


def main(patience: float, command: list[str]) -> int:
    """Run the command and return its exit code, as a shell would write it."""
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    except OSError as error:
        print(f"error: {command[0]} cannot be run: {error}", file=sys.stderr)
        return NOT_STARTED
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _signal_group(child.pid, signal.SIGTERM))
    threading.Thread(target=_end_when_released, args=(child.pid, patience), daemon=True).start()
    code = child.wait()
    _signal_group(child.pid, signal.SIGKILL)  # workers that outlived it
    return code if code >= 0 else 128 - code


def _end_when_released(group: int, patience: float) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    _signal_group(group, signal.SIGTERM)
    time.sleep(patience)
    _signal_group(group, signal.SIGKILL)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
