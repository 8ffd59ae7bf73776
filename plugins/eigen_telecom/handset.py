"""The customer's phone and where it is. Field names are those of tau2-bench.

What tau2 copies between its two databases (roaming allowed, data used up, line active, payment requests) has no field
here: `eigen_telecom.coupling` reads it from the carrier's records whenever it matters.
"""

from __future__ import annotations

from typing import Literal

from eigen_cli.api.record import FrozenMap, Record

SimStatus = Literal["active", "missing", "locked_pin", "locked_puk"]
Technology = Literal["none", "2G", "3G", "4G", "5G"]
NetworkMode = Literal["4g_5g_preferred", "4g_only", "3g_only", "2g_only"]
Signal = Literal["none", "poor", "fair", "good", "excellent"]
Performance = Literal["unknown", "poor", "fair", "good", "excellent"]
Connection = Literal["connected", "searching", "no_service", "emergency_only"]
ApnName = Literal["internet", "broken"]

NETWORK_MODES: tuple[NetworkMode, ...] = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
PERMISSIONS = ("sms", "storage", "phone", "network")
PHONE, SURROUNDINGS = "phone", "surroundings"
"""Keys of the only rows of their tables: an episode has one customer on the line, with one phone."""


class ApnSettings(Record, frozen=True, forbid_unknown_fields=True):
    """An access point: without the right name no service, without an MMSC address no picture messages."""

    apn_name: ApnName = "internet"
    reset_at_reboot: bool = False
    mms_apn: str | None = "mms"
    mmsc_url: str | None = "http://mmsc.merlin.example/send"
    mms_proxy: str | None = None
    mms_port: int | None = None


class VpnDetails(Record, frozen=True):
    """A VPN server; a poor one slows everything down."""

    server_address: str | None = None
    protocol: str | None = None
    server_performance: Performance = "unknown"


class AppPermissions(Record, frozen=True):
    """What an app may do."""

    sms: bool = False
    storage: bool = False
    phone: bool = False
    network: bool = False

    def granted(self) -> tuple[str, ...]:
        """Return the names of what it may do."""
        return tuple(name for name in PERMISSIONS if getattr(self, name))


class AppStatus(Record, frozen=True):
    """An installed app."""

    app_name: str
    permissions: AppPermissions = AppPermissions()


_APPS = FrozenMap(
    {
        "messaging": AppStatus("messaging", AppPermissions(sms=True, storage=True, phone=True)),
        "browser": AppStatus("browser", AppPermissions(network=True, storage=True)),
    }
)
_VPN = VpnDetails("10.44.0.1", "WireGuard", "excellent")
_SIGNAL: FrozenMap[Technology, Signal] = FrozenMap({"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"})


class Phone(Record, frozen=True):
    """A phone's settings, and the network as it last found it (`eigen_telecom.network.searched`).

    `vpn_profile` is what connecting a VPN connects to, `vpn_details` what is connected.
    """

    id: str = PHONE
    sim_card_status: SimStatus = "active"
    sim_card_missing: bool = False
    airplane_mode: bool = False
    network_signal_strength: Signal = "good"
    network_technology_connected: Technology = "5G"
    network_connection_status: Connection = "connected"
    battery_level: int = 80
    data_enabled: bool = True
    roaming_enabled: bool = False
    network_mode_preference: NetworkMode = "4g_5g_preferred"
    active_apn_settings: ApnSettings = ApnSettings()
    wifi_enabled: bool = False
    wifi_connected: bool = False
    wifi_ssid: str | None = None
    wifi_signal_strength: Signal = "none"
    wifi_calling_enabled: bool = False
    wifi_calling_mms_over_wifi: bool = False
    data_saver_mode: bool = False
    vpn_enabled_setting: bool = False
    vpn_connected: bool = False
    vpn_details: VpnDetails | None = None
    vpn_profile: VpnDetails = _VPN
    app_statuses: FrozenMap[str, AppStatus] = _APPS


class Surroundings(Record, frozen=True):
    """Whose phone it is, where it is, and what the network offers there.

    `carrier_apn` is what a reset brings back.
    """

    id: str = SURROUNDINGS
    name: str | None = None
    phone_number: str | None = None
    is_abroad: bool = False
    signal_strength: FrozenMap[Technology, Signal] = _SIGNAL
    carrier_apn: ApnSettings = ApnSettings()
