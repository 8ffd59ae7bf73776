"""A playbook for a domain that has none, made from its tool schemas: one intent a writing tool.

The procedure asks for each required parameter, looks up what reading tools can tell of it, lays out the call, and makes
it after a yes. It knows no policy; it serves bring-up and load tests.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import Any

from eigen_cli.api.backend import ToolSchemas
from eigen_cli.api.domain import Domain
from eigen_cli.api.playbook import Ask, Call, CallResult, Confirm, Intent, Playbook, Refuse, Step, Tell
from eigen_offline.intents import Script, script_of
from eigen_offline.tools import ToolSketch, sketches_of
from eigen_offline.wording import listed

_STOP_WORDS = frozenset({
    "the", "and", "for", "with", "from", "into", "that", "this", "their", "them", "only", "also", "once", "when",
    "been", "must", "will", "than", "then", "such", "each", "what", "which", "user", "users", "agent", "customer",
    "customers", "whether", "given", "using", "after", "before", "record", "records", "make", "makes", "made",
})  # fmt: skip
_LOOKS = ("get", "search", "find", "check", "list", "look")
_YES_NO = re.compile(r"\b(?:(yes|yeah|sure|true|please do)|(no|nope|false|not))\b", re.I)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_CODE = re.compile(r"\b(?=\w*\d)[\w-]+\b")

_scripts: dict[tuple[Domain, str], Script] = {}


def improvised_script(domain: Domain, schemas: ToolSchemas | None) -> Script:
    """Return the script for a domain without a playbook."""
    key = (domain, schemas.digest if schemas is not None else "")
    script = _scripts.get(key)
    if script is None:
        script = _scripts[key] = script_of(_playbook(sketches_of(domain, schemas)))
    return script


def _playbook(sketches: Mapping[str, ToolSketch]) -> Playbook:
    readers = [sketch for sketch in sketches.values() if not sketch.writes and sketch.required]
    intents = [_intent(sketch, readers) for sketch in sketches.values() if sketch.writes]
    intents += [
        _intent(sketch, []) for sketch in readers if sketch.name.split("_")[0] in ("get", "search", "find", "check")
    ]
    return Playbook(opening=_no_opening, intents=tuple(intents))


def _no_opening() -> Generator[Step, Any, None]:
    return
    yield


def _intent(sketch: ToolSketch, readers: list[ToolSketch]) -> Intent:
    def procedure() -> Generator[Step, Any, None]:
        return _steps(sketch, readers)

    return Intent(sketch.name, _cues(sketch), procedure)


def _cues(sketch: ToolSketch) -> tuple[str, ...]:
    """Return the words of the tool's name, the verb with more weight, and the telling words of its description."""
    verb, *nouns = sketch.name.lower().split("_")
    described = [word for word in re.findall(r"[a-z]{4,}", sketch.description.lower()) if word not in _STOP_WORDS]
    words = [verb, verb, *(noun for noun in nouns if len(noun) > 2), *described[:6]]
    return tuple(rf"\b{_stem(word)}\w*" if index != 1 else rf"\b{_stem(word)}" for index, word in enumerate(words))


def _stem(word: str) -> str:
    return re.escape(re.sub(r"(?:ies|y|es|s|e|ing|ed)$", "", word) if len(word) > 4 else word)


def _steps(sketch: ToolSketch, readers: list[ToolSketch]) -> Generator[Step, Any, None]:
    arguments: dict[str, Any] = {}
    for name in sketch.required:
        text: str | None = yield Ask(name)
        value = _typed(text, sketch.parameters.get(name, {})) if text is not None else None
        if value is None:
            yield Refuse(
                f"I'm sorry, without the {_spoken(name)} I can't do this for you. Please get back to us once you have "
                "it."
            )
            return
        arguments[name] = value
        for reader in readers:
            if reader.required == (name,):
                looked_up: CallResult = yield Call(reader.name, {name: value})
                if looked_up.error:
                    yield Refuse(f"I'm sorry, I can't find anything under {value}. Could you check it and call again?")
                    return
                break
    what = f"{_spoken(sketch.name)} with {listed([f'{_spoken(name)} {value}' for name, value in arguments.items()])}"
    if sketch.writes:
        agreed: bool = yield Confirm(f"I would now {what}.")
        if not agreed:
            yield Tell("All right, I have not changed anything.")
            return
    result: CallResult = yield Call(sketch.name, arguments)
    if result.error:
        yield Refuse(f"I'm sorry, that did not work: {_plain(result.value)}")
    else:
        yield Tell(f"That has been done: {_plain(result.value)}.")


def _spoken(name: str) -> str:
    return re.sub(r"\bid\b", "ID", name.replace("_", " "))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{_spoken(str(name))} {item}" for name, item in value.items() if not isinstance(item, dict | list)
        )
    return str(value).removeprefix("Error: ").strip(" .")


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the value a user's words give a parameter, or None where none can be read."""
    for option in schema.get("enum", ()):
        if re.search(rf"\b{re.escape(str(option).replace('_', ' '))}\b", text.replace("_", " "), re.I):
            return option
    kind = schema.get("type", "string")
    if "enum" in schema:
        return None
    if kind == "boolean":
        found = _YES_NO.search(text)
        return None if found is None else found[1] is not None
    if kind in ("integer", "number"):
        found = _NUMBER.search(text)
        if found is None:
            return None
        number = float(found[0].replace(",", ""))
        return int(number) if kind == "integer" or number == int(number) else number
    if kind == "array":
        return [part.strip() for part in re.split(r",| and ", text) if part.strip()]
    if kind == "object":
        return None
    code = _CODE.search(text)
    return code[0] if code is not None and len(text.split()) > 1 else text.strip(" .")
