"""The backend where its library is not installed, as in the development environment."""

from __future__ import annotations

import sys

import pytest

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.errors import ConfigError
from eigen_llamacpp.backend import LocalBackend


def test_it_plays_the_agent_alone_unless_told_otherwise() -> None:
    assert LocalBackend.roles == {"agent"}


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "llama_cpp", raising=False)
    with pytest.raises(ConfigError, match="llama-cpp-python, which is not installed") as failure:
        LocalBackend(BackendSettings())
    assert failure.value.hint == "pip install 'eigen-cli[local]'"
