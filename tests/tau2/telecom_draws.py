"""Random telecom: initial states, and calls of both sides with real entities, unknown ones and wrong types."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Call = tuple[str, str, dict[str, Any]]
"""Requestor in tau2's words, tool, arguments."""

_LINE = {"customer_id": "C1001", "line_id": "L1002"}
_SIGNAL = st.sampled_from(["none", "poor", "fair", "good", "excellent"])
_ODD = st.sampled_from([None, 5, 2.5, True, [], {}, ["x"]])
"""What no text is."""

_PHONE_FAULTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in (
        "turn_airplane_mode_on", "turn_airplane_mode_off", "unseat_sim_card", "break_apn_settings",
        "break_apn_mms_setting", "turn_data_off", "turn_data_on", "turn_roaming_on", "turn_roaming_off",
        "turn_data_saver_mode_on", "turn_data_saver_mode_off", "break_vpn", "simulate_network_search",
        "toggle_wifi", "reset_apn_settings", "reboot_device", "connect_vpn",
    )),
    *(("lock_sim_card", {"mode": mode}) for mode in ("pin", "puk")),
    *(("set_user_location", {"abroad": abroad}) for abroad in (True, False)),
    *(("set_wifi_calling", arguments) for arguments in ({"enabled": True, "mms_over_wifi": True}, {"enabled": False})),
    *(("set_network_mode_preference", {"mode": mode}) for mode in ("2g_only", "3g_only", "4g_only", "6g")),
    *(("remove_app_permission", {"app_name": app, "permission": permission})
      for app, permission in (("messaging", "sms"), ("messaging", "STORAGE"), ("browser", "network"), ("maps", "sms"))),
]  # fmt: skip
_CARRIER_FAULTS: list[tuple[str, dict[str, Any]]] = [
    *(("set_data_usage", {**_LINE, "data_used_gb": gb}) for gb in (15.1, 17.1, 0.0)),
    *(("suspend_line_for_overdue_bill", {**_LINE, "new_bill_id": bill, "contract_ended": ended})
      for bill, ended in (("B1234321", False), ("B1234321", True))),
    ("suspend_line_for_overdue_bill",
     {"customer_id": "C1002", "line_id": "L1001", "new_bill_id": "B7", "contract_ended": False}),
    ("enable_roaming", _LINE),
    ("disable_roaming", _LINE),
    ("send_payment_request", {"customer_id": "C1001", "bill_id": "B1002"}),
    ("refuel_data", {"customer_id": "C1003", "line_id": "L1009", "gb_amount": 1.5}),
]  # fmt: skip


def faults() -> st.SearchStrategy[dict[str, Any]]:
    """Return functions that prepare a task."""
    sides = {"user": _PHONE_FAULTS, "assistant": _CARRIER_FAULTS}
    return st.sampled_from(
        [
            {"env_type": side, "func_name": name, "arguments": arguments}
            for side, calls in sides.items()
            for name, arguments in calls
        ]
    )


def devices() -> st.SearchStrategy[dict[str, Any]]:
    """Return settings that no function makes."""
    return st.fixed_dictionaries(
        {},
        optional={
            "wifi_enabled": st.booleans(),
            "wifi_connected": st.booleans(),
            "wifi_ssid": st.sampled_from([None, "Home"]),
            "wifi_signal_strength": _SIGNAL,
            "battery_level": st.integers(0, 100),
            "vpn_enabled_setting": st.booleans(),
            "active_apn_settings": st.fixed_dictionaries({}, optional={"mms_port": st.sampled_from([None, 80])}),
            "app_statuses": st.just({"maps": {"app_name": "maps", "permissions": {"network": True}}}),
        },
    )


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    """Return an initial state: someone calls, from somewhere, with things that do not work."""
    number = draw(st.sampled_from(["555-123-2002"] * 5 + ["555-123-2001", "555-123-2004", "555-123-2003"]))
    who = {"env_type": "user", "func_name": "set_user_info", "arguments": {"name": "J", "phone_number": number}}
    around = {"signal_strength": draw(st.dictionaries(st.sampled_from(["2G", "3G", "4G", "5G"]), _SIGNAL))}
    data = {"user_data": {"device": draw(devices()), "surroundings": around}}
    return {
        "initialization_data": draw(st.sampled_from([None, data])),
        "initialization_actions": [who, *draw(st.lists(faults(), max_size=6))],
    }


def _mostly(*usual: Any, odd: Any = _ODD) -> st.SearchStrategy[Any]:
    return st.one_of(*[st.sampled_from(usual)] * 6, odd)


_CUSTOMER = _mostly("C1001", "C1001", "C1001", "C1002", "C1003", "C1004", "C9999", "")
_LINE_ID = _mostly("L1002", "L1002", "L1002", "L1001", "L1003", "L1004", "L1009", "L9999")
_BILL = _mostly("B1001", "B1002", "B1003", "B1004", "B1005", "B1234321", "new1", "new2", "B9999")
_APP = _mostly("messaging", "browser", "maps", "")
_ON_LINE = {"customer_id": _CUSTOMER, "line_id": _LINE_ID}
_APN = st.fixed_dictionaries(
    {},
    optional={
        "apn_name": st.sampled_from(["internet", "broken", "nowhere", None]),
        "mmsc_url": st.sampled_from([None, "http://mms.carrier.com/mms/wapenc", "http://x", 5]),
        "mms_port": st.sampled_from([None, 80, "80", "eighty"]),
        "reset_at_reboot": st.sampled_from([True, "true", 1, None]),
        "bogus": st.just(1),
    },
)
_AGENT: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "get_customer_by_phone": {"phone_number": _mostly("555-123-2002", "555-123-2001", "555-000-0000")},
    "get_customer_by_id": {"customer_id": _CUSTOMER},
    "get_customer_by_name": {
        "full_name": _mostly("john smith", "Emma Wilson", "Nobody"),
        "dob": _mostly("1985-06-15", "1995-08-17"),
    },
    "get_details_by_id": {"id": st.one_of(_CUSTOMER, _LINE_ID, _BILL, st.sampled_from(["D1001", "P1001", "Q1"]))},
    "suspend_line": {**_ON_LINE, "reason": _mostly("travel")},
    "resume_line": _ON_LINE,
    "get_bills_for_customer": {"customer_id": _CUSTOMER, "limit": _mostly(1, 2, 12, -1, 0, "2", 2.0)},
    "send_payment_request": {"customer_id": _CUSTOMER, "bill_id": _BILL},
    "get_data_usage": _ON_LINE,
    "enable_roaming": _ON_LINE,
    "disable_roaming": _ON_LINE,
    "refuel_data": {**_ON_LINE, "gb_amount": _mostly(1, 2.0, 0.5, 0.1, 1.7, 3, 0, -1, "2", 1e6)},
    "transfer_to_human_agents": {"summary": _mostly("help")},
    "toggle_data": {},  # the other side's
    "no_such_tool": {},
}
_PLAIN = """
check_status_bar check_network_status check_network_mode_preference run_speed_test toggle_airplane_mode check_sim_status
reseat_sim_card toggle_data toggle_roaming check_data_restriction_status toggle_data_saver_mode check_apn_settings
reset_apn_settings check_wifi_status toggle_wifi check_wifi_calling_status toggle_wifi_calling check_vpn_status
connect_vpn disconnect_vpn check_installed_apps can_send_mms reboot_device check_payment_request make_payment
"""
_USER: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    **{name: {} for name in _PLAIN.split()},
    # Nothing but texts here, and nothing but objects below: what else the benchmark does is in `test_telecom_defects`.
    "set_network_mode_preference": {
        "mode": st.sampled_from(["4g_5g_preferred", "4g_only", "3g_only", "2g_only", "5g", ""])
    },
    "set_apn_settings": {"apn_settings": _APN},
    "check_app_status": {"app_name": _APP},
    "check_app_permissions": {"app_name": _APP},
    "grant_app_permission": {
        "app_name": _APP,
        "permission": _mostly("sms", "storage", "SMS", "network", "phone", "camera"),
    },
    "refuel_data": {},  # the other side's
    "no_such_tool": {},
}


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Return a call; now and then it lacks an argument or has one too many."""
    side, tools = draw(st.sampled_from([("assistant", _AGENT), ("user", _USER)]))
    name = draw(st.sampled_from(sorted(tools)))
    arguments = {key: draw(values) for key, values in tools[name].items()}
    slip = draw(st.sampled_from(["none"] * 18 + ["missing", "extra"]))
    if slip == "missing" and arguments:
        arguments.pop(sorted(arguments)[0])
    if slip == "extra":
        arguments["bogus"] = 1
    return side, name, arguments
