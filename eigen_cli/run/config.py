"""Settings from `eigen.toml`, `EIGEN_*` variables and flags, each layer over the one before it.

A variable's name is its key in capitals: `evolve.rounds` is `EIGEN_EVOLVE_ROUNDS`. The outcome remembers which layer
set each value, so that an error and `eigen doctor` can name it. Keys themselves are never settings: `api_key_env`
names the variable that holds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from eigen_cli.api.backend import ROLES, BackendSettings, RoleName
from eigen_cli.api.errors import ConfigError
from eigen_cli.nearest import nearest_hint
from eigen_cli.run.prices import Price, price_of
from eigen_cli.run.sections import BackendSection, BudgetSection, Config, EvolveSection, RoleBackend, Setting

FILE_NAME = "eigen.toml"
PREFIX = "EIGEN_"
DOMAIN_OPTIONS = ("tau2_data", "tau2_tasks")
"""Top-level settings that are handed to domains: `tau2_data` is a folder with tau2-bench's data, `tau2_tasks` a file of
tasks in its form, to use instead of the official ones."""
DEFAULT = "default"
"""The source of a value that nothing set."""

_Layer = dict[str, tuple[Any, str]]
"""Dotted key → (raw value, source)."""


def load_config(
    *, folder: Path, environ: Mapping[str, str], flags: Mapping[str, tuple[str, Any]] | None = None
) -> Config:
    """Return the effective settings for a working folder.

    `flags` maps a key to the flag's spelling and its value; flags of `backend.*` hold for every role. Raises
    `ConfigError` naming the file and line, the variable or the flag, for an unknown key (with the nearest one) or a
    value that does not fit.
    """
    variables, unknown = _environment_layer(environ)
    given = {key: (value, flag) for key, (flag, value) in (flags or {}).items() if value is not None}
    layers = [_file_layer(folder / FILE_NAME), variables, given]
    for layer in layers:
        for key, (raw, source) in layer.items():
            layer[key] = (_converted(key, raw, source), source)
    evolve = {name: _effective(layers, f"evolve.{name}") for name in _fields(EvolveSection)}
    budget = {name: _effective(layers, f"budget.{name}") for name in _fields(BudgetSection)}
    prices, cache, record = (_effective(layers, key) for key in ("prices", "cache", "record"))
    registry = _effective(layers, "registry")
    options = [_effective(layers, name) for name in DOMAIN_OPTIONS]
    roles = {role: _role_settings(layers, role) for role in ROLES}
    section = EvolveSection(**{name: setting.value for name, setting in evolve.items()})
    return Config(
        registry=folder / _registry_path(registry),
        evolve=section,
        roles={
            role: _role_backend(
                role,
                settings,
                concurrency=section.concurrency,
                prices=prices.value,
                named=_names_backend(layers, role),
            )
            for role, settings in roles.items()
        },
        budget=BudgetSection(**{name: setting.value for name, setting in budget.items()}),
        cache=folder / Path(cache.value).expanduser() if cache.value else None,
        record=folder / Path(record.value).expanduser() if record.value else None,
        domain_options={setting.key: setting.value for setting in options if setting.value},
        settings=(
            registry,
            *options,
            *evolve.values(),
            *budget.values(),
            prices,
            cache,
            record,
            *(setting for role in ROLES for setting in roles[role].values()),
        ),
        unknown_variables=unknown,
    )


def _registry_path(setting: Setting) -> Path:
    if not setting.value.strip():
        raise ConfigError(f"{setting.source}: the registry needs a folder; an empty name is none")
    try:
        return Path(setting.value).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{setting.source}: there is no home folder for {setting.value!r}") from error


def variable_name(key: str) -> str:
    """Return the environment variable of a key."""
    return PREFIX + key.replace(".", "_").upper()


def _fields(section: type[msgspec.Struct]) -> dict[str, Any]:
    return {
        item.name: item.default if item.default is not msgspec.NODEFAULT else {}
        for item in msgspec.structs.fields(section)
    }


def _known_keys() -> dict[str, Any]:
    """Return every key and the type of its value."""
    evolve = get_type_hints(EvolveSection, include_extras=True)
    budget = get_type_hints(BudgetSection, include_extras=True)
    backend = get_type_hints(BackendSection, include_extras=True)
    roles = {_role_key(role, name): annotation for role in ROLES for name, annotation in backend.items()}
    return {
        "registry": str,
        **dict.fromkeys(DOMAIN_OPTIONS, str),
        **{f"evolve.{name}": annotation for name, annotation in evolve.items()},
        **{f"budget.{name}": annotation for name, annotation in budget.items()},
        "prices": dict[str, Price],
        "cache": str,
        "record": str,
        **{f"backend.{name}": annotation for name, annotation in backend.items()},
        **roles,
    }


def _role_key(role: str, name: str) -> str:
    """Return the key of a role's own setting: `backend` names its backend there, as `name` does in `[backend]`."""
    return f"roles.{role}.{'backend' if name == 'name' else name}"


KEYS: Mapping[str, Any] = _known_keys()
DEFAULTS: Mapping[str, Any] = {
    "registry": ".eigen",
    **dict.fromkeys(DOMAIN_OPTIONS, ""),
    **{f"evolve.{name}": value for name, value in _fields(EvolveSection).items()},
    **{f"budget.{name}": value for name, value in _fields(BudgetSection).items()},
    "prices": {},
    "cache": "",
    "record": "",
    **{f"backend.{name}": value for name, value in _fields(BackendSection).items()},
}


def _file_layer(path: Path) -> _Layer:
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path.name} is no ordinary file", hint=f"remove or replace {path}")
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} cannot be read: {error}") from error
    import tomllib

    try:
        document = tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(f"{path.name} is nested too deeply", hint=f"correct {path}") from error
    except ValueError as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise ConfigError(f"{path.name} is not valid TOML: {error}", hint=f"correct {path}") from error
    layer: _Layer = {}
    for key, value in _leaves(document, ""):
        source = f"{path.name}:{_line_of(key, text)}"
        if key not in KEYS:
            raise ConfigError(f"{source}: unknown key `{key}`", hint=_key_hint(key))
        layer[key] = (value, source)
    return layer


def _leaves(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        is_section = any(known.startswith(f"{key}.") for known in KEYS)
        if isinstance(value, dict) and (is_section or key not in KEYS):
            # An unknown section without keys of its own must not pass unseen.
            yield from _leaves(value, f"{key}.") if value or is_section else iter([(key, value)])
        else:
            yield key, value


def _key_hint(key: str) -> str | None:
    section, _, name = key.rpartition(".")
    siblings = {known.rpartition(".")[2]: known for known in KEYS if known.rpartition(".")[0] == section}
    return nearest_hint(name, siblings) if siblings else nearest_hint(key, KEYS)


def _line_of(key: str, text: str) -> int:
    """Return the line a key of a valid TOML text stands on; the first line where it is spelt in an unusual way."""
    section, _, name = key.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\s*([\w.\-\"' ]+?)\s*\]", line):
            current = header[1].replace('"', "").replace("'", "").replace(" ", "")
            if current == key:
                return number
        elif (assigned := re.match(r"\s*([\w.\-\"']+)\s*=", line)) is not None:
            spelt = ".".join(part for part in (current, assigned[1].replace('"', "").replace("'", "")) if part)
            if spelt in (key, section) or (current == section and assigned[1] == name):
                return number
    return 1


def _environment_layer(environ: Mapping[str, str]) -> tuple[_Layer, dict[str, str]]:
    keys = {variable_name(key): key for key in KEYS}
    layer: _Layer = {keys[name]: (value, name) for name, value in environ.items() if name in keys and value}
    unknown = {
        name: nearest_hint(name.upper(), keys) or ""
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in keys
    }
    return layer, unknown


def _converted(key: str, raw: Any, source: str) -> Any:
    annotation = KEYS[key]
    try:
        if source.startswith(PREFIX) and key.endswith((".options", ".verifiers", "prices")):
            raw = msgspec.json.decode(raw)
        # Variables are text: "5" is a number where a number belongs. In the file "5" is a mistake.
        if isinstance(raw, str):
            raw.encode()  # bytes of the environment that are no text arrive as half characters
        return msgspec.convert(raw, annotation, strict=not source.startswith(PREFIX))
    except UnicodeEncodeError as error:
        raise ConfigError(f"{source}: `{key}` is not text in UTF-8") from error
    except RecursionError as error:
        raise ConfigError(f"{source}: `{key}` is nested too deeply") from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{source}: `{key}` does not fit: {error}".replace(" - at `$`", "")) from error


def _effective(layers: list[_Layer], *keys: str) -> Setting:
    """Return the value of the first key: a later layer wins, and within a layer the earlier of `keys`."""
    for layer in reversed(layers):
        for key in keys:
            if key in layer:
                value, source = layer[key]
                return Setting(keys[0], value, source)
    return Setting(keys[0], DEFAULTS[keys[-1]], DEFAULT)


def _role_settings(layers: list[_Layer], role: RoleName) -> dict[str, Setting]:
    shared = "backend"
    name = _effective(layers, _role_key(role, "name"), f"{shared}.name")
    inherits = name.value == _effective(layers, f"{shared}.name").value
    settings = {"name": name}
    for field_name in _fields(BackendSection):
        if field_name == "name":
            continue
        key = _role_key(role, field_name)
        if inherits:
            settings[field_name] = _effective(layers, key, f"{shared}.{field_name}")
        else:
            # Another backend's address and model would mean nothing to this one.
            found = next((layer[key] for layer in reversed(layers) if key in layer), None)
            value, source = found or (DEFAULTS[f"{shared}.{field_name}"], DEFAULT)
            settings[field_name] = Setting(key, value, source)
    return settings


def _names_backend(layers: list[_Layer], role: RoleName) -> bool:
    """Return whether the setting that decides on a role's backend is its own, and not the one for all roles."""
    own = _role_key(role, "name")
    deciding = next((layer for layer in reversed(layers) if own in layer or "backend.name" in layer), {})
    return own in deciding


def _role_backend(
    role: RoleName, settings: Mapping[str, Setting], *, concurrency: int, prices: Mapping[str, Price], named: bool
) -> RoleBackend:
    section = BackendSection(**{name: setting.value for name, setting in settings.items()})
    return RoleBackend(
        role=role,
        backend=section.name,
        settings=BackendSettings(
            base_url=section.base_url,
            model=section.model,
            api_key_env=section.api_key_env,
            connect_timeout=section.connect_timeout,
            timeout=section.timeout,
            max_retries=section.max_retries,
            concurrency=concurrency,
            options=section.options,
        ),
        temperature=section.temperature,
        price=price_of(section.model, prices) if section.model else None,
        named=named,
    )
