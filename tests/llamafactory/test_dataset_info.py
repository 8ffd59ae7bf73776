"""`dataset_info.json`: an entry for the file, beside those that were there."""

from __future__ import annotations

import json

import pytest

from eigen_cli.api.errors import ConfigError
from eigen_llamafactory.exporter import LlamaFactoryExporter

ENTRY = {
    "file_name": "airline.jsonl",
    "formatting": "sharegpt",
    "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
}


def described(file_name: str, existing: bytes | None) -> bytes:
    return LlamaFactoryExporter().companion_text("agent_sft", file_name, existing)


def test_a_file_is_named_without_its_ending() -> None:
    assert json.loads(described("airline.jsonl", None)) == {"airline": ENTRY}


def test_entries_that_were_there_stay_in_their_order() -> None:
    other = {"identity": {"file_name": "identity.json", "ranking": False}}
    merged = json.loads(described("airline.jsonl", json.dumps(other).encode()))
    assert list(merged.items()) == [*other.items(), ("airline", ENTRY)]


def test_describing_a_file_again_changes_nothing() -> None:
    once = described("airline.jsonl", b"{}")
    assert described("airline.jsonl", once) == once
    assert once.endswith(b"}\n")


def test_another_data_set_of_that_name_is_not_overwritten() -> None:
    with pytest.raises(ConfigError, match="another data set named airline already"):
        described("airline.jsonl", b'{"airline": {"file_name": "mine.json"}}')


@pytest.mark.parametrize("existing", [b"[1]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_not_overwritten(existing: bytes) -> None:
    with pytest.raises(ConfigError, match="no JSON object") as raised:
        described("airline.jsonl", existing)
    assert raised.value.hint == "mend it, or export into another folder"
