"""Profiles: what the simulated actors get wrong, and how often. Rates are fixed; nothing here knows a round."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.verdicts import REJECTION_REASONS

AGENT_FAULTS: tuple[str, ...] = (
    "skips_confirmation",
    "wrong_argument",
    "claims_without_write",
    "extra_write",
    "policy_breach",
    "unknown_tool",
    "misspelt_argument",
    "forgets_figure",
    "misstates_figure",
    "gives_up",
)
"""What an agent may do wrong, each at most once a goal. Rates are per goal that offers the occasion."""

USER_FAULTS: tuple[str, ...] = ("invents_fact", "contradicts_fact", "stops_early", "changes_goal")
"""What a user may do wrong; rates are per episode."""

DEFECTS: tuple[str, ...] = (
    "gold_error",
    "missing_fact",
    "policy_breach",
    "null_policy_passes",
    "missing_positive_check",
    "near_duplicate",
    "invalid_output",
)
"""Defects a synthesizer may plant, named as the rejection reason that should catch them; rates are per proposal."""

SKILLS: Mapping[str, Mapping[str, float]] = {
    "perfect": {},
    "competent": {
        "skips_confirmation": 0.06,
        "wrong_argument": 0.09,
        "claims_without_write": 0.06,
        "extra_write": 0.04,
        "policy_breach": 0.20,
        "unknown_tool": 0.04,
        "misspelt_argument": 0.05,
        "forgets_figure": 0.08,
        "misstates_figure": 0.05,
        "gives_up": 0.06,
    },
    "weak": {
        "skips_confirmation": 0.25,
        "wrong_argument": 0.25,
        "claims_without_write": 0.15,
        "extra_write": 0.12,
        "policy_breach": 0.60,
        "unknown_tool": 0.15,
        "misspelt_argument": 0.15,
        "forgets_figure": 0.25,
        "misstates_figure": 0.15,
        "gives_up": 0.15,
    },
}
USERS: Mapping[str, Mapping[str, float]] = {
    "faithful": {},
    "ordinary": dict.fromkeys(USER_FAULTS, 0.03),
    "erratic": dict.fromkeys(USER_FAULTS, 0.15),
}
SYNTHESIZERS: Mapping[str, Mapping[str, float]] = {
    "none": {},
    "ordinary": {
        "gold_error": 0.07,
        "missing_fact": 0.08,
        "policy_breach": 0.30,
        "null_policy_passes": 0.05,
        "missing_positive_check": 0.25,
        "near_duplicate": 0.25,
        "invalid_output": 0.04,
    },
    "sloppy": {
        "gold_error": 0.2,
        "missing_fact": 0.2,
        "policy_breach": 0.6,
        "null_policy_passes": 0.15,
        "missing_positive_check": 0.5,
        "near_duplicate": 0.3,
        "invalid_output": 0.1,
    },
}


@dataclass(frozen=True)
class Profile:
    """One backend's actors. `deaf` names the reasons its reflector ignores (an ablation)."""

    skill: str
    user: str
    defects: str
    agent_rates: Mapping[str, float]
    user_rates: Mapping[str, float]
    defect_rates: Mapping[str, float]
    deaf: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The name under which content made by this profile is recorded."""
        deaf = f"-deaf:{'+'.join(self.deaf)}" if self.deaf else ""
        return f"offline/{self.skill}-{self.user}-{self.defects}{deaf}"


def profile_of(options: Mapping[str, Any]) -> Profile:
    """Return the profile that backend options name. Raises `ConfigError` for names that do not exist.

    `skill`, `user` and `defects` take a profile's name or `only:<fault>`, which makes that one fault certain.
    `deaf` takes reasons, as a list or separated by commas.
    """
    _known("option", options, ("skill", "user", "defects", "deaf"))
    skill = str(options.get("skill", "competent"))
    user = str(options.get("user", "ordinary"))
    defects = str(options.get("defects", "ordinary"))
    deaf = options.get("deaf", ())
    reasons = tuple(sorted({str(name).strip() for name in (deaf.split(",") if isinstance(deaf, str) else deaf)} - {""}))
    _known("deaf reason", reasons, REJECTION_REASONS)
    return Profile(
        skill=skill,
        user=user,
        defects=defects,
        agent_rates=_rates("skill", skill, profiles=SKILLS, faults=AGENT_FAULTS),
        user_rates=_rates("user", user, profiles=USERS, faults=USER_FAULTS),
        defect_rates=_rates("defects", defects, profiles=SYNTHESIZERS, faults=DEFECTS),
        deaf=reasons,
    )


def _rates(
    option: str, name: str, *, profiles: Mapping[str, Mapping[str, float]], faults: tuple[str, ...]
) -> Mapping[str, float]:
    kind, _, fault = name.partition(":")
    if kind == "only" and fault:
        _known(f"{option} fault", (fault,), faults)
        return {fault: 1.0}
    _known(option, (name,), tuple(profiles))
    return profiles[name]


def _known(what: str, names: Iterable[str], choices: tuple[str, ...]) -> None:
    for name in names:
        if name not in choices:
            close = difflib.get_close_matches(name, choices, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from: {', '.join(choices)}"
            raise ConfigError(f"the offline backend has no {what} {name!r}", hint=hint)
