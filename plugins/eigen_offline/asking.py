"""Asking for facts: what the user has already said counts, in whatever form; the rest is asked for, twice at most."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from eigen_cli.api.playbook import Ask
from eigen_offline import reading
from eigen_offline.kinds import Kind, asks_for, kind_of, kinds_asked
from eigen_offline.speech import Speech
from eigen_offline.stage import GoalOver, Stage, Turn
from eigen_offline.transcript import Line
from eigen_offline.wording import pick, worded

TRIES = 2
"""How often a fact is asked for."""
_ASKED_AT_ONCE = 2
"""Facts in one question up to which a reply of no recognisable shape is taken as the answer."""

_AGAIN = (
    "I'm sorry, I still need one detail.",
    "Sorry, I wasn't able to make that out.",
    "I want to be sure I have this right.",
)
_DROPPED = "<No problem, I've left everything as it is.|Of course, I won't change anything.>"


@dataclass
class _Heard:
    """What the transcript holds of a fact: its value, the message that settles it, and how often it was asked for."""

    value: str | None
    at: int
    asked: int = 0


class Questions:
    """The asking of one goal."""

    def __init__(self, stage: Stage, speech: Speech) -> None:
        self._stage, self._speech = stage, speech
        self._settled: dict[str, int] = {}
        self._used: set[tuple[int, str]] = set()
        self._known: dict[str, str] = {}

    def enter(self) -> None:
        """Forget the last goal's answers: facts of one request need not hold for the next. The opening's do."""
        self._settled.clear()
        self._used.clear()

    def ask(self, step: Ask) -> Generator[Turn, None, str | None]:
        """Yield the turns that ask for a fact until it is settled; return its value, or None if the user has none.

        A fact asked for again in the same goal needs a fresh answer.
        """
        stage = self._stage
        before = self._settled.get(step.fact)
        if before is None and stage.scope.index >= 0 and step.fact in self._known:
            return self._known[step.fact]
        kind = kind_of(stage.domain, step.fact)
        since = stage.scope.start - 1 if before is None else max(before, stage.at)
        question = worded(step.question or pick(kind.spec.question, stage.seed, f"ask {step.fact}"), stage.seed)
        while True:
            heard = self._heard(kind, question, since=since, afresh=before is not None)
            reply = next((line.text for line in stage.user if line.at == heard.at), "") if heard.asked else ""
            if heard.value is not None or heard.asked >= TRIES or (reply and reading.lacks(reply)):
                self._settle(step.fact, heard)
                return heard.value
            if reply and reading.abandons(reply):
                self._speech.tell(_DROPPED)
                stage.reach(heard.at)
                raise GoalOver
            opener = pick(_AGAIN, stage.seed, step.fact) if heard.asked else self._speech.acknowledgement(question)
            yield self._speech.say(opener, question)

    def _settle(self, fact: str, heard: _Heard) -> None:
        self._settled[fact] = heard.at
        self._stage.reach(heard.at)
        if heard.value is not None:
            self._used.add((heard.at, heard.value))
            if self._stage.scope.index < 0:
                self._known[fact] = heard.value

    def _heard(self, kind: Kind, question: str, *, since: int, afresh: bool) -> _Heard:
        """Answers to the question come first, then corrections made later, then what was said before anyone asked."""
        stage = self._stage
        asking = self._asking(kind, question, since)
        heard = self._answers(kind, asking, since)
        if afresh:
            return heard
        for line in reversed(stage.user):
            if line.at <= heard.at:
                break
            if reading.corrects(line.text) and (given := kind.value(line.text)) is not None:
                if (line.at, given) in self._used:
                    break
                if heard.value is not None:
                    self._used.add((heard.at, heard.value))
                return _Heard(given, line.at, heard.asked)
        # Only values with a shape of their own are recognised where nobody asked for them.
        if heard.value is None and kind.pattern is not None:
            first_asked = asking[0].at if asking else stage.log.length
            for line in stage.user:
                if line.at > first_asked:
                    break
                text = stage.scope.clause if line.at == stage.scope.start and stage.scope.clause else line.text
                given = kind.value(text)
                # What has answered another question is no answer to this one, though it may look like one.
                if given is not None and (line.at, given) not in self._used:
                    return _Heard(given, line.at, heard.asked)
        return heard

    def _asking(self, kind: Kind, question: str, since: int) -> list[Line]:
        """Return what asked for the fact: our own question is recognised exactly, a model's by the kind's signs."""
        stage = self._stage
        asking = [line for line in stage.agent if line.at > since and question in line.text]
        return asking or [
            line
            for line in stage.agent
            if line.at > since and asks_for(stage.domain, kind, line.text) and not reading.asks_confirmation(line.text)
        ]

    def _answers(self, kind: Kind, asking: list[Line], since: int) -> _Heard:
        """Return the first answer that gives a value, in the kind's shape or as a short reply to a plain question."""
        heard = _Heard(None, since)
        for line in asking:
            reply = self._stage.reply(line.at)
            if reply is None:
                continue
            heard.asked += 1
            heard.at = reply.at
            given = kind.value(reply.text)
            if given is not None:
                heard.value = reply.text if self._shares_shape(kind, line.text) else given
                break
            bare = kind.bare(reply.text)
            if bare is not None and (
                kind.pattern is None or len(kinds_asked(self._stage.domain, line.text)) <= _ASKED_AT_ONCE
            ):
                heard.value = bare
                break
        return heard

    def _shares_shape(self, kind: Kind, question: str) -> bool:
        """Whether a question asks for two kinds whose values look alike (two airports): the reader needs every word."""
        if kind.pattern is None:
            return False
        others = (kind_of(self._stage.domain, name) for name in kinds_asked(self._stage.domain, question))
        return any(other.pattern == kind.pattern and other is not kind for other in others)
