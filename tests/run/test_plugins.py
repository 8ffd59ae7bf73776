"""Plugins found, refused and loaded: real packages on the path, next to the built-in ones."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eigen_cli.api.errors import PluginError
from eigen_cli.api.specs import API_VERSION
from eigen_cli.run.plugins import PluginIndex, load_plugins
from eigen_jsonl.exporter import JsonLinesExporter

Install = Callable[..., None]

SPEC_IMPORTS = """
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package with its metadata on the path, as an installer would; afterwards its modules are gone."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def install_package(distribution: str, hooks: str, **modules: str) -> None:
        module = distribution.replace("-", "_")
        (site / f"{module}_hooks.py").write_text(SPEC_IMPORTS + textwrap.dedent(hooks))
        for name, source in modules.items():
            (site / f"{name}.py").write_text(textwrap.dedent(source))
        metadata = site / f"{module}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[eigen]\n{module} = {module}_hooks\n")

    yield install_package
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(site)):
            del sys.modules[name]


def names(index: PluginIndex) -> set[tuple[str, str]]:
    return {(spec.kind, spec.name) for spec in index.specs()}


NAMES = {
    "domain": "airline retail tau2-airline tau2-retail tau2-telecom telecom",
    "verifier": "actions checks communicate state tau2-action tau2-communicate tau2-db tau2-env tau2-nl tau2-state "
    "tau2-strict-action",
    "backend": "human local mailbox null-refusal null-silence null-transfer offline openai oracle replay vllm",
    "exporter": "jsonl llamafactory openai openrlhf-rl openrlhf-sft parquet parquet-compat tau2 trl",
}
BUILT_IN = {(kind, name) for kind, names in NAMES.items() for name in names.split()}

EXPORTER_HOOK = """
@hookimpl
def eigen_exporters():
    return [PluginSpec("exporter", "{name}", "{target}", "summary"{more})]
"""


def test_the_built_in_plugins_are_found_and_nothing_is_broken() -> None:
    index = load_plugins()
    assert names(index) == BUILT_IN
    assert (index.broken, index.duplicates, index.incompatible) == ((), (), ())
    assert {plugin.distribution for plugin in index.plugins} == {"eigen-cli"}
    assert [spec.name for spec in index.specs("backend")] == NAMES["backend"].split()


def test_loading_returns_the_class() -> None:
    assert load_plugins().load("exporter", "jsonl") is JsonLinesExporter


def test_a_third_partys_plugin_stands_beside_ours(install: Install) -> None:
    install("tidy-csv", EXPORTER_HOOK.format(name="csv", target="tidy_csv_target:Csv", more=""))
    index = load_plugins()
    assert names(index) == BUILT_IN | {("exporter", "csv")}
    assert index.find("exporter", "csv").distribution == "tidy-csv"


@pytest.mark.parametrize(
    ("hooks", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("@hookimpl\ndef eigen_domains():\n    raise OSError('no licence')", "OSError: no licence"),
        ("@hookimpl\ndef eigen_domains():\n    yield 7", "eigen_domains returned a int where a PluginSpec belongs"),
        ("@hookimpl\ndef eigen_domains():\n    yield PluginSpec('domain')", "TypeError"),
        ("@hookimpl\ndef eigen_domains():\n    return 'airline'", "eigen_domains returned a str, not an iterable"),
        ("@hookimpl\ndef eigen_domains():\n    return None", "eigen_domains returned nothing, not an iterable"),
        ("@hookimpl\ndef eigen_domain():\n    return []", "unknown hook 'eigen_domain'"),
        ("@hookimpl\ndef eigen_domains(registry):\n    return []", "Argument(s) {'registry'}"),
        ("def eigen_domains():\n    return []", "implements no hook; decorate its functions with `hookimpl`"),
        (
            "@hookimpl\ndef eigen_domains():\n    return [PluginSpec('backend', 'x', 'x:X', '')]",
            "eigen_domains returned `x` of the kind 'backend', not 'domain'",
        ),
        (
            "@hookimpl\ndef eigen_domains():\n    return [PluginSpec('domain', 'x', 'x:X', '', api='1')]",
            "eigen_domains: `x` gives '1' as its API; it must be an integer",
        ),
    ],
)
def test_a_broken_plugin_costs_itself_alone(install: Install, hooks: str, reason: str) -> None:
    install("broken-one", hooks)
    index = load_plugins()
    assert names(index) == BUILT_IN
    (broken,) = index.broken
    assert (broken.distribution, broken.entry_point) == ("broken-one", "broken_one")
    assert reason in broken.reason


@pytest.mark.parametrize("api", [API_VERSION + 1, 0])
def test_another_api_is_listed_as_incompatible_and_says_why_when_used(install: Install, api: int) -> None:
    install("from-elsewhen", EXPORTER_HOOK.format(name="csv", target="x:X", more=f", api={api}"))
    index = load_plugins()
    assert names(index) == BUILT_IN
    assert [(plugin.spec.name, plugin.distribution) for plugin in index.incompatible] == [("csv", "from-elsewhen")]
    with pytest.raises(PluginError, match=f"`csv` of from-elsewhen needs plugin API {api}; this eigen speaks API 1"):
        index.load("exporter", "csv")


def test_a_name_claimed_twice_is_an_error_that_names_both(install: Install) -> None:
    install("tidy-jsonl", EXPORTER_HOOK.format(name="jsonl", target="x:X", more=""))
    index = load_plugins()
    assert names(index) == BUILT_IN - {("exporter", "jsonl")}
    for use in (lambda: index.load("exporter", "jsonl"), index.refuse_duplicates):
        with pytest.raises(PluginError, match="`jsonl` is claimed by eigen-cli and tidy-jsonl"):
            use()


def test_the_same_name_in_another_kind_is_no_duplicate(install: Install) -> None:
    install("tidy-airline", EXPORTER_HOOK.format(name="airline", target="x:X", more=""))
    index = load_plugins()
    assert index.duplicates == ()
    assert names(index) == BUILT_IN | {("exporter", "airline")}


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(PluginError) as caught:
        load_plugins().load("domain", "arline")
    assert (caught.value.message, caught.value.hint) == ("there is no domain `arline`", "did you mean `airline`?")


def test_an_unknown_name_mentions_broken_plugins(install: Install) -> None:
    install("broken-one", "import no_such_module")
    with pytest.raises(PluginError) as caught:
        load_plugins().load("backend", "zzz")
    assert caught.value.hint == (
        "known: human, local, mailbox, null-refusal, null-silence, null-transfer, offline, openai and 3 more; "
        "1 broken plugin(s) are listed by `eigen plugins`"
    )


@pytest.mark.parametrize(
    ("target", "source", "reason"),
    [
        ("absent_target:Csv", "", "ModuleNotFoundError: No module named 'absent_target'"),
        ("csv_target:Absent", "", "AttributeError"),
        ("csv_target:Csv", "class Csv: pass", "csv_target:Csv is no subclass of Exporter"),
        ("csv_target:Csv", "Csv = 3", "csv_target:Csv is no subclass of Exporter"),
        ("csv_target:Csv", "1 / 0", "ZeroDivisionError"),
        (
            "csv_target:Csv",
            "from eigen_cli.api.exporter import Exporter\nclass Csv(Exporter):\n    name = 'csv'",
            "csv_target:Csv does not implement write",
        ),
    ],
)
def test_a_target_that_does_not_load_is_an_error_of_its_package(
    install: Install, target: str, source: str, reason: str
) -> None:
    install("tidy-csv", EXPORTER_HOOK.format(name="csv", target=target, more=""), csv_target=source)
    with pytest.raises(PluginError) as caught:
        load_plugins().load("exporter", "csv")
    assert "the exporter `csv` of tidy-csv" in caught.value.message
    assert reason in caught.value.message


def test_listing_imports_no_target() -> None:
    program = (
        "import sys; from eigen_cli.run.plugins import load_plugins; index = load_plugins();"
        "targets = {spec.target.partition(':')[0] for spec in index.specs()};"
        "loaded = set(sys.modules);"
        "print(len(index.specs()), sorted(targets & loaded), sorted({'duckdb', 'aiohttp'} & loaded))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{len(BUILT_IN)} [] []"


@pytest.mark.parametrize(
    ("hooks", "reason"),
    [
        ('@hookimpl\ndef eigen_domains():\n    return [PluginSpec("domain", ["x"], "a:B", "s")]', "name is a list"),
        ('@hookimpl\ndef eigen_domains():\n    return [PluginSpec("domain", "x", None, "s")]', "target is nothing"),
        ('class Odd(BaseException):\n    pass\nraise Odd("away")', "Odd: away"),
        ("class Mute(Exception):\n    def __str__(self):\n        raise ValueError\nraise Mute", "Mute"),
    ],
)
def test_whatever_a_hostile_package_does_costs_only_itself(install: Install, hooks: str, reason: str) -> None:
    install("hostile", hooks)
    index = load_plugins()
    assert names(index) == BUILT_IN
    assert [broken.distribution for broken in index.broken] == ["hostile"]
    assert reason in index.broken[0].reason


def test_what_a_package_prints_at_import_stays_out_of_the_output(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("loud", 'print("HELLO")\n@hookimpl\ndef eigen_domains():\n    return []')
    load_plugins()
    out, err = capsys.readouterr()
    assert out == "" and "HELLO" in err
