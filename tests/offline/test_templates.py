"""With no faults, every scenario of the airline is carried out as its gold says."""

from __future__ import annotations

from typing import Any

import pytest

from eigen_airline.templates import TEMPLATES


@pytest.fixture(scope="module")
def faultless(theatre: Any) -> Any:
    return theatre()


@pytest.mark.parametrize("template", [template.name for template in TEMPLATES])
def test_faultless_actors_pass(faultless: Any, template: str) -> None:
    played = 0
    for number in range(3):
        if faultless.draft(template, number) is None:
            continue
        episode = faultless.play(faultless.task(template, number))
        played += 1
        dialogue = "\n".join(f"{m.speaker}: {m.text}" for m in episode.state.messages if m.text)
        assert episode.verdict.passed, f"{episode.verdict}\n{dialogue}"
        assert episode.state.stop == "user_stop"
        assert episode.faults == []
    assert played, "no records fit this template"


def test_dialogues_read_like_one_call(faultless: Any) -> None:
    episode = faultless.play(faultless.task("book_one_way"))
    agent, user = episode.said("agent"), episode.said("user")
    assert len(agent) == len(set(agent)), "an agent that repeats itself"
    assert all("<" not in text and "|" not in text and "{" not in text for text in agent + user)
    assert not any(text[0].islower() and "_" not in text.split()[0] for text in agent + user)
    assert user[-1].endswith("###STOP###") and sum("###STOP###" in text for text in user) == 1
