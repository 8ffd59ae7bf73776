"""Playing a procedure against a transcript: what is already done is taken from it, the first thing missing is done.

A procedure is run from its start on every turn. Its steps are met by meaning, not by position: a fact counts as asked
when the user has stated it, a call when its result is there, a confirmation when the user has answered one. Turns that
a model took earlier in the same episode are therefore as good as our own.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from eigen_cli.api.domain import Domain
from eigen_cli.api.playbook import Ask, Call, Confirm, Handover, Procedure, Refuse, Tell
from eigen_offline import reading
from eigen_offline.asking import Questions
from eigen_offline.calling import Calls
from eigen_offline.faults import AgentLapses
from eigen_offline.speech import Speech
from eigen_offline.stage import GoalOver, Scope, Stage, Turn
from eigen_offline.tools import ToolSketch
from eigen_offline.transcript import Transcript
from eigen_offline.wording import pick, worded

_TRIES = 2
"""How often an unclear answer to a confirmation is asked about; after that it counts as a no."""
_SAME_VALUES = 0.6
"""Share of a summary's figures and names that another wording of it holds."""

_GO_AHEAD = (
    "Shall I go ahead?",
    "Would you like me to proceed? (yes/no)",
    "Do you want me to go ahead with this?",
    "Can you confirm that I should go ahead? (yes/no)",
    "If that's right, please confirm with a yes and I'll take care of it.",
)
_TRANSFER = (
    "<I'm transferring you to a colleague who can take this further. Please stay on the line.|I've passed this on to "
    "one of our specialists. You are being transferred to a human agent, please hold on.>"
)


class Player:
    """Runs procedures in order over one transcript, collecting what is still to be said."""

    def __init__(
        self, domain: Domain, log: Transcript, *, tools: Mapping[str, ToolSketch], lapses: AgentLapses, seed: int
    ) -> None:
        self._tools = tools
        self.stage = Stage(domain, log, lapses, seed=seed)
        self.speech = Speech(self.stage)
        self._questions = Questions(self.stage, self.speech)
        self._calls = Calls(self.stage, self.speech, tools)

    def perform(self, procedure: Procedure, scope: Scope) -> Generator[Turn, None, None]:
        """Yield the turns a procedure needs, one for each growth of the transcript, until nothing is missing.

        What is then still to be said waits in `speech.pending`.
        """
        self.stage.enter(scope)
        self._questions.enter()
        self._calls.enter()
        try:
            yield from self._walk(procedure)
            yield from self._calls.extra_write()
        except GoalOver:
            return

    def _walk(self, procedure: Procedure) -> Generator[Turn, None, None]:
        steps = procedure()
        answer: Any = None
        breached: Refuse | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration:
                if breached is not None:
                    self._refuse(breached)
                return
            answer = None
            if isinstance(step, Tell):
                self.speech.tell(step.text)
            elif isinstance(step, Refuse):
                if self.stage.hit("policy_breach") is None:
                    return self._refuse(step)
                breached = step
            else:
                if breached is not None:
                    self.stage.notes.append("agent:policy_breach")
                    breached = None
                if isinstance(step, Call):
                    answer = yield from self._calls.call(step)
                elif isinstance(step, Ask):
                    answer = yield from self._questions.ask(step)
                elif isinstance(step, Confirm):
                    answer = yield from self._confirm(step)
                else:
                    return (yield from self.hand_over(step))

    def _refuse(self, step: Refuse) -> None:
        self.speech.tell(step.text)
        self.stage.refused = True

    def _confirm(self, step: Confirm) -> Generator[Turn, None, bool]:
        stage, speech = self.stage, self.speech
        if not stage.wrote and stage.hit("gives_up") is not None and not self._calls.write_ahead():
            self._calls.give_up()
        if stage.hit("skips_confirmation") is not None:
            stage.notes.append("agent:skips_confirmation")
            return True
        summary, slip = speech.misreported(worded(step.summary, stage.seed), proposing=True)
        while True:
            answer, tries = self._agreed(summary)
            if answer is not None:
                return answer
            if self._calls.write_ahead():
                return True
            question = "" if summary.endswith("?") else pick(_GO_AHEAD, stage.seed, f"go {stage.scope.index}")
            opener = "Just so that I get this right:" if tries else speech.acknowledgement(summary)
            yield speech.say(opener, summary, question, fault=slip)

    def _agreed(self, summary: str) -> tuple[bool | None, int]:
        """Return the user's answer to a confirmation (None while there is none) and how often it was asked for."""
        stage, tries = self.stage, 0
        for line in stage.agent:
            if line.at <= stage.confirm_floor or not _lays_out(summary, line.text):
                continue
            reply = stage.reply(line.at)
            if reply is None:
                continue
            tries += 1
            answer = reading.answer_in(reply.text)
            if answer != "unclear" or tries == _TRIES:
                stage.confirm_floor = reply.at
                stage.reach(reply.at)
                return answer == "yes", tries
        return None, tries

    def hand_over(self, step: Handover) -> Generator[Turn, None, None]:
        """Pass the caller on: the tool first if there is one, then the words; the call is over then."""
        stage, tool = self.stage, self.stage.domain.handover_tool
        while tool is not None and not any(
            call.name == tool and call.at > stage.scope.start for call in stage.log.calls
        ):
            sketch = self._tools.get(tool)
            name = sketch.required[0] if sketch is not None and sketch.required else "summary"
            yield self._calls.make(tool, {name: worded(step.summary, stage.seed)})
        self.speech.tell(_TRANSFER)
        stage.over = True


def _lays_out(summary: str, text: str) -> bool:
    """Whether a text asks for the same confirmation: in these words, or with most of its figures and names."""
    if summary in text:
        return True
    if not reading.asks_confirmation(text):
        return False
    needed = reading.values_in(summary)
    return len(needed & reading.values_in(text)) >= _SAME_VALUES * len(needed)
