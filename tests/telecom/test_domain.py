"""Telecom keeps the contract of domains, names the benchmark's tools, and loads nothing when only listed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from eigen_cli.testing.contracts import check_domain
from eigen_telecom.domain import Telecom
from eigen_telecom.hooks import eigen_domains

_LINE = {"customer_id", "line_id"}


def test_contract(telecom: Telecom) -> None:
    check_domain(telecom, seed=2)


def test_the_agents_tools_and_parameters(toolbox: Any) -> None:
    tools = toolbox.tools["agent"]
    assert {name: set(tool.parameters.names) for name, tool in tools.items()} == {
        "get_customer_by_phone": {"phone_number"},
        "get_customer_by_id": {"customer_id"},
        "get_customer_by_name": {"full_name", "dob"},
        "get_details_by_id": {"id"},
        "suspend_line": _LINE | {"reason"},
        "resume_line": _LINE,
        "get_bills_for_customer": {"customer_id", "limit"},
        "send_payment_request": {"customer_id", "bill_id"},
        "get_data_usage": _LINE,
        "enable_roaming": _LINE,
        "disable_roaming": _LINE,
        "transfer_to_human_agents": {"summary"},
        "refuel_data": _LINE | {"gb_amount"},
    }
    assert sum(tool.kind == "write" for tool in tools.values()) == 6


def test_the_customers_tools_and_parameters(toolbox: Any) -> None:
    tools = toolbox.tools["user"]
    assert {name for name, tool in tools.items() if tool.kind == "read"} == {
        "check_status_bar",
        "check_network_status",
        "check_network_mode_preference",
        "run_speed_test",
        "check_sim_status",
        "check_data_restriction_status",
        "check_apn_settings",
        "check_wifi_status",
        "check_wifi_calling_status",
        "check_vpn_status",
        "check_installed_apps",
        "check_app_status",
        "check_app_permissions",
        "can_send_mms",
        "check_payment_request",
    }
    assert {name: set(tool.parameters.names) for name, tool in tools.items() if tool.kind == "write"} == {
        "set_network_mode_preference": {"mode"},
        "toggle_airplane_mode": set(),
        "reseat_sim_card": set(),
        "toggle_data": set(),
        "toggle_roaming": set(),
        "toggle_data_saver_mode": set(),
        "set_apn_settings": {"apn_settings"},
        "reset_apn_settings": set(),
        "toggle_wifi": set(),
        "toggle_wifi_calling": set(),
        "connect_vpn": set(),
        "disconnect_vpn": set(),
        "grant_app_permission": {"app_name", "permission"},
        "reboot_device": set(),
        "make_payment": set(),
    }


def test_no_clause_names_a_tool_of_the_customer(telecom: Telecom, toolbox: Any) -> None:
    policy = " ".join([telecom.preamble(), *(clause.text for clause in telecom.clauses)])
    assert [name for name in toolbox.tools["user"] if name in policy] == []
    ownership = next(clause for clause in telecom.clauses if clause.id == "1.5")
    assert "You have no tool for any of that" in ownership.text


def test_policy_and_personas(telecom: Telecom) -> None:
    assert len(telecom.clauses) == 39 and sum(clause.guard is not None for clause in telecom.clauses) == 10
    assert {"handy", "unsure"} <= {persona.name for persona in telecom.personas}
    assert "2025-09-16" in telecom.preamble() and telecom.clock().isoformat() == "2025-09-16T10:00:00"


def test_listing_the_plugin_loads_nothing_of_it() -> None:
    (spec,) = eigen_domains()
    assert (spec.kind, spec.name, spec.target) == ("domain", "telecom", "eigen_telecom.domain:Telecom")
    program = (
        "import sys, eigen_telecom.hooks as hooks; tuple(hooks.eigen_domains());"
        "print([name for name in sys.modules if name.startswith('eigen_telecom.') and name != 'eigen_telecom.hooks'],"
        "'msgspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"
