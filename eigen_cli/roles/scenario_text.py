"""A scenario in words: what a simulated customer is told of its part, and what a judge reads of it afterwards."""

from __future__ import annotations

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain
from eigen_cli.api.tasks import Fact, Goal, Scenario


def scenario_values(domain: Domain, scenario: Scenario) -> dict[str, str]:
    """Return a scenario's parts as the user's prompt names them."""
    return {
        "persona": scenario.persona,
        "reason": scenario.reason,
        "goals": "\n".join(_goal_text(domain, place, goal) for place, goal in enumerate(scenario.goals, 1))
        or scenario.reason,
        "facts": "\n".join(f"- {fact_text(domain, fact)}" for fact in scenario.known) or "- nothing in particular",
        "unknown": ", ".join(label_of(domain, name) for name in scenario.unknown) or "anything that is not listed here",
        "instructions": f"\nHow you decide: {scenario.instructions}\n" if scenario.instructions else "",
    }


def scenario_text(domain: Domain, scenario: Scenario) -> str:
    """Return a scenario as one text."""
    values = scenario_values(domain, scenario)
    return (
        f"{values['persona']}\n{values['reason']}\n\nWishes, in this order:\n{values['goals']}\n\n"
        f"Knows besides:\n{values['facts']}\nDoes not know: {values['unknown']}\n{values['instructions']}"
    ).strip()


def fact_text(domain: Domain, fact: Fact) -> str:
    """Return a fact as a prompt lists it: quoted as the customer would put it, bracketed as the records have it.

    The brackets are left out where the quotation says the same.
    """
    value = fact.value if isinstance(fact.value, str) else canonical_json(fact.value).decode()
    said = f'"{fact.text}"' if fact.text else ""
    exact = "" if said and value.lower() in fact.text.lower() else f"[{value}]"
    return f"{label_of(domain, fact.name)}: {said}{' ' if said and exact else ''}{exact}"


def label_of(domain: Domain, name: str) -> str:
    """Return what a kind of fact is called."""
    return next((kind.label for kind in domain.fact_kinds if kind.name == name), name.replace("_", " "))


def _goal_text(domain: Domain, place: int, goal: Goal) -> str:
    facts = "".join(f"\n   - {fact_text(domain, fact)}" for fact in goal.facts)
    return f'{place}. "{goal.request}"{facts}'
