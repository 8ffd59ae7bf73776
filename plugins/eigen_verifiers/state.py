"""`state`: the final world equals the gold world, as outcomes are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.record import Record, to_json
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier
from eigen_cli.api.world import WorldView

_MOST = 6


class StateVerifier(Verifier):
    """Scores 1 when the outcome hash equals that of the replayed gold, else 0 with the differences."""

    name = "state"
    version = "1"

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Compare outcomes; see `Verifier.verify`."""
        del task
        gold, final = replayer.gold_world(), episode.final
        if final.outcome_hash() == gold.outcome_hash():
            return Part(self.name, self.version, 1.0)
        evidence = tuple(line for _, line in zip(range(_MOST), _differences(gold, final), strict=False))
        return Part(self.name, self.version, 0.0, evidence or ("the outcomes differ",))


def _differences(gold: WorldView, final: WorldView) -> Iterator[str]:
    wanted, got = gold.touched(), final.touched()
    for table in sorted({*wanted, *got}):
        gold_rows, final_rows = wanted.get(table, {}), got.get(table, {})
        for key in sorted({*gold_rows, *final_rows}):
            if key not in final_rows:
                yield f"{table} {key}: should have been changed and was not"
            elif key not in gold_rows:
                yield f"{table} {key}: should not have been changed"
            elif gold_rows[key] != final_rows[key]:
                yield f"{table} {key}: {_fields(gold_rows[key], final_rows[key])}"


def _written(value: Any) -> str:
    """Return a field's value as tools would show it."""
    return canonical_json(to_json(value)).decode()


def _fields(gold: Record | None, final: Record | None) -> str:
    if gold is None or final is None:
        return "should have been removed" if gold is None else "should not have been removed"
    differing = [
        f"{name} is {_written(getattr(final, name))}, not {_written(getattr(gold, name))}"
        for name in gold.__struct_fields__
        if getattr(gold, name) != getattr(final, name)
    ]
    return "; ".join(text if len(text) <= 160 else f"{text[:157]}..." for text in differing)
