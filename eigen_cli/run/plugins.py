"""Finding and loading plugins: entry points give specs, and only a plugin that is used is imported.

Every entry point is loaded under guard, with a plugin manager of its own: a package that cannot be imported, a hook
that raises or is misspelt, or an answer of the wrong type costs that package and no other.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, overload

import pluggy

from eigen_cli.api import hookspecs
from eigen_cli.api.backend import Backend
from eigen_cli.api.domain import Domain
from eigen_cli.api.errors import PluginError
from eigen_cli.api.exporter import Exporter
from eigen_cli.api.specs import API_VERSION, OLDEST_API, PLUGIN_KINDS, PluginKind, PluginSpec
from eigen_cli.api.trainer import Trainer
from eigen_cli.api.verifier import Verifier
from eigen_cli.nearest import nearest_hint

ENTRY_POINT_GROUP = "eigen"

HOOKS: dict[str, PluginKind] = {f"eigen_{kind}s": kind for kind in PLUGIN_KINDS}
"""Hook names and the kind of spec each returns."""

_BASES: dict[PluginKind, type[Any]] = {
    "domain": Domain,
    "verifier": Verifier,
    "backend": Backend,
    "trainer": Trainer,
    "exporter": Exporter,
}


@dataclass(frozen=True)
class InstalledPlugin:
    """A plugin and the distribution it comes from."""

    spec: PluginSpec
    distribution: str


@dataclass(frozen=True)
class BrokenPlugin:
    """An entry point that gave no specs, and why."""

    distribution: str
    entry_point: str
    reason: str


@dataclass(frozen=True)
class PluginIndex:
    """What is installed. `plugins` may be used; the rest is listed with what is wrong with it."""

    plugins: tuple[InstalledPlugin, ...] = ()
    duplicates: tuple[InstalledPlugin, ...] = ()
    """Plugins whose kind and name several distributions claim; none of them can be used."""
    incompatible: tuple[InstalledPlugin, ...] = ()
    """Plugins written for an API this host does not speak."""
    broken: tuple[BrokenPlugin, ...] = ()

    def specs(self, kind: PluginKind | None = None) -> tuple[PluginSpec, ...]:
        """Return the usable plugins' specs, of one kind or of all."""
        return tuple(plugin.spec for plugin in self.plugins if kind in (None, plugin.spec.kind))

    @overload
    def load(self, kind: Literal["domain"], name: str) -> type[Domain]: ...
    @overload
    def load(self, kind: Literal["verifier"], name: str) -> type[Verifier]: ...
    @overload
    def load(self, kind: Literal["backend"], name: str) -> type[Backend]: ...
    @overload
    def load(self, kind: Literal["trainer"], name: str) -> type[Trainer]: ...
    @overload
    def load(self, kind: Literal["exporter"], name: str) -> type[Exporter]: ...

    def load(self, kind: PluginKind, name: str) -> type[Any]:
        """Import a plugin and return its class.

        Raises `PluginError` when the name is unknown (with the nearest one), claimed twice, written for another API,
        or when its target cannot be imported, is not a class of its kind or has another name.
        """
        return _target_of(self.find(kind, name))

    def find(self, kind: PluginKind, name: str) -> InstalledPlugin:
        """Return a usable plugin without importing it; raise `PluginError` where `load` would for its name."""
        for plugin in self.plugins:
            if (plugin.spec.kind, plugin.spec.name) == (kind, name):
                return plugin
        self._refuse_duplicate(kind, name)
        for plugin in self.incompatible:
            if (plugin.spec.kind, plugin.spec.name) == (kind, name):
                raise PluginError(
                    f"the {kind} `{name}` of {plugin.distribution} {incompatibility(plugin.spec)}",
                    hint=f"install a version of {plugin.distribution} made for this eigen, or another eigen",
                )
        hint = nearest_hint(name, (spec.name for spec in self.specs(kind)))
        if self.broken:
            hint = f"{hint + '; ' if hint else ''}{len(self.broken)} broken plugin(s) are listed by `eigen plugins`"
        raise PluginError(f"there is no {kind} `{name}`", hint=hint)

    def refuse_duplicates(self) -> None:
        """Raise `PluginError` for the first kind and name that several distributions claim."""
        for plugin in self.duplicates:
            self._refuse_duplicate(plugin.spec.kind, plugin.spec.name)

    def _refuse_duplicate(self, kind: PluginKind, name: str) -> None:
        owners = [
            plugin.distribution for plugin in self.duplicates if (plugin.spec.kind, plugin.spec.name) == (kind, name)
        ]
        if owners:
            raise PluginError(
                f"the {kind} `{name}` is claimed by {' and '.join(owners)}",
                hint=f"uninstall one of them: `pip uninstall {owners[-1]}`",
            )


def incompatibility(spec: PluginSpec) -> str:
    """Return why this host cannot run a plugin, as the end of a sentence."""
    spoken = f"API {API_VERSION}" if OLDEST_API == API_VERSION else f"APIs {OLDEST_API} to {API_VERSION}"
    return f"needs plugin API {spec.api}; this eigen speaks {spoken}"


def load_plugins(points: Iterable[EntryPoint] | None = None) -> PluginIndex:
    """Ask every installed plugin for its specs; imports hook modules and no target.

    `points` defaults to the entry points of the group `eigen`.
    """
    collected = _Collected()
    group = entry_points(group=ENTRY_POINT_GROUP) if points is None else points
    for point in sorted(group, key=lambda point: (_distribution(point), point.name)):
        try:
            # What a plugin prints while it is imported belongs to nobody's output.
            with redirect_stdout(sys.stderr):
                specs = _specs_from(point)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit, and whatever else a foreign module may raise
            reason = _said(error) if not isinstance(error, _ContractBreachError) else str(error)
            collected.broken.append(BrokenPlugin(_distribution(point), point.name, reason))
        else:
            for spec in specs:
                collected.add(InstalledPlugin(spec, _distribution(point)))
    return collected.index()


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an error whose own text fails
        return type(error).__name__


class _ContractBreachError(Exception):
    """A hook module that imports, but is no plugin."""


@dataclass
class _Collected:
    claims: dict[tuple[str, str], list[InstalledPlugin]] = field(default_factory=lambda: defaultdict(list))
    incompatible: list[InstalledPlugin] = field(default_factory=list)
    broken: list[BrokenPlugin] = field(default_factory=list)

    def add(self, plugin: InstalledPlugin) -> None:
        if OLDEST_API <= plugin.spec.api <= API_VERSION:
            self.claims[plugin.spec.kind, plugin.spec.name].append(plugin)
        else:
            self.incompatible.append(plugin)

    def index(self) -> PluginIndex:
        order = {kind: position for position, kind in enumerate(PLUGIN_KINDS)}
        claims = [self.claims[key] for key in sorted(self.claims, key=lambda key: (order[key[0]], key[1]))]  # type: ignore[index]
        return PluginIndex(
            plugins=tuple(claimants[0] for claimants in claims if len(claimants) == 1),
            duplicates=tuple(plugin for claimants in claims if len(claimants) > 1 for plugin in claimants),
            incompatible=tuple(self.incompatible),
            broken=tuple(self.broken),
        )


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _specs_from(point: EntryPoint) -> list[PluginSpec]:
    manager = pluggy.PluginManager("eigen")
    manager.add_hookspecs(hookspecs)
    module = point.load()
    manager.register(module, name=point.name)
    # pluggy reports a misspelt hook nowhere else.
    manager.check_pending()
    implemented = {name: kind for name, kind in HOOKS.items() if getattr(manager.hook, name).get_hookimpls()}
    if not implemented:
        raise _ContractBreachError(f"{point.value} implements no hook; decorate its functions with `hookimpl`")
    return [spec for name, kind in implemented.items() for spec in _answer(manager, name, kind)]


def _answer(manager: pluggy.PluginManager, hook: str, kind: PluginKind) -> list[PluginSpec]:
    results = getattr(manager.hook, hook)()
    # pluggy drops a hook's None.
    answer = results[0] if results else None
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise _ContractBreachError(f"{hook} returned {_kind_of(answer)}, not an iterable of PluginSpec")
    specs = list(answer)
    for spec in specs:
        if not isinstance(spec, PluginSpec):
            raise _ContractBreachError(f"{hook} returned {_kind_of(spec)} where a PluginSpec belongs")
        for name in ("kind", "name", "target", "summary"):
            if not isinstance(getattr(spec, name), str):
                raise _ContractBreachError(
                    f"{hook}: a PluginSpec's {name} is {_kind_of(getattr(spec, name))}, not text"
                )
        if not isinstance(spec.api, int) or isinstance(spec.api, bool):
            raise _ContractBreachError(f"{hook}: `{spec.name}` gives {spec.api!r} as its API; it must be an integer")
        if spec.kind != kind:
            raise _ContractBreachError(f"{hook} returned `{spec.name}` of the kind {spec.kind!r}, not {kind!r}")
    return specs


def _kind_of(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _target_of(plugin: InstalledPlugin) -> type[Any]:
    spec = plugin.spec
    owner = f"the {spec.kind} `{spec.name}` of {plugin.distribution}"
    module_name, _, class_name = spec.target.partition(":")
    try:
        target = getattr(import_module(module_name), class_name)
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"{owner} cannot be imported from {spec.target}: {type(error).__name__}: {error}",
            hint=f"reinstall {plugin.distribution}, or run again with --debug to see where it fails",
        ) from error
    if not inspect.isclass(target) or not issubclass(target, _BASES[spec.kind]):
        raise PluginError(f"{owner}: {spec.target} is no subclass of {_BASES[spec.kind].__name__}")
    if inspect.isabstract(target):
        missing = ", ".join(sorted(getattr(target, "__abstractmethods__", ())))
        raise PluginError(f"{owner}: {spec.target} does not implement {missing}")
    # Domains, verifiers and exporters carry their name in what they make; it must lead back to the plugin.
    if "name" in getattr(_BASES[spec.kind], "__annotations__", {}) and getattr(target, "name", None) != spec.name:
        raise PluginError(
            f"{owner}: {class_name} calls itself {getattr(target, 'name', None)!r}",
            hint=f"give the PluginSpec and the class in {spec.target} one name",
        )
    return target
