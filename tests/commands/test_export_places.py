"""Where `eigen export` writes and where it will not: pipes, devices, folders, databases, two at once."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Eigen
from third_party import install

from eigen_registry import open_registry

# Describes its files in one index. Whoever reads that waits until another export has read it too, or two seconds.
MEETING = """
import json
import time
from pathlib import Path
from eigen_cli.api.exporter import Exporter, ExportReport
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec

@hookimpl
def eigen_exporters():
    return [PluginSpec("exporter", "meeting", "meeting:Meeting", "Waits for another")]

class Meeting(Exporter):
    name = "meeting"
    kinds = ("agent_sft",)
    companion = "index.json"
    def write(self, source, kind, out):
        out.write(b"row\\n")
        return ExportReport(1)
    def companion_text(self, kind, file_name, existing):
        Path(f"reading-{file_name}").touch()
        until = time.monotonic() + 2
        while len(list(Path.cwd().glob("reading-*"))) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        return json.dumps({**json.loads(existing or b"{}"), file_name: kind}).encode()
"""


def export(real: Path, *arguments: object) -> tuple[object, ...]:
    return ("export", *arguments, "--registry", real)


LLAMA = ("--format", "llamafactory", "--split", "all")


def test_two_exports_at_once_are_both_described(real: Path, library: Path, tmp_path: Path) -> None:
    install(library, "eigen-meeting", groups={"eigen": {"meeting": "meeting"}}, modules={"meeting": MEETING})
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(library), *sys.path])}
    (tmp_path / "data").mkdir()
    started = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "eigen_cli",
                *map(str, export(real, "--format", "meeting", "--split", "all", "-o", f"data/{name}")),
            ],
            env=environ,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for process in started:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    index = json.loads((tmp_path / "data" / "index.json").read_text())
    assert index == {"one": "agent_sft", "two": "agent_sft"}
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["index.json", "one", "two"]


@pytest.mark.parametrize(
    ("lies", "what"), [("pipe", "a pipe or device"), ("device", "a pipe or device"), ("folder", "a folder")]
)
def test_what_is_no_file_in_a_companions_place_is_refused(
    eigen: Eigen, real: Path, tmp_path: Path, lies: str, what: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    beside = data / "dataset_info.json"
    if lies == "pipe":
        os.mkfifo(beside)
    elif lies == "device":
        beside.symlink_to(os.devnull)
    else:
        beside.mkdir()
    before = beside.lstat()
    done = eigen(*export(real, *LLAMA, "-o", "data/rows.jsonl"))
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"eigen: error: data/dataset_info.json belongs to what is exported, and {what} is there\n"
        "hint: move it away, or name another folder\n"
    )
    assert [path.name for path in data.iterdir()] == ["dataset_info.json"]
    assert beside.lstat().st_mode == before.st_mode


@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_a_pipe_is_written_to_where_somebody_reads_it(
    eigen: Eigen, real: Path, tmp_path: Path, strict: tuple[str, ...]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    alone = eigen(*export(real, "-o", pipe, *strict))
    assert (alone.code, alone.out) == (2, "")
    assert alone.err.startswith(f"eigen: error: {pipe} cannot be written: nobody reads from it\nhint: start its reader")
    rows = eigen(*export(real, "-o", "-")).out
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for all of it: it is read when it is written
    with os.fdopen(reader, "rb") as stream:
        done = eigen(*export(real, "-o", pipe, *strict))
        assert done.code == 0, done.err
        assert stream.read().decode() == rows and rows.startswith('{"episode"')


def test_a_shells_pipe_is_written_to(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    words = " ".join(map(str, export(real)))
    script = f"{sys.executable} -m eigen_cli {words} -o >(cat > rows) && wait $!"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "rows").read_text() == eigen(*export(real, "-o", "-")).out


@pytest.mark.parametrize("name", ["registry.duckdb", "generations", "renamed.jsonl"])
def test_a_duckdb_file_is_never_written_over_whatever_registry_it_is_of(
    eigen: Eigen, real: Path, tmp_path: Path, name: str
) -> None:
    other = Path(shutil.copytree(real, tmp_path / "other"))
    target = other / name
    if name == "generations":
        (target,) = target.glob("*.duckdb")
    elif name == "renamed.jsonl":
        (other / "registry.duckdb").rename(target)
    before = target.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    for output in (target, link):
        done = eigen(*export(real, "-o", output))
        assert (done.code, done.out) == (2, "")
        assert done.err == (
            f"eigen: error: {output} is a DuckDB file, maybe a registry's, and is not written over\n"
            "hint: name another file, or move that one away\n"
        )
    assert target.read_bytes() == before


def test_nor_is_a_databases_log_or_one_in_a_companions_place(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(real, tmp_path / "other"))
    log = other / "registry.duckdb.wal"
    log.write_bytes(b"what was sealed last")
    done = eigen(*export(real, "-o", log))
    assert done.code == 2 and f"{log} belongs to a DuckDB file, maybe a registry's, and is not written over" in done.err
    log.unlink()
    (other / "registry.duckdb").rename(other / "dataset_info.json")
    done = eigen(*export(real, *LLAMA, "-o", "other/rows.jsonl"))
    assert done.code == 2 and "other/dataset_info.json is a DuckDB file, maybe a registry's" in done.err
    assert not (other / "rows.jsonl").exists()
    (other / "dataset_info.json").rename(other / "registry.duckdb")
    assert [one.id for one in open_registry(other).generations()] == ["gen-0001"]
    # What is no database is written over as ever.
    (tmp_path / "rows.wal").write_text("before")
    assert eigen(*export(real, "-o", "rows.wal")).code == 0
    assert (tmp_path / "rows.wal").read_text().startswith('{"episode"')
