"""The airline keeps the contract of domains, and asks for nothing heavy when it is only listed."""

from __future__ import annotations

import subprocess
import sys

from eigen_airline.domain import Airline
from eigen_airline.hooks import eigen_domains
from eigen_cli.testing.domain_contract import domain_findings
from eigen_verifiers.checks import ChecksVerifier
from eigen_verifiers.communicate import CommunicateVerifier
from eigen_verifiers.state import StateVerifier


def test_contract(airline: Airline) -> None:
    verifiers = {"state": StateVerifier(), "checks": ChecksVerifier(), "communicate": CommunicateVerifier()}
    findings = list(domain_findings(airline, verifiers, seed=2))
    assert [finding for finding in findings if finding.breaches] == []
    assert len(findings) > 5


def test_the_benchmark_tools_and_their_parameters(toolbox: object) -> None:
    names = {
        "get_user_details": {"user_id"},
        "get_reservation_details": {"reservation_id"},
        "list_all_airports": set(),
        "search_direct_flight": {"origin", "destination", "date"},
        "search_onestop_flight": {"origin", "destination", "date"},
        "get_flight_status": {"flight_number", "date"},
        "book_reservation": {
            "user_id",
            "origin",
            "destination",
            "flight_type",
            "cabin",
            "flights",
            "passengers",
            "payment_methods",
            "total_baggages",
            "nonfree_baggages",
            "insurance",
        },
        "cancel_reservation": {"reservation_id"},
        "update_reservation_flights": {"reservation_id", "cabin", "flights", "payment_id"},
        "update_reservation_baggages": {"reservation_id", "total_baggages", "nonfree_baggages", "payment_id"},
        "update_reservation_passengers": {"reservation_id", "passengers"},
        "send_certificate": {"user_id", "amount"},
        "calculate": {"expression"},
        "transfer_to_human_agents": {"summary"},
    }
    tools = toolbox.tools["agent"]  # type: ignore[attr-defined]
    assert {name: set(tool.parameters.schema()["properties"]) for name, tool in tools.items()} == names
    assert {name for name, tool in tools.items() if tool.kind == "write"} == {
        "book_reservation",
        "cancel_reservation",
        "update_reservation_flights",
        "update_reservation_baggages",
        "update_reservation_passengers",
        "send_certificate",
    }


def test_policy_and_personas(airline: Airline) -> None:
    assert len(airline.clauses) >= 25 and sum(clause.guard is not None for clause in airline.clauses) >= 20
    assert len(airline.personas) >= 12
    assert "2024-05-15" in airline.preamble()
    assert airline.clock().isoformat() == "2024-05-15T15:00:00"
    assert airline.greeting


def test_listing_the_plugin_loads_nothing_of_it() -> None:
    (spec,) = eigen_domains()
    assert (spec.kind, spec.name, spec.target) == ("domain", "airline", "eigen_airline.domain:Airline")
    program = (
        "import sys, eigen_airline.hooks as hooks; tuple(hooks.eigen_domains());"
        "print([name for name in sys.modules if name.startswith('eigen_airline.') and name != 'eigen_airline.hooks'],"
        "'msgspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"
