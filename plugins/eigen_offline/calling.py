"""Calling tools: a call whose result is in the transcript is taken from there; the others are made, or got wrong."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from eigen_cli.api.playbook import Call, CallResult
from eigen_offline import slips
from eigen_offline.speech import Speech
from eigen_offline.stage import GoalOver, Stage, Turn
from eigen_offline.tools import ToolSketch, writes
from eigen_offline.transcript import Answered

_CLAIM = (
    "<All done!|That's done.|Good news.> <I've put that through for you.|Your request has been processed.|The change "
    "has been made.> <You'll receive a confirmation by email shortly.|Everything is up to date now.>"
)
_GIVE_UP = (
    "I'm sorry, but I'm not able to do this from here. <You may want to try again another day.|There is nothing more I "
    "can do about it.|You would have to look into this yourself online.>"
)


class Calls:
    """The calls of a play; results already taken are remembered, so that no write counts twice."""

    def __init__(self, stage: Stage, speech: Speech, tools: Mapping[str, ToolSketch]) -> None:
        self._stage, self._speech, self._tools = stage, speech, tools
        self.taken: list[Answered] = []
        self._made = 0

    def enter(self) -> None:
        """Turn to the next goal."""
        self._made = 0

    def call(self, step: Call) -> Generator[Turn, None, CallResult]:
        """Yield the turns that make a call (or get it wrong) until the transcript has its result; return that."""
        order = self._made
        self._made += 1
        writing = writes(self._stage.domain, step.tool)
        while True:
            found = self._find(step.tool, step.arguments, writing=writing)
            if found is not None:
                return self._take(found, writing=writing)
            result, turn = self._first_write(step) if writing and not self._stage.wrote else (None, None)
            if result is not None:
                return result
            yield turn or self._misspelling(step, order) or self.make(step.tool, step.arguments)

    def make(self, tool: str, arguments: Mapping[str, Any], fault: str = "") -> Turn:
        """Return the turn that makes a call; a write brings the faults that led to it."""
        faults = self._stage.notes if writes(self._stage.domain, tool) else []
        return Turn(call=(tool, dict(arguments)), faults=tuple(dict.fromkeys([*faults, *([fault] if fault else [])])))

    def write_ahead(self) -> bool:
        """Whether the transcript holds a successful write that nothing has accounted for."""
        stage, taken = self._stage, {call.at for call in self.taken}
        return any(
            call.at > stage.at and call.at not in taken and not call.result.error and writes(stage.domain, call.name)
            for call in stage.log.calls
        )

    def give_up(self) -> None:
        """Turn the request down for no reason."""
        self._speech.tell(_GIVE_UP, fault="agent:gives_up")
        self._stage.refused = True
        raise GoalOver

    def extra_write(self) -> Generator[Turn, None, None]:
        """Yield the write nobody asked for that is due at the end of this goal."""
        place = self._stage.hit("extra_write")
        extra = slips.uncalled_for(self._tools, self.taken, place=place) if place and self._stage.wrote else None
        if extra is None:
            return
        while True:
            for call in self._stage.log.calls:
                if (call.name, call.arguments) == extra and call.at > self._stage.scope.start:
                    self._take(call, writing=True)
                    return
            yield self.make(*extra, "agent:extra_write")

    def _find(self, tool: str, arguments: Mapping[str, Any], *, writing: bool) -> Answered | None:
        taken = {call.at for call in self.taken} if writing else ()
        loose: Answered | None = None
        for call in self._stage.log.calls:
            if call.name != tool or call.at <= self._stage.floor or call.at in taken:
                continue
            if call.arguments == arguments:
                return call
            if writing and loose is None and self._same_write(call, arguments):
                loose = call
        return loose

    def _same_write(self, call: Answered, arguments: Mapping[str, Any]) -> bool:
        """Whether a successful write that someone else made did this step, in arguments of its own."""
        if call.result.error or call.at <= self._stage.scope.start or self._stage.hit("wrong_argument") is not None:
            return False
        return any(isinstance(value, str) and call.arguments.get(name) == value for name, value in arguments.items())

    def _take(self, found: Answered, *, writing: bool) -> CallResult:
        stage = self._stage
        self.taken.append(found)
        stage.reach(found.at)
        if writing and not found.result.error:
            stage.floor = found.at
            stage.wrote += 1
            stage.notes = []
        earlier = tuple(
            call.result.value
            for call in stage.log.calls
            if call.at < found.at and call.name == found.name and call.arguments == found.arguments
        )
        return replace(found.result, earlier=earlier) if earlier else found.result

    def _first_write(self, step: Call) -> tuple[CallResult | None, Turn | None]:
        """Commit the faults that fall on a goal's first write; nothing when it is to be made as it should be."""
        stage = self._stage
        if stage.hit("gives_up") is not None:
            self.give_up()
        if stage.hit("claims_without_write") is not None:
            self._speech.tell(_CLAIM, fault="agent:claims_without_write")
            raise GoalOver
        place = stage.hit("wrong_argument")
        if place is None:
            return None, None
        wrong = slips.wrong_arguments(step.arguments, self._tools.get(step.tool), calls=self.taken, place=place)
        if wrong is None:
            return None, None
        for call in stage.log.calls:
            if call.name == step.tool and call.arguments == wrong and call.at > stage.floor:
                # A mistake the tool caught is one an agent mends; one it let through is one the agent believes in.
                return (None, None) if call.result.error else (self._take(call, writing=True), None)
        return None, self.make(step.tool, wrong, "agent:wrong_argument")

    def _misspelling(self, step: Call, order: int) -> Turn | None:
        for fault in ("unknown_tool", "misspelt_argument"):
            place = self._stage.hit(fault)
            # The first call of a goal mostly repeats one of the opening; the next two are this goal's own.
            if place is None or 1 + int(place * 2) != order:
                continue
            tool, arguments = step.tool, step.arguments
            if fault == "unknown_tool":
                tool = slips.misspelt_tool(tool)
            elif arguments:
                arguments = slips.misspelt_arguments(arguments)
            tried = any(call.name == tool and call.arguments == arguments for call in self._stage.log.calls)
            if not tried and (tool, arguments) != (step.tool, step.arguments):
                return self.make(tool, arguments, f"agent:{fault}")
        return None
