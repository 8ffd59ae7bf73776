"""What each reason to reject a task means, in words that planner and reflector can act on."""

from __future__ import annotations

from collections.abc import Mapping

from eigen_cli.api.verdicts import RejectionReason

MEANINGS: Mapping[RejectionReason, str] = {
    "invalid_output": "no valid task: missing fields, unknown checks or clauses, checks with wrong arguments",
    "gold_error": "a gold action fails, or the gold does not pass the task's own checks",
    "gold_unstable": "the gold leads to another state when it is run again",
    "null_policy_passes": "an agent that does nothing, refuses, transfers, or leaves out a step earns the reward",
    "missing_positive_check": "the gold changes nothing, and no check or fact to be told proves that the agent worked",
    "policy_breach": "the gold breaks a clause",
    "missing_fact": "the gold needs a value that the customer cannot give and the agent cannot look up",
    "near_duplicate": "too much like another task: same words, same records or same steps",
    "benchmark_overlap": "it touches records reserved for tests",
    "ambiguous": "what the customer says fits more than what the gold takes, and nothing tells it apart",
    "contradiction": "the scenario contradicts itself, the records, or what the gold does",
}


def reasons_text() -> str:
    """Return the reasons as prompts list them."""
    return "\n".join(f"  - `{reason}`: {meaning}" for reason, meaning in MEANINGS.items())
