"""Troubles: sub-problems that can be put together, each a change of the initial world and the calls that undo it.

A case is a customer with a working phone; troubles are injected one after the other, then the phone looks for its
network once. Troubles of one group exclude each other. Groups and effects are those of tau2-bench's telecom tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from eigen_cli.api.record import FrozenMap, money, to_json
from eigen_cli.api.tasks import Action, CheckCall, RecordPatch
from eigen_telecom.billing import month_end
from eigen_telecom.handset import PHONE, SURROUNDINGS, AppStatus, Phone, Surroundings
from eigen_telecom.network import searched
from eigen_telecom.records import Bill, Customer, Line, LineItem, Plan
from eigen_telecom.rules import BILL_TERM, MOST_REFUEL_GB, NOW

OVERDUE_ID_BASE = 5_000_000
"""Bills that troubles make are numbered from here; the generator stays below, tools stay above."""


@dataclass(frozen=True)
class Case:
    """A caller: the customer, the line of the phone, and the phone where it is. `bills` come on top of the world's."""

    customer: Customer
    line: Line
    plan: Plan
    phone: Phone
    surroundings: Surroundings
    bills: tuple[Bill, ...] = ()
    refuel_gb: float = MOST_REFUEL_GB
    """What the caller is ready to buy."""

    def settled(self) -> Case:
        """Return the case after the phone has looked for its network."""
        phone = searched(self.phone, self.surroundings, line_active=self.line.status == "Active")
        return replace_case(self, phone=phone)

    def patches(self) -> tuple[RecordPatch, ...]:
        """Return the records as a task's initial patch."""
        return (
            RecordPatch("customers", self.customer.customer_id, to_json(self.customer)),
            RecordPatch("lines", self.line.line_id, to_json(self.line)),
            *(RecordPatch("bills", bill.bill_id, to_json(bill)) for bill in self.bills),
            RecordPatch("surroundings", SURROUNDINGS, to_json(self.surroundings)),
            RecordPatch("phones", PHONE, to_json(self.phone)),
        )


def replace_case(case: Case, **changes: object) -> Case:
    """Return the case with fields replaced."""
    return Case(**{**case.__dict__, **changes})  # type: ignore[arg-type]


Inject = Callable[[Case], Case]
Fix = Callable[[Case], tuple[Action, ...]]


@dataclass(frozen=True)
class Trouble:
    """One sub-problem. `group` excludes others of its group; `restart` says that a restart of the phone completes it.

    `fix` is empty where nobody on the line can help; `signs` are then the calls of which one shows it (the customer's
    or the agent's), and the customer is transferred. `carrier` says that the agent's tools are part of the cure.
    """

    name: str
    group: str
    inject: Inject
    fix: Fix
    clauses: tuple[str, ...]
    restart: bool = False
    solvable: bool = True
    carrier: bool = False
    signs: tuple[Action, ...] = ()
    checks: Callable[[Case], tuple[CheckCall, ...]] = lambda case: ()


def user(name: str, **arguments: object) -> Action:
    """Return a call of the customer's."""
    return Action(name, dict(arguments), "user")


def agent(name: str, **arguments: object) -> Action:
    """Return a call of the agent's."""
    return Action(name, dict(arguments))


def _on_line(case: Case, name: str, **arguments: object) -> Action:
    return agent(name, customer_id=case.customer.customer_id, line_id=case.line.line_id, **arguments)


def _phone(**changes: object) -> Inject:
    return lambda case: replace_case(case, phone=replace(case.phone, **changes))


def _switch(*names: str) -> Fix:
    return lambda case: tuple(user(name) for name in names)


# Service


def _fly(case: Case) -> Case:
    changes = {"vpn_connected": False, "vpn_details": None, "wifi_connected": False, "wifi_ssid": None}
    return replace_case(
        case, phone=replace(case.phone, airplane_mode=True, wifi_signal_strength="none", **changes)
    )


def _break_apn(case: Case) -> Case:
    apn = replace(case.phone.active_apn_settings, apn_name="broken")
    return replace_case(case, phone=replace(case.phone, active_apn_settings=apn))


def overdue_bill(case: Case, *, number: int = 0) -> Bill:
    """Return a bill for last month that the customer did not pay."""
    issued = NOW.date().replace(month=NOW.month - 1, day=1)
    bill_id = f"B{OVERDUE_ID_BASE + int(case.line.line_id[1:]) * 10 + number}"
    item = LineItem(
        f"{case.plan.name}, {case.line.phone_number}", case.plan.price_per_month, issued, item_type="Plan Charge"
    )
    return Bill(
        bill_id=bill_id,
        customer_id=case.customer.customer_id,
        period_start=issued,
        period_end=month_end(issued),
        issue_date=issued,
        total_due=money(case.plan.price_per_month),
        due_date=issued + BILL_TERM,
        line_items=(item,),
        status="Overdue",
    )


def with_bill(case: Case, bill: Bill) -> Case:
    """Return the case with one more bill."""
    customer = replace(case.customer, bill_ids=(*case.customer.bill_ids, bill.bill_id))
    return replace_case(case, customer=customer, bills=(*case.bills, bill))


def _suspend_for_bill(case: Case) -> Case:
    line = replace(case.line, status="Suspended", suspension_start_date=NOW.date().replace(day=1))
    return replace_case(with_bill(case, overdue_bill(case)), line=line)


def _end_contract(case: Case) -> Case:
    case = _suspend_for_bill(case)
    ended = month_end(NOW.date().replace(month=NOW.month - 1))
    return replace_case(case, line=replace(case.line, contract_end_date=ended))


def _pay_and_resume(case: Case) -> tuple[Action, ...]:
    bill = case.bills[-1].bill_id
    return (
        agent("get_bills_for_customer", customer_id=case.customer.customer_id),
        agent("send_payment_request", customer_id=case.customer.customer_id, bill_id=bill),
        user("check_payment_request"),
        user("make_payment"),
        agent("get_details_by_id", id=bill),
        _on_line(case, "resume_line"),
    )


def _bill_paid(case: Case) -> tuple[CheckCall, ...]:
    return (CheckCall("no_overdue_bill", {"bill_id": case.bills[-1].bill_id}),)


def _unsolved(case: Case) -> tuple[Action, ...]:
    del case
    return ()


SERVICE: tuple[Trouble, ...] = (
    Trouble("airplane_mode_on", "airplane", _fly, _switch("toggle_airplane_mode"), ("8.2",)),
    Trouble("sim_unseated", "sim", _phone(sim_card_missing=True), _switch("reseat_sim_card"), ("8.3",)),
    Trouble(
        "sim_locked",
        "sim_lock",
        _phone(sim_card_status="locked_pin"),
        _unsolved,
        ("8.3", "10.1"),
        solvable=False,
        signs=(user("check_sim_status"), user("check_network_status")),
    ),
    Trouble("apn_broken", "apn", _break_apn, _switch("reset_apn_settings"), ("8.4",), restart=True),
    Trouble(
        "bill_overdue",
        "suspension",
        _suspend_for_bill,
        _pay_and_resume,
        ("3.1", "3.2", "3.3", "4.1", "4.3", "8.5"),
        restart=True,
        carrier=True,
        checks=_bill_paid,
    ),
    Trouble(
        "contract_ended",
        "suspension",
        _end_contract,
        _unsolved,
        ("4.2", "8.5", "10.1"),
        solvable=False,
        carrier=True,
        signs=(agent("get_details_by_id"),),
    ),
)


# Mobile data


def _abroad(case: Case, *, phone: bool, line: bool) -> Case:
    return replace_case(
        case,
        surroundings=replace(case.surroundings, is_abroad=True),
        phone=replace(case.phone, roaming_enabled=phone),
        line=replace(case.line, roaming_enabled=line),
    )


def _slow_vpn(case: Case) -> Case:
    # The server is slow, however often one connects: the profile and the connection agree.
    slow = replace(case.phone.vpn_profile, server_performance="poor")
    return replace_case(case, phone=replace(case.phone, vpn_connected=True, vpn_details=slow, vpn_profile=slow))


def _use_up(case: Case) -> Case:
    used = round(case.plan.data_limit_gb + case.refuel_gb / 4, 2)
    return replace_case(case, line=replace(case.line, data_used_gb=used, data_refueling_gb=0.0))


def _use_up_everything(case: Case) -> Case:
    used = round(case.plan.data_limit_gb + MOST_REFUEL_GB + 0.1, 2)
    return replace_case(case, line=replace(case.line, data_used_gb=used, data_refueling_gb=MOST_REFUEL_GB))


def _allow_roaming(case: Case) -> tuple[Action, ...]:
    return (_on_line(case, "enable_roaming"),)


def _refuel(case: Case) -> tuple[Action, ...]:
    return (_on_line(case, "get_data_usage"), _on_line(case, "refuel_data", gb_amount=case.refuel_gb))


def _refuelled(case: Case) -> tuple[CheckCall, ...]:
    wanted = case.line.data_refueling_gb + case.refuel_gb
    return (CheckCall("refuelled", {"line_id": case.line.line_id, "gb": wanted}),)


_ROAMING = ("6.1", "9.2")
DATA: tuple[Trouble, ...] = (
    Trouble(
        "roaming_off_on_phone",
        "roaming",
        lambda case: _abroad(case, phone=False, line=True),
        _switch("toggle_roaming"),
        _ROAMING,
    ),
    Trouble(
        "roaming_off_on_line",
        "roaming",
        lambda case: _abroad(case, phone=True, line=False),
        _allow_roaming,
        _ROAMING,
        carrier=True,
    ),
    Trouble(
        "roaming_off_on_both",
        "roaming",
        lambda case: _abroad(case, phone=False, line=False),
        lambda case: (*_allow_roaming(case), user("toggle_roaming")),
        _ROAMING,
        carrier=True,
    ),
    Trouble("data_switched_off", "switch", _phone(data_enabled=False), _switch("toggle_data"), ("9.3",)),
    Trouble("data_saver_on", "saver", _phone(data_saver_mode=True), _switch("toggle_data_saver_mode"), ("9.5",)),
    Trouble(
        "slow_network_mode",
        "mode",
        _phone(network_mode_preference="2g_only"),
        lambda case: (user("set_network_mode_preference", mode="4g_5g_preferred"),),
        ("9.6",),
    ),
    Trouble("slow_vpn", "vpn", _slow_vpn, _switch("disconnect_vpn"), ("9.7",)),
    Trouble("data_used_up", "usage", _use_up, _refuel, ("5.1", "5.2", "9.4"), carrier=True, checks=_refuelled),
    Trouble(
        "data_used_up_for_good",
        "usage",
        _use_up_everything,
        _unsolved,
        ("5.1", "9.4", "10.1"),
        solvable=False,
        carrier=True,
        signs=(agent("get_data_usage"), agent("get_details_by_id")),
    ),
)


# Picture messages


def _forget_mmsc(case: Case) -> Case:
    apn = replace(case.phone.active_apn_settings, mmsc_url=None)
    return replace_case(case, phone=replace(case.phone, active_apn_settings=apn))


def _without(*permissions: str) -> Inject:
    def inject(case: Case) -> Case:
        app = case.phone.app_statuses["messaging"]
        fewer = replace(app.permissions, **dict.fromkeys(permissions, False))
        apps: FrozenMap[str, AppStatus] = FrozenMap(
            {**case.phone.app_statuses, "messaging": replace(app, permissions=fewer)}
        )
        return replace_case(case, phone=replace(case.phone, app_statuses=apps))

    return inject


def _grant(*permissions: str) -> Fix:
    return lambda case: tuple(
        user("grant_app_permission", app_name="messaging", permission=permission) for permission in permissions
    )


MMS: tuple[Trouble, ...] = (
    Trouble(
        "pictures_over_wifi_calling",
        "wifi_calling",
        _phone(wifi_calling_enabled=True, wifi_calling_mms_over_wifi=True),
        _switch("toggle_wifi_calling"),
        ("9.10",),
    ),
    Trouble("mmsc_missing", "mmsc", _forget_mmsc, _switch("reset_apn_settings"), ("9.12",), restart=True),
    Trouble("sms_not_permitted", "permissions", _without("sms"), _grant("sms"), ("9.11",)),
    Trouble("storage_not_permitted", "permissions", _without("storage"), _grant("storage"), ("9.11",)),
    Trouble("nothing_permitted", "permissions", _without("sms", "storage"), _grant("sms", "storage"), ("9.11",)),
)

TROUBLES: dict[str, Trouble] = {trouble.name: trouble for trouble in (*SERVICE, *DATA, *MMS)}

SERVICE_FAMILY: tuple[str, ...] = tuple(trouble.name for trouble in SERVICE)
DATA_FAMILY: tuple[str, ...] = ("airplane_mode_on", *(trouble.name for trouble in DATA))
MMS_FAMILY: tuple[str, ...] = (
    "airplane_mode_on",
    "sim_unseated",
    *(trouble.name for trouble in DATA if trouble.group in ("switch", "usage", "roaming", "mode")),
    *(trouble.name for trouble in MMS),
)
"""Troubles that break each family's wish: service, fast data, picture messages."""


def injected(case: Case, troubles: Iterable[Trouble]) -> Case:
    """Return the case with troubles, in the order of `TROUBLES` whatever order they come in."""
    wanted = {trouble.name for trouble in troubles}
    for name, trouble in TROUBLES.items():
        if name in wanted:
            case = trouble.inject(case)
    return case.settled()


def cure(case: Case, troubles: Iterable[Trouble]) -> tuple[Action, ...]:
    """Return the calls that undo troubles, in their order; one restart at the end where any needs it."""
    wanted = {trouble.name for trouble in troubles}
    ordered = [trouble for name, trouble in TROUBLES.items() if name in wanted]
    calls = [call for trouble in ordered for call in trouble.fix(case)]
    if any(trouble.restart for trouble in ordered):
        calls.append(user("reboot_device"))
    return tuple(calls)
