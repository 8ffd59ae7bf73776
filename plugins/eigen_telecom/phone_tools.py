"""The customer's tools: what one can look up and switch on the phone. Names and effects are those of tau2-bench.

As there, a switch that cannot be set says so on the screen; only impossible access point settings are an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec.structs import replace

from eigen_cli.api.record import FrozenMap
from eigen_cli.api.tools import Examples, Tools, reads, writes
from eigen_telecom import coupling, screens
from eigen_telecom.handset import NETWORK_MODES, PERMISSIONS, ApnSettings, Phone
from eigen_telecom.network import mms_works, searched, speed_of
from eigen_telecom.records import Bill

AppName = Annotated[str, Examples(("messaging", "browser"))]
Permission = Annotated[str, Examples(PERMISSIONS)]
Mode = Annotated[str, Examples(NETWORK_MODES)]


class PhoneTools(Tools):
    """What the customer can do on the phone."""

    owner: ClassVar[Literal["agent", "user"]] = "user"

    @property
    def _phone(self) -> Phone:
        return coupling.phone_in(self.world)

    @reads
    def check_status_bar(self) -> str:
        """Look at the status bar: signal, network type, mobile data, data saver, Wi-Fi, VPN and battery."""
        return screens.status_bar(self._phone)

    @reads
    def check_network_status(self) -> str:
        """Open the network page: airplane mode, SIM, mobile network, signal, data and roaming switches, Wi-Fi."""
        return screens.network(self._phone)

    @reads
    def check_network_mode_preference(self) -> str:
        """See which network types the phone prefers."""
        return f"Preferred network: {self._phone.network_mode_preference}."

    @writes
    def set_network_mode_preference(self, mode: Mode) -> str:
        """Choose which network types the phone prefers; faster ones use more battery.

        Args:
            mode: One of '4g_5g_preferred', '4g_only', '3g_only', '2g_only'.
        """
        known = next((one for one in NETWORK_MODES if one == mode), None)
        if known is None:
            return self._shown(f"There is no network mode '{mode}'; there are {', '.join(NETWORK_MODES)}.")
        return self._searched(replace(self._phone, network_mode_preference=known), f"Preferred network: {known}.")

    @reads
    def run_speed_test(self) -> str:
        """Measure how fast mobile data is."""
        return screens.speed(speed_of(self.world))

    @writes
    def toggle_airplane_mode(self) -> str:
        """Switch airplane mode on if it is off, and off if it is on. While on, the phone has no radio at all."""
        phone = self._phone
        on = not phone.airplane_mode
        if on or phone.wifi_enabled:
            phone = replace(phone, wifi_connected=False, wifi_ssid=None, wifi_signal_strength="none")
        if on and phone.vpn_connected:
            phone = replace(phone, vpn_connected=False, vpn_details=None)
        return self._searched(replace(phone, airplane_mode=on), f"Airplane mode is now {screens.on_off(on)}.")

    @reads
    def check_sim_status(self) -> str:
        """See whether the SIM card works: active, missing, or locked with a PIN or PUK."""
        return screens.sim(self._phone)

    @writes
    def reseat_sim_card(self) -> str:
        """Take the SIM card out and put it back in."""
        return self._searched(replace(self._phone, sim_card_missing=False), "The SIM card is back in its tray.")

    @writes
    def toggle_data(self) -> str:
        """Switch mobile data on if it is off, and off if it is on."""
        on = not self._phone.data_enabled
        return self._searched(replace(self._phone, data_enabled=on), f"Mobile data is now {screens.on_off(on)}.")

    @writes
    def toggle_roaming(self) -> str:
        """Switch data roaming on if it is off, and off if it is on."""
        on = not self._phone.roaming_enabled
        return self._searched(replace(self._phone, roaming_enabled=on), f"Data roaming is now {screens.on_off(on)}.")

    @reads
    def check_data_restriction_status(self) -> str:
        """See whether something limits the use of data, such as data saver."""
        return f"Data saver: {screens.on_off(self._phone.data_saver_mode)}."

    @writes
    def toggle_data_saver_mode(self) -> str:
        """Switch data saver on if it is off, and off if it is on. While on, data is slower."""
        on = not self._phone.data_saver_mode
        return self._changed(replace(self._phone, data_saver_mode=on), f"Data saver is now {screens.on_off(on)}.")

    @reads
    def check_apn_settings(self) -> str:
        """See the access point: its name, and the address that picture messages go through."""
        return screens.access_point(self._phone)

    @writes
    def set_apn_settings(self, apn_settings: ApnSettings) -> str:
        """Set the access point by hand.

        Args:
            apn_settings: The whole settings; what is left out gets its usual value.
        """
        if apn_settings.mmsc_url == ApnSettings().mmsc_url:  # left out: the usual address is the carrier's own
            apn_settings = replace(apn_settings, mmsc_url=coupling.surroundings_in(self.world).carrier_apn.mmsc_url)
        phone = replace(self._phone, active_apn_settings=apn_settings)
        return self._searched(phone, f"The access point is now {apn_settings.apn_name}.")

    @writes
    def reset_apn_settings(self) -> str:
        """Bring the carrier's access point settings back; they apply after a restart."""
        apn = replace(self._phone.active_apn_settings, reset_at_reboot=True)
        return self._searched(
            replace(self._phone, active_apn_settings=apn), "Access point settings will be reset at the next restart."
        )

    @reads
    def check_wifi_status(self) -> str:
        """See whether Wi-Fi is on, and to which network the phone is connected."""
        return screens.wifi(self._phone)

    @writes
    def toggle_wifi(self) -> str:
        """Switch Wi-Fi on if it is off, and off if it is on; not possible in airplane mode."""
        phone = self._phone
        if phone.airplane_mode:
            return self._shown("Wi-Fi cannot be switched in airplane mode.")
        on = not phone.wifi_enabled
        phone = replace(phone, wifi_enabled=on)
        if not on:
            phone = replace(phone, wifi_connected=False, wifi_ssid=None, wifi_signal_strength="none")
        return self._changed(phone, f"Wi-Fi is now {screens.on_off(on)}.")

    @reads
    def check_wifi_calling_status(self) -> str:
        """See whether calls go over Wi-Fi."""
        return f"Wi-Fi calling: {screens.on_off(self._phone.wifi_calling_enabled)}."

    @writes
    def toggle_wifi_calling(self) -> str:
        """Switch Wi-Fi calling on if it is off, and off if it is on."""
        on = not self._phone.wifi_calling_enabled
        return self._changed(
            replace(self._phone, wifi_calling_enabled=on), f"Wi-Fi calling is now {screens.on_off(on)}."
        )

    @reads
    def check_vpn_status(self) -> str:
        """See whether a VPN is connected, and how its server performs."""
        return screens.vpn(self._phone)

    @writes
    def connect_vpn(self) -> str:
        """Connect the VPN that is set up on the phone."""
        phone = self._phone
        if phone.vpn_connected:
            return "The VPN is connected already."
        return self._changed(replace(phone, vpn_connected=True, vpn_details=phone.vpn_profile), "The VPN is connected.")

    @writes
    def disconnect_vpn(self) -> str:
        """Disconnect the VPN."""
        if not self._phone.vpn_connected:
            return self._shown("No VPN is connected.")
        return self._changed(replace(self._phone, vpn_connected=False, vpn_details=None), "The VPN is disconnected.")

    @reads
    def check_installed_apps(self) -> str:
        """List the apps on the phone."""
        return f"Installed apps: {', '.join(self._phone.app_statuses)}."

    @reads
    def check_app_status(self, app_name: AppName) -> str:
        """See the details of an app.

        Args:
            app_name: Name of the app, such as 'messaging'.
        """
        return screens.permissions(self._phone, app_name)

    @reads
    def check_app_permissions(self, app_name: AppName) -> str:
        """See what an app may use.

        Args:
            app_name: Name of the app, such as 'messaging'.
        """
        return screens.permissions(self._phone, app_name)

    @writes
    def grant_app_permission(self, app_name: AppName, permission: Permission) -> str:
        """Let an app use something.

        Args:
            app_name: Name of the app, such as 'messaging'.
            permission: One of 'sms', 'storage', 'phone', 'network'.
        """
        phone, wanted = self._phone, permission.lower()
        app = phone.app_statuses.get(app_name)
        if app is None:
            return self._shown(f"App {app_name}: not on this phone.")
        if wanted not in PERMISSIONS:
            return self._shown(f"App {app_name}: there is no permission '{wanted}', only {', '.join(PERMISSIONS)}.")
        granted = replace(app, permissions=replace(app.permissions, **{wanted: True}))
        changed = replace(phone, app_statuses=FrozenMap({**phone.app_statuses, app_name: granted}))
        return self._changed(changed, f"App {app_name}: may now use {wanted}.")

    @reads
    def can_send_mms(self) -> str:
        """Try whether the messaging app can send a picture message."""
        return f"Picture messages: {'can' if mms_works(self.world) else 'cannot'} be sent."

    @writes
    def reboot_device(self) -> str:
        """Restart the phone. Nothing is lost; it looks for its network anew."""
        phone = self._phone
        if phone.active_apn_settings.reset_at_reboot:
            phone = replace(phone, active_apn_settings=coupling.surroundings_in(self.world).carrier_apn)
            return self._searched(phone, "The phone has restarted, with the access point settings reset.")
        return self._searched(phone, "The phone has restarted.")

    @reads
    def check_payment_request(self) -> str:
        """See whether the carrier asks for a payment."""
        bill = coupling.payment_request(self.world)
        if bill is None:
            return "Payment request: none."
        return f"Payment request: bill {bill.bill_id} over {bill.total_due} dollars."

    @writes
    def make_payment(self) -> str:
        """Pay the bill that the carrier asks to be paid."""
        bill = coupling.payment_request(self.world)
        if bill is None:
            return "Payment request: none."
        self.world.table(Bill).put(replace(bill, status="Paid"))
        return f"Payment made: {bill.total_due} dollars for bill {bill.bill_id}."

    def _shown(self, *lines: str) -> str:
        return "\n".join(self._lines(lines, self._phone))

    def _changed(self, phone: Phone, line: str) -> str:
        self.world.table(Phone).put(phone)
        return "\n".join(self._lines((line,), phone))

    def _searched(self, phone: Phone, line: str) -> str:
        active = coupling.line_active(self.world)
        return self._changed(searched(phone, coupling.surroundings_in(self.world), line_active=active), line)

    @staticmethod
    def _lines(lines: Sequence[str], phone: Phone) -> tuple[str, ...]:
        return (*lines, screens.status_bar(phone))
