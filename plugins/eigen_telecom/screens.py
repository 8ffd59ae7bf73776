"""What the phone shows, in our words. Each screen begins in its own way, so that a reader knows which one it is."""

from __future__ import annotations

from eigen_telecom.handset import Phone
from eigen_telecom.network import Speed, sim_status

_ADVICE = {
    "Very Poor": "Hardly enough for text pages.",
    "Poor": "Pages load slowly, videos will not play.",
    "Fair": "Enough for browsing, videos in low quality.",
    "Good": "Enough for most things, videos in high quality.",
    "Excellent": "As fast as it gets.",
}
_SIM = {
    "active": "SIM card: active and working.",
    "missing": "SIM card: none found in the phone.",
    "locked_pin": "SIM card: locked, the phone asks for a PIN.",
    "locked_puk": "SIM card: locked, the phone asks for a PUK.",
}


def on_off(value: bool) -> str:
    """Return `ON` or `OFF`."""
    return "ON" if value else "OFF"


def status_bar(phone: Phone) -> str:
    """Return the line at the top of the screen."""
    shown: list[str] = []
    if phone.airplane_mode:
        shown.append("airplane mode")
    else:
        bars = phone.network_signal_strength
        shown.append("no signal" if bars == "none" else f"signal {bars}")
        if phone.network_technology_connected == "none" or not phone.data_enabled:
            shown += [phone.network_technology_connected] * (phone.network_technology_connected != "none")
            shown.append("data off")
        else:
            shown += [phone.network_technology_connected, "data on"]
            shown += ["data saver"] * phone.data_saver_mode
    if phone.wifi_enabled and phone.wifi_connected:
        shown.append(f"Wi-Fi {phone.wifi_ssid}" if phone.wifi_ssid else "Wi-Fi")
    if phone.vpn_connected:
        shown.append("VPN")
    return f"Status bar: {', '.join([*shown, f'battery {phone.battery_level}%'])}"


def network(phone: Phone) -> str:
    """Return the network page of the settings."""
    wifi = "connected" if phone.wifi_connected else "not connected"
    parts = (
        f"Network page: airplane mode {on_off(phone.airplane_mode)}",
        f"SIM {sim_status(phone)}",
        f"mobile network {phone.network_connection_status}",
        f"signal {phone.network_signal_strength}",
        f"type {phone.network_technology_connected}",
        f"mobile data {on_off(phone.data_enabled)}",
        f"data roaming {on_off(phone.roaming_enabled)}",
        f"Wi-Fi {on_off(phone.wifi_enabled)} and {wifi}" + (f" to {phone.wifi_ssid}" if phone.wifi_ssid else ""),
    )
    return "; ".join(parts)


def sim(phone: Phone) -> str:
    """Return what the phone says of its SIM card."""
    return _SIM[sim_status(phone)]


def speed(measured: Speed) -> str:
    """Return the outcome of a speed test."""
    if measured.mbps is None:
        return "Speed test: failed, no connection."
    return f"Speed test: {measured.mbps:.2f} Mbps, {measured.grade.lower()}. {_ADVICE[measured.grade]}"


def access_point(phone: Phone) -> str:
    """Return the access point page."""
    apn = phone.active_apn_settings
    return f"Access point: name {apn.apn_name}; MMSC {apn.mmsc_url or 'not set'}"


def wifi(phone: Phone) -> str:
    """Return the Wi-Fi page."""
    if not phone.wifi_enabled:
        return "Wi-Fi: OFF."
    if not phone.wifi_connected:
        return "Wi-Fi: ON, not connected to a network."
    return f"Wi-Fi: ON, connected to {phone.wifi_ssid or 'a network'}, signal {phone.wifi_signal_strength}."


def vpn(phone: Phone) -> str:
    """Return the VPN page."""
    if not phone.vpn_connected:
        return "VPN: set up, not connected." if phone.vpn_enabled_setting else "VPN: OFF."
    details = phone.vpn_details
    if details is None:
        return "VPN: connected."
    return (
        f"VPN: connected to {details.server_address or 'a server'} by {details.protocol or 'an unknown protocol'}; "
        f"server performance {details.server_performance}."
    )


def permissions(phone: Phone, app_name: str) -> str:
    """Return what an app may do."""
    app = phone.app_statuses.get(app_name)
    if app is None:
        return f"App {app_name}: not on this phone."
    return f"App {app_name}: may use {', '.join(app.permissions.granted()) or 'nothing'}."
