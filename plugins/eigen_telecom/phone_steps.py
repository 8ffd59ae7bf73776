"""What an agent tells a customer to look at or do on the phone, and the customer's tool each instruction stands for.

The agent's procedures say the instructions; a simulated customer recognises one by its cue and uses the tool. Models
play both sides without this table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PhoneStep:
    """One instruction. `cue` is a regular expression over the agent's words, also over a model's own wording.

    `wanted` is what the phone must show afterwards, in lower case: a switch used once too often is used again.
    """

    name: str
    say: str
    cue: str
    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    wanted: str = ""


_STEPS = (
    PhoneStep(
        "airplane_off",
        "Airplane mode is on. Please turn airplane mode off. What does the phone show then?",
        r"\b(?:turn|switch|toggle)\b[^.?!]*\b(?:airplane|flight) mode\b(?![^.?!]*\bon\b)",
        "toggle_airplane_mode",
        wanted="is now off",
    ),
    PhoneStep(
        "reseat_sim",
        "The phone does not find its SIM card. Please take the SIM card out and put it back in. What does the phone "
        "show then?",
        r"\b(?:take|remove|reseat|re-seat|reinsert|put)\b[^.?!]*\bsim\b",
        "reseat_sim_card",
    ),
    PhoneStep(
        "reset_apn",
        "Please reset the access point settings, also called APN, in the network settings. What does the phone show?",
        r"\breset\b[^.?!]*\b(?:access point|apn)\b",
        "reset_apn_settings",
    ),
    PhoneStep(
        "restart",
        "Now please restart the phone; nothing on it gets lost. What does it show afterwards?",
        r"\b(?:restart|reboot|turn (?:it|the phone) off and on)\b",
        "reboot_device",
    ),
    PhoneStep(
        "data_on",
        "Please turn mobile data on. What does the phone show then?",
        r"\b(?:turn|switch|toggle)\b[^.?!]*\b(?:mobile|cellular) data\b(?! saver)(?![^.?!]*\boff\b)",
        "toggle_data",
        wanted="is now on",
    ),
    PhoneStep(
        "roaming_on",
        "Please turn data roaming on. What does the phone show then?",
        r"\b(?:turn|switch|toggle)\b[^.?!]*\bdata roaming\b(?![^.?!]*\boff\b)",
        "toggle_roaming",
        wanted="is now on",
    ),
    PhoneStep(
        "saver_off",
        "Data saver slows you down. Please turn data saver off. What does the phone show then?",
        r"\b(?:turn|switch|toggle)\b[^.?!]*\bdata saver\b",
        "toggle_data_saver_mode",
        wanted="is now off",
    ),
    PhoneStep(
        "full_mode",
        "Please set the preferred network to 4G and 5G. What does the phone show then?",
        r"\b(?:set|change)\b[^.?!]*\b(?:preferred network|network mode|network type)\b",
        "set_network_mode_preference",
        {"mode": "4g_5g_preferred"},
    ),
    PhoneStep(
        "vpn_off",
        "That VPN is slow. Please disconnect the VPN. What does the phone show then?",
        r"\b(?:disconnect|turn off|switch off)\b[^.?!]*\bvpn\b",
        "disconnect_vpn",
    ),
    PhoneStep(
        "wifi_calling_off",
        "Please turn Wi-Fi calling off. What does the phone show then?",
        r"\b(?:turn|switch|toggle)\b[^.?!]*\bwi-?fi calling\b",
        "toggle_wifi_calling",
        wanted="is now off",
    ),
    PhoneStep(
        "grant_sms",
        "Please allow the messaging app to use sms. What does the phone show then?",
        r"\b(?:allow|grant|permit|give)\b[^.?!]*\bsms\b",
        "grant_app_permission",
        {"app_name": "messaging", "permission": "sms"},
    ),
    PhoneStep(
        "grant_storage",
        "Please allow the messaging app to use storage. What does the phone show then?",
        r"\b(?:allow|grant|permit|give)\b[^.?!]*\bstorage\b",
        "grant_app_permission",
        {"app_name": "messaging", "permission": "storage"},
    ),
    PhoneStep(
        "pay",
        "Please pay it there. What does the phone show then?",
        r"\bpay (?:it|the (?:bill|request))\b|\bmake the payment\b",
        "make_payment",
    ),
    PhoneStep(
        "see_request",
        "A payment request is on your phone now. Please open the payment request. What does it show?",
        r"\b(?:open|look at|check)\b[^.?!]*\bpayment request\b",
        "check_payment_request",
    ),
    PhoneStep(
        "see_network",
        "Please open the network page of your phone's settings. What does it show?",
        r"\b(?:open|look at|check)\b[^.?!]*\bnetwork (?:page|status|settings)\b",
        "check_network_status",
    ),
    PhoneStep(
        "see_sim",
        "Please look at the SIM card status. What does it show?",
        r"\b(?:look at|check)\b[^.?!]*\bsim\b",
        "check_sim_status",
    ),
    PhoneStep(
        "see_bar",
        "Please look at the status bar at the top of the screen. What does it show?",
        r"\b(?:look at|check)\b[^.?!]*\bstatus bar\b",
        "check_status_bar",
    ),
    PhoneStep(
        "see_speed",
        "Please run a speed test. What does the test show?",
        r"\bspeed test\b",
        "run_speed_test",
    ),
    PhoneStep(
        "see_saver",
        "Please look whether data saver is on. What does it show?",
        r"\b(?:look|check|see)\b[^.?!]*\bdata saver\b",
        "check_data_restriction_status",
    ),
    PhoneStep(
        "see_mode",
        "Please look at the preferred network in the settings. What does it show?",
        r"\b(?:look at|check)\b[^.?!]*\b(?:preferred network|network mode)\b",
        "check_network_mode_preference",
    ),
    PhoneStep(
        "see_vpn",
        "Please look at the VPN page. What does it show?",
        r"\b(?:look at|check|open)\b[^.?!]*\bvpn\b",
        "check_vpn_status",
    ),
    PhoneStep(
        "see_wifi_calling",
        "Please look whether Wi-Fi calling is on. What does it show?",
        r"\b(?:look|check|see)\b[^.?!]*\bwi-?fi calling\b",
        "check_wifi_calling_status",
    ),
    PhoneStep(
        "see_permissions",
        "Please look at the permissions of the messaging app. What does it show?",
        r"\b(?:look at|check|see)\b[^.?!]*\bpermissions?\b",
        "check_app_permissions",
        {"app_name": "messaging"},
    ),
    PhoneStep(
        "see_apn",
        "Please look at the access point page. What does it show?",
        r"\b(?:look at|check|open)\b[^.?!]*\b(?:access point|apn)\b",
        "check_apn_settings",
    ),
    PhoneStep(
        "see_pictures",
        "Please try to send a picture message. What does the phone show?",
        r"\btry\b[^.?!]*\b(?:picture|mms)\b|\bsend a (?:test )?(?:picture|mms)\b",
        "can_send_mms",
    ),
)
PHONE_STEPS: dict[str, PhoneStep] = {step.name: step for step in _STEPS}
"""By name; where several cues fit a text, the first step wins."""

_cues = tuple((step, re.compile(step.cue, re.IGNORECASE)) for step in _STEPS)


def step_told(text: str) -> PhoneStep | None:
    """Return the instruction an agent's words give, or None."""
    return next((step for step, cue in _cues if cue.search(text)), None)
