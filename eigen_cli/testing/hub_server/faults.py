"""Misbehaviour on command: which requests meet which fault, and what becomes of them."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

HubFaultKind = Literal["status", "refused_connection", "lost_reply"]


class HubFault(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A fault and the requests it strikes: those whose `METHOD /path` a regular expression finds itself in.

    `status` answers an error and does nothing. `refused_connection` closes the connection and does nothing;
    `lost_reply` does what was asked and closes the connection before the reply.
    """

    match: str
    kind: HubFaultKind = "status"
    status: int = 503
    headers: dict[str, str] = {}
    skip: int = 0
    """Matching requests to spare first."""
    count: int = 1
    """Requests to strike, after those."""


class HubFaults:
    """The faults still to come."""

    def __init__(self) -> None:
        self._faults: list[HubFault] = []

    def add(self, *faults: HubFault) -> None:
        """Let faults strike from now on."""
        self._faults.extend(faults)

    def clear(self) -> None:
        """Forget all of them."""
        self._faults.clear()

    def strike(self, what: str) -> HubFault | None:
        """Return the first fault that strikes a request, `METHOD /path`."""
        for fault in self._faults:
            if fault.count <= 0 or not re.search(fault.match, what):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.count -= 1
            return fault
        return None
