"""The playbook: requests find their procedure, instructions name the customer's tool, and procedures do the work."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from eigen_cli.api.domain import CheckContext, Draft
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Handover, Refuse, Tell
from eigen_cli.api.tasks import Action
from eigen_cli.episode.guards import breaches_of_gold
from eigen_cli.world.world import World
from eigen_offline.intents import script_of
from eigen_telecom.facts import FACT_KINDS, PHONE_SHOWS
from eigen_telecom.phone_steps import PHONE_STEPS, PhoneStep, step_told
from eigen_telecom.playbook import PLAYBOOK
from eigen_telecom.playbook_common import on_phone
from tests.telecom.test_templates import CHECKS, NAMES, drafts

_SHOWS = re.compile(next(kind.pattern for kind in FACT_KINDS if kind.name == PHONE_SHOWS and kind.pattern))


@dataclass
class Conversation:
    """One call: the agent's procedure runs, the customer answers from the draft and uses the phone when told to."""

    toolbox: Any
    world: World
    draft: Draft
    calls: list[tuple[Action, bool]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def perform(self) -> None:
        intent = next(one for one in PLAYBOOK.intents if one.name == self.draft.goals[0].intent)
        for procedure in (PLAYBOOK.opening, intent.procedure):
            steps, answer = procedure(), None
            while True:
                try:
                    step = steps.send(answer)
                except StopIteration:
                    break
                if isinstance(step, Refuse):
                    self.told.append(step.text)
                    return
                answer = self._answer(step)
                if isinstance(step, Handover):
                    return

    def _answer(self, step: Any) -> Any:
        if isinstance(step, Call):
            return self._run(Action(step.tool, step.arguments))
        if isinstance(step, Handover):
            return self._run(Action("transfer_to_human_agents", {"summary": step.summary}))
        if isinstance(step, Tell):
            self.told.append(step.text)
        elif isinstance(step, Confirm):
            return True
        elif isinstance(step, Ask) and step.fact == PHONE_SHOWS:
            told = step_told(step.question)
            assert told is not None, step.question
            shown = self._run(Action(told.tool, told.arguments, "user")).value
            found = _SHOWS.search(f"It says: {shown}")
            assert found is not None and found[1] == shown
            return shown
        elif isinstance(step, Ask):
            facts = (*self.draft.goals[0].facts, *self.draft.known)
            return next((str(fact.value) for fact in facts if fact.name == step.fact), None)
        return None

    def _run(self, action: Action) -> CallResult:
        outcome = self.toolbox.call(self.world, action.name, action.arguments, requestor=action.requestor)
        self.calls.append((action, not outcome.error))
        self.world = outcome.world
        try:
            return CallResult(msgspec.json.decode(outcome.content), outcome.error)
        except msgspec.DecodeError:
            return CallResult(outcome.content, outcome.error)


@pytest.mark.parametrize("name", NAMES)
def test_procedures_do_what_gold_does(generated: Any, toolbox: Any, name: str) -> None:
    for world, draft in drafts(generated, name):
        call = Conversation(toolbox, world, draft)
        call.perform()
        assert all(ok for _, ok in call.calls), [action for action, ok in call.calls if not ok]
        context = CheckContext(world, call.world, (), call.calls)
        failed = [check for check in draft.checks if not CHECKS[check.name](context, **check.arguments)]
        assert failed == [], [action.name for action, _ in call.calls]
        assert breaches_of_gold([action for action, _ in call.calls], world, toolbox) == []
        gold = world
        for action in draft.gold:
            gold = toolbox.call(gold, action.name, action.arguments, requestor=action.requestor).world
        assert call.world.outcome_hash() == gold.outcome_hash()
        said = " ".join(call.told).lower()
        for item in draft.communicate:
            value = item.value.lower()
            pattern = rf"(?<![\d.]){float(value):g}0*(?!\d)" if item.kind == "number" else re.escape(value)
            assert re.search(pattern, said), (item, said)


def test_requests_find_their_intent(generated: Any) -> None:
    script, seen = script_of(PLAYBOOK), set()
    for name in NAMES:
        for _, draft in drafts(generated, name, each=6):
            (wish,) = script.further(draft.goals[0].request)
            assert wish.intent.name == draft.goals[0].intent, draft.goals[0].request
            seen.add(wish.intent.name)
    assert seen == {intent.name for intent in PLAYBOOK.intents}


@pytest.mark.parametrize("step", PHONE_STEPS.values(), ids=lambda step: step.name)
def test_an_instruction_is_recognised_as_itself(toolbox: Any, step: PhoneStep) -> None:
    assert step_told(step.say) == step
    tool = toolbox.tools["user"][step.tool]
    assert set(step.arguments) == set(tool.parameters.names)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Could you switch off flight mode for me?", "airplane_off"),
        ("Go ahead and reboot it.", "restart"),
        ("Please check your SIM status.", "see_sim"),
        ("Toggle the data saver off, please.", "saver_off"),
        ("Run a speed test and tell me the number.", "see_speed"),
        ("Grant storage to the messaging app.", "grant_storage"),
        ("What plan are you on?", None),
        ("Your bill is 42 dollars.", None),
    ],
)
def test_instructions_in_other_words(text: str, name: str | None) -> None:
    told = step_told(text)
    assert (told.name if told is not None else None) == name


def test_only_screens_are_reports(generated: Any) -> None:
    reports = re.compile(_SHOWS.pattern, re.IGNORECASE)
    for name in NAMES:
        for _, draft in drafts(generated, name, each=6):
            assert reports.search(draft.goals[0].request) is None
    assert reports.search("It says: Mobile data is now ON.\nStatus bar: signal good")
    assert reports.search("My mobile data is gone, and the messaging app too.") is None


def test_every_screen_is_a_report(desk: Any) -> None:
    for name, tool in desk.toolbox.tools["user"].items():
        arguments: dict[str, Any] = {
            "app_name": "messaging",
            "permission": "sms",
            "mode": "4g_only",
            "apn_settings": {},
        }
        shown = desk.phone(name, **{key: arguments[key] for key in tool.parameters.names})
        found = _SHOWS.search(f"It says: {shown}")
        assert found is not None and found[1] == shown, shown


def test_a_switch_the_wrong_way_round_is_used_again() -> None:
    steps = on_phone("roaming_on")
    first = next(steps)
    again = steps.send("Data roaming is now OFF.\nStatus bar: no signal")
    assert isinstance(first, Ask) and isinstance(again, Ask)
    assert step_told(again.question) == step_told(first.question) == PHONE_STEPS["roaming_on"]
    with pytest.raises(StopIteration) as done:
        steps.send("Data roaming is now ON.")
    assert done.value.value == "data roaming is now on."
