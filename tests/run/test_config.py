"""Settings and where they come from."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from eigen_cli.api.backend import ROLES
from eigen_cli.api.errors import ConfigError
from eigen_cli.run.config import KEYS, load_config, variable_name
from eigen_cli.run.prices import Price, known_prices
from eigen_cli.run.sections import Config


def config(
    tmp_path: Path,
    text: str = "",
    *,
    environ: dict[str, str] | None = None,
    flags: dict[str, tuple[str, Any]] | None = None,
) -> Config:
    (tmp_path / "eigen.toml").write_text(text)
    return load_config(folder=tmp_path, environ=environ or {}, flags=flags)


def source(found: Config, key: str) -> tuple[Any, str]:
    (setting,) = [setting for setting in found.settings if setting.key == key]
    return setting.value, setting.source


def test_without_any_layer_the_defaults_hold(tmp_path: Path) -> None:
    found = load_config(folder=tmp_path, environ={})
    assert (found.evolve.rounds, found.evolve.tasks, found.evolve.trials, found.evolve.plans) == (5, 40, 4, 4)
    assert found.registry == tmp_path / ".eigen"
    assert {role.backend for role in found.roles.values()} == {"offline"}
    assert tuple(found.roles) == ROLES
    assert {setting.source for setting in found.settings} == {"default"}


def test_a_later_layer_wins_and_each_value_knows_its_source(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        "registry = 'reg'\n\n[evolve]\nrounds = 2\ntasks = 10\ntrials = 3\n",
        environ={"EIGEN_EVOLVE_TASKS": "11", "EIGEN_EVOLVE_TRIALS": "5"},
        flags={"evolve.trials": ("--trials", 7), "evolve.seed": ("--seed", None)},
    )
    assert source(found, "registry") == ("reg", "eigen.toml:1")
    assert source(found, "evolve.rounds") == (2, "eigen.toml:4")
    assert source(found, "evolve.tasks") == (11, "EIGEN_EVOLVE_TASKS")
    assert source(found, "evolve.trials") == (7, "--trials")
    assert source(found, "evolve.seed") == (0, "default")
    assert (found.evolve.rounds, found.evolve.tasks, found.evolve.trials, found.evolve.seed) == (2, 11, 7, 0)


def test_the_registry_variable_of_the_issue_works(tmp_path: Path) -> None:
    assert variable_name("registry") == "EIGEN_REGISTRY"
    assert config(tmp_path, environ={"EIGEN_REGISTRY": "/somewhere"}).registry == Path("/somewhere")


def test_every_key_has_a_variable_of_its_own() -> None:
    assert len({variable_name(key) for key in KEYS}) == len(KEYS)


def test_a_role_may_have_its_own_backend(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        """
        [backend]
        name = "openai"
        base_url = "http://localhost:8000/v1"
        model = "big"
        timeout = 30

        [roles.agent]
        model = "small"

        [roles.user]
        backend = "offline"
        options = { skill = "poor" }
        """,
    )
    agent, user, judge = found.roles["agent"], found.roles["user"], found.roles["judge"]
    assert (agent.backend, agent.settings.model, agent.settings.base_url, agent.settings.timeout) == (
        "openai",
        "small",
        "http://localhost:8000/v1",
        30.0,
    )
    assert (user.backend, user.settings.base_url, user.settings.model) == ("offline", "", "")
    assert user.settings.options == {"skill": "poor"}
    assert (judge.backend, judge.settings.model) == ("openai", "big")
    assert source(found, "roles.agent.model") == ("small", "eigen.toml:9")
    assert source(found, "roles.judge.model") == ("big", "eigen.toml:5")


def test_a_backend_flag_holds_for_every_role(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        "[roles.agent]\nbackend = 'openai'\nmodel = 'small'\nbase_url = 'http://a/v1'",
        flags={"backend.name": ("--backend", "offline")},
    )
    assert {role.backend for role in found.roles.values()} == {"offline"}
    assert source(found, "roles.agent.backend") == ("offline", "--backend")


def test_concurrency_reaches_every_backend(tmp_path: Path) -> None:
    found = config(tmp_path, flags={"evolve.concurrency": ("--concurrency", 3)})
    assert {role.settings.concurrency for role in found.roles.values()} == {3}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[evolve]\n\nroundz = 3\n", "eigen.toml:3: unknown key `evolve.roundz`", "did you mean `rounds`?"),
        ("registri = 'x'\n", "eigen.toml:1: unknown key `registri`", "did you mean `registry`?"),
        ("\n[evolv]\nrounds = 3\n", "eigen.toml:3: unknown key `evolv.rounds`", "did you mean `evolve.rounds`?"),
        ("[roles.agnt]\nmodel = 'x'\n", "eigen.toml:2: unknown key `roles.agnt.model`", "`roles.agent.model`?"),
        ("[backend]\napi_key = 'sk'\n", "eigen.toml:2: unknown key `backend.api_key`", "did you mean `api_key_env`?"),
        ("[evolve]\nrounds = 0\n", "eigen.toml:2: `evolve.rounds` does not fit: Expected `int` >= 1", None),
        ("[evolve]\nrounds = '5'\n", "eigen.toml:2: `evolve.rounds` does not fit: Expected `int`, got `str`", None),
        ("evolve = 3\n", "eigen.toml:1: unknown key `evolve`", None),
        ("[evolve]\nrounds = = 3\n", "eigen.toml is not valid TOML: Invalid value (at line 2, column 10)", None),
        ("[extra]\n", "eigen.toml:1: unknown key `extra`", None),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, text)
    assert message in caught.value.message
    assert hint is None or hint in (caught.value.hint or "")


def test_a_wrong_variable_and_a_wrong_flag_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"EIGEN_EVOLVE_ROUNDS: `evolve\.rounds` does not fit"):
        config(tmp_path, environ={"EIGEN_EVOLVE_ROUNDS": "many"})
    with pytest.raises(ConfigError, match=r"--rounds: `evolve\.rounds` does not fit"):
        config(tmp_path, flags={"evolve.rounds": ("--rounds", 0)})


def test_an_unknown_variable_is_told_and_not_an_error(tmp_path: Path) -> None:
    found = config(tmp_path, environ={"EIGEN_EVOLVE_ROUND": "3", "EIGEN3_DIR": "/usr", "EIGEN_DIR": "/opt"})
    assert found.unknown_variables["EIGEN_EVOLVE_ROUND"] == "did you mean `EIGEN_EVOLVE_ROUNDS`?"
    assert set(found.unknown_variables) == {"EIGEN_EVOLVE_ROUND", "EIGEN_DIR"}


def test_switches_and_options_are_read_from_variables(tmp_path: Path) -> None:
    environ = {"EIGEN_EVOLVE_VALIDATION": "false", "EIGEN_ROLES_USER_OPTIONS": '{"stops_early": 0.5}'}
    found = config(tmp_path, environ=environ)
    assert found.evolve.validation is False
    assert found.roles["user"].settings.options == {"stops_early": 0.5}
    assert found.roles["agent"].settings.options == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 5000, "nested too deeply"),
        ("evolve.rounds = " + "9" * 5000, "not valid TOML"),
        ("[evolve]\nrounds = 1000000000", "`evolve.rounds` does not fit"),
        ("[backend]\ntimeout = inf", "`backend.timeout` does not fit"),
        ('registry = ""', "an empty name is none"),
        ('registry = "~nosuchuser/x"', "no home folder"),
    ],
)
def test_absurd_files_are_refused_in_a_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "eigen.toml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_config(folder=tmp_path, environ={})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("EIGEN_BACKEND_OPTIONS", "[" * 20_000, "nested too deeply|does not fit"),
        ("EIGEN_BACKEND_MODEL", "\udcff", "not text in UTF-8"),
        ("EIGEN_BACKEND_CONNECT_TIMEOUT", "inf", "does not fit"),
        ("EIGEN_REGISTRY", "~nosuchuser/x", "no home folder"),
    ],
)
def test_absurd_variables_are_refused_in_a_line(tmp_path: Path, name: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_config(folder=tmp_path, environ={name: value})


def test_a_byte_order_mark_and_a_pipe_are_told_apart_from_settings(tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_bytes(b"\xef\xbb\xbf[evolve]\nrounds = 2\n")
    assert load_config(folder=tmp_path, environ={}).evolve.rounds == 2
    (tmp_path / "eigen.toml").unlink()
    os.mkfifo(tmp_path / "eigen.toml")
    with pytest.raises(ConfigError, match="no ordinary file"):
        load_config(folder=tmp_path, environ={})


def test_temperatures_and_prices_are_by_role(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        """
        [backend]
        name = "openai"
        model = "gpt-4.1-2025-04-14"

        [roles.agent]
        model = "ours"
        temperature = 0.7

        [prices.ours]
        prompt = 0.1
        completion = 0.4
        """,
    )
    agent, user = found.roles["agent"], found.roles["user"]
    assert (agent.temperature, user.temperature) == (0.7, None)
    assert agent.price == Price(0.1, 0.4)
    assert user.price == known_prices()["gpt-4.1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[roles.agent]\ntemperature = 3\n", "`roles.agent.temperature` does not fit"),
        ("[prices.x]\nprompt = -1\ncompletion = 1\n", "`prices` does not fit"),
        ("[prices.x]\nprompt = 1\n", "`prices` does not fit"),
        ("[budget]\nusd = 0\n", "`budget.usd` does not fit"),
        ("[roles.agent]\nname = 'openai'\n", "unknown key `roles.agent.name`"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        config(tmp_path, text)


def test_budget_cache_and_cassette_are_off_until_set(tmp_path: Path) -> None:
    found = load_config(folder=tmp_path, environ={})
    assert (found.budget.usd, found.budget.tokens, found.cache, found.record) == (None, None, None, None)
    environ = {
        "EIGEN_BUDGET_USD": "1.5",
        "EIGEN_CACHE": "kept",
        "EIGEN_PRICES": '{"m": {"prompt": 1, "completion": 2}}',
    }
    found = load_config(folder=tmp_path, environ=environ, flags={"record": ("--record", "run.cassette")})
    assert (found.budget.usd, found.cache, found.record) == (1.5, tmp_path / "kept", tmp_path / "run.cassette")
