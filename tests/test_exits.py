"""Exit codes: every error of the family has one, and they are the design's."""

from __future__ import annotations

import pytest

from eigen_cli.api import errors
from eigen_cli.exits import ExitCode, exit_code


def test_the_codes_are_the_designs() -> None:
    assert [(code.name, int(code)) for code in ExitCode] == [
        ("DONE", 0),
        ("FAILED", 1),
        ("USAGE", 2),
        ("UNREACHABLE", 3),
        ("GATE", 4),
        ("INTERRUPTED", 130),
    ]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.EigenError("x"), ExitCode.FAILED),
        (errors.ConfigError("x"), ExitCode.USAGE),
        (errors.PluginError("x"), ExitCode.USAGE),
        (errors.UnknownRefError("x"), ExitCode.USAGE),
        (errors.RegistryError("x"), ExitCode.FAILED),
        (errors.BackendError("x"), ExitCode.FAILED),
        (errors.BackendUnreachableError("x"), ExitCode.UNREACHABLE),
        (errors.HubError("x"), ExitCode.UNREACHABLE),
        (errors.GateError("x"), ExitCode.GATE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (ValueError("x"), ExitCode.FAILED),
    ],
)
def test_an_error_has_its_code(error: BaseException, code: ExitCode) -> None:
    assert exit_code(error) is code
