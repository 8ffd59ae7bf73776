"""The functions that prepare a telecom task and that nobody in a conversation can call: faults, and who calls where.

They are written as tools, since tasks may also name the tools themselves to prepare a world; no model is offered them.
Names and effects are those of tau2-bench.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import FrozenMap
from eigen_cli.api.tools import writes
from eigen_tau2.telecom_tools import OfficialPhoneTools, OfficialTelecomTools
from eigen_telecom import coupling
from eigen_telecom.handset import PERMISSIONS, SimStatus
from eigen_telecom.records import Bill, Customer, Line, LineItem, Plan
from eigen_telecom.rules import BILL_TERM

_LOCKED: dict[str, SimStatus] = {"pin": "locked_pin", "puk": "locked_puk"}


class CarrierFaults(OfficialTelecomTools):
    """What can be prepared on the carrier's side."""

    @writes
    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> str:
        """Set what a line has used in this cycle."""
        self._put(replace(self._line(customer_id, line_id), data_used_gb=data_used_gb))
        return f"Line {line_id} has used {data_used_gb} GB"

    @writes
    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> str:
        """Suspend an active line over a new bill that the customer did not pay; the line need not be the customer's."""
        line = self.world.table(Line).require(line_id)
        if line.status != "Active":
            raise ToolError(f"line {line_id} is not active: {line.status}")
        price = self.world.table(Plan).require(line.plan_id).price_per_month
        customer = self.world.table(Customer).require(customer_id)
        if price <= 0:
            raise ToolError(f"line {line_id} costs nothing")
        if any(bill.status == "Overdue" for bill in coupling.bills_of(self.world, customer)):
            raise ToolError(f"customer {customer_id} has an overdue bill already")
        if new_bill_id in self.world.table(Bill):
            raise ToolError(f"there is a bill {new_bill_id} already")
        today = self.world.now.date()
        end = today.replace(day=1) - datetime.timedelta(days=1)
        start = end.replace(day=1)
        bill = Bill(
            bill_id=new_bill_id,
            customer_id=customer_id,
            period_start=start,
            period_end=end,
            issue_date=start,
            total_due=price,
            due_date=start + BILL_TERM,
            line_items=(LineItem(f"Charge for line {line_id}", price, today, item_type="Charge"),),
            status="Overdue",
        )
        self.world.table(Bill).put(bill)
        self.world.table(Customer).put(replace(customer, bill_ids=(*customer.bill_ids, new_bill_id)))
        ended = end if contract_ended else line.contract_end_date
        self._put(replace(line, status="Suspended", suspension_start_date=today, contract_end_date=ended))
        return f"Line {line_id} is suspended over bill {new_bill_id}"


class PhoneFaults(OfficialPhoneTools):
    """What can be prepared on the customer's side."""

    @writes
    def set_user_info(self, name: str, phone_number: str) -> str:
        """Set who is calling, from which number."""
        return self._moved(name=name, phone_number=phone_number)

    @writes
    def set_user_location(self, abroad: bool) -> str:
        """Set whether the caller is abroad."""
        return self._moved(is_abroad=abroad)

    @writes
    def simulate_network_search(self) -> str:
        """Let the phone look for its network."""
        return self._searched(self._phone, "Searched.")

    @writes
    def turn_airplane_mode_on(self) -> str:
        """Leave airplane mode on."""
        return self._left("airplane_mode", self.toggle_airplane_mode, on=True)

    @writes
    def turn_airplane_mode_off(self) -> str:
        """Leave airplane mode off."""
        return self._left("airplane_mode", self.toggle_airplane_mode, on=False)

    @writes
    def turn_data_on(self) -> str:
        """Turn mobile data on; unlike off, without a look for the network."""
        return self._changed(replace(self._phone, data_enabled=True), "Mobile data is on.")

    @writes
    def turn_data_off(self) -> str:
        """Leave mobile data off."""
        return self._left("data_enabled", self.toggle_data, on=False)

    @writes
    def turn_roaming_on(self) -> str:
        """Leave data roaming on."""
        return self._left("roaming_enabled", self.toggle_roaming, on=True)

    @writes
    def turn_roaming_off(self) -> str:
        """Leave data roaming off."""
        return self._left("roaming_enabled", self.toggle_roaming, on=False)

    @writes
    def turn_data_saver_mode_on(self) -> str:
        """Leave data saver on."""
        return self._left("data_saver_mode", self.toggle_data_saver_mode, on=True)

    @writes
    def turn_data_saver_mode_off(self) -> str:
        """Leave data saver off."""
        return self._left("data_saver_mode", self.toggle_data_saver_mode, on=False)

    @writes
    def unseat_sim_card(self) -> str:
        """Take the SIM card out."""
        return self._searched(replace(self._phone, sim_card_missing=True), "The SIM card is out.")

    @writes
    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> str:
        """Lock the SIM card; nobody in the conversation can unlock it."""
        return self._searched(replace(self._phone, sim_card_status=_LOCKED[mode]), "The SIM card is locked.")

    @writes
    def break_apn_settings(self) -> str:
        """Give the access point a name that is not in service."""
        apn = replace(self._phone.active_apn_settings, apn_name="broken")
        return self._searched(replace(self._phone, active_apn_settings=apn), "The access point is broken.")

    @writes
    def break_apn_mms_setting(self) -> str:
        """Take the address for picture messages out of the access point."""
        apn = replace(self._phone.active_apn_settings, mmsc_url=None)
        return self._changed(replace(self._phone, active_apn_settings=apn), "The MMSC address is gone.")

    @writes
    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> str:
        """Set Wi-Fi calling and, if given, whether picture messages go over it."""
        over = self._phone.wifi_calling_mms_over_wifi if mms_over_wifi is None else mms_over_wifi
        phone = replace(self._phone, wifi_calling_enabled=enabled, wifi_calling_mms_over_wifi=over)
        return self._changed(phone, "Wi-Fi calling is set.")

    @writes
    def break_vpn(self) -> str:
        """Connect the VPN and make its server slow.

        The benchmark spoils the details that every later connection shares, in all episodes of the process. Here they
        are the phone's own: slow for the rest of this episode, and for no other.
        """
        self.connect_vpn()
        phone = self._phone
        if phone.vpn_details is None:
            raise ToolError("the VPN is connected without details that could be spoilt")
        slow = replace(phone.vpn_details, server_performance="poor")
        profile = slow if phone.vpn_details == phone.vpn_profile else phone.vpn_profile
        return self._changed(replace(phone, vpn_details=slow, vpn_profile=profile), "The VPN is slow.")

    @writes
    def remove_app_permission(self, app_name: str, permission: str) -> str:
        """Take a permission from an app; one that is not there is no error."""
        phone, name = self._phone, permission.lower()
        app = phone.app_statuses.get(app_name)
        if app is None or name not in PERMISSIONS:
            return self._shown(f"App {app_name} has no permission {name}.")
        fewer = replace(app, permissions=replace(app.permissions, **{name: False}))
        apps = FrozenMap({**phone.app_statuses, app_name: fewer})
        return self._changed(replace(phone, app_statuses=apps), f"App {app_name}: may no longer use {name}.")

    def _moved(self, **changes: object) -> str:
        surroundings = replace(coupling.surroundings_in(self.world), **changes)
        self.world.table(type(surroundings)).put(surroundings)
        return "The caller is set."

    def _left(self, switch: str, toggle: Callable[[], str], *, on: bool) -> str:
        """Use a switch until it is as wanted: once or, where it was so already, twice, with all that follows."""
        shown = toggle()
        return shown if getattr(self._phone, switch) is on else toggle()
