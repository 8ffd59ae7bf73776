"""The oracle user: says all it knows at once, does what gold says it does when told to, and ends when that is done.

It acts on nothing but the agent's words, keeps nothing between requests, and gives up on an agent that gets nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from eigen_cli.api.backend import Reply
from eigen_cli.api.domain import Domain
from eigen_cli.api.inputs import UserInputs
from eigen_cli.api.messages import Message
from eigen_cli.api.tasks import Action, Task
from eigen_oracle import cues
from eigen_oracle.replies import calling, saying
from eigen_oracle.wording import in_first_person, spoken_fact

PATIENCE = 3
"""Agent messages in a row without progress after which the user gives up."""
_REPORTED = 300
"""Characters of what a tool returned that the user reads out."""
_HELLO = "Hello, I need some help."
_YES = "Yes, please go ahead."
_WAITS = "Okay, I'll wait."
_THANKS = "No, that is all. Thank you for your help!"
_GIVES_UP = "I see. Then I will try again another time. Goodbye."
_NOT_YET = "No, that is not settled yet."
_DONE = ("Done.", "Okay, I did that.", "All right, done.")


def answer(inputs: UserInputs, task: Task) -> Reply:
    """Return the user's next turn: words, or the calls it was asked for."""
    view, domain = inputs.conversation, inputs.domain
    own = [message for message in view if message.speaker == "user"]
    if not own:
        return saying(" ".join(filter(None, [*_wishes(task), *_facts(domain, task)])) or _HELLO)
    if view[-1].result is not None:
        return saying(_report(view, number=len(own)))
    heard, left = _heard(view), _left(task, own)
    asked = _asked_of(left, cues.tools_named(heard[-1], domain))
    if asked:
        return calling(asked, number=len(own))
    if cues.offers_more(heard[-1]) and not left:
        return saying(f"{_THANKS} {inputs.stop_token}")
    if cues.asks_for_a_yes(heard[-1]):
        return saying(_YES)
    if cues.lets_down(heard[-1]) or _idle(heard) >= PATIENCE:
        return saying(f"{_GIVES_UP} {inputs.stop_token}")
    if cues.offers_more(heard[-1]):
        return saying(" ".join([_NOT_YET, *_wishes(task)]))
    return saying(" ".join(_facts(domain, task)) or _WAITS if "?" in heard[-1] else _WAITS)


def _wishes(task: Task) -> list[str]:
    """Return what the user wants, in its own words; scenarios of other formats speak to the user instead."""
    scenario = task.scenario
    if scenario.goals and not task.imported:
        return [goal.request for goal in scenario.goals]
    told = [goal.request for goal in scenario.goals] or [scenario.reason or scenario.instructions]
    return [in_first_person(text) for text in told]


def _facts(domain: Domain, task: Task) -> list[str]:
    facts = [spoken_fact(domain, fact) for fact in task.scenario.facts()]
    return [in_first_person(fact) for fact in facts] if task.imported else facts


def _heard(view: Sequence[Message]) -> list[str]:
    """Return what the agent said each time it had the word since the user last called a tool; never empty."""
    turns: list[list[str]] = [[]]
    for message in view:
        if message.speaker == "user":
            turns = [[]] if message.tool_calls else [*turns, []]
        elif message.speaker == "agent":
            turns[-1].append(message.text)
    return [" ".join(texts) for texts in turns]


def _idle(heard: Sequence[str]) -> int:
    """Return how many of the last turns in a row asked nothing, or nothing that had not been asked before."""
    idle = 0
    for place, text in enumerate(heard):
        asks = "?" in text and not cues.offers_more(text) and text not in heard[:place]
        idle = 0 if asks else idle + 1
    return idle


def _left(task: Task, own: Sequence[Message]) -> list[Action]:
    """Return the user's gold calls that it has not made yet."""
    left = [action for action in task.gold if action.requestor == "user"]
    for call in (call for message in own for call in message.tool_calls):
        action = Action(call.name, call.arguments or {}, "user")
        if action in left:
            left.remove(action)
    return left


def _asked_of(left: Sequence[Action], named: Sequence[str]) -> list[Action]:
    """Return, for each tool named, the next call of it that is left."""
    waiting, asked = list(left), []
    for name in named:
        action = next((action for action in waiting if action.name == name), None)
        if action is not None:
            waiting.remove(action)
            asked.append(action)
    return asked


def _report(view: Sequence[Message], *, number: int) -> str:
    """Return in words what the calls just made brought."""
    last = max(place for place, message in enumerate(view) if message.tool_calls)
    said = [_DONE[number % len(_DONE)]]
    for result in (message.result for message in view[last:] if message.result is not None):
        content = " ".join(result.content.split())[:_REPORTED]
        said.append(f"That did not work: {content}" if result.error else content)
    return " ".join(said)
