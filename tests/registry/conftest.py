"""Lets the tests here import their own modules, `registry_samples` and `registry_processes`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
