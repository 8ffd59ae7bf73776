from __future__ import annotations

from bank import bases, make_context, toolbox

__all__ = ["bases", "make_context", "toolbox"]
