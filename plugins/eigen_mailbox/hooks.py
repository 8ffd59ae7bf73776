"""Plugin hooks of the mailbox backend."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec


@hookimpl
def eigen_backends() -> Iterable[PluginSpec]:
    """Return the mailbox backend."""
    return (
        PluginSpec(
            kind="backend",
            name="mailbox",
            target="eigen_mailbox.backend:MailboxBackend",
            summary="Requests and answers as files in a folder, for any model or person that reads and writes files",
            options=("dir", "poll"),
        ),
    )
