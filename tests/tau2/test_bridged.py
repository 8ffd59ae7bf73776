"""What every bridged domain has: the official policy, a prompt for users, and a corrected twin over the same world."""

from __future__ import annotations

import pytest
from engine_pair import EnginePair
from engine_pairs import airline_pair, retail_pair

from eigen_cli.api.tasks import Fact, Goal, Scenario, WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.fingerprint import fingerprint_digest, fingerprint_of
from eigen_cli.world.toolbox import Toolbox
from eigen_tau2.bridged import Bridged

PAIRS = pytest.mark.parametrize("pair", [airline_pair(), retail_pair()], ids=["airline", "retail"])


@PAIRS
def test_the_policy_is_the_official_one(pair: EnginePair) -> None:
    assert pair.domain.preamble() == pair.environment.get_policy()
    assert (pair.domain.clauses, pair.domain.templates, pair.domain.playbook()) == ((), (), None)


@PAIRS
def test_tools_are_called_and_described_as_ours(pair: EnginePair) -> None:
    bridged, ours = Toolbox(pair.domain), Toolbox(pair.domain.corrected())
    assert bridged.schemas["agent"] == ours.schemas["agent"]
    names = set(bridged.tools["agent"]) - {"get_item_details"}
    assert names == set(pair.environment.tools.get_tools())
    for tool in pair.environment.get_tools():
        theirs = tool.openai_schema["function"]["parameters"]
        schema = bridged.tools["agent"][tool.name].parameters.schema()
        assert set(schema.get("properties", {})) == set(theirs.get("properties", {}))
        assert set(schema.get("required", ())) == set(theirs.get("required", ()))


@PAIRS
def test_the_corrected_domain_has_the_same_world(pair: EnginePair) -> None:
    right = pair.domain.corrected()
    assert isinstance(right, Bridged) and right is pair.domain.corrected()
    assert build_base(right, WorldRef(0, 0), freeze=False).hash == pair.initial.base.hash
    assert right.version != pair.domain.version and right.databases is pair.domain.databases
    digests = {fingerprint_digest(fingerprint_of(domain, Toolbox(domain))) for domain in (pair.domain, right)}
    assert len(digests) == 2


def test_users_are_told_the_releases_rules_and_their_scenario() -> None:
    domain = retail_pair().domain
    scenario = Scenario(
        persona="In a hurry.",
        reason="You want a refund.",
        known=(Fact("user_id", "ada_moss_1"), Fact("order", "#W1", text="The order is #W1.")),
        goals=(Goal("refund", "I want my money back."),),
        unknown=("your e-mail address",),
        instructions="Be short.",
    )
    prompt = domain.user_prompt(scenario)
    guidelines = domain.files.guidelines(tools=False)
    assert prompt is not None and guidelines is not None and prompt.startswith(guidelines.strip())
    assert prompt.removeprefix(guidelines.strip()).strip() == (
        "<scenario>\nPersona:\nIn a hurry.\n\n"
        "Why you are calling:\nYou want a refund.\nI want my money back.\n\n"
        "What you know:\nuser id: ada_moss_1\nThe order is #W1.\n\n"
        "What you do not know:\nyour e-mail address\n\nInstructions:\nBe short.\n</scenario>"
    )
    assert domain.stop_tokens == ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
