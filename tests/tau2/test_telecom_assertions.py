"""Environment assertions as checks: the same verdict as tau2's functions, asserted and denied, over random states."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from telecom_draws import Call, calls, states
from telecom_pair import DOMAIN, Pair

from eigen_cli.api.tasks import CheckCall
from eigen_tau2.telecom_assertions import ASSERTIONS

_SWITCHES = (
    "assert_airplane_mode_status",
    "assert_mobile_data_status",
    "assert_mobile_roaming_status",
    "assert_mobile_data_saver_mode_status",
    "assert_can_send_mms",
    "assert_mobile_data_usage_exceeded",
)
_LINES: tuple[dict[str, Any], ...] = (
    {"customer_id": "C1001", "line_id": "L1002"},
    {"customer_id": "C1001", "line_id": "L1004"},  # another customer's: tau2 raises
    {"customer_id": "C9999", "line_id": "L1002"},
)
_ASSERTIONS: list[tuple[str, str, dict[str, Any]]] = [
    *(("user", name, {"expected_status": status}) for name in _SWITCHES for status in (True, False)),
    *(("user", "assert_service_status", {"expected_status": status}) for status in ("connected", "no_service")),
    *(("user", "assert_internet_speed", {"expected_speed": speed}) for speed in (0, 1.0, 200)),
    *(
        ("user", "assert_internet_speed", {"expected_speed": 1, "expected_desc": grade})
        for grade in ("excellent", "Very Poor", "no connection", None)
    ),
    ("user", "assert_internet_not_excellent", {}),
    *(
        ("assistant", "assert_data_refueling_amount", {**line, "expected_amount": gb})
        for line in _LINES
        for gb in (0, 0.5, 2.0)
    ),
    *(
        ("assistant", "assert_line_status", {**line, "expected_status": status})
        for line in _LINES
        for status in ("Active", "Suspended", "Unheard of")
    ),
    *(
        ("assistant", "assert_overdue_bill_exists", {"customer_id": customer, "overdue_bill_id": bill})
        for customer, bill in (("C1001", "B1234321"), ("C1002", "B1005"), ("C1001", "B1005"), ("C9999", "B1005"))
    ),
    *(
        ("assistant", "assert_no_overdue_bill", {"overdue_bill_id": bill})
        for bill in ("B1234321", "B1001", "B1002", "B1005", "B9999")
    ),
]


@settings(max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(state=states(), story=st.lists(calls(), max_size=6))
def test_assertions_say_the_same(state: dict[str, Any], story: list[Call]) -> None:
    try:
        pair = Pair(state)
    except ValueError:  # what both refuse is `test_telecom_fuzz`'s
        return
    for call in story:
        pair.call(*call)
    for side, name, arguments in _ASSERTIONS:
        for asserted in (True, False):
            wanted = {"env_type": side, "func_name": name, "arguments": arguments, "assert_value": asserted}
            theirs, ours = pair.holds(wanted)
            assert ours is (theirs is True), wanted


def test_every_assertion_is_compared() -> None:
    assert {(side, name) for side, name, _ in _ASSERTIONS} == {
        (side, name) for side, known in ASSERTIONS.items() for name in known
    }
    pair = Pair()
    toolkits = {"user": pair.env.user_tools, "assistant": pair.env.tools}
    for side, toolkit in toolkits.items():
        assert set(ASSERTIONS[side]) == {name for name in dir(toolkit) if name.startswith("assert_")}


def test_a_denied_assertion_is_the_opposite_where_there_is_one() -> None:
    speed = {"env_type": "user", "func_name": "assert_internet_speed", "arguments": {"expected_speed": 200}}
    assert DOMAIN.check_of(speed) == CheckCall("internet_speed", {"mbps": 200.0})
    denied = CheckCall("denied", {"check": "internet_speed", "arguments": {"mbps": 200.0}})
    assert DOMAIN.check_of({**speed, "assert_value": False}) == denied


@pytest.mark.parametrize(
    ("assertion", "said"),
    [
        ({"func_name": "assert_can_send_mms"}, "env_type is 'None'; known are user, assistant"),
        ({"env_type": "agent", "func_name": "assert_can_send_mms"}, "env_type is 'agent'"),
        ({"env_type": "assistant", "func_name": "assert_can_send_mms"}, "has no assertion 'assert_can_send_mms'"),
        ({"env_type": "user", "func_name": "assert_can_send_mms"}, "missing required field `expected_status`"),
        (
            {"env_type": "user", "func_name": "assert_can_send_mms", "arguments": {"expected_status": "yes"}},
            "Expected `bool`, got `str`",
        ),
        (
            {"env_type": "user", "func_name": "assert_internet_not_excellent", "arguments": {"much": 1}},
            "unknown field `much`",
        ),
        (
            {"env_type": "user", "func_name": "assert_service_status", "arguments": {"expected_status": "fine"}},
            "no service status 'fine', only connected, searching, no_service, emergency_only",
        ),
        ({"env_type": "user", "func_name": "assert_internet_not_excellent", "assert_value": 1}, "assert_value is 1"),
        (
            {
                "env_type": "user",
                "func_name": "assert_internet_speed",
                "arguments": {"expected_speed": 1, "expected_desc": ""},
            },
            "expected to say nothing",
        ),
    ],
)
def test_what_cannot_be_asserted_is_refused(assertion: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        DOMAIN.check_of(assertion)
