"""`eigen doctor`: what works, what is set, and by whom; never a secret."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Eigen
from commands_shared import Evolved
from third_party import install

from eigen_cli.run.plugins import load_plugins
from eigen_cli.testing.openai_server import OpenAIServer, serving


def report(eigen: Eigen, *arguments: object, code: int = 0) -> dict[str, Any]:
    done = eigen("doctor", "--json", *arguments)
    assert done.code == code
    found: dict[str, Any] = json.loads(done.out)
    assert found["schema"] == 1
    return found


def checks(found: dict[str, Any], name: str) -> list[tuple[str, str]]:
    return [(check["status"], check["detail"]) for check in found["checks"] if check["name"] == name]


def test_a_sound_installation_passes(eigen: Eigen, evolved: Evolved) -> None:
    found = report(eigen, "--registry", evolved.folder)
    assert {check["status"] for check in found["checks"]} == {"ok"}
    assert checks(found, "registry") == [("ok", f"{evolved.folder}: 2 generations")]
    assert checks(found, "plugins") == [("ok", f"{len(load_plugins().plugins)} usable")]
    assert f"on Python {sys.version_info.major}.{sys.version_info.minor}" in checks(found, "eigen")[0][1]
    assert checks(found, "backend offline")[0][1].endswith("SIMULATED")
    text = eigen("doctor", "--registry", evolved.folder)
    assert text.code == 0
    assert f"     ok  registry: {evolved.folder}: 2 generations\n" in text.out


def test_settings_carry_their_source(eigen: Eigen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eigen.toml").write_text("[evolve]\ntasks = 9\n\n[roles.user]\noptions = { user = 'faithful' }\n")
    monkeypatch.setenv("EIGEN_EVOLVE_SEED", "7")
    settings = {item["key"]: (item["value"], item["source"]) for item in report(eigen)["settings"]}
    assert settings["evolve.tasks"] == (9, "eigen.toml:2")
    assert settings["evolve.seed"] == (7, "EIGEN_EVOLVE_SEED")
    assert settings["evolve.rounds"] == (5, "default")
    assert settings["roles.user.options"] == ({"user": "set"}, "eigen.toml:5")
    assert settings["roles.planner+synthesizer+task_verifier+agent+judge+reflector.backend"] == ("offline", "default")


def test_keys_are_only_ever_set_or_not_set(eigen: Eigen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eigen.toml").write_text("[backend]\napi_key_env = 'MY_SERVER_KEY'\n")
    assert checks(report(eigen), "key") == [("ok", "MY_SERVER_KEY is not set")]
    monkeypatch.setenv("MY_SERVER_KEY", "sk-verysecret")
    assert checks(report(eigen), "key") == [("ok", "MY_SERVER_KEY is set")]
    for arguments in (("doctor",), ("doctor", "--json")):
        done = eigen(*arguments)
        assert "verysecret" not in done.out + done.err


def test_a_broken_plugin_is_a_warning_with_its_reason(eigen: Eigen, library: Path) -> None:
    install(library, "eigen-broken", groups={"eigen": {"broken": "broken_hooks"}}, modules={"broken_hooks": "1 / 0"})
    assert checks(report(eigen), "plugins")[1] == (
        "warning",
        "broken of eigen-broken is broken: ZeroDivisionError: division by zero",
    )


def test_an_unknown_variable_is_a_warning(eigen: Eigen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EIGEN_EVOLVE_TASK", "3")
    assert checks(report(eigen), "environment") == [
        ("warning", "EIGEN_EVOLVE_TASK is no setting; did you mean `EIGEN_EVOLVE_TASKS`?")
    ]


def test_a_registry_that_cannot_be_read_fails(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "registry.duckdb").write_bytes(b"not a database at all" * 999)
    (status, detail), *_ = checks(report(eigen, "--registry", tmp_path / "bad", code=1), "registry")
    assert status == "failed"
    assert "registry.duckdb" in detail


def test_a_model_server_is_asked_and_its_silence_is_exit_3(
    eigen: Eigen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = "[backend]\nname = 'openai'\nmodel = 'm'\nconnect_timeout = 2\nbase_url = '{url}'\n"
    with serving(OpenAIServer()) as url:
        (tmp_path / "eigen.toml").write_text(settings.format(url=url))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret")
        assert checks(report(eigen), "backend openai") == [("ok", "openai/m")]
    found = report(eigen, code=3)
    assert checks(found, "backend openai")[0][0] == "failed"
    assert checks(found, "registry")[0][0] == "ok"


def test_an_invalid_file_is_one_line(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text("[evolve\n")
    done = eigen("doctor")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("eigen: error: eigen.toml is not valid TOML: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_a_warning(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert checks(report(eigen, "--registry", tmp_path / "locked"), "registry")[0][0] == "warning"
