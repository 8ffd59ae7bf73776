from __future__ import annotations

from bank import FACTS, MOVE, a_task

from eigen_cli.api.tasks import Action, Goal, Scenario
from eigen_cli.evolve.duplicates import DuplicateIndex, shingles, similarity

WORDS = "Good morning, I moved flats last week and need to send the deposit from account A0001 to my landlord."


def _task(request: str, *, name: str = "task-1", gold: tuple[Action, ...] = (MOVE,), persona: str = "plain"):  # type: ignore[no-untyped-def]
    scenario = Scenario(persona, "you pay your deposit", goals=(Goal("transfer", request, FACTS),))
    return a_task(gold, id=name, scenario=scenario)


def test_swapping_ids_and_amounts_makes_no_new_task() -> None:
    index = DuplicateIndex()
    index.add(_task(WORDS))
    found = index.nearest(_task(WORDS.replace("A0001", "A0042"), name="task-2"))
    assert found == ("task-1", 1.0)


def test_other_words_do() -> None:
    index = DuplicateIndex()
    index.add(_task(WORDS))
    other = "Could you help me pay back my sister? She covered the dinner and I owe her quite a sum by now."
    assert index.nearest(_task(other)) is None
    assert similarity(shingles(_task(WORDS)), shingles(_task(other))) < 0.3


def test_the_same_words_for_other_tools_are_another_task() -> None:
    index = DuplicateIndex()
    index.add(_task(WORDS))
    closing = (Action("close_account", {"account_id": "A0001"}),)
    assert index.nearest(_task(WORDS, gold=closing)) is None
    assert index.nearest(_task(WORDS)) is not None


def test_similarity_is_jaccard() -> None:
    first, second = frozenset({("a",), ("b",), ("c",)}), frozenset({("b",), ("c",), ("d",)})
    assert similarity(first, second) == 0.5
    assert similarity(first, first) == 1.0 and similarity(first, frozenset()) == 0.0
