"""What is fixed for every world."""

from __future__ import annotations

import datetime

NOW = datetime.datetime(2024, 9, 3, 10, 0, 0)
"""The time of every world, Eastern. No clause turns on it: orders carry no dates, as in tau2-bench."""
