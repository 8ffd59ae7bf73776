"""The telecom dialogue procedures for simulated actors: what a good agent does, intent by intent.

A simulated customer also needs to know which of its own tools an instruction asks for: `eigen_telecom.phone_steps`.
"""

from __future__ import annotations

from eigen_cli.api.playbook import Hand, Intent, Playbook
from eigen_telecom import playbook_lines as lines
from eigen_telecom import playbook_payments as payments
from eigen_telecom import playbook_repairs as repairs
from eigen_telecom.phone_steps import PHONE_STEPS
from eigen_telecom.playbook_common import greeted

_LINE = r"(?:line|number|phone)"

PLAYBOOK = Playbook(
    opening=greeted,
    # Of intents with equally many matches the earlier one wins: the more particular ones stand first.
    intents=(
        Intent(
            "other_line",
            (
                r"\b(?:someone|somebody) else'?s\b|\bisn'?t on my account\b|\bformer flatmate|\bnot (?:my|mine)\b",
                r"\b(?:else's|flatmate's|isn't on)\b",
                rf"\b(?:suspend|hold)\b[^.?!]*\b{_LINE}\b",
            ),
            lines.other_line,
        ),
        Intent(
            "picture_messages",
            (
                r"\b(?:picture|photo|mms|pictures|photos)\b",
                r"\b(?:send|sending)\b[^.?!]*\b(?:pictures?|photos?|mms)\b",
                r"\bmessag\w+",
            ),
            repairs.picture_messages,
        ),
        Intent(
            "roaming_on",
            (
                r"\b(?:travel\w*|going|trip)\b[^.?!]*\babroad\b|\broaming\b[^.?!]*\btrip\b",
                r"\bmay roam\b|\bneed roaming\b",
                r"\babroad\b|\btrip\b",
            ),
            lines.roaming_on,
        ),
        Intent(
            "roaming_off",
            (
                r"\broaming\b[^.?!]*\b(?:off|disabled?|blocked)\b|\b(?:disable|block|switch|turn)\b[^.?!]*\broaming\b",
                r"\broaming\b",
            ),
            lines.roaming_off,
        ),
        Intent(
            "pay_early",
            (
                r"\b(?:early|before it'?s due|right away)\b",
                r"\bpay\b[^.?!]*\b(?:newest|latest)\b|\bpayment request\b",
                r"\bthat came this month\b[^.?!]*$",
            ),
            payments.pay_early,
        ),
        Intent(
            "bill_total",
            (
                r"\b(?:how much|total|what do i owe)\b[^.?!]*\bbill\b",
                r"\b(?:total|owe)\b",
                r"\bhow much is\b",
            ),
            payments.bill_total,
        ),
        Intent(
            "pay_bill",
            (
                r"\b(?:overdue|missed|reminder)\b",
                r"\b(?:pay|settle)\b[^.?!]*\b(?:bill|it)\b",
                r"\bbill\b",
            ),
            payments.pay_bill,
        ),
        Intent(
            "data_left",
            (
                r"\b(?:how much|how many)\b[^.?!]*\b(?:data|gigabytes|allowance)\b",
                r"\b(?:left|allowance|can still use)\b",
            ),
            lines.data_left,
        ),
        Intent(
            "buy_data",
            (
                r"\b(?:buy|add|top)\b[^.?!]*\b(?:data|it up)\b",
                r"\b(?:extra|more) data\b|\brunning low\b",
            ),
            lines.buy_data,
        ),
        Intent(
            "mobile_data",
            (
                r"\b(?:mobile data|internet|pages)\b",
                r"\b(?:slow|speed|fast|load)\b",
                r"\b(?:data|internet)\b[^.?!]*\b(?:work\w*|wrong|back)\b",
            ),
            repairs.mobile_data,
        ),
        Intent(
            "no_service",
            (
                r"\bno (?:service|signal)\b",
                r"\b(?:service|signal|calls)\b",
                r"\bcan'?t make calls\b",
            ),
            repairs.no_service,
        ),
        Intent(
            "resume_line",
            (
                r"\b(?:reactivate|resume|want it back|switch my line on)\b",
                r"\b(?:had|was)\b[^.?!]*\bsuspended\b|\bsuspended number\b",
                r"\bback from\b",
            ),
            lines.resume_line,
        ),
        Intent(
            "suspend_line",
            (
                rf"\b(?:suspend\w*|on hold|pause)\b[^.?!]*\b(?:{_LINE}|while|time being)\b",
                r"\b(?:suspend(?:ed)?|on hold)\b",
                r"\bfor (?:a while|the time being)\b",
            ),
            lines.suspend_line,
        ),
        Intent(
            "out_of_scope",
            (
                r"\b(?:chang\w+)\b[^.?!]*\b(?:account|contract|plan|address)\b",
                r"\b(?:contract|another plan|postal address)\b|\bsomething changed\b|\bmake a change\b",
                r"\b(?:speak|talk) to (?:a |an |some)?(?:human|person|manager|supervisor|someone)\b",
            ),
            lines.out_of_scope,
        ),
    ),
    hands=tuple(Hand(step.cue, step.tool, tuple(step.arguments.items())) for step in PHONE_STEPS.values()),
)
