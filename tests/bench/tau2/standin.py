"""What tau2-bench imports to reach a model, with a script in the model's place.

tau2's own agent, user simulator and orchestrator run unchanged down to the one call that would go over the network,
`litellm.completion`; that returns the next line of the script. pandas, which tau2's data models only name in an
annotation, is stood in for where it is not installed.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import deque
from collections.abc import Iterable
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple


class Line(NamedTuple):
    """One completion: whose it is, what is said, and the calls (name, arguments as JSON)."""

    side: str
    text: str
    calls: tuple[tuple[str, str], ...]


class Script:
    """The model: it answers with its lines in order, at once."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque()

    def begin(self, lines: Iterable[Line]) -> None:
        """Turn to another episode."""
        self._lines = deque(lines)

    def completion(self, *, model: str, **_request: Any) -> _Response:
        """Answer as litellm would; `model` is the side that asks. Raises `RuntimeError` out of turn."""
        line = self._lines.popleft()
        if line.side != model:
            raise RuntimeError(f"the {model} was asked where the script has the {line.side}")
        calls = [
            SimpleNamespace(id=f"call_{len(self._lines)}_{place}", function=SimpleNamespace(name=name, arguments=raw))
            for place, (name, raw) in enumerate(line.calls)
        ]
        message = SimpleNamespace(role="assistant", content=line.text or None, tool_calls=calls)
        return _Response(model, [_Choice(message)])


class _Choice:
    finish_reason = "stop"

    def __init__(self, message: SimpleNamespace) -> None:
        self.message = message

    def to_dict(self) -> dict[str, Any]:
        return {"finish_reason": self.finish_reason}


class _Response:
    usage = SimpleNamespace(completion_tokens=1, prompt_tokens=1)

    def __init__(self, model: str, choices: list[_Choice]) -> None:
        self.model, self.choices = model, choices

    def get(self, name: str) -> Any:
        """Return an attribute, as litellm's responses do."""
        return getattr(self, name)


def installed(script: Script) -> None:
    """Make tau2 importable with the script as its model; call it before tau2 is imported."""
    parts: dict[str, dict[str, Any]] = {
        "litellm": {
            "completion": script.completion,
            "completion_cost": lambda completion_response: 0.0,
            "disable_cache": lambda: None,
        },
        "litellm.caching": {},
        "litellm.caching.caching": {"Cache": object},
        "litellm.main": {"ModelResponse": object, "Usage": object},
    }
    if importlib.util.find_spec("pandas") is None:
        parts["pandas"] = {"DataFrame": object}
    for name, contents in parts.items():
        module = ModuleType(name)
        vars(module).update(contents)
        sys.modules[name] = module
