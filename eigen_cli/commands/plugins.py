"""`eigen plugins`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from eigen_cli.commands.generation_views import SCHEMA
from eigen_cli.commands.options import common_options, json_option
from eigen_cli.console import Console, aligned
from eigen_cli.run.plugins import InstalledPlugin, PluginIndex, incompatibility, load_plugins


@click.command()
@json_option
@common_options
@click.pass_obj
def plugins(console: Console, as_json: bool) -> None:
    """List the installed plugins, broken ones too.

    Nothing is imported but each plugin's hooks. A kind and name that two packages claim is an error.

    Example: eigen plugins
    """
    index = load_plugins()
    if as_json:
        console.json(_index_json(index))
    else:
        for text in _index_text(index):
            console.data(text)
    index.refuse_duplicates()


def _index_json(index: PluginIndex) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "plugins": [_plugin_json(plugin) for plugin in index.plugins],
        "duplicates": [_plugin_json(plugin) for plugin in index.duplicates],
        "incompatible": [
            {**_plugin_json(plugin), "reason": incompatibility(plugin.spec)} for plugin in index.incompatible
        ],
        "broken": [asdict(broken) for broken in index.broken],
    }


def _plugin_json(plugin: InstalledPlugin) -> dict[str, Any]:
    return {**asdict(plugin.spec), "distribution": plugin.distribution}


def _index_text(index: PluginIndex) -> Iterator[str]:
    rows = [(item.spec.kind, item.spec.name, item.distribution, item.spec.summary) for item in index.plugins]
    yield aligned(rows, header=("kind", "name", "package", "summary"))
    for plugin in index.duplicates:
        yield f"duplicate: {plugin.spec.kind} {plugin.spec.name} of {plugin.distribution}"
    for plugin in index.incompatible:
        why = incompatibility(plugin.spec)
        yield f"incompatible: {plugin.spec.kind} {plugin.spec.name} of {plugin.distribution} {why}"
    for broken in index.broken:
        yield f"broken: {broken.entry_point} of {broken.distribution}: {broken.reason}"
