"""What a reflector writes about each failure: instructions to task authors, and criteria for judges."""

from __future__ import annotations

from collections.abc import Mapping

AGAINST: Mapping[str, str] = {
    "invalid_output": (
        "Answer with one complete JSON object and nothing after it; check that every bracket is closed and that each "
        "clause and check you name exists."
    ),
    "gold_error": (
        "Copy ids, dates and amounts of the gold actions character by character from the ground truth; never retype "
        "them from memory, and change no argument that has been executed."
    ),
    "gold_unstable": (
        "Use only gold actions whose effect is the same every time; avoid arguments that depend on earlier runs."
    ),
    "null_policy_passes": (
        "Keep every writing action of the ground truth in the gold, so that an agent that does nothing, refuses or "
        "leaves out one write cannot end in the same state."
    ),
    "missing_positive_check": (
        "When the right outcome changes nothing, keep the checks and the facts to be told: they prove that the agent "
        "looked the case up and explained the refusal."
    ),
    "policy_breach": (
        "Read the clauses that decide the case before writing the gold: if one forbids what the customer wants, the "
        "gold is the refusal, however reasonable the request sounds."
    ),
    "missing_fact": (
        "Put every value the agent must hear from the customer into the known facts or the goal's facts; go through "
        "the gold arguments one by one and ask who tells the agent each of them."
    ),
    "near_duplicate": (
        "Vary who calls and why: give each customer a trade, a mood and a moment of their own, and word the request "
        "afresh instead of reusing a stock sentence."
    ),
    "ambiguous": ("Let the customer name what tells the wanted record apart from the others its request would fit."),
    "contradiction": "Word the scenario by the records and by what the gold does, and by nothing else.",
    "benchmark_overlap": ("Draw other records: leave every user and reservation of the benchmark's test tasks alone."),
}

BLAME_CRITERIA: Mapping[str, str] = {
    "agent": "Agents often fail here by {what}: compare what was asked, what was laid out and what was called.",
    "user": "Simulated customers often fail here by {what}: hold each of their statements against the scenario.",
    "task": "Tasks often fail here by {what}: check that the gold can be reached with what the customer can tell.",
    "undetermined": "Causes often stay open here: look for the first message after which the gold was out of reach.",
}
