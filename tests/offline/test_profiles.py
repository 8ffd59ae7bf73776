"""Profiles, the backend's identity, its hook, and the judge."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import BackendSettings, CallKey, Chat, Request
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.inputs import JudgeInputs
from eigen_cli.api.outputs import JudgeOutput
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, SynthesisPlan
from eigen_cli.api.tasks import Scenario
from eigen_offline.backend import OfflineBackend
from eigen_offline.hooks import eigen_backends
from eigen_offline.profiles import SKILLS, profile_of


def test_identity_names_all_that_content_depends_on() -> None:
    assert OfflineBackend(BackendSettings()).identity == "offline/competent-ordinary-ordinary"
    settings = BackendSettings(
        base_url="http://x", concurrency=3, options={"skill": "weak", "deaf": ["missing_fact", "gold_error"]}
    )
    assert OfflineBackend(settings).identity == "offline/weak-ordinary-ordinary-deaf:gold_error+missing_fact"
    assert profile_of({"deaf": "missing_fact, gold_error"}).deaf == ("gold_error", "missing_fact")
    assert OfflineBackend.simulated


def test_one_fault_can_be_made_certain() -> None:
    profile = profile_of({"skill": "only:wrong_argument", "user": "only:stops_early", "defects": "only:gold_error"})
    assert profile.agent_rates == {"wrong_argument": 1.0} and profile.user_rates == {"stops_early": 1.0}
    assert profile.identity == "offline/only:wrong_argument-only:stops_early-only:gold_error"


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"skil": "weak"}, "no option 'skil'", "did you mean 'skill'?"),
        ({"skill": "perfekt"}, "no skill 'perfekt'", "did you mean 'perfect'?"),
        ({"user": "only:stops_erly"}, "no user fault 'stops_erly'", "did you mean 'stops_early'?"),
        ({"deaf": ["missing_facts"]}, "no deaf reason 'missing_facts'", "did you mean 'missing_fact'?"),
        ({"defects": "zzz"}, "no defects 'zzz'", "choose from: none, ordinary, sloppy"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest_one(options: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        profile_of(options)
    assert message in refused.value.message and refused.value.hint == hint


def test_perfect_is_free_of_faults_and_weak_worse_than_competent() -> None:
    assert SKILLS["perfect"] == {}
    assert all(SKILLS["weak"][fault] > rate for fault, rate in SKILLS["competent"].items())


def test_the_hook_lists_the_backend_without_importing_it() -> None:
    (spec,) = eigen_backends()
    assert (spec.kind, spec.name, spec.target) == ("backend", "offline", "eigen_offline.backend:OfflineBackend")
    assert "SIMULATED" in spec.summary


@pytest.mark.parametrize(
    ("findings", "party"),
    [((), "undetermined"), (("nothing much",), "undetermined"), (("the agent was told twice",), "agent")],
)
def test_the_judge_repeats_findings_and_guesses_nothing(findings: tuple[str, ...], party: str) -> None:
    plan = Plan.of(PlanBody("airline", 0, SynthesisPlan("f", ()), EvaluationPlan()))
    inputs = JudgeInputs(Airline(), plan, Scenario("p", "r"), (), findings)
    request = Request("judge", CallKey("r", 1, plan.id, "t", 0, "judge", 0, 0), inputs, Chat())
    reply = asyncio.run(OfflineBackend(BackendSettings()).complete(request))
    output = msgspec.json.decode(reply.completion.text, type=JudgeOutput)
    assert output.party == party
    assert output.evidence == (findings[0] if party == "agent" else "")
