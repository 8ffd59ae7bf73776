"""Pushing: one commit and one tag a generation, however often, by whomever, and over whatever was there before."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest
from hub_shared import Staging

from eigen_cli.api.errors import HubError, HubRefusalError
from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import Hub, Pushed, RepoSettings
from eigen_cli.api.store import Store
from eigen_cli.testing.hub_server import HubFault, HubServer
from eigen_registry import open_hub

ANY = RepoSettings()
REPO = "tester/agents"


def test_a_push_is_one_commit_and_one_tag(hub: Hub, server: HubServer, generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    pushed = hub.push(release, RepoSettings(private=True, gated="manual"))
    repo = server.repo(REPO)
    assert pushed == Pushed(commit=repo.branches["main"], fresh=True)
    assert repo.tags == {"gen-0001": pushed.commit}
    assert (repo.private, repo.gated) == (True, "manual")
    titles = [commit.title for commit in repo.history("main")]
    assert titles == [f"gen-0001: gen-0001 {generation.hash[:12]}", "initial commit"]
    expected = {path.relative_to(release.folder).as_posix() for path in release.folder.rglob("*") if path.is_file()}
    assert set(repo.at("main").tree) == expected | {".gitattributes"}
    assert {"README.md", "manifest.json"} < expected


def test_it_is_gated_before_anything_is_in_it(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging
) -> None:
    hub.push(staged(generation), RepoSettings(gated="auto"))
    order = [seen.path.rsplit("/", 1)[-1] for seen in server.seen if seen.method in ("PUT", "POST")]
    assert order.index("create") < order.index("settings") < order.index("main")


def test_pushing_again_changes_nothing(hub: Hub, server: HubServer, generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    first = hub.push(release, ANY)
    server.seen.clear()
    assert hub.push(release, ANY) == Pushed(commit=first.commit, fresh=False)
    assert {seen.method for seen in server.seen} <= {"GET", "HEAD"}
    assert len(server.repo(REPO).commits) == 2


def test_the_same_generation_under_another_tag_is_the_same_commit(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging
) -> None:
    first = hub.push(staged(generation), ANY)
    assert hub.push(staged(generation, tag="best"), ANY).commit == first.commit
    assert server.repo(REPO).tags == {"gen-0001": first.commit, "best": first.commit}
    assert len(server.repo(REPO).commits) == 2


def test_the_next_generation_replaces_the_files_and_leaves_the_notes(
    hub: Hub, server: HubServer, store: Store, staged: Staging
) -> None:
    first, second = (staged(generation) for generation in store.generations())
    extra = first.folder / "data" / "agent_sft" / "train-00001-of-00002.parquet"
    extra.parent.mkdir(parents=True)
    extra.write_bytes(b"a shard that the next generation has not")
    hub.push(first, ANY)
    repo = server.repo(REPO)
    repo.commit(
        "main", {**repo.at("main").tree, "notes.md": server.contents.keep(b"mine")}, title="", message="", user=""
    )
    hub.push(second, ANY)
    tree = repo.at("main").tree
    assert "notes.md" in tree
    assert "data/agent_sft/train-00001-of-00002.parquet" in repo.at("gen-0001").tree
    assert "data/agent_sft/train-00001-of-00002.parquet" not in tree
    assert repo.at("gen-0001").tree["manifest.json"] != repo.at("gen-0002").tree["manifest.json"]
    assert repo.tags["gen-0002"] == repo.branches["main"] != repo.tags["gen-0001"]
    # The older one is still known for pushed, although it is not the head any more and even its tag is gone.
    tagged = repo.tags.pop("gen-0001")
    assert hub.push(first, ANY) == Pushed(commit=tagged, fresh=False)
    assert repo.tags["gen-0001"] == tagged


def test_a_tag_that_names_something_else_is_refused(hub: Hub, server: HubServer, store: Store, staged: Staging) -> None:
    first, second = store.generations()
    hub.push(staged(first, tag="best"), ANY)
    with pytest.raises(HubRefusalError, match=f"the tag best of {REPO} is taken.*{first.hash[:12]}") as refused:
        hub.push(staged(second, tag="best"), ANY)
    assert refused.value.hint is not None and "--tag" in refused.value.hint
    repo = server.repo(REPO)
    repo.tags["gen-0002"] = next(iter(repo.commits))
    with pytest.raises(HubRefusalError, match="something that is no generation"):
        hub.push(staged(second), ANY)
    assert len(repo.commits) == 2


def test_a_public_dataset_is_not_taken_for_a_private_one(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging
) -> None:
    server.contents.create(REPO, private=False, user="tester")
    with pytest.raises(HubRefusalError, match="is public, and --private was asked for"):
        hub.push(staged(generation), RepoSettings(private=True))
    assert len(server.repo(REPO).commits) == 1


def test_a_history_squashed_into_one_commit_still_counts_as_pushed(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging
) -> None:
    release = staged(generation)
    hub.push(release, ANY)
    repo = server.repo(REPO)
    tree = repo.at("main").tree
    repo.branches.clear()
    repo.tags.clear()
    squashed = repo.commit("main", tree, title="squashed", message="", user="tester")
    assert hub.push(release, ANY) == Pushed(commit=squashed.id, fresh=False)
    assert repo.tags == {"gen-0001": squashed.id}


def _at_once(hub: Hub, releases: list[object]) -> list[Pushed | Exception]:
    """Push all of them from threads that start together."""
    barrier, outcomes = threading.Barrier(len(releases)), [None] * len(releases)

    def push(place: int) -> None:
        barrier.wait()
        try:
            outcomes[place] = hub.push(releases[place], ANY)  # type: ignore
        except Exception as error:
            outcomes[place] = error  # type: ignore

    threads = [threading.Thread(target=push, args=(place,)) for place in range(len(releases))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes  # type: ignore


@pytest.mark.parametrize("round_", range(3))
def test_two_who_push_the_same_make_one_commit(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging, tmp_path: Path, round_: int
) -> None:
    server.contents.create(REPO, private=False, user="tester")
    release = staged(generation)
    outcomes = _at_once(hub, [release, release, release])
    repo = server.repo(REPO)
    assert {outcome.commit for outcome in outcomes} == {repo.branches["main"]}  # type: ignore[union-attr]
    assert len(repo.commits) == 2
    assert repo.tags == {"gen-0001": repo.branches["main"]}


@pytest.mark.parametrize("round_", range(3))
def test_two_who_push_different_generations_lose_neither(
    hub: Hub, server: HubServer, store: Store, staged: Staging, round_: int
) -> None:
    server.contents.create(REPO, private=False, user="tester")
    releases = [staged(generation) for generation in store.generations()]
    outcomes = _at_once(hub, [*releases])
    repo = server.repo(REPO)
    assert [outcome.fresh for outcome in outcomes] == [True, True]  # type: ignore[union-attr]
    assert len(repo.history("main")) == 3
    for release in releases:
        manifest = repo.at(release.terms.tag).tree["manifest.json"]
        assert msgspec.json.decode(server.contents.blobs[manifest.oid])["hash"] == release.manifest.hash


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("hf_bad", "the Hub does not accept the token"),
        ("", "the Hub asks who you are"),
        ("hf_read_tester", "this token may not write to tester/agents: .*read-only"),
        ("hf_somebody", "this token may not write to tester/agents"),
    ],
)
def test_a_token_that_may_not_is_told_so(
    endpoint: str,
    server: HubServer,
    generation: Generation,
    staged: Staging,
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    words: str,
) -> None:
    server.contents.create(REPO, private=False, user="tester")
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    else:
        monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(HubError, match=words) as refused:
        open_hub(eigen_version="1", endpoint=endpoint, pause=0.01).push(staged(generation), ANY)
    assert not isinstance(refused.value, HubRefusalError)
    assert refused.value.hint
    assert len(server.repo(REPO).commits) == 1
    if token:
        assert token not in str(refused.value) + str(refused.value.__cause__)


def test_no_network_is_said_soon(generation: Generation, staged: Staging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_tester")
    # Port 9 (discard) answers nowhere.
    with pytest.raises(HubError, match="the Hub cannot be reached"):
        open_hub(eigen_version="1", endpoint="http://127.0.0.1:9", pause=0.01).push(staged(generation), ANY)


@pytest.mark.parametrize(("status", "words"), [(503, "answered 503, again and again"), (429, "wants fewer requests")])
def test_a_hub_that_stays_down_is_given_up(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging, status: int, words: str
) -> None:
    server.faults.add(HubFault(match="/refs", status=status, count=1000))
    with pytest.raises(HubError, match=words):
        hub.push(staged(generation), ANY)


def test_it_waits_as_long_as_it_is_asked_to(
    hub: Hub, server: HubServer, generation: Generation, staged: Staging
) -> None:
    server.faults.add(HubFault(match="POST .*/commit/", status=429, headers={"Retry-After": "1"}))
    assert hub.push(staged(generation), ANY).fresh
    assert [seen.status for seen in server.seen if "/commit/" in seen.path] == [429, 200]
