"""The customer's tools, value by value: what each changes, shows, and leaves alone."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from eigen_telecom.handset import ApnSettings, VpnDetails
from eigen_telecom.network import data_works, mms_works, speed_of


def test_a_working_phone(desk: Any) -> None:
    battery = desk.state.battery_level
    bar = f"Status bar: signal excellent, 5G, data on, battery {battery}%"
    assert desk.phone("check_status_bar") == bar
    assert desk.phone("check_network_status") == (
        "Network page: airplane mode OFF; SIM active; mobile network connected; signal excellent; type 5G; "
        "mobile data ON; data roaming OFF; Wi-Fi OFF and not connected"
    )
    assert desk.phone("run_speed_test") == "Speed test: 275.00 Mbps, excellent. As fast as it gets."
    assert desk.phone("can_send_mms") == "Picture messages: can be sent."
    assert desk.phone("check_sim_status") == "SIM card: active and working."
    assert desk.phone("check_installed_apps") == "Installed apps: messaging, browser."
    assert desk.phone("check_apn_settings") == "Access point: name internet; MMSC http://mmsc.merlin.example/send"


def test_airplane_mode_goes_off_the_air_and_back(desk: Any) -> None:
    desk.set_phone(wifi_enabled=True, wifi_connected=True, wifi_ssid="home", wifi_signal_strength="good")
    desk.phone("connect_vpn")
    assert desk.phone("toggle_airplane_mode").startswith("Airplane mode is now ON.\nStatus bar: airplane mode, battery")
    state = desk.state
    assert (state.network_connection_status, state.network_technology_connected) == ("no_service", "none")
    assert (state.wifi_enabled, state.wifi_connected, state.wifi_ssid, state.vpn_connected) == (
        True,
        False,
        None,
        False,
    )
    assert desk.phone("toggle_wifi").startswith("Wi-Fi cannot be switched in airplane mode.")
    assert desk.phone("toggle_airplane_mode").startswith("Airplane mode is now OFF.")
    assert (desk.state.network_connection_status, desk.state.network_signal_strength) == ("connected", "excellent")


@pytest.mark.parametrize(
    ("mode", "technology", "signal", "mbps", "grade"),
    [
        ("4g_5g_preferred", "5G", "excellent", 275.0, "Excellent"),
        ("4g_only", "4G", "good", 44.0, "Good"),
        ("3g_only", "3G", "fair", 1.5, "Poor"),
        ("2g_only", "2G", "poor", 0.05, "Very Poor"),
    ],
)
def test_network_modes(desk: Any, mode: str, technology: str, signal: str, mbps: float, grade: str) -> None:
    assert desk.phone("set_network_mode_preference", mode=mode).startswith(f"Preferred network: {mode}.")
    assert (desk.state.network_technology_connected, desk.state.network_signal_strength) == (technology, signal)
    assert speed_of(desk.world) == (mbps, grade)
    assert mms_works(desk.world) is (technology != "2G")


def test_a_mode_that_does_not_exist_changes_nothing(desk: Any) -> None:
    before = desk.state
    shown = desk.phone("set_network_mode_preference", mode="6g")
    assert shown.startswith("There is no network mode '6g'; there are 4g_5g_preferred, 4g_only, 3g_only, 2g_only.")
    assert desk.state == before


def test_without_5g_the_phone_takes_4g(desk: Any) -> None:
    desk.set_place(signal_strength=type(desk.state.app_statuses)({"4G": "fair"}))
    desk.phone("reboot_device")
    assert (desk.state.network_technology_connected, speed_of(desk.world)) == ("4G", (27.5, "Good"))


def test_sim_card(desk: Any) -> None:
    desk.set_phone(sim_card_missing=True)
    assert desk.phone("check_sim_status") == "SIM card: none found in the phone."
    assert "SIM missing; mobile network no_service" in desk.phone("check_network_status")
    assert desk.phone("reseat_sim_card").startswith("The SIM card is back in its tray.\nStatus bar: signal excellent")
    desk.set_phone(sim_card_status="locked_pin")
    desk.phone("reseat_sim_card")
    assert desk.phone("check_sim_status") == "SIM card: locked, the phone asks for a PIN."
    assert desk.state.network_connection_status == "no_service"


@pytest.mark.parametrize(
    ("tool", "field", "works"),
    [
        ("toggle_data", "data_enabled", False),
        ("toggle_data_saver_mode", "data_saver_mode", True),
        ("toggle_roaming", "roaming_enabled", True),
        ("toggle_wifi", "wifi_enabled", True),
        ("toggle_wifi_calling", "wifi_calling_enabled", True),
    ],
)
def test_switches_go_there_and_back(desk: Any, tool: str, field: str, works: bool) -> None:
    before = getattr(desk.state, field)
    desk.phone(tool)
    assert getattr(desk.state, field) is not before
    assert data_works(desk.world) is works
    desk.phone(tool)
    assert getattr(desk.state, field) is before and data_works(desk.world)


def test_data_saver_and_a_poor_vpn_multiply(desk: Any) -> None:
    desk.phone("toggle_data_saver_mode")
    assert desk.phone("check_data_restriction_status") == "Data saver: ON."
    assert speed_of(desk.world) == (55.0, "Good")
    desk.set_phone(vpn_profile=VpnDetails("10.0.0.9", "WireGuard", "poor"))
    assert desk.phone("connect_vpn").startswith("The VPN is connected.\nStatus bar:")
    assert desk.phone("connect_vpn") == "The VPN is connected already."
    assert desk.phone("check_vpn_status") == "VPN: connected to 10.0.0.9 by WireGuard; server performance poor."
    assert speed_of(desk.world) == (5.5, "Fair")
    assert desk.phone("disconnect_vpn").startswith("The VPN is disconnected.")
    assert desk.phone("disconnect_vpn").startswith("No VPN is connected.")
    assert desk.phone("check_vpn_status") == "VPN: OFF."


def test_access_point_settings_come_back_with_a_restart(desk: Any) -> None:
    broken = replace(desk.state.active_apn_settings, apn_name="broken", mmsc_url=None)
    desk.set_phone(active_apn_settings=broken)
    assert desk.phone("check_apn_settings") == "Access point: name broken; MMSC not set"
    assert desk.state.network_connection_status == "no_service"
    desk.phone("reboot_device")
    assert desk.state.active_apn_settings == broken
    assert desk.phone("reset_apn_settings").startswith("Access point settings will be reset at the next restart.")
    assert desk.state.active_apn_settings == replace(broken, reset_at_reboot=True)
    assert desk.phone("reboot_device").startswith("The phone has restarted, with the access point settings reset.")
    assert desk.state.active_apn_settings == ApnSettings()
    assert desk.state.network_connection_status == "connected" and mms_works(desk.world)


def test_access_point_settings_by_hand(desk: Any) -> None:
    own = replace(ApnSettings(), mmsc_url="http://elsewhere.example")
    desk.set_place(carrier_apn=own)
    desk.phone("set_apn_settings", apn_settings={"mms_port": 80})
    assert desk.state.active_apn_settings == replace(own, mms_port=80)
    desk.phone("set_apn_settings", apn_settings={"mmsc_url": None})
    assert desk.state.active_apn_settings.mmsc_url is None and not mms_works(desk.world)
    assert "apn_name" in desk.refused("set_apn_settings", requestor="user", apn_settings={"apn_name": "nowhere"})
    assert "speed" in desk.refused("set_apn_settings", requestor="user", apn_settings={"speed": 1})


@pytest.mark.parametrize("missing", [("sms",), ("storage",), ("sms", "storage")])
def test_permissions_of_the_messaging_app(desk: Any, missing: tuple[str, ...]) -> None:
    app = desk.state.app_statuses["messaging"]
    bare = replace(app, permissions=replace(app.permissions, **dict.fromkeys(missing, False)))
    desk.set_phone(app_statuses=type(desk.state.app_statuses)({**desk.state.app_statuses, "messaging": bare}))
    assert not mms_works(desk.world)
    for permission in missing:
        shown = desk.phone("grant_app_permission", app_name="messaging", permission=permission.upper())
        assert shown.startswith(f"App messaging: may now use {permission}.")
    assert mms_works(desk.world)
    assert desk.phone("check_app_permissions", app_name="messaging") == "App messaging: may use sms, storage, phone."
    assert desk.phone("check_app_status", app_name="maps") == "App maps: not on this phone."
    before = desk.state
    assert "no permission 'camera'" in desk.phone("grant_app_permission", app_name="browser", permission="camera")
    assert "not on this phone" in desk.phone("grant_app_permission", app_name="maps", permission="sms")
    assert desk.state == before


def test_wifi_calling_takes_no_pictures(desk: Any) -> None:
    desk.set_phone(wifi_calling_mms_over_wifi=True)
    assert mms_works(desk.world)
    desk.phone("toggle_wifi_calling")
    assert desk.phone("can_send_mms") == "Picture messages: cannot be sent."
    assert desk.phone("check_wifi_calling_status") == "Wi-Fi calling: ON."


def test_wifi_page(desk: Any) -> None:
    assert desk.phone("check_wifi_status") == "Wi-Fi: OFF."
    desk.phone("toggle_wifi")
    assert desk.phone("check_wifi_status") == "Wi-Fi: ON, not connected to a network."
    desk.set_phone(wifi_connected=True, wifi_ssid="home", wifi_signal_strength="good")
    assert desk.phone("check_wifi_status") == "Wi-Fi: ON, connected to home, signal good."
    assert ", Wi-Fi home, battery" in desk.phone("check_status_bar")


def test_reading_changes_nothing(desk: Any) -> None:
    before = desk.world
    for name, tool in desk.toolbox.tools["user"].items():
        if tool.kind == "read":
            arguments = {"app_name": "messaging"} if "app_name" in tool.parameters.hints else {}
            assert desk.phone(name, **arguments)
    assert desk.world is before
