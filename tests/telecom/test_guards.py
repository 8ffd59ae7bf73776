"""Guards: each stops what its clause forbids and lets its near miss through."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from eigen_cli.api.domain import GuardContext
from eigen_cli.api.messages import Message, ToolCall


def user(text: str) -> Message:
    return Message(speaker="user", text=text)


def agent(text: str = "", *calls: str) -> Message:
    made = tuple(ToolCall(f"c{place}", "agent", name, "{}") for place, name in enumerate(calls))
    return Message(speaker="agent", text=text, tool_calls=made)


def broken(desk: Any, name: str, arguments: dict[str, Any], *dialogue: Message) -> set[str]:
    """Return the clauses that a call breaks, at the end of a dialogue if there is one."""
    said = (*dialogue, agent("", name)) if dialogue else None
    context = GuardContext(desk.world, "agent", name, arguments, said, ())
    return {
        clause.id
        for clause in desk.toolbox.domain.clauses
        if clause.guard is not None and (not clause.tools or name in clause.tools) and clause.guard(context) is not None
    }


def test_only_overdue_bills_are_asked_for(desk: Any) -> None:
    bill = desk.bill(desk.customer.bill_ids[0])
    request = {"customer_id": desk.customer.customer_id, "bill_id": bill.bill_id}
    for status in ("Paid", "Issued", "Disputed", "Draft"):
        desk.put(replace(bill, status=status))
        assert broken(desk, "send_payment_request", request) == {"3.1"}
    desk.put(replace(bill, status="Overdue"))
    assert broken(desk, "send_payment_request", request) == set()


@pytest.mark.parametrize(("status", "clauses"), [("Overdue", {"4.1"}), ("Awaiting Payment", {"4.1"}), ("Paid", set())])
def test_a_line_comes_back_when_everything_is_paid(desk: Any, status: str, clauses: set[str]) -> None:
    desk.set_line(status="Suspended")
    desk.put(replace(desk.bill(desk.customer.bill_ids[0]), status=status))
    assert broken(desk, "resume_line", desk.own()) == clauses


def test_ended_contracts_are_neither_resumed_nor_paid_for(desk: Any) -> None:
    bill = replace(desk.bill(desk.customer.bill_ids[0]), status="Overdue")
    desk.put(bill)
    request = {"customer_id": desk.customer.customer_id, "bill_id": bill.bill_id}
    desk.set_line(status="Suspended", contract_end_date=datetime.date(2025, 9, 15))
    assert broken(desk, "resume_line", desk.own()) == {"4.1", "4.2"}
    assert broken(desk, "send_payment_request", request) == {"4.2"}
    desk.set_line(contract_end_date=datetime.date(2025, 9, 16))
    assert broken(desk, "send_payment_request", request) == set()
    desk.set_line(contract_end_date=datetime.date(2025, 9, 15), status="Active")
    assert broken(desk, "send_payment_request", request) == set()


@pytest.mark.parametrize(
    ("bought", "wanted", "clauses"),
    [
        (0.0, 2.0, set()),
        (0.0, 2.1, {"5.1"}),
        (1.0, 1.0, set()),
        (1.5, 1, {"5.1"}),
        (2.0, "0.5", {"5.1"}),
        (0, "x", set()),
    ],
)
def test_data_to_buy_is_limited(desk: Any, bought: float, wanted: Any, clauses: set[str]) -> None:
    desk.set_line(data_refueling_gb=bought)
    assert broken(desk, "refuel_data", desk.own(gb_amount=wanted)) == clauses


def test_nobody_is_cut_off_abroad(desk: Any) -> None:
    assert broken(desk, "disable_roaming", desk.own()) == set()
    desk.set_place(is_abroad=True)
    assert broken(desk, "disable_roaming", desk.own()) == {"6.2"}


def test_a_yes_to_what_was_laid_out(desk: Any) -> None:
    hello = user(f"Hi, my number is {desk.line.phone_number}.")
    buy = desk.own(gb_amount=2)
    offer = agent("I can add 2 GB for 8 dollars. Shall I?")
    assert broken(desk, "refuel_data", buy, hello, offer, user("Yes, please.")) == set()
    for answer in ("No.", "How much is one?", "Wait.", "I'm not sure."):
        assert broken(desk, "refuel_data", buy, hello, offer, user(answer)) == {"1.1"}
    assert broken(desk, "refuel_data", buy, hello, agent("Is that right?"), user("Yes")) == {"1.1"}
    assert broken(desk, "refuel_data", desk.own(gb_amount=1), hello, offer, user("Yes")) == {"1.1"}
    assert broken(desk, "enable_roaming", desk.own(), hello) == set()
    suspend = desk.own(reason="trip")
    assert (
        broken(desk, "suspend_line", suspend, hello, agent("I'd suspend it for $5 a month. Okay?"), user("ok")) == set()
    )


def test_a_payment_request_names_bill_or_amount(desk: Any) -> None:
    bill = replace(desk.bill(desk.customer.bill_ids[0]), status="Overdue")
    desk.put(bill)
    hello, request = user(desk.line.phone_number), {"customer_id": bill.customer_id, "bill_id": bill.bill_id}
    for words, clauses in (
        (f"Bill {bill.bill_id} is overdue. Shall I send a request?", set()),
        (f"You owe {bill.total_due} dollars. Shall I send a request?", set()),
        ("Shall I send a request?", {"1.1"}),
    ):
        assert broken(desk, "send_payment_request", request, hello, agent(words), user("Yes")) == clauses


def test_who_the_customer_is(desk: Any) -> None:
    customer, read = desk.customer, {"id": desk.line.line_id}
    assert broken(desk, "get_details_by_id", read, user("My phone is dead.")) == {"2.1"}
    for words in (
        f"It's {desk.line.phone_number}.",
        f"My id is {customer.customer_id.lower()}.",
        f"I'm {customer.full_name.lower()}, born {customer.date_of_birth}.",
    ):
        assert broken(desk, "get_details_by_id", read, user(words)) == set()
    assert broken(desk, "get_details_by_id", read, user(f"I'm {customer.full_name}.")) == {"2.1"}
    assert broken(desk, "get_customer_by_phone", {"phone_number": "555-000-0000"}, user("Hi")) == set()


def test_a_date_of_birth_may_be_spoken(desk: Any) -> None:
    read, customer = {"id": desk.customer.customer_id}, desk.customer
    born = datetime.date.fromisoformat(customer.date_of_birth)
    for written in (f"{born:%B} {born.day}, {born.year}", f"the {born.day}th of {born:%B} {born.year}"):
        assert broken(desk, "get_details_by_id", read, user(f"I'm {customer.full_name}, born {written}.")) == set()
    other = f"I'm {customer.full_name}, born {born:%B} {born.day}, {born.year + 1}."
    assert broken(desk, "get_details_by_id", read, user(other)) == {"2.1"}


def test_a_question_may_stand_between_what_is_laid_out_and_the_yes(desk: Any) -> None:
    buy, hello = desk.own(gb_amount=2), user(f"My number is {desk.line.phone_number}.")
    answered = (user("When is it charged?"), agent("With the next bill. Shall I go ahead?"), user("Yes."))
    assert broken(desk, "refuel_data", buy, hello, agent("2 GB cost 10 dollars. Shall I buy them?"), *answered) == set()
    assert broken(desk, "refuel_data", buy, hello, agent("Shall I?"), *answered) == {"1.1"}


def test_own_account_and_own_line(desk: Any) -> None:
    lines = list(desk.world.table(type(desk.line)).values())
    other = next(line for line in lines if line.customer_id != desk.customer.customer_id)
    sibling = replace(desk.line, line_id="L1", phone_number="555-100-0001")
    hello = user(f"My number is {desk.line.phone_number}.")
    assert broken(desk, "get_details_by_id", {"id": other.line_id}, hello) == {"2.2"}
    stranger = {"customer_id": other.customer_id, "line_id": other.line_id}
    assert broken(desk, "enable_roaming", stranger, hello) == {"2.2", "2.3"}
    desk.put(sibling)
    assert broken(desk, "enable_roaming", desk.own() | {"line_id": "L1"}, hello) == {"2.3"}
    assert broken(desk, "enable_roaming", desk.own(), hello) == set()
    assert broken(desk, "get_details_by_id", {"id": desk.line.plan_id}, hello) == set()


def test_one_call_a_turn(desk: Any) -> None:
    hello = user(desk.line.phone_number)
    context = GuardContext(
        desk.world, "agent", "get_data_usage", desk.own(), (hello, agent("", "get_data_usage", "enable_roaming")), ()
    )
    guard = next(clause.guard for clause in desk.toolbox.domain.clauses if clause.id == "1.2")
    assert guard is not None and guard(context) == "2 calls in one turn"
    assert broken(desk, "get_data_usage", desk.own(), hello) == set()


def test_guards_pass_what_does_not_exist(desk: Any) -> None:
    nowhere = {"customer_id": "C1", "line_id": "L1", "bill_id": "B1", "gb_amount": 1, "id": "Z1"}
    for name in desk.toolbox.tools["agent"]:
        assert broken(desk, name, nowhere) == set()


def test_a_grudging_yes_is_a_yes(desk: Any) -> None:
    bill = replace(desk.bill(desk.customer.bill_ids[0]), status="Overdue")
    desk.put(bill)
    request = {"customer_id": bill.customer_id, "bill_id": bill.bill_id}
    said = (user(desk.line.phone_number), agent(f"You owe {bill.total_due} dollars. Shall I send a request?"))
    for yes in ("I know of no open bill. But fine, send it.", "If I must.", "Just send it.", "I guess so."):
        assert broken(desk, "send_payment_request", request, *said, user(yes)) == set(), yes
    for no in ("That is not fine.", "Send it? What for?", "No, do not send it."):
        assert broken(desk, "send_payment_request", request, *said, user(no)) == {"1.1"}, no
