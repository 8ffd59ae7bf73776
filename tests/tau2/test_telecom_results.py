"""Tool results carry the same facts as tau2's, in other words: read out of both texts over random states."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from telecom_draws import Call, calls, states
from telecom_facts import ours_of, theirs_of
from telecom_pair import TOOLBOX, Pair

_APP = {"app_name": "messaging"}
_CUSTOMER = {"customer_id": "C1001"}
_LINE = {**_CUSTOMER, "line_id": "L1002"}
_READS: list[Call] = [
    *(
        ("user", name, _APP if name in ("check_app_status", "check_app_permissions") else {})
        for name, tool in TOOLBOX.tools["user"].items()
        if tool.kind == "read"
    ),
    ("user", "check_app_status", {"app_name": "maps"}),
    ("assistant", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
    ("assistant", "get_customer_by_name", {"full_name": "John Smith", "dob": "1985-06-15"}),
    ("assistant", "get_details_by_id", {"id": "C1002"}),
    ("assistant", "get_details_by_id", {"id": "D1002"}),
    ("assistant", "get_details_by_id", {"id": "L1002"}),
    ("assistant", "get_details_by_id", {"id": "P1002"}),
    ("assistant", "get_bills_for_customer", _CUSTOMER),
    ("assistant", "get_data_usage", _LINE),
]
_READING = {name for tools in TOOLBOX.tools.values() for name, tool in tools.items() if tool.kind == "read"}


@settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(state=states(), story=st.lists(calls(), min_size=4, max_size=12))
def test_results_say_the_same(state: dict[str, Any], story: list[Call]) -> None:
    try:
        pair = Pair(state)
    except ValueError:  # what both refuse is `test_telecom_fuzz`'s
        return
    for requestor, name, arguments in [*story, *_READS]:
        message, outcome = pair.call(requestor, name, arguments)
        if message.error:
            assert outcome.error
            continue
        assert message.content is not None
        theirs, ours = theirs_of(name, pair.named(message.content)), ours_of(name, pair.named(outcome.content))
        assert ours == theirs, (name, message.content, outcome.content)
        assert theirs or name not in _READING, (name, message.content)


def test_every_reading_tool_is_asked() -> None:
    asked = {name for _, name, _ in _READS}
    assert _READING - asked == {"get_customer_by_id"}  # `get_details_by_id` reads the same record
