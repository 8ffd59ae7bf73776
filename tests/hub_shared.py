"""What tests of the Hub share."""

from __future__ import annotations

from collections.abc import Callable

from eigen_cli.api.releases import Release

Staging = Callable[..., Release]
"""The `staged` fixture: `staged(generation, repo="tester/agents", tag="gen-0001")`."""
