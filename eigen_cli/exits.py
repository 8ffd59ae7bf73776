"""Exit codes, and which error ends the program with which."""

from __future__ import annotations

from enum import IntEnum

from eigen_cli.api import errors


class ExitCode(IntEnum):
    """What the shell sees (design: section 8)."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    """A flag, a setting or a name is wrong: nothing was attempted."""
    UNREACHABLE = 3
    """A backend, the Hub or a trainer did not answer."""
    GATE = 4
    """A gate was not met: trials are missing, a budget is used up, or simulated dialogues would be training data."""
    INTERRUPTED = 130


# Looked up along the error's method resolution order, so the most specific class decides.
_CODES: dict[type[BaseException], ExitCode] = {
    errors.ConfigError: ExitCode.USAGE,
    errors.PluginError: ExitCode.USAGE,
    errors.UnknownRefError: ExitCode.USAGE,
    errors.TagNameError: ExitCode.USAGE,
    errors.BackendUnreachableError: ExitCode.UNREACHABLE,
    errors.HubError: ExitCode.UNREACHABLE,
    errors.HubRefusalError: ExitCode.FAILED,
    errors.BudgetReachedError: ExitCode.GATE,
    errors.GateError: ExitCode.GATE,
    KeyboardInterrupt: ExitCode.INTERRUPTED,
}


def exit_code(error: BaseException) -> ExitCode:
    """Return the exit code of an error; whatever has none of its own is a failed operation."""
    return next((_CODES[cls] for cls in type(error).__mro__ if cls in _CODES), ExitCode.FAILED)
