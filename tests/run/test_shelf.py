"""Episodes put away: whatever was put comes back, from a file that no one else sees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.episodes import Episode
from eigen_cli.api.errors import RegistryError
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.messages import FieldChange, Message, RecordChange, ToolCall, ToolResult
from eigen_cli.api.verdicts import Blame, EpisodeVerdict, Part
from eigen_cli.run.shelf import Place, Shelf


def record(number: int) -> EpisodeRecord:
    arguments = {"z": 10**30, "a": [1.5, None, 1e22], "text": "\u2028 \N{GRINNING FACE}"}
    change = RecordChange("accounts", "A1", "changed", (FieldChange("balance", 12.5, -0.0),))
    messages = (
        Message("user", "Hello" * number, finish_reason="stop"),
        Message("agent", tool_calls=(ToolCall("c1", "agent", "get", "{oops", arguments, None),)),
        Message("environment", result=ToolResult("c1", "agent", "get", "{}", changes=(change,))),
    )
    verdict = EpisodeVerdict(0.5, (Part("state", "1", 0.5, ("x",)),), Blame("user", "early_stop", turn=3))
    return EpisodeRecord(Episode(f"ep-{number}", "task-1", number, messages, "user_stop", "s", "o"), verdict, Usage(7))


def test_what_was_put_comes_back_in_any_order(tmp_path: Path) -> None:
    records = [record(number) for number in range(50)]
    with Shelf(tmp_path) as shelf:
        places = [shelf.put(each) for each in records]
        assert places[0] == Place(0, len(canonical_json(records[0]))) and places[1].start == places[0].length
        back = [shelf.get(place) for place in reversed(places)]
    assert back == records[::-1]
    assert [canonical_json(each) for each in back] == [canonical_json(each) for each in records[::-1]]


def test_its_file_has_no_name_and_its_folder_is_made(tmp_path: Path) -> None:
    with Shelf(tmp_path / "registry") as shelf:
        shelf.put(record(1))
        assert list((tmp_path / "registry").iterdir()) == []
    shelf.close()


def test_a_folder_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RegistryError, match=r"episodes cannot be put away in .*file") as refused:
        Shelf(tmp_path / "file" / "registry")
    assert refused.value.hint is not None and "run the same command" in refused.value.hint


def test_a_record_that_does_not_fit_is_refused_and_the_next_one_lies_where_it_would(tmp_path: Path) -> None:
    code = f"""
import resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_shelf import record
from eigen_cli.api.errors import RegistryError
from eigen_cli.run.shelf import Shelf
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Shelf(Path({str(tmp_path)!r})) as shelf:
    kept = shelf.put(record(1))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (kept.length + 900, hard))
    try:
        shelf.put(record(2000))
    except RegistryError as error:
        print(error.message.rpartition(": ")[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    after = shelf.put(record(3))
    print(after.start == kept.length, shelf.get(kept) == record(1), shelf.get(after) == record(3))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == ["File too large", "True True True"], done.stderr
