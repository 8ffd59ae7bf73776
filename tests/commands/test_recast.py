"""A backend given for all roles plays those it can; the others stay with the default, and one line says so."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import Eigen

from eigen_cli.run.config import load_config

SMALL = ("evolve", "airline", "--rounds", "1", "--tasks", "2", "--trials", "1", "--dry-run", "--json")


def backends(out: str) -> dict[str, str]:
    return {role: row["backend"] for role, row in json.loads(out)["estimate"].items()}


def test_roles_that_a_backend_cannot_play_stay_with_the_default(eigen: Eigen) -> None:
    done = eigen(*SMALL, "--backend", "oracle")
    assert done.code == 0, done.err
    assert backends(done.out) == {
        "planner": "offline",
        "synthesizer": "offline",
        "task_verifier": "offline",
        "agent": "oracle",
        "user": "oracle",
        "judge": "offline",
        "reflector": "offline",
    }
    assert done.err.splitlines() == [
        "oracle plays agent, user; offline plays planner, synthesizer, task_verifier, judge, reflector "
        "(eigen.toml's [roles.…] sets others)"
    ]


def test_a_role_that_names_its_backend_keeps_it(eigen: Eigen, tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text(
        'backend.name = "null-silence"\nroles.judge.backend = "null-silence"\nroles.user.backend = "oracle"\n'
    )
    done = eigen(*SMALL)
    assert done.code == 0, done.err
    found = backends(done.out)
    assert (found["agent"], found["judge"], found["user"]) == ("null-silence", "null-silence", "oracle")
    assert {found[role] for role in ("planner", "synthesizer", "task_verifier", "reflector")} == {"offline"}
    assert "null-silence plays agent; offline plays planner, synthesizer, task_verifier, reflector " in done.err


def test_nothing_is_said_where_nothing_changes(eigen: Eigen, tmp_path: Path) -> None:
    assert eigen(*SMALL).err == ""
    (tmp_path / "eigen.toml").write_text('[roles.agent]\nbackend = "null-silence"\n')
    done = eigen(*SMALL)
    assert (done.code, done.err) == (0, "")
    assert backends(done.out)["agent"] == "null-silence"


def test_an_evaluations_user_is_not_played_by_an_agent_alone(eigen: Eigen) -> None:
    eigen("evolve", "airline", "--rounds", "1", "--tasks", "2", "--trials", "1")
    done = eigen("eval", "airline", "--backend", "null-refusal", "--trials", "1", "--split", "train", "--dry-run")
    assert "null-refusal plays agent; offline plays user, judge" in done.err


def test_a_flag_for_all_roles_decides_over_a_file_for_one(tmp_path: Path) -> None:
    (tmp_path / "eigen.toml").write_text('[backend]\nname = "openai"\n\n[roles.judge]\nbackend = "openai"\n')
    named = {role: wanted.named for role, wanted in load_config(folder=tmp_path, environ={}).roles.items()}
    assert [role for role, own in named.items() if own] == ["judge"]
    flags = {"backend.name": ("--backend", "oracle")}
    assert not any(wanted.named for wanted in load_config(folder=tmp_path, environ={}, flags=flags).roles.values())
    own = {**flags, "roles.user.backend": ("--user", "oracle")}
    roles = load_config(folder=tmp_path, environ={}, flags=own).roles
    assert [role for role, wanted in roles.items() if wanted.named] == ["user"]
