"""What is suggested for a name that nothing has."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from eigen_cli.api.canonical import content_hash
from eigen_registry.guesses import hint_for
from eigen_registry.kinds import EVALUATIONS, GENERATIONS

HASHES = {number: content_hash(number) for number in range(1, 31)}


def _hint(ref: str, numbers: Sequence[int] = (1, 2, 3, 4, 5), tags: Sequence[str] = ("best", "v1.0", "nightly")) -> str:
    return hint_for(ref, GENERATIONS, {number: HASHES[number] for number in numbers}, tags)


@pytest.mark.parametrize(
    ("numbers", "hint"),
    [
        ((1,), "there is only gen-0001"),
        ((1, 2, 3, 4, 5), "there are gen-0001 to gen-0005"),
        ((1, 2, 3, 5, 7, 8), "there are gen-0001 to gen-0003, gen-0005 and gen-0007 to gen-0008"),
        ((2, 9), "there are gen-0002 and gen-0009"),
        ((1, 3, 5, 7), "the nearest to it is gen-0007; `eigen generations` lists all"),
    ],
)
def test_a_number_that_is_not_there_gets_those_that_are(numbers: Sequence[int], hint: str) -> None:
    assert _hint("gen-0042", numbers) == _hint("gen-42", numbers) == hint


def test_among_many_gaps_the_nearest_on_either_side_are_named() -> None:
    odd = tuple(range(1, 30, 2))
    assert _hint("gen-0012", odd) == "the nearest to it are gen-0011 and gen-0013; `eigen generations` lists all"
    assert _hint("gen-0000", odd) == "the nearest to it is gen-0001; `eigen generations` lists all"


@pytest.mark.parametrize("ref", ["gen_0003", "gen0003", "GEN-3", "gne-0003", "generation-3", "gen 3", "3", "003", "#3"])
def test_an_id_spelt_otherwise_is_understood(ref: str) -> None:
    assert _hint(ref) == "did you mean `gen-0003`?"


@pytest.mark.parametrize(
    ("ref", "name"), [("bset", "best"), ("Best", "best"), ("lates", "latest"), ("v1", "v1.0"), ("nigthly", "nightly")]
)
def test_a_slip_in_a_tag_gets_the_tag(ref: str, name: str) -> None:
    assert _hint(ref) == f"did you mean `{name}`?"


@pytest.mark.parametrize("ref", ["zzzzzzzzz", "42", "eval-0003", "worst-ever", "abcdef", "abcdef012345", ""])
def test_what_is_like_nothing_gets_no_guess(ref: str) -> None:
    assert _hint(ref) == "`eigen generations` lists them"


def test_a_slip_in_a_hash_gets_as_much_of_the_right_one() -> None:
    right = HASHES[4][:12]
    wrong = right[:5] + ("0" if right[5] != "0" else "1") + right[6:]
    assert _hint(wrong) == f"did you mean `{right}`?"


def test_other_kinds_have_their_own_ids_and_commands() -> None:
    assert hint_for("eval-7", EVALUATIONS, {1: HASHES[1], 2: HASHES[2]}, ()) == "there are eval-0001 and eval-0002"
    assert hint_for("gen-0001", EVALUATIONS, {1: HASHES[1]}, ()) == "`eigen evaluations` lists them"
