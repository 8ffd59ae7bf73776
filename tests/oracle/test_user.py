"""The oracle user: it acts on the agent's words alone, and knows when to stop."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from stage import Stage

from eigen_cli.api.inputs import UserInputs
from eigen_cli.api.messages import Completion, Message, ToolCall, ToolResult
from eigen_cli.api.tasks import Action, Fact, Goal, Scenario, Task
from eigen_oracle.user import answer

STOP = "###STOP###"
HELLO = Message(speaker="agent", text="Hello. How can I help you?")
OPENED = (HELLO, Message(speaker="user", text="My phone is slow."))
BAR, MODE = Action("check_status_bar", {}, "user"), Action("toggle_airplane_mode", {}, "user")
GRANT = Action("grant_app_permission", {"app_name": "messaging", "permission": "sms"}, "user")
GRANT_STORAGE = Action("grant_app_permission", {"app_name": "messaging", "permission": "storage"}, "user")


@pytest.fixture
def task(telecom: Stage) -> Task:
    scenario = Scenario(
        "plain",
        "You want a fast phone.",
        known=(Fact("phone_number", "555-100-2000"), Fact("full_name", "Ada Moss")),
        goals=(Goal("slow", "My phone is slow.", (Fact("location", "at home", "I'm at home."),)),),
    )
    agents = Action("get_details_by_id", {"id": "L1"})
    return replace(telecom.tasks[0], scenario=scenario, gold=(agents, BAR, MODE, agents, GRANT), imported={})


def heard(telecom: Stage, task: Task, *view: Message | str) -> Completion:
    """Return the user's answer; texts are the agent's."""
    said = tuple(Message(speaker="agent", text=one) if isinstance(one, str) else one for one in view)
    return answer(UserInputs(telecom.context.domain, task.scenario, said, STOP, task), task).completion


def calls(completion: Completion) -> list[str]:
    return [f"{call.name} {call.arguments}" for call in completion.tool_calls]


def made(action: Action, content: str = "Done.", *, error: bool = False) -> tuple[Message, Message]:
    call = ToolCall(f"u{action.name}", "user", action.name, "{}", action.arguments)
    result = ToolResult(call.id, "user", action.name, content, error)
    return Message(speaker="user", tool_calls=(call,)), Message(speaker="environment", result=result)


@pytest.mark.parametrize("view", [(), (HELLO,)])
def test_it_opens_with_wishes_and_facts_whoever_speaks_first(
    telecom: Stage, task: Task, view: tuple[Message, ...]
) -> None:
    assert heard(telecom, task, *view).text == (
        "My phone is slow. My number is 555-100-2000. My name is Ada Moss. I'm at home."
    )


def test_a_scenario_that_speaks_to_the_user_is_turned_around(telecom: Stage, task: Task) -> None:
    scenario = Scenario(
        "", "You cannot send pictures. You want your phone fixed.", known=(Fact("known_info", "You are Ada Moss."),)
    )
    imported = replace(task, scenario=scenario, imported={"task": {}})
    assert heard(telecom, imported).text == "I cannot send pictures. I want my phone fixed. I am Ada Moss."
    told = replace(imported, scenario=Scenario("", "", instructions="You want to pay your bill."))
    assert heard(telecom, told).text == "I want to pay my bill."
    assert heard(telecom, replace(imported, scenario=Scenario("", ""))).text == "Hello, I need some help."


def test_it_makes_the_gold_calls_it_is_asked_for_in_one_turn(telecom: Stage, task: Task) -> None:
    both = "Could you please check the status bar, and then toggle your airplane mode?"
    assert calls(heard(telecom, task, *OPENED, both)) == ["check_status_bar {}", "toggle_airplane_mode {}"]
    assert calls(heard(telecom, task, *OPENED, "Please toggle airplane mode.")) == ["toggle_airplane_mode {}"]


def test_arguments_are_golds_and_a_call_is_made_once(telecom: Stage, task: Task) -> None:
    ask = "Please grant the app permission."
    two = replace(task, gold=(GRANT, GRANT_STORAGE))
    assert calls(heard(telecom, two, *OPENED, ask)) == [
        'grant_app_permission {"app_name":"messaging","permission":"sms"}'
    ]
    assert calls(heard(telecom, two, *OPENED, f"{ask} And grant app permission again.")) == [
        'grant_app_permission {"app_name":"messaging","permission":"sms"}',
        'grant_app_permission {"app_name":"messaging","permission":"storage"}',
    ]
    after = (*OPENED, ask, *made(GRANT), Message(speaker="user", text="Done."))
    assert calls(heard(telecom, two, *after, ask)) == [
        'grant_app_permission {"app_name":"messaging","permission":"storage"}'
    ]


def test_what_gold_does_not_hold_is_not_done(telecom: Stage, task: Task) -> None:
    for words in ("Please reboot your device.", "Please toggle the data saver mode.", "Could you toggle data?"):
        assert heard(telecom, task, *OPENED, words).tool_calls == ()


def test_it_reports_in_words(telecom: Stage, task: Task) -> None:
    view = (*OPENED, "Please toggle airplane mode.", *made(MODE, "Airplane mode is now OFF.\nAll is well."))
    assert heard(telecom, task, *view).text == "All right, done. Airplane mode is now OFF. All is well."
    failed = (*OPENED, "Please toggle airplane mode.", *made(MODE, "Error: stuck", error=True))
    assert heard(telecom, task, *failed).text == "All right, done. That did not work: Error: stuck"
    long = heard(telecom, task, *OPENED, "Please check the status bar.", *made(BAR, "x" * 999)).text
    assert long.count("x") == 300


@pytest.mark.parametrize(
    "question",
    [
        "I would now add 2 GB. Shall I go ahead?",
        "Do you confirm? (yes/no)",
        "Is that okay with you?",
        "May I suspend it?",
    ],
)
def test_it_agrees_to_what_is_laid_out(telecom: Stage, task: Task, question: str) -> None:
    assert heard(telecom, task, *OPENED, question).text == "Yes, please go ahead."


def test_it_ends_when_its_calls_are_done_and_nothing_else_is_wanted(telecom: Stage, task: Task) -> None:
    more = "Is there anything else I can help you with?"
    assert heard(telecom, task, *OPENED, more).text == "No, that is not settled yet. My phone is slow."
    done = (*made(BAR), *made(MODE), *made(GRANT), Message(speaker="user", text="Done."))
    assert heard(telecom, task, *OPENED, "Please do it.", *done, more).text == (
        f"No, that is all. Thank you for your help! {STOP}"
    )
    nothing = replace(task, gold=())
    assert heard(telecom, nothing, *OPENED, f"Your bill is paid. {more}").text.endswith(STOP)
    assert STOP not in heard(telecom, nothing, *OPENED, "Your bill is paid.").text


@pytest.mark.parametrize(
    "words",
    [
        "I'm sorry, I cannot help with that.",
        "I am unable to process this.",
        "I have transferred you to a human agent.",
        "I must decline.",
    ],
)
def test_it_gives_up_on_an_agent_that_lets_it_down(telecom: Stage, task: Task, words: str) -> None:
    completion = heard(telecom, task, *OPENED, words)
    assert (completion.text, completion.tool_calls) == (
        f"I see. Then I will try again another time. Goodbye. {STOP}",
        (),
    )


def test_it_gives_up_after_three_turns_that_get_nowhere(telecom: Stage, task: Task) -> None:
    wait = (Message(speaker="agent", text="One moment."), Message(speaker="user", text="Okay, I'll wait."))
    assert heard(telecom, task, *OPENED, *wait, "One moment.").text == "Okay, I'll wait."
    assert heard(telecom, task, *OPENED, *wait, *wait, "One moment.").text.endswith(STOP)
    # A new question is progress, the same one again is not.
    asked = (Message(speaker="agent", text="What is your name?"), Message(speaker="user", text="Ada Moss."))
    assert STOP not in heard(telecom, task, *OPENED, *wait, *wait, *asked, "One moment.").text
    assert heard(telecom, task, *OPENED, *asked, *asked, *asked, "What is your name?").text.endswith(STOP)


def test_a_turn_of_several_messages_is_one_turn(telecom: Stage, task: Task) -> None:
    assert heard(telecom, task, *OPENED, "Let me see.", "One moment.", "Looking.", "Still looking.").text == (
        "Okay, I'll wait."
    )


def test_questions_are_answered_with_what_it_knows(telecom: Stage, task: Task) -> None:
    assert heard(telecom, task, *OPENED, "What is your number?").text == (
        "My number is 555-100-2000. My name is Ada Moss. I'm at home."
    )
    ignorant = replace(task, scenario=Scenario("plain", "You call.", goals=(Goal("slow", "It is slow."),)))
    assert heard(telecom, ignorant, *OPENED, "What is your number?").text == "Okay, I'll wait."
