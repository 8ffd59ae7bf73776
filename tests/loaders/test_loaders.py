"""Each file as its consumer's own loader reads it: the same prompts as in serving, the loss on exactly the targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chat_samples import (
    AGENT_CHATS,
    ASKED,
    GREETED,
    LAST_TURN,
    NO_CONTENT,
    PHONE_USER,
    PLAIN_USER,
    RL_TASK,
    SKIPPING,
    UNGREETED_TASK,
    UNPARSABLE,
    USER_CHATS,
    HandmadeSource,
    chat,
    rendered_as_served,
    said,
)
from msgspec.structs import replace

from eigen_chat_formats.export_openai import OpenAIExporter
from eigen_chat_formats.export_openrlhf_rl import OpenRlhfRlExporter
from eigen_chat_formats.export_openrlhf_sft import OpenRlhfSftExporter
from eigen_chat_formats.export_trl import TrlExporter
from eigen_cli.api.exporter import Exporter
from eigen_cli.api.samples import SAMPLE_KINDS, ChatSample, SampleKind
from eigen_llamafactory.exporter import LlamaFactoryExporter
from eigen_parquet.exporter import CompatParquetExporter, ParquetExporter

Probe = Any
KINDS: tuple[tuple[SampleKind, tuple[ChatSample, ...]], ...] = (
    ("agent_sft", AGENT_CHATS),
    ("user_sft", USER_CHATS),
)


def written(folder: Path, exporter: Exporter, kind: SampleKind, *chats: ChatSample) -> Path:
    """Write rows, and what belongs beside them, into a folder."""
    with (folder / "rows.jsonl").open("wb") as out:
        exporter.write(HandmadeSource(*chats), kind, out)
    if exporter.companion:
        (folder / exporter.companion).write_bytes(exporter.companion_text(kind, "rows.jsonl", None))
    return folder


def served(*chats: ChatSample) -> list[dict[str, Any]]:
    return [{"messages": rendered_as_served(item), "tools": item.tools, "targets": item.targets} for item in chats]


def first_turns(sample: ChatSample, end: int, *targets: int) -> ChatSample:
    return replace(sample, messages=sample.messages[:end], targets=targets)


@pytest.mark.consumer("trl")
@pytest.mark.parametrize(("kind", "chats"), KINDS)
def test_trl_trains_on_the_targets_of_the_chat_that_was_served(
    tmp_path: Path, probe: Probe, kind: SampleKind, chats: tuple[ChatSample, ...]
) -> None:
    expected: list[ChatSample] = []
    for sample in chats:
        # The one with context between its targets comes as two.
        parts = [first_turns(SKIPPING, 3, 2), first_turns(SKIPPING, 10, 9)] if sample is SKIPPING else [sample]
        expected += [] if sample is UNPARSABLE else parts
    found = probe("trl_sft", written(tmp_path, TrlExporter(), kind, *chats), served=served(*expected))
    assert found["rows"] == found["served"]
    assert [len(row["learned"]) for row in found["rows"]] == [len(sample.targets) for sample in expected]
    assert found["loss"] > 0


@pytest.mark.consumer("trl")
def test_trl_hands_the_row_to_the_environment_and_its_words_to_the_model(tmp_path: Path, probe: Probe) -> None:
    folder = written(tmp_path, TrlExporter(), "rl_tasks")
    found = probe("trl_grpo", folder)
    lines = {row["id"]: row for row in map(json.loads, (folder / "rows.jsonl").read_text().splitlines())}
    assert sorted(row["id"] for row in found["resets"]) == ["task-1", "task-1", "task-2", "task-2"]
    assert all(row == lines[row["id"]] for row in found["resets"])
    expected = [
        [*task.messages, {"role": "user", "content": f"I am the user of {task.id}."}]
        for task in (RL_TASK, RL_TASK, UNGREETED_TASK, UNGREETED_TASK)
    ]
    assert sorted(found["prompts"], key=len, reverse=True) == expected


@pytest.mark.consumer("openrlhf", "trl")
@pytest.mark.parametrize(("kind", "chats"), KINDS)
def test_openrlhf_trains_on_the_targets_of_the_chat_that_was_served(
    tmp_path: Path, probe: Probe, kind: SampleKind, chats: tuple[ChatSample, ...]
) -> None:
    expected = [sample for sample in chats if sample is not UNPARSABLE]
    found = probe("openrlhf_sft", written(tmp_path, OpenRlhfSftExporter(), kind, *chats), served=served(*expected))
    assert found["rows"] == found["served"] == found["kept"]
    assert [len(row["learned"]) for row in found["rows"]] == [len(sample.targets) for sample in expected]


@pytest.mark.consumer("openrlhf", "trl")
def test_openrlhf_hands_the_task_to_the_environment(tmp_path: Path, probe: Probe) -> None:
    folder = written(tmp_path, OpenRlhfRlExporter(), "rl_tasks")
    companion = OpenRlhfSftExporter()
    (folder / companion.companion).write_bytes(companion.companion_text("agent_sft", "rows.jsonl", None))
    chats = [{"messages": task.messages, "tools": task.tools} for task in (RL_TASK, UNGREETED_TASK)]
    found = probe("openrlhf_rl", folder, served=chats)
    lines = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    assert [row[:3] for row in found["rows"]] == [
        ["airline", prompt, line["label"]] for prompt, line in zip(found["served"], lines, strict=True)
    ]
    assert "étui" in found["served"][0]


@pytest.mark.consumer("trl")
@pytest.mark.parametrize("exporter", [TrlExporter(), OpenRlhfSftExporter()])
def test_datasets_reads_calls_that_come_after_ten_megabytes_without_any(
    tmp_path: Path, probe: Probe, exporter: Exporter
) -> None:
    wordy = chat("plain:user", (*PLAIN_USER.messages[:-1], said("so " * 5_000)), targets=(2, 4), tools=())
    folder = written(tmp_path, exporter, "user_sft", *[wordy] * 800, PHONE_USER, *AGENT_CHATS[:1])
    assert (folder / "rows.jsonl").stat().st_size > 11 * 2**20
    assert probe("datasets_json", folder) == {"rows": 802, "equal": 802}


@pytest.mark.consumer("llamafactory", "trl")
def test_llamafactory_trains_on_the_targets_of_the_chat_that_was_served(tmp_path: Path, probe: Probe) -> None:
    # A greeting is left out; what comes after context is cut.
    expected = (ASKED, ASKED, first_turns(SKIPPING, 3, 2), NO_CONTENT)
    found = llamafactory(tmp_path, probe, "agent_sft", (GREETED, ASKED, SKIPPING, UNPARSABLE, NO_CONTENT), expected)
    assert found["rows"] == found["served"]


@pytest.mark.consumer("llamafactory", "trl")
def test_llamafactory_trains_user_simulators(tmp_path: Path, probe: Probe) -> None:
    found = llamafactory(tmp_path, probe, "user_sft", USER_CHATS, USER_CHATS)
    assert found["rows"] == found["served"]


@pytest.mark.consumer("llamafactory", "trl")
def test_llamafactory_trains_on_last_turns_with_mask_history(tmp_path: Path, probe: Probe) -> None:
    found = llamafactory(tmp_path, probe, "agent_sft", (LAST_TURN,), (LAST_TURN,), "last")
    assert found["rows"] == found["served"]
    assert found["rows"][0]["learned"] == ["No seats are left.<|im_end|>"]


def llamafactory(
    folder: Path,
    probe: Probe,
    kind: SampleKind,
    chats: tuple[ChatSample, ...],
    expected: tuple[ChatSample, ...],
    *arguments: str,
) -> Any:
    return probe(
        "llamafactory_sft",
        written(folder, LlamaFactoryExporter(), kind, *chats),
        *arguments,
        served=served(*expected),
        side="pinned",
    )


@pytest.mark.consumer("openai")
@pytest.mark.parametrize(("kind", "chats"), KINDS)
def test_the_openai_sdk_reads_chats_as_its_own_types(
    tmp_path: Path, probe: Probe, kind: SampleKind, chats: tuple[ChatSample, ...]
) -> None:
    found = probe("openai_types", written(tmp_path, OpenAIExporter(), kind))
    assert [row["messages"] for row in found] == [list(sample.messages) for sample in chats]
    assert [row.get("tools", []) for row in found] == [list(sample.tools) for sample in chats]


@pytest.mark.consumer("trl")
def test_datasets_reads_parquet_and_nothing_gains_a_key(tmp_path: Path, probe: Probe) -> None:
    found = parquet(tmp_path, probe, "current")
    assert found["version"].startswith("5.")
    for name, chats in KINDS:
        read = found["files"][name]
        assert read["features"]["messages"] == read["features"]["tools"] == "List(Json(decode=True))"
        assert [row["messages"] for row in read["rows"]] == [list(sample.messages) for sample in chats]
        assert [row["tools"] for row in read["rows"]] == [list(sample.tools) for sample in chats]
        assert [row["targets"] for row in read["rows"]] == [list(sample.targets) for sample in chats]
    tasks = found["files"]["rl_tasks"]["rows"]
    assert [row["definition"]["gold"] for row in tasks] == [
        [{"name": "book", "arguments": {"meal": None, "seats": 2}}]
    ] * 2
    assert [row["user_tools"] for row in tasks] == [list(RL_TASK.user_tools), []]
    assert_twins_are_equal(found)


@pytest.mark.consumer("llamafactory")
def test_the_datasets_that_llamafactory_pins_reads_the_twin_alone(tmp_path: Path, probe: Probe) -> None:
    found = parquet(tmp_path, probe, "pinned")
    assert found["version"] == "4.0.0"
    assert "arrow.json" in found["files"]["agent_sft"]["error"]
    for name, chats in KINDS:
        rows = found["files"][f"{name}_compat"]["rows"]
        assert [json.loads(row["messages"]) for row in rows] == [list(sample.messages) for sample in chats]
        assert [json.loads(row["tools"]) for row in rows] == [list(sample.tools) for sample in chats]


def parquet(folder: Path, probe: Probe, side: str) -> Any:
    for kind in SAMPLE_KINDS[:3]:
        for exporter, name in ((ParquetExporter(), kind), (CompatParquetExporter(), f"{kind}_compat")):
            with (folder / f"{name}.parquet").open("wb") as out:
                exporter.write(HandmadeSource(), kind, out)
    return probe("datasets_parquet", folder, side=side)


def assert_twins_are_equal(found: Any) -> None:
    for kind in SAMPLE_KINDS[:3]:
        twin = found["files"][f"{kind}_compat"]["rows"]
        for row, text in zip(found["files"][kind]["rows"], twin, strict=True):
            assert {
                name: json.loads(value) if isinstance(value, str) and not isinstance(row[name], str) else value
                for name, value in text.items()
            } == row
