"""From a request to the turns a small model is shown: what never changes, and as much of the talk as fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eigen_cli.api.backend import Request
from eigen_cli.api.errors import ContextOverflowError
from eigen_llamacpp.bounded import bounded, call_schema, respond_name
from eigen_llamacpp.tools import call_text, examples, listing, result_text

_FORMAT = 'Answer with one JSON object and nothing else: {"name": tool, "arguments": {...}}. Take ids from the talk.'
_BEGINS = "(The examples end here. A new talk begins.)"
_LEFT_OUT = "(Earlier turns are left out here.)"
_CUT = "\n[...]\n"
_SHARE_WITH_TOOLS = 8
"""A long policy costs a small model its hold on the tools (SmolLM2-135M, the airline's 14 tools, 8 examples: 6 of 10
easy calls right with 450 tokens of policy, 5 with all 1,800) and us a minute. Models that can use more are given a
larger `n_ctx`."""
_FRAME = 8
"""Tokens that a chat template puts around a turn, at most."""

Size = Callable[[str], int]
"""Tokens of a text."""


@dataclass(frozen=True)
class Turn:
    """One turn of a chat, in the form that every chat template knows."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True)
class Prompt:
    """A request as turns. `instructions` may be shortened, `talk` may lose its beginning, the rest stays whole."""

    instructions: Turn
    format: str
    """What follows the instructions: tools, and how to answer."""
    shown: tuple[Turn, ...]
    """Worked examples."""
    talk: tuple[Turn, ...]
    current: int
    """Where in `talk` the other side spoke last: from there on nothing may be left out."""
    schema: Mapping[str, Any] | None
    """What a reply is held to; None for free text."""


def prompt_of(request: Request, *, worked: int) -> Prompt:
    """Return a request as turns, with `worked` tools shown at work where it has any."""
    tools = request.tools.definitions() if request.tools else []
    first, *rest = request.chat.messages()
    role: Literal["system", "user"] = "system" if first["role"] == "system" else "user"
    spoken = [place for place, message in enumerate(rest) if message["role"] == "user"]
    common: dict[str, Any] = {
        "instructions": Turn(role, first.get("content") or ""),
        "talk": tuple(_talk(rest, speaking=respond_name(tools) if tools else None)),
        "current": spoken[-1] if spoken else 0,
    }
    if not tools:
        schema = bounded(request.schema.body) if request.schema else None
        return Prompt(format="", shown=(), schema=schema, **common)
    turns = [
        turn
        for shown in examples(tools, worked)
        for turn in (Turn("user", shown.heard), Turn("assistant", shown.reply))
    ]
    shown = (*turns, Turn("user", _BEGINS)) if turns else ()
    form = f"\n\nTools:\n{listing(tools)}\n\n{_FORMAT}"
    return Prompt(format=form, shown=shown, schema=call_schema(tools), **common)


def fitted(prompt: Prompt, room: int, size: Size) -> tuple[Turn, ...]:
    """Return the turns that fit into `room` tokens.

    Instructions get half of the room, an eighth where there are tools, and all that is left where there is no talk;
    longer ones lose their middle, and keep three times as much of their beginning as of their end. Of the talk the
    latest turns are kept, all from where the other side spoke last at least: where these do not fit,
    `ContextOverflowError`.
    """
    fixed = sum(_frames(prompt.shown, size)) + size(prompt.format) + 2 * _FRAME
    share = room - fixed
    if prompt.talk:
        share = room // (_SHARE_WITH_TOOLS if prompt.format else 2)
    text = shortened(prompt.instructions.text, share, size)
    left = room - fixed - size(text)
    sizes = _frames(prompt.talk, size)
    kept, needed = prompt.current, sum(sizes[prompt.current :])
    if needed > left or share <= 0:
        raise ContextOverflowError(
            f"the conversation since the other side spoke last takes {needed} tokens, and the model has {max(0, left)} "
            "left for it",
            hint="a larger n_ctx in backend.options, if the model was trained for it",
        )
    while kept and sum(sizes[kept - 1 :]) + _FRAME + size(_LEFT_OUT) <= left:
        kept -= 1
    left_out = (Turn("user", _LEFT_OUT),) if kept else ()
    instructions = Turn(prompt.instructions.role, text + prompt.format)
    return merged((instructions, *prompt.shown, *left_out, *prompt.talk[kept:]))


def shortened(text: str, room: int, size: Size) -> str:
    """Return a text of at most `room` tokens: beginning and end, three to one, where all of it does not fit."""
    tokens = size(text)
    if tokens <= room:
        return text
    kept = len(text) * max(0, room) // tokens
    while kept and size(cut := _without_middle(text, kept)) > room:
        kept = kept * 9 // 10
    return cut if kept else ""


def merged(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns in which the sides alternate, as many chat templates demand."""
    result: list[Turn] = []
    for turn in turns:
        if result and result[-1].role == turn.role:
            result[-1] = Turn(turn.role, f"{result[-1].text}\n{turn.text}")
        else:
            result.append(turn)
    return tuple(result)


def _without_middle(text: str, kept: int) -> str:
    return text[: kept - kept // 4] + _CUT + text[len(text) - kept // 4 :]


def _frames(turns: Sequence[Turn], size: Size) -> list[int]:
    return [size(turn.text) + _FRAME for turn in turns]


def _talk(messages: Sequence[Mapping[str, Any]], *, speaking: str | None) -> list[Turn]:
    """Return one turn a message: `speaking` is the tool by which a model with tools speaks."""
    turns: list[Turn] = []
    called: dict[str, str] = {}
    for message in messages:
        text = message.get("content") or ""
        if message["role"] == "tool":
            turns.append(Turn("user", result_text(called.get(message["tool_call_id"], "the tool"), text)))
        elif message["role"] == "assistant":
            calls = [call["function"] for call in message.get("tool_calls") or ()]
            called |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls") or ()}
            spoken = call_text(speaking, {"text": text}) if speaking and text else text
            written = [f'{{"name": "{call["name"]}", "arguments": {call["arguments"]}}}' for call in calls]
            turns.append(Turn("assistant", "\n".join(part for part in (spoken, *written) if part)))
        else:
            turns.append(Turn("user", text))
    return turns
