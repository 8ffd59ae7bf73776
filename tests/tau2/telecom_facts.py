"""What a telecom tool's text says, as plain values: one reader for tau2's words, one for ours, by tool."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Facts = dict[str, Any]
Reader = Callable[[str], Facts]


def theirs_of(tool: str, text: str) -> Facts:
    """Return what tau2's text says."""
    return _facts(_THEIRS, tool, text, "Status Bar: ", _their_bar)


def ours_of(tool: str, text: str) -> Facts:
    """Return what our text says."""
    return _facts(_OURS, tool, text, "Status bar: ", _our_bar)


def _facts(readers: dict[str, Reader], tool: str, text: str, bar: str, read_bar: Reader) -> Facts:
    said, found, shown = text.rpartition(bar)
    facts = read_bar(shown) if found else {}
    if tool == "check_status_bar":
        return facts
    return {**facts, **readers.get(tool, _switch)(said if found else text)}


def _one(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, (pattern, text)
    return match[1]


def _switch(text: str) -> Facts:
    """What a switch says: whether it is on now; nothing where it says no such thing."""
    state = re.search(r"is now (ON|OFF)", text)
    return {"on": state[1]} if state else {}


# The status bar


def _their_bar(text: str) -> Facts:
    parts = text.split(" | ")
    wifi = next((part for part in parts if "📡" in part), None)
    plain = {re.sub(r"[^\w %.'-]", "", part).strip() for part in parts}
    signal = next((part.split()[-1].lower() for part in parts if "📶" in part), None)
    return {
        "airplane": "Airplane Mode" in plain,
        "signal": "none" if "No Signal" in plain else signal,
        "type": next((part for part in parts if part in ("2G", "3G", "4G", "5G")), None),
        "data": "Data Enabled" in plain if "Airplane Mode" not in plain else None,
        "saver": "Data Saver" in plain,
        "wifi": None if wifi is None else wifi.removeprefix("📡 ").removeprefix("Connected to "),
        "vpn": "VPN Connected" in plain,
        "battery": _one(r"(\d+)%", text),
    }


def _our_bar(text: str) -> Facts:
    parts = text.split(", ")
    wifi = next((part for part in parts if part.startswith("Wi-Fi")), None)
    signal = next((part.split()[-1] for part in parts if part.startswith("signal")), None)
    return {
        "airplane": "airplane mode" in parts,
        "signal": "none" if "no signal" in parts else signal,
        "type": next((part for part in parts if part in ("2G", "3G", "4G", "5G")), None),
        "data": "data on" in parts if "airplane mode" not in parts else None,
        "saver": "data saver" in parts,
        "wifi": None if wifi is None else wifi.removeprefix("Wi-Fi").strip() or "Enabled",
        "vpn": "VPN" in parts,
        "battery": _one(r"battery (\d+)%", text),
    }


# Pages


def _their_network(text: str) -> Facts:
    rows = dict(line.split(": ", 1) for line in text.strip().splitlines())
    on = {"Yes": True, "ON": True, "No": False, "OFF": False}
    return {
        "airplane": on[rows["Airplane Mode"]],
        "sim": rows["SIM Card Status"],
        "connection": rows["Cellular Connection"],
        "signal": rows["Cellular Signal"],
        "type": rows["Cellular Network Type"],
        "data": on[rows["Mobile Data Enabled"]],
        "roaming": on[rows["Data Roaming Enabled"]],
        "wifi": on[rows["Wi-Fi Radio"]],
        "connected": on[rows["Wi-Fi Connected"]],
    }


def _our_network(text: str) -> Facts:
    def on(pattern: str) -> bool:
        return _one(rf"{pattern} (ON|OFF)", text) == "ON"

    return {
        "airplane": on("airplane mode"),
        "sim": _one(r"SIM (\w+)", text),
        "connection": _one(r"mobile network (\w+)", text),
        "signal": _one(r"signal (\w+)", text),
        "type": _one(r"type (\w+)", text),
        "data": on("mobile data"),
        "roaming": on("data roaming"),
        "wifi": on("Wi-Fi"),
        "connected": "and connected" in text,
    }


def _speed(text: str) -> Facts:
    measured = re.search(r"([\d.]+) Mbps(?:, | \()([\w ]+)", text)
    return {"speed": (measured[1], measured[2].lower()) if measured else None}


def _their_sim(text: str) -> Facts:
    words = {"active": "active", "No SIM": "missing", "PIN": "locked_pin", "PUK": "locked_puk"}
    return {"sim": [state for word, state in words.items() if word in text]}


def _our_sim(text: str) -> Facts:
    words = {"active": "active", "none found": "missing", "PIN": "locked_pin", "PUK": "locked_puk"}
    return {"sim": [state for word, state in words.items() if word in text]}


def _their_apn(text: str) -> Facts:
    return {"name": _one(r"APN Name: (\S+)", text), "mmsc": _one(r"messages\): (.+)", text).lower()}


def _our_apn(text: str) -> Facts:
    return {"name": _one(r"name (\w+);", text), "mmsc": _one(r"MMSC (.+)", text).lower()}


def _their_wifi(text: str) -> Facts:
    match = re.search(r"connected to '(.*)'\. Signal strength: (\w+)", text)
    network = (match[1] if match[1] != "None" else None, match[2]) if match else None
    return {"on": "turned OFF" not in text, "network": network}


def _our_wifi(text: str) -> Facts:
    match = re.search(r"connected to (.*), signal (\w+)", text)
    network = (match[1] if match[1] != "a network" else None, match[2]) if match else None
    return {"on": "OFF" not in text, "network": network}


def _their_vpn(text: str) -> Facts:
    details = re.findall(r"'server_address': '([^']*)', 'protocol': '([^']*)'.*'(\w+)'", text)
    return {"connected": "connected. D" in text, "set up": "in settings" in text, "details": details}


def _our_vpn(text: str) -> Facts:
    details = re.findall(r"connected to (\S+) by (\S+); server performance (\w+)", text)
    return {"connected": "VPN: connected" in text, "set up": "set up" in text, "details": details}


def _their_app(text: str) -> Facts:
    if "not found" in text:
        return {"app": None}
    if text.startswith("App"):
        granted = re.search(r"permission for: (.*)\.", text)
        return {"app": granted[1].split(", ") if granted else []}
    return {"app": re.findall(r"   - (\w+)", text)}


def _our_app(text: str) -> Facts:
    if "not on this phone" in text:
        return {"app": None}
    granted = _one(r"may use (.*)\.", text)
    return {"app": [] if granted == "nothing" else granted.split(", ")}


def _money(text: str) -> Facts:
    bill = re.search(r"bill (\w+)", text)
    amounts = [float(number) for number in re.findall(r"(?<!\w)(\d+(?:\.\d+)?) (?:USD|dollars)", text)]
    return {"bill": bill[1] if bill else None, "amounts": amounts}


def _record(text: str) -> Facts:
    """What the agent's tools say that return records: fields of both, dates in one spelling."""
    try:
        return {"record": _plain(json.loads(text))}
    except json.JSONDecodeError:
        return {}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if name not in ("message", "customer_id")}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        # Inside an object that is no record tau2 writes numbers as texts.
        return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else re.sub(r"^(\d{4}-\d\d-\d\d) ", r"\1T", value)
    return value


_COMMON: dict[str, Reader] = {
    "run_speed_test": _speed,
    "check_network_mode_preference": lambda text: {"mode": _one(r": (\w+)", text)},
    "set_network_mode_preference": lambda text: {"mode": re.findall(r"(?:set to|network): (\w+)", text)},
    "check_installed_apps": lambda text: {"apps": _one(r": ([\w, ]+)", text).split(", ")},
    "can_send_mms": lambda text: {"works": "cannot" not in text},
    "check_payment_request": _money,
    "make_payment": _money,
    "check_data_restriction_status": lambda text: {"on": "ON" in text},
    "check_wifi_calling_status": lambda text: {"on": "ON" in text},
    **dict.fromkeys(
        (
            "get_customer_by_phone",
            "get_customer_by_id",
            "get_customer_by_name",
            "get_details_by_id",
            "get_bills_for_customer",
            "get_data_usage",
            "suspend_line",
            "resume_line",
            "refuel_data",
        ),
        _record,
    ),
}
_THEIRS: dict[str, Reader] = {
    **_COMMON,
    "check_network_status": _their_network,
    "check_sim_status": _their_sim,
    "check_apn_settings": _their_apn,
    "check_wifi_status": _their_wifi,
    "check_vpn_status": _their_vpn,
    "check_app_status": _their_app,
    "check_app_permissions": _their_app,
}
_OURS: dict[str, Reader] = {
    **_COMMON,
    "check_network_status": _our_network,
    "check_sim_status": _our_sim,
    "check_apn_settings": _our_apn,
    "check_wifi_status": _our_wifi,
    "check_vpn_status": _our_vpn,
    "check_app_status": _our_app,
    "check_app_permissions": _our_app,
}
