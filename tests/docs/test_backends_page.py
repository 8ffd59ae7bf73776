"""docs/backends.md lists every option, flag and fault, and its two command lines work together."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

from command_line import Eigen

from eigen_cli.testing.openai_server.faults import CONTENT_FAULTS, Fault, FaultKind
from eigen_openai.options import Options
from eigen_vllm.options import Options as VllmOptions

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "backends.md").read_text("utf-8")


def table_after(heading: str) -> dict[str, list[str]]:
    """Return the rows of the first table after a line, by what stands in their first cell."""
    table = re.search(r"(?:^\|.*\n)+", PAGE[PAGE.index(heading) :], re.MULTILINE)
    assert table is not None
    rows = [[cell.strip().strip("`") for cell in line.strip("|\n").split(" | ")] for line in table[0].splitlines()[2:]]
    return {row[0].split("`")[0].strip(): row[1:] for row in rows}


def test_the_options_are_those_of_the_backend() -> None:
    shown = {name: json.loads(cells[0]) for name, cells in table_after("The key is read").items()}
    assert shown == {name: getattr(Options(), name) for name in Options.__struct_fields__}


def test_the_options_of_vllm_are_those_of_its_backend() -> None:
    names = set(VllmOptions.__struct_fields__)
    section = PAGE[PAGE.index("## `vllm`") : PAGE.index("The options of `openai` hold too")]
    shown = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", section, re.MULTILINE)
    assert {name.strip("`") for cell in shown for name in cell.split(", ")} == names


def test_the_faults_are_those_of_the_server() -> None:
    fields = table_after("### Faults")
    assert list(fields) == list(Fault.__struct_fields__)
    assert list(table_after("| kind |")) == list(typing.get_args(FaultKind))
    once = {name for name, cells in table_after("| kind |").items() if cells[1].startswith("once a call")}
    assert once == CONTENT_FAULTS


def test_the_flags_are_those_of_the_program() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "eigen_cli.testing.openai_server", "--help"], capture_output=True, text=True, check=True
    ).stdout
    flags = set(re.findall(r"^  (--[\w-]+)", shown, re.MULTILINE))
    section = PAGE[PAGE.index("| flag |") : PAGE.index("The actors answer")]
    assert flags == set(re.findall(r"`(--[\w-]+)`", section))


def test_the_server_plays_the_actors_to_the_settings_of_the_page(eigen: Eigen, tmp_path: Path) -> None:
    wanted = re.search(r"--faults '(\[.*\])'", PAGE)
    settings = re.findall(r"```toml\n(.*?)```", PAGE[PAGE.index("The actors answer") :], re.DOTALL)[0]
    assert wanted is not None
    command = [sys.executable, "-m", "eigen_cli.testing.openai_server", "--faults", wanted[1].replace(" 1,", " 0.01,")]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        (tmp_path / "eigen.toml").write_text(settings.replace("http://127.0.0.1:8000/v1", url))
        done = eigen("evolve", "airline", "--rounds", 1, "--tasks", 4, "--trials", 1, "--plans", 1, "--json")
        server.terminate()
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["simulated"], report["actors"]) == (True, "openai")
    (generation,) = report["generations"]
    assert generation["episodes"] >= 1
    assert sum(usage.get("retries", 0) for usage in generation["usage"].values()) > 0
