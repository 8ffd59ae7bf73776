"""`eigen verify-registry`: sound registries pass, every damaged generation is named, what changed since is said."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from command_line import Eigen
from commands_shared import Evolved
from lineage_samples import sealed_again
from msgspec.structs import replace

from eigen_cli.api.generations import GenerationContents
from eigen_registry import open_registry


@pytest.fixture
def registry(evolved: Evolved, tmp_path: Path) -> Path:
    """A copy of the evolved registry that a test may spoil."""
    return Path(shutil.copytree(evolved.folder, tmp_path / "checked"))


def test_what_was_sealed_is_sound_and_replays(eigen: Eigen, evolved: Evolved) -> None:
    done = eigen("verify-registry", "--sample", 99, "--json", "--registry", evolved.folder)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["schema"], report["damaged"]) == (1, [])
    for one, made in zip(report["checked"], evolved.report["generations"], strict=True):
        assert (one["id"], one["hash"], one["sound"], one["damage"]) == (made["id"], made["hash"], True, "")
        assert one["replayed"] == made["episodes"] - made["infrastructure"]
        assert one["differing"] == one["remarks"] == []
    text = eigen("verify-registry", "gen-0002", "--sample", 3, "--registry", evolved.folder).out
    assert text == "gen-0002  sound, 3 replayed\n1 checked, 3 episodes replayed: all sound\n"


@pytest.mark.proof
def test_a_record_that_was_changed_and_sealed_again_replays_otherwise(eigen: Eigen, registry: Path) -> None:
    store = open_registry(registry)
    found = store.generation("gen-0001")
    records = list(store.episodes("gen-0001"))
    # A hash of another world, a verifier's score turned round, a tool result that no tool gave: all are sealed soundly,
    # and none is true.
    first, second = records[0], records[1]
    records[0] = replace(first, episode=replace(first.episode, outcome_hash="0" * 64))
    turned = tuple(replace(part, score=1.0 - part.score) for part in second.verdict.parts)
    records[1] = replace(second, verdict=replace(second.verdict, parts=turned))
    third = next(record for record in records[2:] if any(message.result for message in record.episode.messages))
    place, told = next((at, message) for at, message in enumerate(third.episode.messages) if message.result is not None)
    forged = replace(told, result=replace(told.result, content="forged"))
    messages = (*third.episode.messages[:place], forged, *third.episode.messages[place + 1 :])
    records[records.index(third)] = replace(third, episode=replace(third.episode, messages=messages))
    body = replace(found.body, contents={}, settings={**found.body.settings, "note": "untrue"})
    contents = GenerationContents(
        plans=store.plans("gen-0001"),
        tasks=store.tasks("gen-0001"),
        rejected=store.rejected("gen-0001"),
        episodes=records,
    )
    store.seal(body, found.observed, contents)
    done = eigen("verify-registry", "--sample", 99, "--json", "--registry", registry)
    assert done.code == 1
    report = json.loads(done.out)
    assert report["damaged"] == ["gen-0003"]
    differing = {one["episode"]: one["differences"] for one in report["checked"][2]["differing"]}
    assert set(differing) == {first.episode.id, second.episode.id, third.episode.id}
    assert differing[third.episode.id] == [f"message {place + 1}, of {told.result.name}, is another one"]
    assert differing[first.episode.id][0].startswith("outcome_hash is ")
    assert any("the verifier state gives" in line for line in differing[second.episode.id])
    assert done.err.startswith("eigen: error: damaged: gen-0003\n")


def test_every_damaged_generation_is_named_and_the_others_are_checked(eigen: Eigen, registry: Path) -> None:
    store = open_registry(registry)
    sealed_again(store, store, "gen-0001", note="lost")
    changed, _, lost = (registry / "generations" / f"{one.hash}.duckdb" for one in store.generations())
    changed.chmod(0o644)
    with contextlib.closing(duckdb.connect(changed)) as con:
        con.execute("UPDATE tasks SET body = replace(body::VARCHAR, 'persona', 'Persona') WHERE ordinal = 1")
    lost.unlink()
    done = eigen("verify-registry", "--sample", 1, "--registry", registry)
    assert done.code == 1
    assert done.err.startswith("eigen: error: damaged: gen-0001, gen-0003\nhint: ")
    lines = done.out.splitlines()
    assert lines[0].startswith("gen-0001  damaged  ") and lines[-1].startswith(
        "3 checked, 1 episodes replayed: 2 damaged"
    )
    assert "gen-0002  sound, 1 replayed" in lines
    # Nor does a lost file keep the collector from saying what there is.
    assert eigen("gc", "--dry-run", "--registry", registry).code == 0


def test_a_damaged_row_of_the_catalogue_is_named_and_the_others_are_checked(eigen: Eigen, registry: Path) -> None:
    first, second = open_registry(registry).generations()
    with contextlib.closing(duckdb.connect(registry / "registry.duckdb")) as con:
        con.execute("UPDATE generations SET body = '{}' WHERE number = 1")
        con.execute("UPDATE generations SET round = 7 WHERE number = 2")
        lost = (1, "0" * 64, "tidy-library", "test", None, "sft-1", True, "{}", "{}")
        con.execute(f"INSERT INTO evaluations VALUES ({', '.join('?' * len(lost))})", lost)
    why = "its content does not have the hash it was sealed under"
    done = eigen("verify-registry", "--sample", 1, "--json", "--registry", registry)
    assert done.code == 1
    report = json.loads(done.out)
    assert report["damaged"] == ["gen-0001", "gen-0002", "eval-0001"]
    assert [one["damage"] for one in report["checked"]] == [
        f"gen-0001 is damaged: {why}",
        "gen-0002 is damaged: what the catalogue repeats of it is wrong: round is 7, in its body 2",
        f"eval-0001 is damaged: {why}",
    ]
    assert [one["hash"] for one in report["checked"][:2]] == [first.hash, second.hash]
    assert done.err.startswith("eigen: error: damaged: gen-0001, gen-0002, eval-0001\nhint: ")
    with contextlib.closing(duckdb.connect(registry / "registry.duckdb")) as con:
        con.execute("UPDATE generations SET round = 2 WHERE number = 2")
    assert eigen("verify-registry", "gen-0002", "--sample", 1, "--registry", registry).code == 0
    one = eigen("verify-registry", "gen-0001", "--sample", 1, "--registry", registry)
    assert one.code == 1 and "eigen: error: damaged: gen-0001\n" in one.err


@pytest.mark.proof
def test_evaluations_are_checked_with_everything(eigen: Eigen, registry: Path) -> None:
    assert eigen("eval", "tidy-library", "--agent", "oracle", "--user", "offline", "--registry", registry).code == 0
    report = json.loads(eigen("verify-registry", "--sample", 0, "--json", "--registry", registry).out)
    assert [(one["id"], one["sound"], one["replayed"]) for one in report["checked"]] == [
        ("gen-0001", True, 0),
        ("gen-0002", True, 0),
        ("eval-0001", True, 0),
    ]
    (path,) = (registry / "evaluations").glob("*.duckdb")
    path.chmod(0o644)
    with contextlib.closing(duckdb.connect(path)) as con:
        con.execute("UPDATE episodes SET reward = 1 - reward")
    assert json.loads(eigen("verify-registry", "--json", "--registry", registry).out)["damaged"] == ["eval-0001"]


def test_a_domain_that_changed_or_is_not_installed_is_said_and_no_failure(eigen: Eigen, registry: Path) -> None:
    store = open_registry(registry)
    figures = store.generation("gen-0001").body.by_domain["tidy-library"]
    older = replace(figures, fingerprint="f" * 64)
    sealed_again(store, store, "gen-0001", note="older", fingerprint="f" * 64, domains={"tidy-library": older})
    verifiers = {**store.generation("gen-0001").body.verifiers, "state": "0"}
    sealed_again(store, store, "gen-0001", note="judged", verifiers=verifiers)
    done = eigen("verify-registry", "--sample", 2, "--json", "--registry", registry)
    assert done.code == 0, done.err
    checked = {one["id"]: one for one in json.loads(done.out)["checked"]}
    assert checked["gen-0003"]["replayed"] == 0
    assert checked["gen-0003"]["remarks"] == [
        "2 episodes of tidy-library not replayed: the installed tidy-library is another version: it has changed since"
    ]
    assert checked["gen-0004"]["replayed"] == 2
    assert checked["gen-0004"]["remarks"] == [
        "tidy-library: parts of state not compared: it is of another version today"
    ]


def test_without_the_domain_hashes_are_checked_all_the_same(evolved: Evolved, tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "eigen_cli", "verify-registry", "--json", "--registry", str(evolved.folder)]
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for one in json.loads(done.stdout)["checked"]:
        assert (one["sound"], one["replayed"]) == (True, 0)
        (remark,) = one["remarks"]
        assert remark.startswith("10 episodes of tidy-library not replayed: ")


def test_an_empty_registry_and_wrong_refs(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    empty = eigen("verify-registry", "--registry", tmp_path / "none")
    assert (empty.code, empty.out) == (0, "") and "nothing sealed" in empty.err
    wrong = eigen("verify-registry", "gen-0009", "--registry", evolved.folder)
    assert wrong.code == 2 and "no generation is called 'gen-0009'" in wrong.err
