"""`eigen push`."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import click

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.errors import GateError
from eigen_cli.api.releases import FINDING_KINDS
from eigen_cli.commands.generation_views import SIMULATED
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import configured, open_hub, open_store
from eigen_cli.console import Console

if TYPE_CHECKING:
    from eigen_cli.api.generations import Generation
    from eigen_cli.api.releases import Pushed, Release
    from eigen_cli.api.store import Store
    from eigen_cli.commands.push_assembly import Staged

Gating = Literal["auto", "manual"]


@click.command()
@click.argument("names", metavar="[GEN] USER/DATASET", nargs=-1, required=True)
@click.option("--tag", metavar="NAME", help="Name of the release on the Hub (default: the generation's id).")
@click.option("--private", is_flag=True, help="Make the dataset private; refuse one that is public already.")
@click.option("--gated", type=click.Choice(["auto", "manual"]), help="Let people in on request, at once or by hand.")
@click.option("--license", "license_", default="other", metavar="ID", help="Licence for the card (default other).")
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(FINDING_KINDS),
    help="Push although this kind of secret or personal data was found; repeatable.",
)
@click.option("--allow-offline", is_flag=True, help="Push simulated dialogues all the same.")
@click.option("--dry-run", is_flag=True, help="Show what would be pushed and what was found; ask the Hub nothing.")
@json_option
@registry_option
@common_options
@click.pass_obj
def push(
    console: Console,
    /,
    names: tuple[str, ...],
    *,
    tag: str | None,
    private: bool,
    gated: str | None,
    license_: str,
    allow: tuple[str, ...],
    allow_offline: bool,
    dry_run: bool,
    as_json: bool,
    registry: str | None,
) -> None:
    """Push a generation to the Hugging Face Hub.

    Samples, records and a card go to a dataset there as one commit and one tag. GEN is an id (gen-0001), a hash or a
    prefix of one, or a tag; the latest if left out. The token is that of
    HF_TOKEN, or of `hf auth login`. Every row is looked through for secrets and personal data before. Pushing again
    changes nothing.

    Example: eigen push gen-0003 acme/airline-agents --private
    """
    from eigen_cli.api.releases import ReleaseTerms, RepoSettings
    from eigen_cli.commands.push_assembly import released_as, repo_named, stage, tag_named
    from eigen_cli.commands.push_views import push_json, release_text

    if len(names) > 2:
        raise click.UsageError(f"there are {len(names)} names, where a generation and a dataset are meant")
    repo = repo_named(names[-1])
    config = configured({"registry": ("--registry", registry)})
    store, hub = open_store(config.registry), open_hub()
    generation = store.generation(names[0] if len(names) == 2 else "latest")
    terms = ReleaseTerms(
        repo=repo,
        tag=tag_named(tag or generation.id),
        license=license_,
        parent_tag=released_as(store.listing(), repo, generation.body.parent),
    )
    _label(console, generation, allowed=allow_offline or dry_run)
    with tempfile.TemporaryDirectory(prefix="pushing-", dir=store.folder) as place:
        folder = Path(place) / "release"
        folder.mkdir()
        staged = stage(console, hub, store, generation, terms=terms, folder=folder, config=config)
        held_back = _held_back(console, staged, allow)
        pushed = None
        if not dry_run and not held_back:
            console.progress(f"{generation.id}: pushing")
            pushed = hub.push(staged.release, RepoSettings(private=private, gated=cast("Gating | None", gated)))
            _remember(store, staged.release, pushed)
    if as_json:
        console.json(push_json(staged.release, staged.findings, dry_run=dry_run, pushed=pushed))
    elif pushed is None:
        console.data(release_text(staged.release))
        if not staged.findings:
            console.note("no secret and no personal data found; nothing was sent")
    else:
        _say(console, staged.release, pushed)
    if held_back:
        raise GateError(
            f"nothing was pushed: {held_back} in what was to be pushed",
            hint="mend the generation's sources, or name each kind that may go with --allow KIND",
        )
    _label(console, generation, allowed=allow_offline, again=True)


def _label(console: Console, generation: Generation, *, allowed: bool, again: bool = False) -> None:
    """Say that a generation is simulated; raise `GateError` where it may not be pushed."""
    if not generation.body.simulated:
        return
    if not allowed:
        raise GateError(
            f"{generation.id} is {SIMULATED}", hint="--allow-offline pushes it all the same, to try things out"
        )
    if not again:
        console.warn(f"{generation.id} is {SIMULATED}")


def _held_back(console: Console, staged: Staged, allowed: tuple[str, ...]) -> str:
    """Say what was found, and return what of it holds the push back."""
    from eigen_cli.commands.push_views import counted, finding_lines

    for line in finding_lines(staged.findings):
        console.warn(line)
    return counted([finding for finding in staged.findings if finding.kind not in allowed])


def _remember(store: Store, release: Release, pushed: Pushed) -> None:
    from eigen_cli.api.browsing import Push

    terms, hash_ = release.terms, release.manifest.hash
    known = {(past.hash, past.repo, past.tag, past.commit) for past in store.listing().pushes}
    if (hash_, terms.repo, terms.tag, pushed.commit) not in known:
        store.note_push(Push(hash_, terms.repo, terms.tag, pushed.commit, pushed_at=time.time()))


def _say(console: Console, release: Release, pushed: Pushed) -> None:
    terms = release.terms
    done = "pushed to" if pushed.fresh else "was pushed before to"
    console.data(f"{release.manifest.generation} {done} {terms.repo}, tag {terms.tag}, commit {pushed.commit[:SHORT]}")
    console.note(f'load it: load_dataset("{terms.repo}", "{next(iter(release.configs))}", revision="{terms.tag}")')
