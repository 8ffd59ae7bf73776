"""The three families of trouble: what the customer wants back, what proves that it is back, and drafts of both ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eigen_cli.api.domain import Draft
from eigen_cli.api.tasks import Action, CheckCall, Fact
from eigen_telecom.cases import Case, Trouble, agent, on_line, user
from eigen_telecom.rules import FULL_SPEED
from eigen_telecom.templates.drafting import (
    NO_WRITES,
    NOT_TRANSFERRED,
    Scene,
    Template,
    drafted,
    on_account,
    opened,
)
from eigen_telecom.templates.requests import goal
from eigen_telecom.troubles import DATA_FAMILY, MMS_FAMILY, SERVICE_FAMILY, TROUBLES, cure, injected
from eigen_telecom.wording import say_gigabytes

_ABROAD = ("Portugal", "Japan", "Iceland", "Mexico", "Morocco", "Norway", "Chile")


@dataclass(frozen=True)
class Family:
    """What is broken. `proof` is the customer's own test of it, `looks` what an agent has them look at first."""

    name: str
    intent: str
    troubles: tuple[str, ...]
    looks: tuple[str, ...]
    proof: str
    checks: tuple[CheckCall, ...]
    clauses: tuple[str, ...]
    instructions: str

    def solvable(self) -> tuple[Trouble, ...]:
        """Return the troubles someone on the line can cure."""
        return tuple(TROUBLES[name] for name in self.troubles if TROUBLES[name].solvable)


_PATIENT = "When a step does not help you say so, with a little impatience after the first, and take the next one."
SERVICE = Family(
    "service",
    "no_service",
    SERVICE_FAMILY,
    ("check_network_status",),
    "check_status_bar",
    (CheckCall("service_status", {"expected": "connected"}), NOT_TRANSFERRED),
    ("1.2", "1.5", "2.3", "8.1", "8.6"),
    "You are content once the status bar shows a signal. If you are asked to pay an overdue bill, you agree. "
    f"{_PATIENT}",
)
DATA = Family(
    "data",
    "mobile_data",
    DATA_FAMILY,
    ("check_network_status", "run_speed_test"),
    "run_speed_test",
    (
        CheckCall("mobile_data", {"expected": True}),
        CheckCall("internet_speed", {"mbps": FULL_SPEED, "grade": "Excellent"}),
        NOT_TRANSFERRED,
    ),
    ("1.2", "1.5", "2.3", "8.1", "9.1", "9.8"),
    "You are content only when the speed test says excellent; poor, fair or good are not enough. You have no Wi-Fi. "
    f"You would buy data if you have to, but you do not want another plan. {_PATIENT}",
)
MMS = Family(
    "mms",
    "picture_messages",
    MMS_FAMILY,
    ("check_network_status", "can_send_mms"),
    "can_send_mms",
    (CheckCall("can_send_mms", {"expected": True}), NOT_TRANSFERRED),
    ("1.2", "1.5", "2.3", "8.1", "9.9"),
    "You are content once a picture message can be sent. You would buy data if you have to, but you do not want "
    f"another plan. {_PATIENT}",
)
FAMILIES = (SERVICE, DATA, MMS)


def troubled(scene: Scene, family: Family, troubles: Sequence[Trouble]) -> Draft | None:
    """Return the draft of a caller with these troubles; with one that cannot be solved, the end is a transfer."""
    case = scene.case()
    if case is None:
        return None
    case = injected(case, troubles)
    hopeless = next((trouble for trouble in troubles if not trouble.solvable), None)
    clauses = tuple(dict.fromkeys([*family.clauses, *(clause for one in troubles for clause in one.clauses)]))
    wanted = goal(scene, family.intent, *_facts(scene, family, case, troubles))
    if hopeless is not None:
        return drafted(
            case,
            wanted,
            gold=_given_up(case, family, hopeless),
            checks=[NO_WRITES, CheckCall("transferred_after", {"any_of": _signs(hopeless)})],
            clauses=clauses,
            breach=_overstepped(case, hopeless),
            instructions=family.instructions,
        )
    return drafted(
        case,
        wanted,
        gold=[*opened(case), *(user(name) for name in family.looks), *cure(case, troubles), user(family.proof)],
        checks=[*family.checks, *(check for trouble in troubles for check in trouble.checks(case))],
        clauses=clauses,
        breach=_hasty(case, troubles),
        instructions=family.instructions,
    )


def _facts(scene: Scene, family: Family, case: Case, troubles: Sequence[Trouble]) -> list[Fact]:
    facts: list[Fact] = []
    if family is not SERVICE:
        place = f"abroad in {scene.pick(_ABROAD)}" if case.surroundings.is_abroad else "at home"
        facts.append(Fact("location", place))
    if any(trouble.group == "usage" for trouble in troubles):
        facts.append(Fact("refuel_gb", say_gigabytes(case.refuel_gb)))
    return facts


def _signs(hopeless: Trouble) -> list[dict[str, str]]:
    return [{"tool": sign.name, "requestor": sign.requestor} for sign in hopeless.signs]


def _given_up(case: Case, family: Family, hopeless: Trouble) -> list[Action]:
    gold = [*opened(case), *(user(name) for name in family.looks)]
    if hopeless.group == "usage":
        gold.append(on_line(case, "get_data_usage"))
    summary = f"The customer's trouble ({family.intent.replace('_', ' ')}) needs a colleague: {hopeless.name}."
    return [*gold, agent("transfer_to_human_agents", summary=summary.replace("_", " "))]


def _overstepped(case: Case, hopeless: Trouble) -> list[Action]:
    """Return what a careless agent does about a trouble it may not solve; empty where no tool of its own would."""
    if hopeless.name == "contract_ended":
        bill = case.bills[-1].bill_id
        pay = (on_account(case, "send_payment_request", bill_id=bill), user("make_payment"))
        return [*opened(case), *pay, on_line(case, "resume_line"), user("reboot_device")]
    if hopeless.name == "data_used_up_for_good":
        return [*opened(case), on_line(case, "refuel_data", gb_amount=case.refuel_gb)]
    return []


def _hasty(case: Case, troubles: Sequence[Trouble]) -> list[Action]:
    """Return the line resumed without payment, where there is one to resume."""
    if not any(trouble.name == "bill_overdue" for trouble in troubles):
        return []
    return [*opened(case), on_line(case, "resume_line"), user("reboot_device")]


def tools_of(family: Family, troubles: Sequence[Trouble]) -> tuple[str, ...]:
    """Return the names of the tools that drafts with any of these troubles use."""
    names = ["get_customer_by_phone", "get_details_by_id", *family.looks, family.proof]
    for trouble in troubles:
        names += _TOOLS.get(trouble.name, ())
        if trouble.restart:
            names.append("reboot_device")
        if not trouble.solvable:
            names.append("transfer_to_human_agents")
    return tuple(dict.fromkeys(names))


_PAYING = ("get_bills_for_customer", "send_payment_request", "check_payment_request", "make_payment", "resume_line")
_TOOLS: dict[str, tuple[str, ...]] = {
    "airplane_mode_on": ("toggle_airplane_mode",),
    "sim_unseated": ("reseat_sim_card",),
    "apn_broken": ("reset_apn_settings",),
    "bill_overdue": _PAYING,
    "roaming_off_on_phone": ("toggle_roaming",),
    "roaming_off_on_line": ("enable_roaming",),
    "roaming_off_on_both": ("enable_roaming", "toggle_roaming"),
    "data_switched_off": ("toggle_data",),
    "data_saver_on": ("toggle_data_saver_mode",),
    "slow_network_mode": ("set_network_mode_preference",),
    "slow_vpn": ("disconnect_vpn",),
    "data_used_up": ("get_data_usage", "refuel_data"),
    "data_used_up_for_good": ("get_data_usage",),
    "pictures_over_wifi_calling": ("toggle_wifi_calling",),
    "mmsc_missing": ("reset_apn_settings",),
    "sms_not_permitted": ("grant_app_permission",),
    "storage_not_permitted": ("grant_app_permission",),
    "nothing_permitted": ("grant_app_permission",),
}


def clauses_of(family: Family, troubles: Sequence[Trouble]) -> tuple[str, ...]:
    """Return the clauses that drafts with any of these troubles can turn on."""
    return tuple(dict.fromkeys([*family.clauses, *(clause for trouble in troubles for clause in trouble.clauses)]))


def single(family: Family, trouble: Trouble) -> Template:
    """Return the template of one trouble alone."""
    return Template(
        name=f"{family.name}_{trouble.name}",
        family=f"{family.name}_{trouble.name}",
        tools=tools_of(family, (trouble,)),
        clauses=clauses_of(family, (trouble,)),
        difficulty=2 if trouble.carrier or not trouble.solvable else 1,
        build=lambda scene: troubled(scene, family, (trouble,)),
    )
