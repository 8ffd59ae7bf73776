from __future__ import annotations

from typing import Any

import msgspec
import pytest
from ledger import Ledger, LedgerTools

from eigen_cli.api.errors import DomainError
from eigen_cli.api.tools import reads
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


def test_schemas_come_from_signatures_and_docstrings(toolbox: Toolbox) -> None:
    definitions = {d["function"]["name"]: d["function"] for d in toolbox.schemas["agent"].definitions()}  # type: ignore[union-attr]
    transfer = definitions["transfer"]
    assert transfer["description"] == "Move money from one account to another."
    assert transfer["parameters"] == {
        "type": "object",
        "properties": {
            "source": {"type": "string", "description": "The account to take from."},
            "target": {"type": "string", "description": "The account to give to."},
            "amount": {"type": "number", "description": "Dollars and cents."},
        },
        "required": ["source", "target", "amount"],
        "additionalProperties": False,
    }
    legs = definitions["spread"]["parameters"]["properties"]["legs"]
    assert legs["items"]["properties"]["amount"] == {"type": "number"}
    assert definitions["spread"]["parameters"]["properties"]["urgent"] == {"type": "boolean", "default": False}
    assert toolbox.schemas["user"] is None


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("get_acount", {"account_id": "A0001"}, "Error: there is no tool 'get_acount'; did you mean 'get_account'?"),
        ("launch", {}, "Error: there is no tool 'launch'"),
        ("get_account", {}, "Error: get_account needs the argument 'account_id'; it was not given"),
        (
            "get_account",
            {"acount_id": "A0001"},
            "Error: get_account has no argument 'acount_id'; did you mean 'account_id'?",
        ),
        ("get_account", {"account_id": "A9999"}, "Error: Account 'A9999' not found"),
        ("get_account", {"account_id": None}, "Error: get_account: argument 'account_id': expected str, got null"),
        (
            "transfer",
            {"source": "A0001", "target": "A0002", "amount": "ten"},
            "Error: transfer: argument 'amount': invalid decimal string",
        ),
        (
            "spread",
            {"source": "A0001", "legs": [{"account_id": "A0002"}]},
            "Error: spread needs the argument 'amount' in 'legs[0]'; it was not given",
        ),
        (
            "spread",
            {"source": "A0001", "legs": [{"account_id": "B1", "amount": 1}]},
            "Error: Account 'B1' not found",
        ),
        ("spread", {"source": "A0001", "legs": "soon"}, "Error: spread: argument 'legs': expected array, got str"),
    ],
)
def test_bad_calls_get_a_short_readable_error(
    world: World, toolbox: Toolbox, name: str, arguments: dict[str, Any], text: str
) -> None:
    outcome = toolbox.call(world, name, arguments)
    assert (outcome.content, outcome.error, outcome.defect) == (text, True, None)
    assert outcome.world is world


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ({"source": "A0001", "legs": '[{"account_id": "A0002", "amount": "1.5"}]'}, "1 transfers"),
        ({"source": "A0001", "legs": {"account_id": "A0002", "amount": 1}}, "1 transfers"),
        ({"source": "A0001", "legs": [], "urgent": "true"}, "0 transfers, urgent"),
        ({"source": "A0001", "legs": [], "urgent": 1}, "0 transfers, urgent"),
    ],
)
def test_what_models_write_is_coerced(world: World, toolbox: Toolbox, arguments: dict[str, Any], content: str) -> None:
    assert toolbox.call(world, "spread", arguments).content == content


def test_numbers_are_accepted_for_text_and_results_are_canonical_json(world: World, toolbox: Toolbox) -> None:
    assert toolbox.call(world, "accounts_of", {"owner": 7}).content == "[]"
    content = toolbox.call(world, "get_account", {"account_id": "A0001"}).content
    assert content == '{"account_id":"A0001","balance":138,"owner":"owner1","tier":"basic"}'
    assert msgspec.json.decode(content)["balance"] == 138


def test_a_tool_that_breaks_costs_one_call_and_is_named(world: World, toolbox: Toolbox) -> None:
    broken = toolbox.call(world, "broken", {})
    assert broken.error and broken.content == "Error: broken failed internally"
    assert broken.defect == "broken: ZeroDivisionError: oops"
    sneaky = toolbox.call(world, "sneaky", {"account_id": "A0001"})
    assert sneaky.error and sneaky.world is world
    assert sneaky.defect == "sneaky is marked read but wrote"


def test_a_side_cannot_call_the_other_sides_tools(world: World, toolbox: Toolbox) -> None:
    outcome = toolbox.call(world, "get_account", {"account_id": "A0001"}, requestor="user")
    assert outcome.error and "there is no tool 'get_account'" in outcome.content


def test_tools_without_a_docstring_or_types_are_refused() -> None:
    class Silent(LedgerTools):
        @reads
        def hush(self) -> str:
            return ""

    class Untyped(LedgerTools):
        @reads
        def guess(self, what) -> str:  # type: ignore[no-untyped-def]
            """Guess."""
            return str(what)

    for tools, text in ((Silent, "hush has no docstring"), (Untyped, "parameter what has no type")):
        domain = type("Odd", (Ledger,), {"agent_tools": tools})()
        with pytest.raises(DomainError, match=text):
            Toolbox(domain)
