"""The simulated judge: reads no minds. It repeats what the findings name and leaves the rest undetermined."""

from __future__ import annotations

import re

from eigen_cli.api.backend import Request, SimulatedReply
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.inputs import JudgeInputs
from eigen_cli.api.outputs import JudgeOutput
from eigen_cli.api.verdicts import BlameParty
from eigen_offline.profiles import Profile
from eigen_offline.replies import replied

_SIGNS: tuple[tuple[BlameParty, re.Pattern[str]], ...] = (
    ("user", re.compile(r"\bthe (?:simulated )?(?:user|customer) (?:stated|said|stopped|ended|asked|changed)", re.I)),
    ("agent", re.compile(r"\b(?:the agent|missing|not (?:called|told|made)|lacks|wrong|never)\b", re.I)),
    ("task", re.compile(r"\b(?:contradict|impossible|ambiguous)", re.I)),
)


def answer(request: Request, profile: Profile) -> SimulatedReply:
    """Return the party a finding names in plain words, else `undetermined`."""
    inputs: JudgeInputs = request.inputs
    output = JudgeOutput(party="undetermined", reason="the conversation does not show it", evidence="")
    for finding in inputs.findings:
        party = next((party for party, sign in _SIGNS if sign.search(finding)), None)
        if party is not None:
            output = JudgeOutput(party=party, reason="a fault the findings name", evidence=finding)
            break
    text = canonical_json(output).decode()
    return replied(text, model=profile.identity)
