"""A chat as ShareGPT turns: strictly a human or observation, then an answer, and so on to the last answer."""

from __future__ import annotations

from typing import Any

import msgspec

from eigen_cli.api.json_lines import json_text
from eigen_cli.api.samples import ChatSample

GREETING = "the agent's greeting before the user's first words left out"
CONTEXT_LEARNED = "turns before the last are context, as LLaMA-Factory takes them with mask_history: true only"
CUT_SHORT = "cut before a turn that is context: LLaMA-Factory would learn it"
JOINED = "results of parallel calls stand in one observation, between them the tags of Qwen's templates"
TEXT_WITH_CALLS = "text said with a call stands before <tool_call> tags, which templates of other tags do not read"

NO_TARGETS = "no turn to learn"
CONTEXT_BETWEEN = "context turns among those to learn: LLaMA-Factory would learn them too"
NO_OBJECT = "a call's arguments are no JSON object"
NO_ALTERNATION = "turns do not alternate"
MARKUP = "its text holds tags that LLaMA-Factory takes for pictures, sounds or calls"

_BETWEEN_RESULTS = "\n</tool_response>\n<tool_response>\n"
_PLACEHOLDERS = ("<image>", "<video>", "<audio>")
_CALL_TAGS = ("<tool_call>", "</tool_call>")

Turn = dict[str, str]


class Unsayable(Exception):
    """A dialogue has no place in this form; the text is why."""


def conversation(sample: ChatSample) -> tuple[str, list[Turn], list[str]]:
    """Return a dialogue's system text, its turns, and what they leave out. Raises `Unsayable`."""
    if not sample.targets:
        raise Unsayable(NO_TARGETS)
    system, first = _opening(sample)
    losses = [GREETING] if any(turn["role"] == "assistant" for turn in sample.messages[:first]) else []
    end = _end(sample, first, losses)
    turns: list[Turn] = []
    for message in sample.messages[first:end]:
        _add(turns, message, losses)
    answers = ("gpt", "function_call")
    if len(turns) % 2 or any((turn["from"] in answers) != bool(index % 2) for index, turn in enumerate(turns)):
        raise Unsayable(NO_ALTERNATION)
    if any(tag in text for text in (system, *(turn["value"] for turn in turns)) for tag in _PLACEHOLDERS):
        raise Unsayable(MARKUP)
    return system, turns, list(dict.fromkeys(losses))


def _opening(sample: ChatSample) -> tuple[str, int]:
    """Return the system text and the index of the first turn of the other side."""
    system = sample.messages[0].get("content") or "" if sample.messages[0]["role"] == "system" else ""
    first = next((index for index, turn in enumerate(sample.messages) if turn["role"] in ("user", "tool")), None)
    if first is None or first > sample.targets[0]:
        raise Unsayable(NO_ALTERNATION)
    return system, first


def _end(sample: ChatSample, first: int, losses: list[str]) -> int:
    """Return where the turns end that can be learned as they are to be."""
    answers = [index for index in range(first, len(sample.messages)) if sample.messages[index]["role"] == "assistant"]
    context = [index for index in answers if index not in sample.targets]
    if not context:
        return len(sample.messages)
    if sample.targets == (answers[-1],):
        losses.append(CONTEXT_LEARNED)
        return len(sample.messages)
    if context[0] < sample.targets[0]:
        raise Unsayable(CONTEXT_BETWEEN)
    losses.append(CUT_SHORT)
    return max(index for index in sample.targets if index < context[0]) + 1


def _add(turns: list[Turn], message: dict[str, Any], losses: list[str]) -> None:
    text = message.get("content") or ""
    if message["role"] == "tool" and turns and turns[-1]["from"] == "observation":
        losses.append(JOINED)
        turns[-1] = {"from": "observation", "value": turns[-1]["value"] + _BETWEEN_RESULTS + text}
    elif message.get("tool_calls"):
        turns.append({"from": "function_call", "value": _calls(message["tool_calls"], text, losses)})
    else:
        speaker = {"user": "human", "tool": "observation", "assistant": "gpt"}.get(message["role"])
        if speaker is None:
            raise Unsayable(NO_ALTERNATION)
        turns.append({"from": speaker, "value": text})


def _calls(calls: list[dict[str, Any]], text: str, losses: list[str]) -> str:
    """Return calls as LLaMA-Factory reads them: a JSON list, after text between tags."""
    listed = [{"name": call["function"]["name"], "arguments": _object(call)} for call in calls]
    # LLaMA-Factory looks for tags before it reads the JSON, in which they can be spelt otherwise.
    written = json_text(listed).replace("<", "\\u003c")
    if not text:
        return written
    if any(tag in text for tag in _CALL_TAGS):
        raise Unsayable(MARKUP)
    losses.append(TEXT_WITH_CALLS)
    return f"{text}\n{_CALL_TAGS[0]}{written}{_CALL_TAGS[1]}"


def _object(call: dict[str, Any]) -> dict[str, Any]:
    try:
        arguments = msgspec.json.decode(call["function"]["arguments"])
    except (msgspec.DecodeError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise Unsayable(NO_OBJECT)
    return arguments
