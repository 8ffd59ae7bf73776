"""Selections: caps that hold whatever else is asked, and choices that no order can change."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigen_cli.training.selection import EVERYTHING, Candidate, Selection, Tally, choose

CANDIDATES = st.lists(
    st.builds(
        Candidate,
        st.integers(min_value=0, max_value=1 << 64),
        st.sampled_from(["airline", "retail", "telecom"]),
        st.booleans(),
    ),
    unique_by=lambda candidate: candidate.rank,
    max_size=60,
)


@given(
    candidates=CANDIDATES,
    cap=st.sampled_from([None, 0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0]),
    per_domain=st.none() | st.integers(1, 20),
    limit=st.none() | st.integers(1, 40),
    rng=st.randoms(use_true_random=False),
)
def test_a_choice_keeps_its_bounds_and_no_order_changes_it(
    candidates: list[Candidate], cap: float | None, per_domain: int | None, limit: int | None, rng: object
) -> None:
    selection = Selection(no_write_cap=cap, per_domain=per_domain, limit=limit)
    choice = choose(candidates, selection)
    kept = [candidate for candidate in candidates if candidate.rank in choice.kept]
    assert len(kept) == len(choice.kept) == len(candidates) - choice.left_out.total()
    assert len(kept) <= (limit or 1000)
    for domain in {candidate.domain for candidate in kept}:
        assert sum(candidate.domain == domain for candidate in kept) <= (per_domain or 1000)
    if cap is not None:
        assert sum(not candidate.writes for candidate in kept) <= Fraction(str(cap)) * len(kept)
    shuffled = list(candidates)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose(shuffled, selection) == choice


def many(domain: str, *, writing: int, reading: int) -> list[Candidate]:
    return [
        *(Candidate.of(f"{domain}-w{number}", domain, writes=True) for number in range(writing)),
        *(Candidate.of(f"{domain}-r{number}", domain, writes=False) for number in range(reading)),
    ]


@pytest.mark.parametrize(
    ("writing", "reading", "cap", "most", "kept"),
    [
        (80, 80, 0.2, None, (80, 20)),
        (7, 10, 0.3, None, (7, 3)),  # 0.3 * 7 / 0.7 is a little less than 3 in floating point
        (80, 80, 0.2, 50, (40, 10)),
        (80, 5, 0.2, 50, (45, 5)),
        (0, 80, 0.2, None, (0, 0)),
        (80, 80, 0.0, None, (80, 0)),
        (10, 30, 1.0, None, (10, 30)),
    ],
)
def test_as_many_as_the_cap_and_the_quota_allow_are_kept(
    writing: int, reading: int, cap: float, most: int | None, kept: tuple[int, int]
) -> None:
    candidates = many("airline", writing=writing, reading=reading)
    choice = choose(candidates, Selection(no_write_cap=cap, per_domain=most))
    found = Counter(candidate.writes for candidate in candidates if candidate.rank in choice.kept)
    assert (found[True], found[False]) == kept


def test_every_reason_is_counted() -> None:
    candidates = many("airline", writing=8, reading=9) + many("retail", writing=20, reading=0)
    choice = choose(candidates, Selection(no_write_cap=0.2, per_domain=10, limit=15))
    assert choice.left_out == {
        "writing nothing, beyond the cap": 7,
        "beyond their domain's quota": 10,
        "beyond the limit": 5,
    }


def test_a_quota_keeps_the_same_ones_when_others_join() -> None:
    few, more = many("airline", writing=30, reading=0), many("airline", writing=40, reading=0)
    kept = choose(few, Selection(limit=10)).kept
    assert kept & choose(more, Selection(limit=10)).kept >= choose(more, Selection(limit=10)).kept & {
        candidate.rank for candidate in few
    }


def test_what_is_usual_for_each_kind() -> None:
    agent, user, tasks = (Selection().of_kind(kind) for kind in ("agent_sft", "user_sft", "rl_tasks"))  # type: ignore[arg-type]
    assert (agent.passed, agent.blame_free, agent.no_write_cap, agent.counted) == (True, True, None, False)
    assert (user.passed, user.blame_free, user.no_write_cap, user.counted) == (False, False, None, False)
    assert (tasks.no_write_cap, tasks.counted) == (0.2, True)
    assert not EVERYTHING.of_kind("rl_tasks").counted
    outcomes = Selection(passed=False).of_kind("agent_sft")
    assert (outcomes.passed, outcomes.blame_free) == (False, False)


def test_a_tally_says_why() -> None:
    assert Tally(104, Counter({"not passed": 56})).text() == "104 of 160: 56 not passed"
    assert Tally(3).text() == "3 of 3"
    assert Tally(1, Counter({"beyond the limit": 2, "not passed": 5})).text() == (
        "1 of 8: 5 not passed, 2 beyond the limit"
    )
