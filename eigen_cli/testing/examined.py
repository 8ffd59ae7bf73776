"""A domain under examination, and what an examination says of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from eigen_cli.api.domain import Domain, ScenarioTemplate
from eigen_cli.api.verifier import Verifier
from eigen_cli.roles.context import RoleContext
from eigen_cli.testing.drafted import DraftedTask, contract_context, tasks_of_template
from eigen_cli.testing.tool_trials import ToolTrials

_DRAFTS = 3
"""Drafts taken of every template."""


@dataclass(frozen=True)
class Finding:
    """One clause of the contract, what of the domain it looked at, and every breach found.

    `advice` breaks nothing: it says what a domain does without, and what that costs.
    """

    contract: str
    looked_at: str
    breaches: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Advice:
    """What an examination yields for something that is allowed and yet worth knowing."""

    text: str


Remark = str | Advice
"""What examinations yield: a breach as text, or advice; the last text is what they looked at."""


class ExaminedDomain:
    """A domain under examination, and what several clauses of the contract need of it."""

    def __init__(self, domain: Domain, verifiers: dict[str, Verifier], *, seed: int) -> None:
        self.domain = domain
        self.verifiers = verifiers
        self.seed = seed

    @cached_property
    def context(self) -> RoleContext:
        """The domain's tools, worlds and templates; where it brings no templates, those that exploring gives."""
        return contract_context(self.domain, self.verifiers, seed=self.seed)

    @property
    def explored(self) -> bool:
        """Whether the templates are exploration's."""
        return not self.domain.templates

    @cached_property
    def drafts(self) -> dict[str, tuple[DraftedTask, ...] | Exception]:
        """A few tasks of every template, or what the template raised."""
        return {name: self._drafts(template) for name, template in self.context.templates.items()}

    @property
    def drafted(self) -> tuple[DraftedTask, ...]:
        """The tasks of all templates that raised nothing."""
        return tuple(item for items in self.drafts.values() if not isinstance(items, Exception) for item in items)

    @cached_property
    def trials(self) -> ToolTrials:
        """Every tool, called with arguments that exploring finds."""
        return ToolTrials.of(self.context)

    @property
    def agent_tools(self) -> frozenset[str]:
        """Names of the agent's tools."""
        return frozenset(self.context.toolbox.tools["agent"])

    def _drafts(self, template: ScenarioTemplate) -> tuple[DraftedTask, ...] | Exception:
        try:
            return tuple(tasks_of_template(self.context, template, each=_DRAFTS))
        except Exception as error:  # a plugin's bug is a finding, not the end of the examination
            return error


def raised(error: Exception) -> str:
    """Return an exception as findings name it."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
