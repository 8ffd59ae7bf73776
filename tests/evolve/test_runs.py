"""What a run's identity is made of, and what it is not."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from eigen_airline.domain import Airline
from eigen_cli.api.backend import ROLES, BackendSettings
from eigen_cli.evolve.runs import Run, RunDomain, domain_of_call, prepare, role_context
from eigen_cli.evolve.settings import EvolveSettings
from eigen_cli.run.actors import Actors
from eigen_offline.backend import OfflineBackend
from eigen_registry import open_registry
from eigen_tau2.airline import Tau2Airline
from eigen_telecom.domain import Telecom

BENCHMARK = importlib.util.find_spec("tau2")


def _run(folder: Path, *domains: RunDomain) -> Run:
    backend = OfflineBackend(BackendSettings())
    actors = Actors(dict.fromkeys(ROLES, backend))
    return prepare(EvolveSettings(), domains, actors=actors, store=open_registry(folder))


@pytest.mark.skipif(BENCHMARK is None, reason="the benchmark's data is not installed")
def test_what_a_domains_data_is_names_a_run_and_where_it_lies_does_not(tmp_path: Path) -> None:
    assert BENCHMARK is not None and BENCHMARK.origin is not None
    data = Path(BENCHMARK.origin).parent / "data" / "tau2"
    ids = []
    for name in ("one", "two", "other"):
        folder = tmp_path / name / "domains" / "airline"
        shutil.copytree(data / "domains" / "airline", folder)
        if name == "other":
            (folder / "policy.md").write_text("Be kind.")
        domain = Tau2Airline.opened({"tau2_data": str(tmp_path / name)})
        ids.append(_run(tmp_path, RunDomain.of(domain, {})).id)
    assert ids[0] == ids[1] != ids[2]


def test_every_domain_has_a_label_of_its_own(tmp_path: Path) -> None:
    run = _run(tmp_path, RunDomain.of(Telecom(), {}), RunDomain.of(Airline(), {}))
    contexts = [role_context(run, part, run.actors.backends["agent"]) for part in run.domains]
    assert [context.run for context in contexts] == ["airline:0", "telecom:0"]
    keys = [context.key("planner", round_=1) for context in contexts]
    assert [domain_of_call(key) for key in keys] == ["airline", "telecom"]
    assert run.fingerprint == ",".join(part.fingerprint for part in run.domains)
