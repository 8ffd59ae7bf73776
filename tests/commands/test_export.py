"""`eigen export`: the same bytes to a file and to stdout, whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved
from third_party import install

FAILING = """
from eigen_cli.api.exporter import Exporter
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec

@hookimpl
def eigen_exporters():
    return [PluginSpec("exporter", "failing", "failing_export:Failing", "Stops half way")]

class Failing(Exporter):
    name = "failing"
    def write(self, store, generation, out):
        out.write(b"half")
        raise OSError("the printer is on fire")
"""


def test_file_and_stdout_get_the_same_bytes(eigen: Eigen, evolved: Evolved, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    done = eigen("export", "gen-0001", "--format", "jsonl", "-o", path, "--registry", evolved.folder)
    episodes = evolved.report["generations"][0]["episodes"]
    assert (done.code, done.out) == (0, "")
    assert f"gen-0001: {episodes} rows written to {path}" in done.err
    assert path.read_bytes().count(b"\n") == episodes
    command = [sys.executable, "-m", "eigen_cli", "export", "gen-0001", "-o", "-", "--registry", str(evolved.folder)]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert piped.stdout == path.read_bytes()


def test_a_failed_export_leaves_what_was_there(eigen: Eigen, real: Path, library: Path, tmp_path: Path) -> None:
    groups = {"eigen": {"failing": "failing_export"}}
    install(library, "eigen-failing", groups=groups, modules={"failing_export": FAILING})
    target = tmp_path / "kept.txt"
    target.write_text("before")
    done = eigen("export", "--format", "failing", "-o", target, "--registry", real)
    assert done.code == 1
    assert "eigen: error: the printer is on fire\n" in done.err
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_a_link_is_followed_and_a_device_is_written_to(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "target.jsonl")
    assert eigen("export", "-o", tmp_path / "link.jsonl", "--registry", real).code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "target.jsonl").stat().st_size > 0
    assert eigen("export", "-o", os.devnull, "--registry", real).code == 0
    assert Path(os.devnull).is_char_device()


def test_a_reader_that_leaves_early_is_no_error(real: Path) -> None:
    export = f"{sys.executable} -m eigen_cli export -o - --registry {real}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {export} | head -c 10"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, '{"episode"')
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("--format", "jsnol", "-o", "x"), 2, "there is no exporter `jsnol`\nhint: did you mean `jsonl`?"),
        (("gen-0009", "-o", "x"), 2, "no generation is called 'gen-0009'"),
        ((), 2, "Missing option '-o' / '--output'"),
        (
            ("-o", "no/such/folder/x"),
            2,
            "no/such/folder/x cannot be written: there is no folder no/such/folder\nhint: ",
        ),
        (("-o", "site"), 2, "site cannot be written: is a directory\nhint: name a file in a folder that exists"),
    ],
)
def test_bad_input(eigen: Eigen, real: Path, arguments: tuple[str, ...], code: int, error: str) -> None:
    done = eigen("export", *arguments, "--registry", real)
    assert (done.code, done.out) == (code, "")
    assert f"eigen: error: {error}" in done.err
    assert "Errno" not in done.err and "partial" not in done.err
