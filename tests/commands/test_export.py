"""`eigen export`: the same bytes to a file and to stdout, whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Eigen
from commands_shared import Evolved
from third_party import install

PRINTER = """
import json
from eigen_cli.api.errors import ConfigError
from eigen_cli.api.exporter import Exporter, ExportReport, Loss
from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec

@hookimpl
def eigen_exporters():
    return [
        PluginSpec("exporter", name.lower(), f"printer:{name}", "Prints")
        for name in ("Failing", "Plain", "Lossy", "Indexed")
    ]

class Plain(Exporter):
    name = "plain"
    kinds = ("agent_sft", "user_sft", "rl_tasks")
    losses = ()
    def write(self, source, kind, out):
        rows = source.rl_tasks() if kind == "rl_tasks" else source.chats(kind)
        lines = [out.write(f"{row.id}\\n".encode()) for row in rows]
        return ExportReport(len(lines), self.losses)

class Lossy(Plain):
    name = "lossy"
    losses = (Loss("who spoke", 12), Loss("calls of two tools at once", 3, dropped=True))

class Indexed(Plain):
    name = "indexed"
    companion = "index.json"
    def companion_text(self, kind, file_name, existing):
        try:
            known = json.loads(existing or b"{}")
        except ValueError as error:
            raise ConfigError("index.json is no JSON", hint="move it away") from error
        return json.dumps({**known, file_name: kind}).encode()

class Failing(Plain):
    name = "failing"
    kinds = ("episodes",)
    def write(self, source, kind, out):
        out.write(b"half")
        raise OSError("the printer is on fire")
"""


@pytest.fixture
def printer(library: Path) -> None:
    """Have a third party's exporters installed."""
    install(library, "eigen-printer", groups={"eigen": {"printer": "printer"}}, modules={"printer": PRINTER})


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


@pytest.mark.usefixtures("printer")
def test_a_failed_export_leaves_what_was_there(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.txt"
    target.write_text("before")
    done = eigen("export", "--format", "failing", "-o", target, "--registry", real)
    assert done.code == 1
    assert "eigen: error: the printer is on fire\n" in done.err
    assert target.read_text() == "before"
    assert partial_files(tmp_path) == []


def partial_files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if "partial" in path.name]


@pytest.mark.usefixtures("printer")
def test_twins_of_one_generation(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    written = {}
    for kind, said in (
        ("agent_sft", "selected 6 of 18: 6 not passed, 6 broken down"),
        ("user_sft", "selected 12 of 18: 6 broken down"),
        ("rl_tasks", "selected 5 of 6: 1 writing nothing, beyond the cap"),
    ):
        done = eigen("export", "--format", "plain", "--kind", kind, "--split", "all", "-o", "x", "--registry", real)
        assert (done.code, done.out) == (0, ""), done.err
        written[kind] = (tmp_path / "x").read_text().split()
        assert f"gen-0001: {len(written[kind])} rows written to x\n{said}\nnothing lost\n" in done.err
    assert {len(rows) for rows in written.values()} == {5, 6, 12}
    assert all(row.endswith("/agent") for row in written["agent_sft"])
    assert {row.replace("/agent", "/user") for row in written["agent_sft"]} < set(written["user_sft"])
    done = eigen("export", "--format", "plain", "-o", "x", "--registry", real)
    assert "not of the split train" in done.err  # what is trained on is never taken from the other splits unasked


@pytest.mark.usefixtures("printer")
def test_options_select_and_say_what_they_left_out(eigen: Eigen, real: Path) -> None:
    export = ("export", "--format", "plain", "--split", "all", "-o", "x", "--registry", real)
    for options, said in (
        (("--all-outcomes", "--best-of", 1), "6 rows written to x\nselected 6 of 18: 6 broken down, 6 beyond the best"),
        (
            ("--turns", "each", "--limit", 2),
            "6 rows written to x\nselected 2 of 18: 6 not passed, 6 broken down, 4 bey",
        ),
        (("--band", "0.9:1", "--per-domain", 1), "0 rows written to x\nselected 0 of 18: 18 pass rate not between 0.9"),
        (("--kind", "rl_tasks", "--no-write-cap", "1"), "6 rows written to x\nselected 6 of 6\n"),
    ):
        done = eigen(*export, *options)
        assert (done.code, done.out) == (0, ""), done.err
        assert f"gen-0001: {said}" in done.err


@pytest.mark.usefixtures("printer")
def test_what_is_lost_is_said_and_strict_makes_it_an_error(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    export = ("export", "--format", "lossy", "--split", "all", "--registry", real)
    done = eigen(*export, "-o", "x")
    assert done.code == 0
    assert (
        "rows           what lossy cannot say\n  12  written  who spoke\n   3  dropped  calls of two tools at once\n"
        "eigen: warning: 3 rows dropped that lossy cannot hold\n"
    ) in done.err
    (tmp_path / "x").write_text("before")
    for output in ("x", "-"):
        done = eigen(*export, "--strict", "-o", output)
        assert (done.code, done.out) == (4, "")
        assert "  12  written  who spoke\n" in done.err and "rows written" not in done.err
        assert "eigen: error: lossy cannot say everything of gen-0001, and nothing was written (--strict)\n" in done.err
    assert (tmp_path / "x").read_text() == "before" and partial_files(tmp_path) == []
    whole = ("export", "--format", "plain", "--split", "all", "--registry", real, "-o", "-")
    strict = eigen(*whole, "--strict")
    assert (strict.code, strict.out) == (0, eigen(*whole).out) and strict.out.count("\n") == 6


@pytest.mark.usefixtures("printer")
def test_a_companion_is_kept_beside_the_rows(eigen: Eigen, real: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    index = tmp_path / "data" / "index.json"
    index.write_text('{"mine": 1}')
    export = ("export", "--format", "indexed", "--split", "all", "--registry", real)
    done = eigen(*export, "-o", "data/agents")
    assert done.code == 0 and "data/index.json belongs to it\n" in done.err
    assert eigen(*export, "--kind", "user_sft", "-o", "data/users").code == 0
    assert json.loads(index.read_text()) == {"mine": 1, "agents": "agent_sft", "users": "user_sft"}
    before = (tmp_path / "data" / "agents").read_text()
    index.write_text("mine")
    done = eigen(*export, "--all-outcomes", "-o", "data/agents")
    assert (done.code, index.read_text()) == (2, "mine")
    assert "eigen: error: index.json is no JSON\nhint: move it away\n" in done.err
    assert (tmp_path / "data" / "agents").read_text() == before
    done = eigen(*export, "-o", "data/index.json")
    assert done.code == 2 and "indexed describes its files in index.json\nhint: give the rows another name" in done.err
    assert eigen(*export, "-o", "-").out == before  # and nothing is written beside stdout
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["agents", "index.json", "users"]


@pytest.mark.usefixtures("printer")
def test_simulated_dialogues_become_training_data_only_when_asked(
    eigen: Eigen, evolved: Evolved, tmp_path: Path
) -> None:
    for kind in ("agent_sft", "user_sft", "rl_tasks"):
        export = ("export", "gen-0001", "--format", "plain", "--kind", kind, "-o", "x", "--registry", evolved.folder)
        done = eigen(*export)
        assert (done.code, done.out, (tmp_path / "x").exists()) == (4, "", False)
        assert "eigen: error: gen-0001 is SIMULATED" in done.err and "hint: --allow-offline" in done.err
        done = eigen(*export, "--allow-offline")
        assert done.code == 0 and "eigen: warning: gen-0001 is SIMULATED" in done.err
        (tmp_path / "x").unlink()
    for raw in ("jsonl", "tau2"):  # not to be trained on: labelled, and every task is there
        done = eigen("export", "gen-0001", "--format", raw, "-o", "x", "--registry", evolved.folder)
        assert done.code == 0 and "eigen: warning: gen-0001 is SIMULATED" in done.err


@pytest.mark.usefixtures("printer")
def test_the_outcome_as_json(eigen: Eigen, real: Path) -> None:
    export = ("export", "--format", "lossy", "--registry", real, "--split", "all", "--json", "-o", "x")
    found = json.loads(eigen(*export).out)
    assert found == {
        "schema": 1,
        "generation": "gen-0001",
        "hash": found["hash"],
        "simulated": False,
        "format": "lossy",
        "kind": "agent_sft",
        "file": "x",
        "companion": None,
        "rows": 6,
        "selected": 6,
        "left_out": {"broken down": 6, "not passed": 6},
        "losses": [
            {"what": "who spoke", "rows": 12, "dropped": False},
            {"what": "calls of two tools at once", "rows": 3, "dropped": True},
        ],
    }
    refused = eigen(*export, "--strict")
    assert refused.code == 4
    assert [json.loads(refused.out)[key] for key in ("file", "rows", "selected")] == [None, 0, 6]


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
        (
            ("--format", "plain", "--kind", "plans", "-o", "x"),
            2,
            "plain does not hold plans\nhint: it holds agent_sft, ",
        ),
        (("--kind", "agent_sft", "-o", "x"), 2, "jsonl does not hold agent_sft\nhint: it holds episodes\n"),
        (
            ("--best-of", "2", "-o", "x"),
            2,
            "--best-of does not select among episodes\nhint: episodes are written as they are stored",
        ),
        (("--format", "tau2", "--all-outcomes", "-o", "x"), 2, "--all-outcomes does not select among rl_tasks"),
        (("--format", "plain", "--until-violation", "-o", "x"), 2, "--until-violation does not select among agent_sft"),
        (("--format", "plain", "--band", "1:0", "-o", "x"), 2, "Invalid value for '--band': '1:0' is no range of"),
        (("--format", "plain", "--band", "half", "-o", "x"), 2, "Invalid value for '--band': 'half' is not LOW:HIGH"),
        (("--json", "-o", "-"), 2, "--json and -o - both want stdout"),
        (("-o", "site"), 2, "site cannot be written: is a directory\nhint: name a file in a folder that exists"),
    ],
)
@pytest.mark.usefixtures("printer")
def test_bad_input(eigen: Eigen, real: Path, arguments: tuple[str, ...], code: int, error: str) -> None:
    done = eigen("export", *arguments, "--registry", real)
    assert (done.code, done.out) == (code, "")
    assert f"eigen: error: {error}" in done.err
    assert "Errno" not in done.err and "partial" not in done.err
