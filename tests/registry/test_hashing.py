"""What a generation's hash covers, and what it leaves out."""

from __future__ import annotations

import msgspec
from registry_samples import episode_record, sealable, task

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import canonical_json, digest
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_registry.hashing import contents_digests, generation_hash

BODY, _, CONTENTS = sealable()
DIGESTS = contents_digests(CONTENTS)


def changed_kinds(**fields: object) -> set[str]:
    digests = contents_digests(msgspec.structs.replace(CONTENTS, **fields))
    return {kind for kind in DIGESTS if digests[kind] != DIGESTS[kind]}


def test_a_generation_is_named_by_its_body_and_so_by_its_parent() -> None:
    assert generation_hash(BODY) == digest(canonical_json(BODY))
    assert generation_hash(msgspec.structs.replace(BODY, parent="0" * 64)) != generation_hash(BODY)
    assert generation_hash(msgspec.structs.replace(BODY, contents=DIGESTS)) != generation_hash(BODY)


def test_contents_are_plans_tasks_rejected_proposals_and_episodes() -> None:
    assert list(DIGESTS) == ["episodes", "plans", "rejected", "tasks"]
    assert DIGESTS["tasks"] == digest(*(digest(canonical_json(task(index))) for index in range(3)))


def test_each_kind_has_a_digest_of_its_own() -> None:
    assert changed_kinds(tasks=(*CONTENTS.tasks[:2], task(7))) == {"tasks"}
    assert changed_kinds(plans=CONTENTS.plans[:2]) == {"plans"}
    assert changed_kinds(rejected=()) == {"rejected"}
    assert changed_kinds(episodes=(*CONTENTS.episodes, episode_record(6, task(2), 2))) == {"episodes"}


def test_order_counts() -> None:
    assert changed_kinds(episodes=CONTENTS.episodes[::-1]) == {"episodes"}


def test_verdicts_count_and_what_was_observed_does_not() -> None:
    first, *others = CONTENTS.episodes
    judged = msgspec.structs.replace(first, verdict=EpisodeVerdict(0.0))
    slower = msgspec.structs.replace(first, usage=Usage(calls=99, seconds=1e6))
    assert changed_kinds(episodes=(judged, *others)) == {"episodes"}
    assert changed_kinds(episodes=(slower, *others)) == set()


def test_the_simulators_faults_are_no_content() -> None:
    assert changed_kinds(faults=()) == set()
