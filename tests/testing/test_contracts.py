"""Contract checks: sound plugins pass, and every promise broken on purpose is found."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from eigen_tidy_library.domain import TidyLibrary

from eigen_cli.api.backend import Backend, BackendSettings, Reply, Request, Usage
from eigen_cli.api.exporter import Exporter, ExportReport, ExportSource, Loss
from eigen_cli.api.messages import Completion
from eigen_cli.api.samples import SampleKind
from eigen_cli.api.tasks import Task
from eigen_cli.api.trainer import Trainer, TrainPlan
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier
from eigen_cli.run.plugins import load_plugins
from eigen_cli.testing.contracts import (
    ContractError,
    check_backend,
    check_domain,
    check_exporter,
    check_trainer,
    check_verifier,
)
from eigen_jsonl.exporter import JsonLinesExporter


@pytest.mark.parametrize("name", ["state", "checks", "communicate", "actions"])
def test_the_built_in_verifiers_pass(name: str) -> None:
    check_verifier(load_plugins().load("verifier", name)(), TidyLibrary())


def test_the_airline_passes() -> None:
    check_domain(load_plugins().load("domain", "airline")())


def test_the_offline_backend_and_the_jsonl_exporter_pass() -> None:
    check_backend(load_plugins().load("backend", "offline")(BackendSettings()), TidyLibrary())
    check_exporter(JsonLinesExporter(), TidyLibrary())


class Scripted(Verifier):
    """Scores by a function of the episode."""

    name = "scripted"
    version = "1"

    def __init__(self, score: Any, *, signed: str = "scripted", evidence: tuple[str, ...] = ("because",)) -> None:
        self.score = score
        self.signed = signed
        self.evidence = evidence

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        del task, replayer
        score = self.score(episode)
        return Part(self.signed, self.version, score, self.evidence if score < 1 else ())


@pytest.mark.parametrize(
    ("verifier", "breach"),
    [
        (Scripted(lambda episode: 1.0), "it gives full marks to every near miss"),
        (Scripted(lambda episode: 0.0), "it gives 0.0 to the gold actions of lend"),
        (Scripted(lambda episode: 2.0), "lend: the score 2.0 is not in [0, 1]"),
        (Scripted(lambda episode: random.random()), "lend: judging the same episode twice gives two parts"),
        (Scripted(lambda episode: 1.0, signed="else"), "lend: its part is signed else 1, not scripted 1"),
        (
            Scripted(lambda episode: min(len(episode.calls), 1), evidence=()),
            "lend: it takes marks off without evidence",
        ),
    ],
)
def test_each_broken_promise_of_a_verifier_is_found(verifier: Verifier, breach: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_verifier(verifier, TidyLibrary())
    assert any(text.startswith(breach) for text in caught.value.breaches), caught.value.breaches


class Parrot(Backend):
    """Answers with what it is given."""

    answer: Any = Reply(Completion(text="Hello"), Usage(calls=1))

    @property
    def identity(self) -> str:
        return f"parrot {self.settings.base_url}".strip()

    async def complete(self, request: Request) -> Reply:
        if isinstance(self.answer, Exception):
            raise self.answer
        reply: Reply = self.answer
        return reply


def test_a_plain_backend_passes() -> None:
    check_backend(Parrot(BackendSettings()), TidyLibrary())


@pytest.mark.parametrize(
    ("answer", "url", "breach"),
    [
        (Parrot.answer, "http://host/v1", "its identity contains the server's address"),
        (Reply(Completion(), Usage(calls=1)), "", "it says nothing and calls nothing"),
        (Reply(Completion(text="Hello")), "", "its usage counts no call"),
        ("Hello", "", "it answers with a str, not a Reply"),
        (ValueError("no"), "", "it raises ValueError: no"),
    ],
)
def test_each_broken_promise_of_a_backend_is_found(answer: Any, url: str, breach: str) -> None:
    backend = type("Variant", (Parrot,), {"answer": answer})(BackendSettings(base_url=url))
    with pytest.raises(ContractError) as caught:
        check_backend(backend, TidyLibrary())
    assert any(breach in text for text in caught.value.breaches), caught.value.breaches


class Lines(Exporter):
    """Writes what it is told to, a line an episode or a dialogue."""

    name = "lines"
    kinds = ("episodes", "agent_sft")

    def __init__(self, line: Callable[[], bytes] = lambda: b"x", *, rows: Callable[[int], int] = int, **changes: Any):
        self.line = line
        self.rows = rows
        self.losses: tuple[Loss, ...] = changes.pop("losses", ())
        self.__dict__.update(changes)

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        found = source.chats(kind) if kind == "agent_sft" else source.episodes()
        rows = sum(out.write(self.line()) >= 0 for _ in found)
        return ExportReport(self.rows(rows), self.losses)

    def companion_text(self, kind: SampleKind, file_name: str, existing: bytes | None) -> bytes:
        return (existing or b"") + file_name.encode()


class Closing(Lines):
    """Closes what is not its own, and leaves a file behind."""

    def write(self, source: ExportSource, kind: SampleKind, out: BinaryIO) -> ExportReport:
        report = super().write(source, kind, out)
        out.close()
        Path("index.json").write_text("{}")
        return report


@pytest.mark.parametrize(
    ("exporter", "breach"),
    [
        (Lines(lambda: str(random.random()).encode()), "agent_sft: the same generation gives different bytes"),
        (Lines(lambda: b""), "episodes: it reports 9 rows and writes nothing"),
        (Lines(rows=lambda found: found - 1), "episodes: of 9 rows it writes 8, and does not say what it dropped"),
        (Lines(rows=lambda found: found - 1), "agent_sft: of 6 rows it writes 5, and does not say what it dropped"),
        (Lines(losses=(Loss("", 3),)), "agent_sft: it reports a loss without saying what is lost"),
        (Lines(rows=lambda found: 3), "episodes: it reports rows for a generation without episodes"),
        (Lines(kinds=()), "an exporter names the kinds it holds"),
        (Lines(kinds=("sft",)), "there is no kind 'sft'"),
        (Closing(), "episodes: it closes the stream it was lent"),
        (Closing(), "episodes: it writes files of its own: index.json"),
        (Lines(companion="../info.json"), "episodes: its companion '../info.json' is no plain file name"),
        (Lines(companion="info.json"), "episodes: its companion differs when the same file is described again"),
    ],
)
def test_each_broken_promise_of_an_exporter_is_found(exporter: Exporter, breach: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_exporter(exporter, TidyLibrary())
    assert any(text.startswith(breach) for text in caught.value.breaches), caught.value.breaches


def test_a_plain_exporter_passes() -> None:
    check_exporter(Lines(), TidyLibrary())
    dropping = Lines(rows=lambda found: max(found - 2, 0), losses=(Loss("what they mean", 2, dropped=True),))
    check_exporter(dropping, TidyLibrary())


def test_a_companion_that_forgets_is_found() -> None:
    class Forgetful(Lines):
        companion = "info.json"

        def companion_text(self, kind: SampleKind, file_name: str, existing: bytes | None) -> bytes:
            return file_name.encode()

    with pytest.raises(ContractError) as caught:
        check_exporter(Forgetful(), TidyLibrary())
    assert "episodes: its companion forgets the files it described before" in caught.value.breaches


class Runner(Trainer):
    """Plans what it is told to."""

    def __init__(self, **changes: Any) -> None:
        sound: dict[str, Any] = {
            "argv": ("python", "train.py"),
            "environment": {"OMP_NUM_THREADS": "8"},
            "files": {"config.json": b"{}"},
            "outputs": ("model/config.json",),
        }
        self.plan_fields = {**sound, **changes}
        self.touch = False
        self.draw = False

    def plan(self, recipe: Mapping[str, Any], data: Path, workdir: Path) -> TrainPlan:
        del recipe, data
        if self.touch:
            (workdir / "config.json").write_text("{}")
        extra = {"argv": (str(random.random()),)} if self.draw else {}
        return TrainPlan(**{**self.plan_fields, **extra})

    def launch(self, plan: TrainPlan) -> int:
        raise AssertionError("a contract check launches nothing")


def test_a_sound_trainer_passes(tmp_path: Path) -> None:
    check_trainer(Runner(), {}, tmp_path)


@pytest.mark.parametrize(
    ("changes", "flag", "breach"),
    [
        ({"argv": ()}, None, "the plan runs nothing"),
        ({"outputs": ()}, None, "the plan expects no output"),
        ({"files": {"../x": b""}}, None, "'../x' lies outside the working folder"),
        ({"outputs": ("/etc/model",)}, None, "'/etc/model' lies outside the working folder"),
        ({"environment": {"HF_TOKEN": "hf_x"}}, None, "the plan carries the value of HF_TOKEN"),
        ({}, "touch", "planning writes files"),
        ({}, "draw", "the same recipe gives two different plans"),
    ],
)
def test_each_broken_promise_of_a_trainer_is_found(
    tmp_path: Path, changes: dict[str, Any], flag: str | None, breach: str
) -> None:
    trainer = Runner(**changes)
    if flag is not None:
        setattr(trainer, flag, True)
    with pytest.raises(ContractError) as caught:
        check_trainer(trainer, {}, tmp_path)
    assert any(text.startswith(breach) for text in caught.value.breaches), caught.value.breaches
