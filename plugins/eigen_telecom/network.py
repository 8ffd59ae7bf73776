"""What a phone can do: finding a network, mobile data and its speed, picture messages. Figures are tau2-bench's."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from eigen_telecom import coupling
from eigen_telecom.handset import NetworkMode, Phone, Signal, SimStatus, Surroundings, Technology

_TECHNOLOGY: dict[NetworkMode, Technology] = {"4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}
_MBPS: dict[Technology, tuple[float, float]] = {
    "none": (0.0, 0.0),
    "2G": (0.1, 0.4),
    "3G": (1.0, 5.0),
    "4G": (10.0, 100.0),
    "5G": (50.0, 500.0),
}
_SHARE: dict[Signal, float] = {"none": 0.0, "poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
_SLOW_VPN, _DATA_SAVER = 0.1, 0.2
_GRADES = ((1.0, "Very Poor"), (5.0, "Poor"), (25.0, "Fair"), (100.0, "Good"))
"""Speeds below which a grade applies; anything faster is excellent."""


class Speed(NamedTuple):
    """The outcome of a speed test; `mbps` is None without a connection."""

    mbps: float | None
    grade: str


def sim_status(phone: Phone) -> SimStatus:
    """Return the state of the SIM card; one that is not in its tray is missing, whatever else it is."""
    return "missing" if phone.sim_card_missing else phone.sim_card_status


def searched(phone: Phone, surroundings: Surroundings, *, line_active: bool) -> Phone:
    """Return the phone after it has looked for a network. Phones look after a restart and when a switch is used."""
    barred = phone.airplane_mode or phone.active_apn_settings.apn_name == "broken" or not line_active
    if barred or sim_status(phone) != "active":
        return replace(
            phone,
            network_connection_status="no_service",
            network_technology_connected="none",
            network_signal_strength="none",
        )
    around = surroundings.signal_strength
    fastest: Technology = "4G" if around.get("5G", "none") == "none" else "5G"
    technology = _TECHNOLOGY.get(phone.network_mode_preference, fastest)
    return replace(
        phone,
        network_connection_status="connected",
        network_technology_connected=technology,
        network_signal_strength=around.get(technology, "none"),
    )


def data_works(world: coupling.Readable) -> bool:
    """Whether mobile data works: network, switches, roaming where it is needed, and data left."""
    phone = coupling.phone_in(world)
    if phone.airplane_mode or phone.network_signal_strength == "none":
        return False
    if phone.network_connection_status == "no_service" or not phone.data_enabled:
        return False
    if coupling.surroundings_in(world).is_abroad and not (phone.roaming_enabled and coupling.roaming_allowed(world)):
        return False
    return not coupling.data_used_up(world)


def speed_of(world: coupling.Readable) -> Speed:
    """Return what a speed test measures."""
    if not data_works(world):
        return Speed(None, "No Connection")
    phone = coupling.phone_in(world)
    factor = 1.0
    if phone.vpn_connected and phone.vpn_details is not None and phone.vpn_details.server_performance == "poor":
        factor = _SLOW_VPN
    if phone.data_saver_mode:
        factor *= _DATA_SAVER
    slowest, fastest = _MBPS[phone.network_technology_connected]
    mbps = round((slowest + fastest) / 2.0 * _SHARE[phone.network_signal_strength] * factor, 2)
    return Speed(mbps, next((grade for limit, grade in _GRADES if mbps < limit), "Excellent"))


def mms_works(world: coupling.Readable) -> bool:
    """Whether the messaging app can send pictures: data, 3G or better, an MMSC, two permissions, nothing over Wi-Fi."""
    phone = coupling.phone_in(world)
    if not data_works(world) or phone.network_technology_connected == "2G":
        return False
    if phone.wifi_calling_enabled and phone.wifi_calling_mms_over_wifi:  # the carrier takes no pictures over Wi-Fi
        return False
    app = phone.app_statuses.get("messaging")
    if app is None or phone.active_apn_settings.mmsc_url is None:
        return False
    return app.permissions.storage and app.permissions.sms
