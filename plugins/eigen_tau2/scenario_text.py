"""A scenario as the simulated user of a bridged domain reads it, below the release's own rules."""

from __future__ import annotations

from collections.abc import Iterator

from eigen_cli.api.tasks import Fact, Scenario


def scenario_text(scenario: Scenario) -> str:
    """Return everything a scenario tells its user, under headings; what is empty is left out."""
    return "<scenario>\n" + "\n\n".join(f"{title}:\n{text}" for title, text in _parts(scenario)) + "\n</scenario>"


def _parts(scenario: Scenario) -> Iterator[tuple[str, str]]:
    reason = "\n".join(dict.fromkeys(part for part in (scenario.reason, *(g.request for g in scenario.goals)) if part))
    known = "\n".join(_said(fact) for fact in scenario.facts())
    parts = {
        "Persona": scenario.persona,
        "Why you are calling": reason,
        "What you know": known,
        "What you do not know": "\n".join(scenario.unknown),
        "Instructions": scenario.instructions,
    }
    return ((title, text.strip()) for title, text in parts.items() if text.strip())


def _said(fact: Fact) -> str:
    return fact.text or f"{fact.name.replace('_', ' ')}: {fact.value}"
