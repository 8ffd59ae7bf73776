"""Counting losses: drops first, then what is missing from most rows."""

from __future__ import annotations

from eigen_cli.api.exporter import ExportReport, Loss
from eigen_cli.api.losses import Losses


def test_a_report_lists_drops_and_then_losses_most_rows_first() -> None:
    losses = Losses()
    for what in ("greeting", "reasoning", "reasoning"):
        losses.note(what)
    for why in ("picture", "arguments", "arguments"):
        losses.drop(why)
    report = losses.report(7)
    assert report == ExportReport(
        7,
        (
            Loss("arguments", 2, dropped=True),
            Loss("picture", 1, dropped=True),
            Loss("reasoning", 2),
            Loss("greeting", 1),
        ),
    )
    assert report.dropped == 3


def test_without_losses_there_is_nothing_to_report() -> None:
    assert Losses().report(2) == ExportReport(2)
