"""tau2's own evaluators. Their module of results names pandas in one signature, and no evaluator makes a table.

Where pandas is missing, an empty module stands in while they are imported, and is gone afterwards.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

pytest.importorskip("tau2")

_MISSING = importlib.util.find_spec("pandas") is None
if _MISSING:
    sys.modules["pandas"] = ModuleType("pandas")
    sys.modules["pandas"].DataFrame = object  # type: ignore[attr-defined]

from tau2.evaluator.evaluator_action import ActionEvaluator  # noqa: E402 - after the stand-in
from tau2.evaluator.evaluator_communicate import CommunicateEvaluator  # noqa: E402 - after the stand-in
from tau2.evaluator.evaluator_env import EnvironmentEvaluator  # noqa: E402 - after the stand-in

if _MISSING:
    del sys.modules["pandas"]

__all__ = ["ActionEvaluator", "CommunicateEvaluator", "EnvironmentEvaluator"]
