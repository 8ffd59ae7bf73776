"""tau2-bench's telecom tools: what they accept and how they spell results, and money in binary floats.

Tools that are not here do as they are what the benchmark does. `eigen_tau2.defects` names what is not followed.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Money, money
from eigen_tau2.coercion import text
from eigen_tau2.telecom_records import written
from eigen_tau2.upstream_tools import upstream
from eigen_telecom import coupling
from eigen_telecom.billing import charge
from eigen_telecom.handset import ApnSettings
from eigen_telecom.phone_tools import PhoneTools
from eigen_telecom.records import Bill, Customer, Plan, Refuelling
from eigen_telecom.tools import TelecomTools

_FAR_TOO_MUCH = 10**15
"""Gigabytes from here on are refused; the benchmark sells any number, infinity included."""


class OfficialTelecomTools(TelecomTools):
    """The agent's tools; what they return is spelled as the benchmark spells it."""

    @upstream(TelecomTools.get_customer_by_phone)
    def get_customer_by_phone(self, phone_number: Any) -> Any:
        """Find a customer by number."""
        return written(super().get_customer_by_phone(text(phone_number)))

    @upstream(TelecomTools.get_customer_by_id)
    def get_customer_by_id(self, customer_id: Any) -> Any:
        """Read a profile."""
        return written(super().get_customer_by_id(text(customer_id)))

    @upstream(TelecomTools.get_customer_by_name)
    def get_customer_by_name(self, full_name: Any, dob: Any) -> Any:
        """Find customers; a date of birth that is no text is nobody's."""
        name = text(full_name)
        found = super().get_customer_by_name(name, dob) if isinstance(dob, str) else []
        return [written(customer) for customer in found]

    @upstream(TelecomTools.get_details_by_id)
    def get_details_by_id(self, id: Any) -> Any:
        """Read any record."""
        return written(super().get_details_by_id(text(id)))

    @upstream(TelecomTools.suspend_line)
    def suspend_line(self, customer_id: Any, line_id: Any, reason: Any) -> Any:
        """Suspend a line; the reason is never looked at."""
        return written(super().suspend_line(text(customer_id), text(line_id), str(reason)))

    @upstream(TelecomTools.resume_line)
    def resume_line(self, customer_id: Any, line_id: Any) -> Any:
        """Make a line active."""
        return written(super().resume_line(text(customer_id), text(line_id)))

    @upstream(TelecomTools.get_bills_for_customer)
    def get_bills_for_customer(self, customer_id: Any, limit: Any = 12) -> Any:
        """List bills; without a limit all of them, with a negative one all but the oldest."""
        if limit is not None and not isinstance(limit, int):
            raise ToolError("The limit must be a whole number")
        most = len(self.world.table(Bill)) if limit is None else limit
        return [written(bill) for bill in super().get_bills_for_customer(text(customer_id), most)]

    @upstream(TelecomTools.get_data_usage)
    def get_data_usage(self, customer_id: Any, line_id: Any) -> Any:
        """Read what a line has used."""
        return written(super().get_data_usage(text(customer_id), text(line_id)))

    @upstream(TelecomTools.transfer_to_human_agents)
    def transfer_to_human_agents(self, summary: Any) -> str:
        """Pass the customer on; the summary is never looked at."""
        return super().transfer_to_human_agents(str(summary))

    @upstream(TelecomTools.refuel_data)
    def refuel_data(self, customer_id: Any, line_id: Any, gb_amount: Any) -> Any:
        """Buy data, charged as a product of binary floats."""
        line = self._line(text(customer_id), text(line_id))
        if not isinstance(gb_amount, int | float) or not 0 < gb_amount < _FAR_TOO_MUCH:
            raise ToolError("The amount of data must be a number of GB above 0")
        price = float(self.world.table(Plan).require(line.plan_id).data_refueling_price_per_gb)
        amount = _exactly(gb_amount * price)
        line = self._put(replace(line, data_refueling_gb=line.data_refueling_gb + gb_amount))
        # The bill's text keeps the number as the model wrote it (2 or 2.0): it is part of the benchmark's hash.
        self._charge(customer_id, amount, f"Data refueling: {gb_amount} GB at ${price}/GB")
        message = f"Added {gb_amount} GB of data for line {line_id} for {amount} dollars"
        return written(Refuelling(message, line.data_refueling_gb, amount))

    def _charge(self, customer_id: str, amount: Money, description: str) -> None:
        customer = self.world.table(Customer).require(customer_id)
        drafts = (bill for bill in coupling.bills_of(self.world, customer) if bill.status == "Draft")
        before = next((float(bill.total_due) for bill in drafts), 0.0)
        bill = charge(self.world, customer, amount, description=description)
        self.world.table(Bill).put(replace(bill, total_due=_exactly(before + float(amount))))


class OfficialPhoneTools(PhoneTools):
    """The customer's tools."""

    @upstream(PhoneTools.set_network_mode_preference)
    def set_network_mode_preference(self, mode: Any) -> str:
        """Choose network types."""
        return super().set_network_mode_preference(text(mode))

    @upstream(PhoneTools.set_apn_settings)
    def set_apn_settings(self, apn_settings: Any) -> str:
        """Set the access point; numbers and truth values may be written as texts."""
        if not isinstance(apn_settings, dict):
            raise ToolError("The access point settings must be an object")
        try:
            settings = msgspec.convert(apn_settings, ApnSettings, strict=False)
        except msgspec.ValidationError as error:
            raise ToolError(f"These are no access point settings: {error}") from None
        return super().set_apn_settings(settings)

    @upstream(PhoneTools.check_app_status)
    def check_app_status(self, app_name: Any) -> str:
        """Look at an app; what is no text is the name of none."""
        return super().check_app_status(_looked_up(app_name))

    @upstream(PhoneTools.check_app_permissions)
    def check_app_permissions(self, app_name: Any) -> str:
        """Look at an app's permissions; what is no text is the name of none."""
        return super().check_app_permissions(_looked_up(app_name))

    @upstream(PhoneTools.grant_app_permission)
    def grant_app_permission(self, app_name: Any, permission: Any) -> str:
        """Grant a permission; what is no text is the name of no app."""
        return super().grant_app_permission(_looked_up(app_name), text(permission))


def _exactly(amount: float) -> Money:
    """Return a binary float as the decimal that is written the same."""
    return money(repr(amount))


def _looked_up(name: Any) -> str:
    if isinstance(name, list | dict):
        raise ToolError("The name of the app must be a text")
    return str(name)
