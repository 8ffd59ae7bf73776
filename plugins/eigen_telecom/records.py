"""The carrier's records. Field names are those of tau2-bench, so that tool results read the same there and here.

One difference in layout: a line names its customer, so that an owner is found without reading every customer.
Amounts of money are exact `Money`; volumes of data are gigabytes.
"""

from __future__ import annotations

import datetime
from typing import Literal

from eigen_cli.api.record import Money, Record

AccountStatus = Literal["Active", "Suspended", "Pending Verification", "Closed"]
LineStatus = Literal["Active", "Suspended", "Pending Activation", "Closed"]
BillStatus = Literal["Draft", "Issued", "Awaiting Payment", "Paid", "Overdue", "Disputed"]
DeviceType = Literal["phone", "router", "tablet", "watch", "other"]
MethodType = Literal["Credit Card", "Debit Card", "PayPal"]


class Address(Record, frozen=True):
    """A postal address."""

    street: str
    city: str
    state: str
    zip_code: str


class PaymentMethod(Record, frozen=True):
    """A stored payment method; the customer pays with it on the phone, agents only see it."""

    method_type: MethodType
    account_number_last_4: str
    expiration_date: str


class Customer(Record, frozen=True):
    """A customer's profile."""

    customer_id: str
    full_name: str
    date_of_birth: str
    email: str
    phone_number: str
    address: Address
    account_status: AccountStatus
    payment_methods: tuple[PaymentMethod, ...]
    line_ids: tuple[str, ...]
    bill_ids: tuple[str, ...]
    created_at: datetime.datetime
    last_extension_date: datetime.date | None = None
    goodwill_credit_used_this_year: Money = Money(0)


class Plan(Record, frozen=True):
    """What a line costs, and how much data it may use in a billing cycle."""

    plan_id: str
    name: str
    data_limit_gb: float
    price_per_month: Money
    data_refueling_price_per_gb: Money


class Device(Record, frozen=True):
    """A device as the carrier knows it; what it shows and does is the phone's own record."""

    device_id: str
    device_type: DeviceType
    model: str
    is_esim_capable: bool
    imei: str | None = None
    activated: bool = False
    activation_date: datetime.datetime | None = None
    last_esim_transfer_date: datetime.datetime | None = None


class Line(Record, frozen=True):
    """A phone number with its plan and what it used in the current billing cycle."""

    line_id: str
    customer_id: str
    phone_number: str
    status: LineStatus
    plan_id: str
    device_id: str | None = None
    data_used_gb: float = 0.0
    data_refueling_gb: float = 0.0
    roaming_enabled: bool = False
    contract_end_date: datetime.date | None = None
    last_plan_change_date: datetime.date | None = None
    last_sim_replacement_date: datetime.date | None = None
    suspension_start_date: datetime.date | None = None


class LineItem(Record, frozen=True):
    """One entry of a bill; credits are negative."""

    description: str
    amount: Money
    date: datetime.date
    item_type: str


class Bill(Record, frozen=True):
    """A bill. `Awaiting Payment` means that the customer's phone shows a payment request for it."""

    bill_id: str
    customer_id: str
    period_start: datetime.date
    period_end: datetime.date
    issue_date: datetime.date
    total_due: Money
    due_date: datetime.date
    line_items: tuple[LineItem, ...] = ()
    status: BillStatus = "Draft"


class LineChange(Record, frozen=True):
    """What suspending or resuming a line returns."""

    message: str
    line: Line


class DataUsage(Record, frozen=True):
    """A line's data in the current billing cycle."""

    line_id: str
    data_used_gb: float
    data_limit_gb: float
    data_refueling_gb: float
    cycle_end_date: datetime.date


class Refuelling(Record, frozen=True):
    """What buying data returns."""

    message: str
    new_data_refueling_gb: float
    charge: Money
