"""The options of `eigen export` that select, and the selection they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter
from eigen_cli.api.samples import SampleKind

if TYPE_CHECKING:
    from eigen_cli.training.selection import Selection

F = TypeVar("F", bound=Callable[..., Any])

_OF_DIALOGUES = ("passed", "blame_free", "best_of", "turns")
_OF_TASKS = ("split", "band", "no_write_cap", "per_domain", "limit")
_FITTING: Mapping[str, tuple[str, ...]] = {
    "agent_sft": (*_OF_DIALOGUES, *_OF_TASKS),
    "user_sft": (*_OF_DIALOGUES, *_OF_TASKS, "until_violation"),
    "rl_tasks": _OF_TASKS,
}
"""Which options select among the rows of a kind; episodes and plans are written as they are stored."""


class BandType(click.ParamType):  # type: ignore[type-arg]
    """`LOW:HIGH`: two pass rates in [0, 1]."""

    name = "band"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Read the two rates; they must be in order."""
        if isinstance(value, tuple):
            return value
        try:
            low, high = (float(part) for part in value.split(":"))
        except ValueError:
            self.fail(f"{value!r} is not LOW:HIGH, as in 0:1", param, ctx)
        if not 0 <= low < high <= 1:
            self.fail(f"{value!r} is no range of pass rates, which go from 0 to 1", param, ctx)
        return low, high


def selection_options(command: F) -> F:
    """Add the flags that select dialogues and tasks."""
    count = click.IntRange(min=1)
    options = (
        click.option(
            "--split",
            type=click.Choice(["train", "validation", "test", "all"]),
            help="Split to write (default train; all where the format is not for training).",
        ),
        click.option(
            "--passed/--all-outcomes",
            default=None,
            help="Only dialogues that passed (default for agent_sft), or failed ones too (default for user_sft).",
        ),
        click.option(
            "--blame-free/--any-blame",
            default=None,
            help="Only dialogues in which neither side was at fault (default for agent_sft of passed ones).",
        ),
        click.option("--best-of", type=count, metavar="K", help="The K best dialogues of each task (default all)."),
        click.option("--until-violation", is_flag=True, help="user_sft: keep what comes before a user's first fault."),
        click.option(
            "--turns",
            type=click.Choice(["whole", "each"]),
            help="One row a dialogue, or one a turn to learn (default whole).",
        ),
        click.option("--band", type=BandType(), metavar="LOW:HIGH", help="Tasks with a pass rate strictly between."),
        click.option(
            "--no-write-cap",
            type=click.FloatRange(0, 1),
            metavar="SHARE",
            help="Share of rows whose gold writes nothing, at most (default 0.2 for rl_tasks of train, else 1).",
        ),
        click.option("--per-domain", type=count, metavar="N", help="N dialogues or tasks of each domain at most."),
        click.option("--limit", type=count, metavar="N", help="N dialogues or tasks at most; hashes choose them."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def kind_of(exporter: Exporter, named: str | None) -> SampleKind:
    """Return what to write: the kind the user names, or the format's first; raises `ConfigError` for others."""
    if named is None:
        return exporter.kinds[0]
    for kind in exporter.kinds:
        if kind == named:
            return kind
    raise ConfigError(f"{exporter.name} does not hold {named}", hint=f"it holds {', '.join(exporter.kinds)}")


def is_training(exporter: Exporter, kind: SampleKind) -> bool:
    """Whether rows of a kind are written to be trained on."""
    return exporter.training and kind in _FITTING


def selection_of(exporter: Exporter, kind: SampleKind, flags: Mapping[str, Any]) -> Selection:
    """Return the selection that flags make; raises `ConfigError` for one that selects nothing of the kind."""
    from eigen_cli.training.selection import EVERYTHING, Selection

    given = {name: value for name, value in flags.items() if value is not None}
    if not given["until_violation"]:
        del given["until_violation"]
    for name in given:
        if name not in _FITTING.get(kind, ()):
            flag = "--all-outcomes" if given[name] is False and name == "passed" else f"--{name.replace('_', '-')}"
            hint = f"leave {flag} out" if kind in _FITTING else f"{kind} are written as they are stored"
            raise ConfigError(f"{flag} does not select among {kind}", hint=hint)
    usual = Selection(split="train") if is_training(exporter, kind) else EVERYTHING
    split = given.pop("split", usual.split)
    return replace(usual, split=None if split == "all" else split, **given)
