"""The manifest: what it pins, what it keeps to itself, and what it is refused for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eigen_cli.api.canonical import content_hash
from eigen_cli.api.errors import HubRefusalError, RegistryError
from eigen_cli.api.generations import Generation, GenerationBody
from eigen_registry.hub.manifest import encoded, is_safe, made_manifest, read_manifest, verify_files

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def staged_folder(payloads: dict[str, Path], generation: Generation, tmp_path: Path) -> Path:
    folder = tmp_path / "staged"
    shutil.copytree(payloads[generation.hash], folder)
    return folder


def test_it_reads_back_as_it_was_made_and_its_files_verify(generation: Generation, staged_folder: Path) -> None:
    manifest = made_manifest(generation, staged_folder, "1.2.3")
    assert read_manifest(encoded(manifest)) == manifest
    assert (manifest.hash, manifest.body) == (generation.hash, generation.body)
    assert sum(file.rows for file in manifest.files if "/episodes/" in file.path) == generation.body.episodes
    verify_files(manifest, staged_folder, manifest.files)


def test_it_does_not_tell_where_it_was_made(generation: Generation, staged_folder: Path) -> None:
    observed = msgspec.structs.replace(
        generation.observed, host="build-17.corp.internal", pulled_from="corp.internal/agents"
    )
    moved = msgspec.structs.replace(generation, observed=observed)
    text = encoded(made_manifest(moved, staged_folder, "1.2.3"))
    assert b"corp.internal" not in text
    assert str(staged_folder).encode() not in text
    assert msgspec.json.decode(text)["observed"]["usage"].keys() == generation.observed.usage.keys()


@pytest.mark.parametrize(
    "path",
    [
        "../registry.duckdb",
        "generation/../../x.parquet",
        "/etc/passwd",
        "generation\\episodes\\train-00000-of-00001.parquet",
        "generation/episodes/train.py",
        "generation/episodes/train-00000-of-00001.parquet.py",
        "generation/episodes/train-00000-of-00001.pkl",
        "generation/episodes/.train-00000-of-00001.parquet",
        "setup.sh",
        "README.md",
        "generation/episodes/train-00000-of-00001.parquet\n",
        "",
    ],
)
def test_paths_that_run_or_lead_elsewhere_are_refused(path: str, generation: Generation, staged_folder: Path) -> None:
    assert not is_safe(path)
    value = _value(generation, staged_folder)
    value["files"][0]["path"] = path
    with pytest.raises(HubRefusalError, match="Parquet files in its own folders alone"):
        read_manifest(msgspec.json.encode(value))


def _value(generation: Generation, folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(encoded(made_manifest(generation, folder, "1.2.3")))
    return value


def _better(value: dict[str, Any]) -> None:
    value["body"]["passed"] += 1


def _newer(value: dict[str, Any]) -> None:
    value["format"] = 2


def _unpinned(value: dict[str, Any]) -> None:
    del value["body"]["contents"]["episodes"]
    value["hash"] = content_hash(msgspec.convert(value["body"], GenerationBody))


def _short(value: dict[str, Any]) -> None:
    del value["body"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_better, "does not have the hash"),
        (_newer, "of format 2, where this eigen knows 1"),
        (_short, "not a manifest of eigen"),
        (_unpinned, "says nothing of its episodes"),
    ],
)
def test_a_changed_manifest_is_refused(change: Change, words: str, generation: Generation, staged_folder: Path) -> None:
    value = _value(generation, staged_folder)
    change(value)
    with pytest.raises(HubRefusalError, match=words):
        read_manifest(msgspec.json.encode(value))


@pytest.mark.parametrize("data", [b"", b"[]", b"\x80\x04K\x01.", b'{"files": "all"}'])
def test_what_is_no_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(HubRefusalError, match="not a manifest of eigen"):
        read_manifest(data)


def test_files_that_differ_in_one_byte_or_are_links_are_refused(generation: Generation, staged_folder: Path) -> None:
    manifest = made_manifest(generation, staged_folder, "1.2.3")
    path = staged_folder / manifest.files[0].path
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(HubRefusalError, match=f"{manifest.files[0].path} is not the file that was pushed"):
        verify_files(manifest, staged_folder, manifest.files)
    path.unlink()
    path.symlink_to(staged_folder / manifest.files[1].path)
    with pytest.raises(HubRefusalError, match="not an ordinary file"):
        verify_files(manifest, staged_folder, manifest.files)


def test_a_body_that_no_longer_hashes_so_is_not_pushed(generation: Generation, staged_folder: Path) -> None:
    changed = msgspec.structs.replace(generation, body=msgspec.structs.replace(generation.body, seed=99))
    with pytest.raises(RegistryError, match="does not hash as when it was sealed"):
        made_manifest(changed, staged_folder, "1.2.3")
