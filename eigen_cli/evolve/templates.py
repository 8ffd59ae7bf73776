"""The templates a run draws from: the domain's own, or those exploration finds for a domain without any."""

from __future__ import annotations

from collections.abc import Mapping

from eigen_cli.api.domain import Domain, ScenarioTemplate
from eigen_cli.world.explore import explored_templates
from eigen_cli.world.toolbox import Toolbox


def templates_of(domain: Domain, toolbox: Toolbox) -> Mapping[str, ScenarioTemplate]:
    """Return templates by name."""
    templates = domain.templates or explored_templates(domain, toolbox)
    return {template.name: template for template in templates}
