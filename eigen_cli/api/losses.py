"""Counting what a format cannot say, row by row, for an exporter's report."""

from __future__ import annotations

from collections import Counter

from eigen_cli.api.exporter import ExportReport, Loss


class Losses:
    """The losses of one export: in words, and of how many rows each is true."""

    def __init__(self) -> None:
        self._kept: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()

    def note(self, what: str) -> None:
        """Count a row that is written without something; call it once a row and loss."""
        self._kept[what] += 1

    def drop(self, why: str) -> None:
        """Count a row that is not written."""
        self._dropped[why] += 1

    def report(self, rows: int) -> ExportReport:
        """Return the report: first why rows were dropped, then what the written ones lack, most rows first."""
        dropped = (Loss(why, count, dropped=True) for why, count in self._dropped.most_common())
        return ExportReport(rows, (*dropped, *(Loss(what, count) for what, count in self._kept.most_common())))
