"""What counts as a value that a user made up, however it is worded."""

from __future__ import annotations

import pytest

from eigen_cli.roles.speech import still_at_work, telling_words


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("May 16", "2024-05-16"),
        ("the 16th of May", "On May 16."),
        ("October 4, 1963", "1963-10-04"),
        ("Abel Baines, my zip is 33674", "Abel Baines, zip code 33674"),
        ("Floor Lamp and the Flower Boxes", "Flower Boxes, Floor Lamps"),
        ("Day Pack with volume 28 liters, color moss", "Day Pack with color moss and volume 28 liters"),
        ("2 gigs", "2 GB"),
        ("2GB", "2 GB"),
        ("$1,250", "1250.00"),
        ("W2652627", "#W2652627"),
    ],
)
def test_the_same_value_in_other_words(said: str, known: str) -> None:
    assert telling_words(said) <= telling_words(known)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("May 17", "2024-05-16"),
        ("1964-10-04", "1963-10-04"),
        ("Abel Baines, zip 33675", "Abel Baines, zip code 33674"),
        ("Day Pack with color plum", "Day Pack with color moss"),
        ("3 GB", "2 GB"),
        ("KTS51X", "KTS51J"),
        ("555-333-4912", "555-333-4911"),
    ],
)
def test_another_value(said: str, known: str) -> None:
    assert not telling_words(said) <= telling_words(known)


@pytest.mark.parametrize(
    ("text", "at_work"),
    [
        ("Which order is it?", True),
        ("Is there something more I can do?", False),
        ("Order #W1 is cancelled. All right?", False),
        ("It can't be done. Shall I do the other one?", False),
    ],
)
def test_whether_an_agent_is_still_at_work(text: str, at_work: bool) -> None:
    assert still_at_work(text) is at_work
