"""The Parquet exporters, read back with pyarrow."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from chat_samples import (
    AGENT_CHATS,
    GENERATION,
    LAST_TURN,
    RL_TASK,
    TASK,
    UNGREETED_TASK,
    USER_CHATS,
    HandmadeSource,
)
from eigen_tidy_library.domain import TidyLibrary

from eigen_cli.api.errors import RegistryError
from eigen_cli.api.exporter import Exporter, ExportReport
from eigen_cli.api.messages import Message
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, PlanRecord, Quota, SynthesisPlan
from eigen_cli.api.samples import SAMPLE_KINDS, ChatSample, SampleKind
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_cli.testing.contracts import check_exporter
from eigen_cli.testing.drafted import contract_context, drafted_tasks
from eigen_cli.testing.memory_store import MemoryStore
from eigen_cli.testing.sample_generation import seal_sample
from eigen_cli.training.source import GenerationSource
from eigen_parquet import exporter as written_by
from eigen_parquet.exporter import CompatParquetExporter, ParquetExporter

EXPORTERS = (ParquetExporter(), CompatParquetExporter())


def exported(kind: SampleKind, source: Any, exporter: Exporter = EXPORTERS[0]) -> tuple[ExportReport, pa.Table]:
    out = io.BytesIO()
    report = exporter.write(source, kind, out)
    return report, pq.read_table(io.BytesIO(out.getvalue()))


def decoded(values: list[str] | str) -> Any:
    return json.loads(values) if isinstance(values, str) else [json.loads(value) for value in values]


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_they_keep_the_contract(exporter: Exporter) -> None:
    check_exporter(exporter, TidyLibrary())


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize(("kind", "samples"), [("agent_sft", AGENT_CHATS), ("user_sft", USER_CHATS)])
def test_chats_read_back_whole(exporter: Exporter, kind: SampleKind, samples: tuple[ChatSample, ...]) -> None:
    report, table = exported(kind, HandmadeSource(), exporter)
    assert report == ExportReport(len(samples))
    rows = table.to_pylist()
    for row, sample in zip(rows, samples, strict=True):
        assert decoded(row["messages"]) == list(sample.messages)
        assert decoded(row["tools"]) == list(sample.tools)
        assert row["targets"] == list(sample.targets)
        assert {item["message"]: item["text"] for item in row["reasoning"]} == sample.reasoning
        origin = sample.origin
        assert {name: row[name] for name in ("id", "episode", "trial", "reward", "stop", "blame")} == {
            "id": sample.id,
            "episode": sample.episode,
            "trial": sample.trial,
            "reward": sample.reward,
            "stop": sample.stop,
            "blame": sample.blame,
        }
        assert {name: row[name] for name in msgspec.structs.asdict(origin)} == msgspec.structs.asdict(origin)


def test_json_columns_have_arrows_json_type_and_text_in_the_twin() -> None:
    _, table = exported("rl_tasks", HandmadeSource())
    assert table.schema.field("messages").type == pa.list_(pa.field("element", pa.json_()))
    assert table.schema.field("definition").type == pa.json_()
    _, twin = exported("rl_tasks", HandmadeSource(), EXPORTERS[1])
    json_columns = ("messages", "tools", "user", "user_tools", "definition")
    assert {str(twin.schema.field(name).type) for name in json_columns} == {"string"}
    assert twin.schema.names == table.schema.names


def test_keys_keep_the_order_in_which_they_were_sent() -> None:
    _, table = exported("agent_sft", HandmadeSource(LAST_TURN))
    assert json.dumps(decoded(table["tools"][0].as_py())) == json.dumps(LAST_TURN.tools)


def test_tasks_read_back_whole() -> None:
    _, table = exported("rl_tasks", HandmadeSource())
    first, second = table.to_pylist()
    assert msgspec.json.decode(first["definition"], type=Task) == TASK
    assert decoded(first["user"]) == list(RL_TASK.user)
    assert decoded(first["user_tools"]) == list(RL_TASK.user_tools)
    assert (first["trials"], first["passed"], first["split"]) == (4, 1, "train")
    assert decoded(second["messages"]) == list(UNGREETED_TASK.messages)
    assert second["tools"] == second["user_tools"] == []


def test_duckdb_reads_messages_as_a_list_of_json(tmp_path: Path) -> None:
    with (tmp_path / "rows.parquet").open("wb") as out:
        ParquetExporter().write(HandmadeSource(), "agent_sft", out)
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT typeof(messages), messages, domain FROM read_parquet(?) WHERE reward = 1 ORDER BY id",
            [str(tmp_path / "rows.parquet")],
        ).fetchall()
    passed = [sample for sample in AGENT_CHATS if sample.reward == 1.0]
    assert {(kind, domain) for kind, _, domain in rows} == {("JSON[]", "airline")}
    assert [decoded(messages) for _, messages, _ in rows] == [list(sample.messages) for sample in passed]


def test_an_empty_kind_has_its_columns() -> None:
    report, table = exported("rl_tasks", HandmadeSource(tasks=()))
    assert (report, table.num_rows) == (ExportReport(0), 0)
    assert table.schema.names[:3] == ["id", "messages", "tools"]


@pytest.mark.parametrize("kind", SAMPLE_KINDS[:3])
def test_the_file_says_what_it_holds_and_is_made_for_viewers(kind: SampleKind) -> None:
    out = io.BytesIO()
    ParquetExporter().write(HandmadeSource(), kind, out)
    file = pq.ParquetFile(io.BytesIO(out.getvalue()))
    assert file.schema_arrow.metadata == {b"eigen.generation": GENERATION.encode(), b"eigen.kind": kind.encode()}
    column = file.metadata.row_group(0).column(0)
    assert (column.compression, column.has_column_index, column.has_offset_index) == ("ZSTD", True, True)


def test_row_groups_are_bounded_by_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written_by, "ROW_GROUP_BYTES", 10_000)
    many = HandmadeSource(*AGENT_CHATS * 20)
    out = io.BytesIO()
    assert ParquetExporter().write(many, "agent_sft", out) == ExportReport(120)
    file = pq.ParquetFile(io.BytesIO(out.getvalue()))
    rows = [file.metadata.row_group(index).num_rows for index in range(file.metadata.num_row_groups)]
    assert (len(rows) > 10, sum(rows), max(rows) < 12) == (True, 120, True)
    assert file.read()["id"].to_pylist() == [sample.id for sample in AGENT_CHATS * 20]


def test_equal_samples_give_equal_bytes_and_the_stream_stays_open() -> None:
    once, again = io.BytesIO(), io.BytesIO()
    ParquetExporter().write(HandmadeSource(), "agent_sft", once)
    ParquetExporter().write(HandmadeSource(), "agent_sft", again)
    assert once.getvalue() == again.getvalue()
    assert not once.closed


def test_a_file_that_breaks_off_cannot_be_taken_for_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written_by, "ROW_GROUP_BYTES", 1)

    class Breaking(HandmadeSource):
        def chats(self, kind: SampleKind) -> Iterator[ChatSample]:
            yield from AGENT_CHATS
            raise RegistryError("the registry went away")

    out = io.BytesIO()
    with pytest.raises(RegistryError):
        ParquetExporter().write(Breaking(), "agent_sft", out)
    assert len(out.getvalue()) > 1_000
    with pytest.raises(pa.ArrowInvalid, match="footer"):
        pq.read_table(io.BytesIO(out.getvalue()))


def test_episodes_and_plans_read_back_as_they_are_stored() -> None:
    store = MemoryStore()
    context = contract_context(TidyLibrary())
    generation = seal_sample(store, context, list(drafted_tasks(context, each=1)))
    plan = PlanRecord(Plan.of(PlanBody("tidy", 0, SynthesisPlan("late", (Quota("a", 1),)), EvaluationPlan())), "used")
    store.plans = lambda ref: [plan]  # type: ignore[method-assign]
    source = GenerationSource(store, generation)
    report, table = exported("episodes", source)
    records = list(store.episodes(generation.id))
    assert report == ExportReport(len(records))
    for row, record in zip(table.to_pylist(), records, strict=True):
        episode, task = record.episode, store.task(generation.id, record.episode.task)
        assert msgspec.convert(decoded(row["messages"]), tuple[Message, ...]) == episode.messages
        assert msgspec.json.decode(row["verdict"], type=EpisodeVerdict) == record.verdict
        assert (row["id"], row["task"], row["trial"], row["stop"]) == (
            episode.id,
            episode.task,
            episode.trial,
            episode.stop,
        )
        assert (row["family"], row["split"], row["difficulty"]) == (task.family, task.split, task.difficulty)
        assert (row["state_hash"], row["outcome_hash"]) == (episode.state_hash, episode.outcome_hash)
        assert (row["reward"], row["generation"]) == (record.verdict.reward, generation.hash)
    assert {row["blame"] for row in table.to_pylist()} == {None, "agent", "infrastructure"}
    report, plans = exported("plans", source)
    (row,) = plans.to_pylist()
    assert (report.rows, msgspec.json.decode(row["definition"], type=PlanRecord)) == (1, plan)
    assert (row["id"], row["status"], row["slot"], row["parent"]) == (plan.plan.id, "used", 0, None)
