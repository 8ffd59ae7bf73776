"""What an export came to, on stderr and as JSON: what was selected, and what the format could not say."""

from __future__ import annotations

from typing import Any

from eigen_cli.commands.export_writing import Exported
from eigen_cli.commands.generation_views import SCHEMA, SIMULATED
from eigen_cli.commands.tables import ENDLESS
from eigen_cli.console import Console, fitted
from eigen_cli.training.selection import Tally


def say_exported(console: Console, done: Exported, tally: Tally) -> None:
    """Say how many rows were written, what was selected, and what was lost."""
    report = done.report
    where = "stdout" if done.output == "-" else done.output
    if not done.refused:
        console.note(f"{done.generation.id}: {report.rows} rows written to {where}")
    if tally.considered:
        console.note(f"selected {tally.text()}")
    if done.companion:
        console.note(f"{done.companion} belongs to it")
    if not report.losses:
        console.note("nothing lost")
        return
    digits = max(len("rows"), *(len(str(loss.rows)) for loss in report.losses))
    facts = [("rows".rjust(digits), f"what {done.format} cannot say")]
    for loss in report.losses:
        facts.append((f"{loss.rows:>{digits}}  {'dropped' if loss.dropped else 'written'}", loss.what))
    console.note(fitted(facts, console.width(ENDLESS)))
    if report.dropped:
        console.warn(f"{report.dropped} rows dropped that {done.format} cannot hold")


def exported_json(done: Exported, tally: Tally) -> dict[str, Any]:
    """Return an export as `eigen export --json` prints it."""
    generation, report = done.generation, done.report
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "generation": generation.id,
        "hash": generation.hash,
        "simulated": generation.body.simulated,
        "format": done.format,
        "kind": done.kind,
        "file": None if done.refused else done.output,
        "companion": done.companion or None,
        "rows": 0 if done.refused else report.rows,
        "selected": tally.selected,
        "left_out": dict(sorted(tally.left_out.items())),
        "losses": [{"what": loss.what, "rows": loss.rows, "dropped": loss.dropped} for loss in report.losses],
    }
    if generation.body.simulated:
        found["notice"] = SIMULATED
    return found
