"""Troubles that stop mobile data or slow it down."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from eigen_cli.api.tasks import Action, CheckCall
from eigen_telecom.cases import Case, Trouble, agent, on_line, phone_with, switched, unsolved, user
from eigen_telecom.rules import MOST_REFUEL_GB


def _abroad(case: Case, *, phone: bool, line: bool) -> Case:
    return dataclasses.replace(
        case,
        surroundings=replace(case.surroundings, is_abroad=True),
        phone=replace(case.phone, roaming_enabled=phone),
        line=replace(case.line, roaming_enabled=line),
    )


def _slow_vpn(case: Case) -> Case:
    # The server is slow, however often one connects: the profile and the connection agree.
    slow = replace(case.phone.vpn_profile, server_performance="poor")
    return dataclasses.replace(case, phone=replace(case.phone, vpn_connected=True, vpn_details=slow, vpn_profile=slow))


def _use_up(case: Case) -> Case:
    used = round(case.plan.data_limit_gb + case.refuel_gb / 4, 2)
    return dataclasses.replace(case, line=replace(case.line, data_used_gb=used, data_refueling_gb=0.0))


def _use_up_everything(case: Case) -> Case:
    used = round(case.plan.data_limit_gb + MOST_REFUEL_GB + 0.1, 2)
    return dataclasses.replace(case, line=replace(case.line, data_used_gb=used, data_refueling_gb=MOST_REFUEL_GB))


def _allow_roaming(case: Case) -> tuple[Action, ...]:
    return (on_line(case, "enable_roaming"),)


def _refuel(case: Case) -> tuple[Action, ...]:
    return (on_line(case, "get_data_usage"), on_line(case, "refuel_data", gb_amount=case.refuel_gb))


def _refuelled(case: Case) -> tuple[CheckCall, ...]:
    wanted = case.line.data_refueling_gb + case.refuel_gb
    return (CheckCall("refuelled", {"line_id": case.line.line_id, "gb": wanted}),)


_ROAMING = ("6.1", "9.2")
DATA: tuple[Trouble, ...] = (
    Trouble(
        "roaming_off_on_phone",
        "roaming",
        lambda case: _abroad(case, phone=False, line=True),
        switched("toggle_roaming"),
        _ROAMING,
    ),
    Trouble(
        "roaming_off_on_line",
        "roaming",
        lambda case: _abroad(case, phone=True, line=False),
        _allow_roaming,
        _ROAMING,
        carrier=True,
    ),
    Trouble(
        "roaming_off_on_both",
        "roaming",
        lambda case: _abroad(case, phone=False, line=False),
        lambda case: (*_allow_roaming(case), user("toggle_roaming")),
        _ROAMING,
        carrier=True,
    ),
    Trouble("data_switched_off", "switch", phone_with(data_enabled=False), switched("toggle_data"), ("9.3",)),
    Trouble("data_saver_on", "saver", phone_with(data_saver_mode=True), switched("toggle_data_saver_mode"), ("9.5",)),
    Trouble(
        "slow_network_mode",
        "mode",
        phone_with(network_mode_preference="2g_only"),
        lambda _: (user("set_network_mode_preference", mode="4g_5g_preferred"),),
        ("9.6",),
    ),
    Trouble("slow_vpn", "vpn", _slow_vpn, switched("disconnect_vpn"), ("9.7",)),
    Trouble("data_used_up", "usage", _use_up, _refuel, ("5.1", "5.2", "9.4"), carrier=True, checks=_refuelled),
    Trouble(
        "data_used_up_for_good",
        "usage",
        _use_up_everything,
        unsolved,
        ("5.1", "9.4", "10.1"),
        solvable=False,
        carrier=True,
        signs=(agent("get_data_usage"), agent("get_details_by_id")),
    ),
)
