"""What is pushed loads with the Hub's own loader, new and old, and says what was sealed: `make test-hub`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.store import Store
from eigen_cli.testing.hub_server import HubServer, serving_hub
from eigen_cli.training.source import GenerationSource

REPO = "tester/agents"
JSON_CONFIGS = ("agent_sft", "user_sft", "rl_tasks")
ENVIRONMENTS = os.environ.get("EIGEN_DATASETS_VENVS", "")
"""A folder with two environments: `new` has a `datasets` that knows JSON columns, `old` has 4.0.0, which does not."""

pytestmark = pytest.mark.skipif(not ENVIRONMENTS, reason="`make test-hub` makes the environments it needs")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serving_hub(HubServer()) as url:
        yield url


@pytest.fixture(scope="module")
def pushed(store: Store, endpoint: str) -> dict[str, Any]:
    """What `eigen push` said of the second generation."""
    environ = {**os.environ, "HF_ENDPOINT": endpoint, "HF_TOKEN": "hf_tester", "HF_HOME": str(store.folder / "hf")}
    push = ("push", "gen-0002", REPO, "--allow-offline", "--private", "--registry", str(store.folder), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "eigen_cli", *push], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _loaded(which: str, endpoint: str, pushed: dict[str, Any], home: Path, *, xet: bool) -> dict[str, Any]:
    environ = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_TOKEN": "hf_tester",
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "0" if xet else "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    program = str(Path(__file__).with_name("print_rows.py"))
    python = str(Path(ENVIRONMENTS) / which / "bin" / "python")
    command = [python, program, REPO, pushed["tag"], *pushed["configs"]]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found[""] == found["agent_sft"]
    return found


def _check_records(loaded: dict[str, Any], store: Store) -> None:
    """The configs that are the records themselves, the same for every loader."""
    episodes = sorted((row for rows in loaded["episodes"].values() for row in rows), key=lambda row: row["ordinal"])
    assert [row["body"].encode() for row in episodes] == [
        canonical_json(record.episode) for record in store.episodes("gen-0002")
    ]
    assert [row["body"].encode() for row in loaded["plans"]["train"]] == list(
        map(canonical_json, store.plans("gen-0002"))
    )


def _chats(store: Store, kind: str) -> dict[str, Any]:
    samples = GenerationSource(store, store.generation("gen-0002")).chats(kind)  # type: ignore[arg-type]
    return {sample.id: msgspec.to_builtins(sample) for sample in samples}


@pytest.mark.parametrize("xet", [True, False])
def test_a_new_loader_gives_the_very_values(
    store: Store, endpoint: str, pushed: dict[str, Any], tmp_path: Path, xet: bool
) -> None:
    loaded = _loaded("new", endpoint, pushed, tmp_path, xet=xet)
    for config, splits in pushed["configs"].items():
        assert {split: len(rows) for split, rows in loaded[config].items()} == splits, config
    _check_records(loaded, store)
    for kind in ("agent_sft", "user_sft"):
        expected = _chats(store, kind)
        rows = {row["id"]: row for rows in loaded[kind].values() for row in rows}
        texts = {row["id"]: row for rows in loaded[f"{kind}_compat"].values() for row in rows}
        assert rows.keys() == texts.keys() == expected.keys() != set()
        for name, sample in expected.items():
            # Equal, not only alike: no key came in with a None, and the keys are in the order they were sent in.
            for column in ("messages", "tools"):
                assert json.dumps(rows[name][column]) == json.dumps(list(sample[column]))
                assert json.dumps(json.loads(texts[name][column])) == json.dumps(list(sample[column]))
            assert rows[name]["split"] == sample["origin"]["split"]


def test_an_old_loader_reads_the_twins(store: Store, endpoint: str, pushed: dict[str, Any], tmp_path: Path) -> None:
    loaded = _loaded("old", endpoint, pushed, tmp_path, xet=True)
    for config, splits in pushed["configs"].items():
        if config in JSON_CONFIGS:
            assert "arrow.json" in loaded[config], config
        else:
            assert {split: len(rows) for split, rows in loaded[config].items()} == splits, config
    _check_records(loaded, store)
    for kind in ("agent_sft", "user_sft"):
        texts = {row["id"]: row for rows in loaded[f"{kind}_compat"].values() for row in rows}
        expected = _chats(store, kind)
        assert texts.keys() == expected.keys()
        for name, sample in expected.items():
            assert json.loads(texts[name]["messages"]) == list(sample["messages"])
            assert json.loads(texts[name]["tools"]) == list(sample["tools"])
