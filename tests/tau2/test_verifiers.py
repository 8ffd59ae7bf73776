"""The verifiers as plugins: where they apply, what they leave to a judge, what they say against an episode."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

pytest.importorskip("tau2")

from eigen_tidy_library.domain import TidyLibrary
from evaluated import APOLOGY, VERIFIERS, Scene, gold_script, official, scene

from eigen_cli.api.domain import Scoring
from eigen_cli.api.tasks import Action, RewardBasis
from eigen_cli.run.plugins import load_plugins
from eigen_cli.testing.contracts import check_verifier
from eigen_cli.testing.drafted import contract_context, drafted_tasks, played
from eigen_tau2.scoring import CORRECTED, OFFICIAL, scorings_of
from eigen_tau2.verifiers import differences

_replace = msgspec.structs.replace
OURS = sorted({*OFFICIAL.values(), "tau2-state", "tau2-strict-action"})


@pytest.fixture(scope="module")
def telecom() -> Scene:
    return official("telecom")


def test_they_are_installed_under_their_names() -> None:
    index = load_plugins()
    for name in OURS:
        plugin = index.load("verifier", name)
        assert plugin.name == name
        assert type(VERIFIERS[name]) is plugin


@pytest.mark.parametrize("name", OURS)
def test_they_keep_the_contract_and_leave_other_domains_alone(name: str) -> None:
    check_verifier(VERIFIERS[name], TidyLibrary())
    context = contract_context(TidyLibrary())
    item = next(drafted_tasks(context, each=1))
    episode = played(context, item.task, ())
    part = VERIFIERS[name].verify(item.task, episode, context.gold(item.task))
    assert (part.score, part.applicable, part.evidence) == (1.0, False, ())


def test_judging_twice_gives_the_same_part(telecom: Scene) -> None:
    task = telecom.tasks[telecom.splits["base"][0]]
    for name in OURS:
        assert telecom.part(name, task, APOLOGY) == telecom.part(name, task, APOLOGY)


def test_scorings_follow_the_tasks_own_basis(telecom: Scene) -> None:
    task = telecom.tasks[telecom.splits["base"][0]]
    assert telecom.domain.scorings(task) == scorings_of(task)
    assert scorings_of(task) == (
        Scoring("official", ("tau2-env",), tolerates_gold_errors=True),
        Scoring("corrected", ("checks",), tolerates_gold_errors=True),
    )
    own = _replace(task, reward=RewardBasis(("state",), ("state", "checks")))
    assert scorings_of(own) == (Scoring("own", ("state", "checks")),)
    assert set(CORRECTED) == set(OFFICIAL.values())


def test_evidence_names_what_is_missing(telecom: Scene) -> None:
    task = telecom.tasks["[mobile_data_issue]data_mode_off[PERSONA:None]"]
    assert telecom.part("tau2-env", task, APOLOGY).evidence == (
        'mobile_data {"expected":true} does not hold',
        'internet_speed {"grade":"excellent","mbps":200.0} does not hold',
    )
    assert telecom.part("tau2-action", task, APOLOGY).evidence == ("no call matches toggle_data {}",)
    assert telecom.part("tau2-strict-action", task, APOLOGY).evidence == ("the user did not call toggle_data {}",)
    assert telecom.part("tau2-db", task, APOLOGY).evidence == ("user device data_enabled is False, not True",)


def test_differences_are_said_field_by_field() -> None:
    gold = {"agent": {"a": {"x": 1, "gone": 2}, "b": [1, 2]}}
    final = {"agent": {"a": {"x": 1.0, "new": 3}, "b": [1, 2]}}
    assert list(differences(gold, final)) == [
        "agent a gone: should have been changed and was not",
        "agent a new: should not have been changed",
        "agent a x is 1.0, not 1",
    ]
    (long,) = differences({"a": "x" * 300}, {"a": "y"})
    assert len(long) == 200


MADE = {"customer_id": "C1001", "line_id": "L1002"}
EXPECTED = {"action_id": "a", "name": "enable_roaming", "arguments": {**MADE, "line_id": "L1001"}}
COMPARED: Mapping[str, tuple[list[str] | None, float, float]] = {
    # compare_args; what matching gives, strictly and loosely
    "all": (None, 0.0, 0.0),
    "the customer": (["customer_id"], 1.0, 1.0),
    "the line": (["line_id"], 0.0, 0.0),
    "no argument": ([], 1.0, 1.0),
}
CHANGED: Mapping[str, Any] = {
    "statements": {
        "nl_assertions": ["The agent apologises."],
        "reward_basis": ["ENV_ASSERTION", "NL_ASSERTION"],
    },
    "none": {"actions": None, "env_assertions": None, "reward_basis": ["DB"]},
    "empty": {"actions": [], "env_assertions": None, "reward_basis": ["DB"]},
    **{
        name: {"actions": [{**EXPECTED, "compare_args": names}], "reward_basis": ["ACTION"]}
        for name, (names, _, _) in COMPARED.items()
    },
}


@pytest.fixture(scope="module")
def changed(telecom: Scene, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """One official task with other criteria each time, imported from a file."""
    row = telecom.tasks[telecom.splits["base"][0]].imported["task"]
    rows = [
        {**row, "id": name, "evaluation_criteria": {**row["evaluation_criteria"], **criteria}}
        for name, criteria in CHANGED.items()
    ]
    path = tmp_path_factory.mktemp("changed") / "tasks.json"
    path.write_text(json.dumps(rows))
    return scene("telecom", {"tau2_tasks": str(path)})


def test_statements_are_left_to_a_judge(telecom: Scene, changed: Scene) -> None:
    task = changed.tasks["statements"]
    part = changed.part("tau2-nl", task, APOLOGY)
    assert (part.score, part.applicable, part.undecided) == (1.0, True, ("The agent apologises.",))
    bases = [scoring.basis for scoring in changed.domain.scorings(task)]
    assert bases == [("tau2-env", "tau2-nl"), ("checks", "tau2-nl")]
    assert task.reward.training == ("tau2-env",)
    assert telecom.part("tau2-nl", telecom.tasks[telecom.splits["base"][0]], APOLOGY).applicable is False


def test_without_gold_and_assertions_no_state_is_compared(telecom: Scene, changed: Scene) -> None:
    """None is not empty: with an empty list of gold calls the database must not change at all."""
    none, empty = changed.tasks["none"], changed.tasks["empty"]
    wrote = gold_script(_replace(none, gold=telecom.tasks[telecom.splits["base"][0]].gold))
    for name in ("tau2-db", "tau2-state"):
        assert (part := changed.part(name, none, wrote)).score == 1.0
        assert part.applicable is False
    assert changed.theirs(none, wrote).database == 1.0
    assert changed.theirs(empty, wrote).database == 0.0
    assert [changed.part(name, empty, wrote).score for name in ("tau2-db", "tau2-state")] == [0.0, 0.0]


@pytest.mark.parametrize("name", COMPARED)
def test_compare_args_name_the_arguments_that_count(changed: Scene, name: str) -> None:
    task, (_, strictly, loosely) = changed.tasks[name], COMPARED[name]
    script = gold_script(_replace(task, gold=(Action("enable_roaming", MADE),)))
    assert changed.theirs(task, script).action == loosely
    assert changed.part("tau2-action", task, script).score == loosely
    assert changed.part("tau2-strict-action", task, script).score == strictly


def test_tasks_made_here_have_criteria_too(telecom: Scene) -> None:
    """A task of a bridged domain that was never the benchmark's is scored by its fields."""
    task = _replace(telecom.tasks[telecom.splits["base"][0]], imported={})
    assert telecom.part("tau2-action", task, gold_script(task)).score == 1.0
    assert telecom.part("tau2-action", task, APOLOGY).score == 0.0
    assert telecom.part("tau2-state", task, APOLOGY).score == 0.0
