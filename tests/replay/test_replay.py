"""Cassettes: recorded through a real journal, read back, and played by the replay backend."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from eigen_cli.api.backend import (
    Backend,
    BackendSettings,
    CallKey,
    Chat,
    Reply,
    Request,
    RoleName,
    SimulatedReply,
    Usage,
)
from eigen_cli.api.cassettes import read_cassette
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ConfigError, ContextOverflowError
from eigen_cli.api.messages import Completion
from eigen_cli.run.calls import RecordedBackends
from eigen_cli.run.cassette import CassetteRecorder
from eigen_cli.run.journal import Journal
from eigen_cli.run.terms import Terms
from eigen_replay.backend import ReplayBackend


class Echo(Backend):
    """Says the last message back, and fails where told to."""

    identity = "echo"

    async def complete(self, request: Request) -> Reply:
        said = request.chat.messages()[-1]["content"]
        if said == "fail":
            raise BackendError("it failed", hint="as told")
        if said == "overflow":
            raise ContextOverflowError("too long")
        return SimulatedReply(Completion(text=f"{said}!", completion_tokens=3), Usage(calls=1, seconds=0.5), ("typo",))


def request(*said: str, role: RoleName = "agent") -> Request:
    chat = Chat.of(*({"role": "user", "content": text} for text in said))
    return Request(role, CallKey("x:0", 1, "p", "t", 0, role, len(said), 0), None, chat)


ASKED = (("a",), ("a", "b"), ("a", "b", "c"), ("z",))


async def recorded(folder: Path, path: Path, *requests: Request) -> list[Reply | str]:
    recorder = CassetteRecorder(path, identities={"agent": "echo", "user": "sage"}, simulated=True)
    with Journal.open(folder / "j.journal") as journal:
        calls = RecordedBackends(
            dict.fromkeys(("agent", "user"), Echo(BackendSettings())),  # type: ignore[arg-type]
            journal,
            concurrency=2,
            terms=Terms(cassette=recorder),
        )
        found: list[Reply | str] = []
        for asked in requests:
            try:
                found.append(await calls.complete(asked))
            except BackendError as error:
                found.append(error.message)
    recorder.close()
    return found


def replaying(path: Path) -> ReplayBackend:
    return ReplayBackend(BackendSettings(options={"cassette": str(path)}))


@pytest.mark.parametrize("name", ["run.cassette", "run.cassette.gz"])
async def test_what_was_recorded_is_played_exactly(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep" / name
    asked = [request(*said) for said in ASKED]
    replies = await recorded(tmp_path, path, *asked, request("fail"), request("overflow"))
    assert replies[4:] == ["it failed", "too long"]
    player = replaying(path)
    assert player.simulated
    assert (player.identity_for("agent"), player.identity_for("user")) == ("echo", "sage")
    for one, reply in zip(asked, replies, strict=False):
        played = await player.complete(one)
        assert isinstance(played, SimulatedReply)
        assert Reply(played.completion, played.usage) == reply
        assert played.faults == ("typo",)
    with pytest.raises(BackendError, match="it failed") as caught:
        await player.complete(request("fail"))
    assert (caught.value.hint, type(caught.value)) == ("as told", BackendError)
    with pytest.raises(ContextOverflowError):
        await player.complete(request("overflow"))
    with pytest.raises(BackendUnreachableError, match="has no answer to"):
        await player.complete(request("never asked"))


async def test_a_conversation_costs_its_own_length(tmp_path: Path) -> None:
    path = tmp_path / "c"
    await recorded(tmp_path, path, *(request(*said) for said in ASKED))
    lines = [json.loads(line) for line in path.read_text().splitlines()][1:]
    assert [[message["content"] for message in line.get("messages", ())] for line in lines] == [
        ["a"],
        ["b"],
        ["c"],
        ["z"],
    ]
    assert [bool(line.get("after")) for line in lines] == [False, True, True, False]


async def test_a_resumed_run_records_what_its_journal_answers(tmp_path: Path) -> None:
    asked = [request(*said) for said in ASKED]
    await recorded(tmp_path, tmp_path / "first", *asked[:2])
    await recorded(tmp_path, tmp_path / "second", *asked, asked[0])
    _, exchanges = read_cassette(tmp_path / "second")
    assert [exchange.fingerprint for exchange in exchanges] == [one.fingerprint() for one in asked]


async def test_a_cassette_that_was_cut_off_plays_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "c"
    await recorded(tmp_path, path, *(request(*said) for said in ASKED))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert len(list(read_cassette(path)[1])) == 3
    packed = tmp_path / "c.gz"
    packed.write_bytes(gzip.compress(whole)[:-12])
    assert len(list(read_cassette(packed)[1])) <= 4


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"not json\n", b'{"type":"header","identities":{},"simulated":true,"format":9}\n']
)
def test_what_is_no_cassette_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="cassette"):
        replaying(path)


def test_a_missing_or_unnamed_cassette_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        replaying(tmp_path / "none")
    with pytest.raises(ConfigError, match="needs a cassette"):
        ReplayBackend(BackendSettings())
