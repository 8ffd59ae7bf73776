"""The shop keeps the contract of domains, and asks for nothing heavy when it is only listed."""

from __future__ import annotations

import subprocess
import sys

from eigen_cli.testing.contracts import check_domain
from eigen_cli.world.toolbox import Toolbox
from eigen_retail.domain import Retail
from eigen_retail.hooks import eigen_domains

_ADDRESS = {"address1", "address2", "city", "state", "country", "zip"}
_SWAP = {"order_id", "item_ids", "new_item_ids", "payment_method_id"}


def test_contract() -> None:
    assert check_domain(Retail(), seed=3) is None


def test_tools_are_those_of_the_benchmark(toolbox: Toolbox) -> None:
    parameters = {
        "find_user_id_by_email": {"email"},
        "find_user_id_by_name_zip": {"first_name", "last_name", "zip"},
        "get_user_details": {"user_id"},
        "get_order_details": {"order_id"},
        "get_product_details": {"product_id"},
        "get_item_details": {"item_id"},
        "list_all_product_types": set(),
        "cancel_pending_order": {"order_id", "reason"},
        "modify_pending_order_address": {"order_id", *_ADDRESS},
        "modify_pending_order_payment": {"order_id", "payment_method_id"},
        "modify_pending_order_items": _SWAP,
        "modify_user_address": {"user_id", *_ADDRESS},
        "return_delivered_order_items": {"order_id", "item_ids", "payment_method_id"},
        "exchange_delivered_order_items": _SWAP,
        "calculate": {"expression"},
        "transfer_to_human_agents": {"summary"},
    }
    tools = toolbox.tools["agent"]
    assert {name: set(tool.parameters.schema()["properties"]) for name, tool in tools.items()} == parameters
    kinds = {kind: sum(tool.kind == kind for tool in tools.values()) for kind in ("read", "write", "other")}
    assert kinds == {"read": 7, "write": 7, "other": 2}


def test_policy_and_personas(retail: Retail) -> None:
    assert len(retail.clauses) >= 25 and sum(clause.guard is not None for clause in retail.clauses) >= 12
    assert len(retail.personas) >= 10
    assert "Fernhollow Supply" in retail.preamble() and retail.greeting
    assert retail.clock().isoformat() == "2024-09-03T10:00:00"


def test_listing_the_plugin_loads_nothing_of_it() -> None:
    (spec,) = eigen_domains()
    assert (spec.kind, spec.name, spec.target) == ("domain", "retail", "eigen_retail.domain:Retail")
    program = (
        "import sys, eigen_retail.hooks as hooks; tuple(hooks.eigen_domains());"
        "print([name for name in sys.modules if name.startswith('eigen_retail.') and name != 'eigen_retail.hooks'],"
        "'msgspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"
