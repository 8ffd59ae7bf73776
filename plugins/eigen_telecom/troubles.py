"""All troubles, the families of what they break, and how several are put together."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.tasks import Action
from eigen_telecom.cases import Case, Trouble, user
from eigen_telecom.troubles_data import DATA
from eigen_telecom.troubles_mms import MMS
from eigen_telecom.troubles_service import SERVICE

TROUBLES: dict[str, Trouble] = {trouble.name: trouble for trouble in (*SERVICE, *DATA, *MMS)}

SERVICE_FAMILY: tuple[str, ...] = tuple(trouble.name for trouble in SERVICE)
DATA_FAMILY: tuple[str, ...] = ("airplane_mode_on", *(trouble.name for trouble in DATA))
MMS_FAMILY: tuple[str, ...] = (
    "airplane_mode_on",
    "sim_unseated",
    *(trouble.name for trouble in DATA if trouble.group in ("switch", "usage", "roaming", "mode")),
    *(trouble.name for trouble in MMS),
)
"""Troubles that break each family's wish: service, fast data, picture messages."""


def injected(case: Case, troubles: Iterable[Trouble]) -> Case:
    """Return the case with troubles, in the order of `TROUBLES` whatever order they come in."""
    wanted = {trouble.name for trouble in troubles}
    for name, trouble in TROUBLES.items():
        if name in wanted:
            case = trouble.inject(case)
    return case.settled()


def cure(case: Case, troubles: Iterable[Trouble]) -> tuple[Action, ...]:
    """Return the calls that undo troubles, in their order; one restart at the end where any needs it."""
    wanted = {trouble.name for trouble in troubles}
    ordered = [trouble for name, trouble in TROUBLES.items() if name in wanted]
    calls = [call for trouble in ordered for call in trouble.fix(case)]
    if any(trouble.restart for trouble in ordered):
        calls.append(user("reboot_device"))
    return tuple(calls)
