"""First sentences of customers, several an intent; a synthesizer may reword them."""

from __future__ import annotations

from eigen_cli.api.tasks import Fact, Goal
from eigen_telecom.templates.drafting import Scene

_REQUESTS: dict[str, tuple[str, ...]] = {
    "no_service": (
        "My phone has had no service for hours and I need it back.",
        "I can't make calls, my phone shows no signal at all.",
        "There is no service on my phone. Can you help me?",
        "My phone says no service wherever I go. Please get it working again.",
    ),
    "mobile_data": (
        "My mobile data isn't working properly, it's either dead or terribly slow.",
        "The internet on my phone hardly works. I want it at full speed again.",
        "Pages won't load on my phone. Can you get my mobile data working, and fast?",
        "Something is wrong with my mobile internet and I'd like it back at full speed.",
    ),
    "picture_messages": (
        "I can't send picture messages anymore.",
        "My phone won't send photos by MMS. Can you help?",
        "Sending an MMS with a picture fails every time, please help me fix it.",
        "The messaging app refuses to send pictures and I'd like that fixed.",
    ),
    "pay_bill": (
        "I think I missed a bill and I'd like to pay it.",
        "I got a reminder for an overdue bill. Can I pay it now?",
        "I want to settle my overdue bill, please.",
    ),
    "pay_early": (
        "I'd like to pay my latest bill right away, before it's due.",
        "Can you send me a payment request for the bill that came this month?",
        "I want to pay my newest bill early.",
    ),
    "suspend_line": (
        "I'd like to have my line suspended for a while.",
        "Can you put my phone line on hold?",
        "Please suspend my number for the time being.",
    ),
    "resume_line": (
        "I had my line suspended and I want it back.",
        "Please reactivate my suspended number.",
        "I'm back from my time away, can you switch my line on again?",
    ),
    "roaming_on": (
        "I'm travelling abroad next week and want to be able to use my data there.",
        "I need roaming on my line for a trip.",
        "Can you make sure my number may roam? I'm going abroad soon.",
    ),
    "roaming_off": (
        "Please switch roaming off for my line, I don't want to use it.",
        "I want roaming disabled on my number.",
        "Can you block roaming on my line?",
    ),
    "buy_data": (
        "I'd like to buy some extra data for this month.",
        "Can I add more data to my line?",
        "I'm running low on data and would like to top it up.",
    ),
    "data_left": (
        "How much data do I have left this month?",
        "Can you tell me how much of my data allowance is left?",
        "I'd like to know how many gigabytes I can still use this month.",
    ),
    "bill_total": (
        "How much is my latest bill?",
        "Can you tell me the total of my newest bill?",
        "What do I owe on the bill that came this month?",
    ),
    "other_line": (
        "I want you to suspend someone else's line.",
        "Please put a number on hold that isn't on my account.",
        "Can you suspend my former flatmate's number?",
    ),
    "out_of_scope": (
        "I need something changed on my account.",
        "There is something about my contract I'd like to change.",
        "I'd like to make a change to my account, please.",
    ),
}


def goal(scene: Scene, intent: str, *facts: Fact) -> Goal:
    """Return a goal worded for its intent."""
    return Goal(intent, scene.pick(_REQUESTS[intent]), facts)
