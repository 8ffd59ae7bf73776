"""What a push is put together from: where it goes, the staged release, and what of its personal data is invented."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eigen_cli.api.browsing import Listing
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import ConfigError, EigenError
from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import Finding, Hub, Release, ReleaseTerms
from eigen_cli.api.store import Store
from eigen_cli.api.tasks import Task
from eigen_cli.commands.push_rows import write_rows
from eigen_cli.commands.wiring import load_domain
from eigen_cli.console import Console
from eigen_cli.run.plugins import PluginIndex
from eigen_cli.run.sections import Config
from eigen_cli.world.toolbox import Toolbox

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_REPO = re.compile(rf"{_NAME}/{_NAME}")
_TAG = re.compile(_NAME)
_BRANCH = "main"


class Staged(NamedTuple):
    """A release in a folder, and what was found in it."""

    release: Release
    findings: Sequence[Finding]


def repo_named(text: str) -> str:
    """Return `user/dataset`; raise `ConfigError` for what cannot be one."""
    if not _REPO.fullmatch(text) or "--" in text or ".." in text:
        raise ConfigError(f"{text!r} is no dataset of the Hub", hint="write user/dataset or organisation/dataset")
    return text


def tag_named(text: str) -> str:
    """Return a tag; raise `ConfigError` for what cannot be one."""
    if not _TAG.fullmatch(text) or text == _BRANCH or ".." in text or text.endswith((".", ".lock")):
        raise ConfigError(f"{text!r} cannot be a tag", hint="use letters, digits, dots and dashes; gen-0003, say")
    return text


def released_as(listing: Listing, repo: str, hash_: str | None) -> str:
    """Return the tag under which a generation was last pushed to a dataset, or an empty text."""
    tags = [push.tag for push in listing.pushes if (push.repo, push.hash) == (repo, hash_)]
    return tags[-1] if tags else ""


def stage(
    console: Console,
    hub: Hub,
    store: Store,
    generation: Generation,
    *,
    terms: ReleaseTerms,
    folder: Path,
    config: Config,
) -> Staged:
    """Write everything that is to be pushed below a folder, look through all of it, and describe it."""
    from eigen_cli.run.plugins import load_plugins

    index = load_plugins()
    console.progress(f"{generation.id}: writing its records")
    hub.write_generation(store, generation.hash, folder)
    console.progress(f"{generation.id}: writing its samples")
    write_rows(store, generation, index, folder)
    console.progress(f"{generation.id}: looking for secrets and personal data")
    known = invented_texts(console, store, generation, index=index, config=config)
    findings = list(hub.findings(folder, known=known, environ=os.environ))
    return Staged(hub.release(generation, terms, folder), findings)


def invented_texts(
    console: Console, store: Store, generation: Generation, *, index: PluginIndex, config: Config
) -> Iterator[str]:
    """Yield texts whose personal data belongs to nobody: scenarios, patches, and the worlds they stand in.

    Worlds are generated anew, and streamed. A domain that is not installed has none, which is said.
    """
    worlds = set()
    for task in _tasks(store, generation):
        worlds.add((task.domain, task.world))
        yield canonical_json(task.scenario).decode()
        yield from (canonical_json(patch).decode() for patch in task.patch)
    domains: dict[str, Domain | None] = {}
    for name, ref in sorted(worlds, key=repr):
        if name not in domains:
            domains[name] = _installed(console, name, index=index, config=config)
            yield from _own_words(domains[name])
        domain = domains[name]
        if domain is not None:
            yield from (canonical_json(record).decode() for record in domain.generate(seed=ref.seed, size=ref.size))


def _tasks(store: Store, generation: Generation) -> Iterator[Task]:
    yield from store.tasks(generation.hash)
    yield from (proposal.task for proposal in store.rejected(generation.hash) if proposal.task is not None)


def _installed(console: Console, name: str, *, index: PluginIndex, config: Config) -> Domain | None:
    try:
        return load_domain(index, name, config)
    except EigenError as error:
        console.warn(f"the domain {name} is not here ({error.message}): its generated names count as somebody's own")
        return None


def _own_words(domain: Domain | None) -> Iterator[str]:
    """Yield what a domain's author wrote into every prompt."""
    if domain is not None:
        yield domain.preamble()
        yield from (clause.text for clause in domain.clauses)
        tools = Toolbox(domain).tools
        yield from (canonical_json(tool.definition()).decode() for side in tools.values() for tool in side.values())
