"""Near misses of a task's gold episode: calls dropped, added, changed, refused or by the wrong side; other words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from evaluated import APOLOGY, GREETING, Said, Scene, Script, gold_script

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.tasks import Action, Task

_replace = msgspec.structs.replace


def variants(scene: Scene, task: Task) -> Iterator[tuple[str, Script]]:
    """Yield named episodes, the gold one first; the same for the same task."""
    gold = task.gold
    writes = [place for place, call in enumerate(gold) if scene.toolbox.writes(call.requestor, call.name)]
    reads = [place for place in range(len(gold)) if place not in writes]
    yield "gold", gold_script(task)
    yield "nothing", APOLOGY
    yield from ((f"without write {place}", _with(task, _without(gold, place))) for place in writes)
    yield from ((f"without read {place}", _with(task, _without(gold, place))) for place in reads[:1])
    yield from ((f"write {place} changed", _with(task, _changed(scene, gold, place))) for place in writes)
    yield from (("last write twice", _with(task, (*gold, gold[place]))) for place in writes[-1:])
    yield "backwards", _with(task, gold[::-1])
    yield "extra read", _with(task, (*gold, _other_call(scene, task, writes=False)))
    yield "extra write", _with(task, (_other_call(scene, task, writes=True), *gold))
    yield "refused call", _with(task, (Action(gold[0].name if gold else "get_user_details", {"id": "nobody"}), *gold))
    yield "unknown tool", _with(task, (*gold, Action("open_the_pod_bay_doors", {})))
    yield "by the wrong side", _with(task, tuple(_swapped(call) for call in gold))
    yield "without arguments", _with(task, tuple(_replace(call, arguments={}) for call in gold))
    yield from _words(task)


def _words(task: Task) -> Iterator[tuple[str, Script]]:
    told = [item.value for item in task.communicate]
    if not told:
        return
    yield "nothing told", gold_script(task, said="")
    yield "one thing told", gold_script(task, said=told[0])
    yield "told with commas", gold_script(task, said="; ".join(_grouped(value) for value in told))
    yield "told inside other words", gold_script(task, said=" ".join(f"1{value}9" for value in told))
    yield "told in capitals", gold_script(task, said="; ".join(told).upper())
    yield "misspelt", gold_script(task, said="; ".join(value[:-1] for value in told))
    silent = gold_script(task, said="")
    yield "told by the user", (*silent[:-1], Said("user", f"So it is {'; '.join(told)}? ###STOP###"))
    yield "told first", (Said("agent", f"{GREETING} {'; '.join(told)}"), *silent[1:])


def _grouped(value: str) -> str:
    return f"{int(value):,}" if value.isdigit() else value


def _with(task: Task, calls: Sequence[Action]) -> Script:
    return gold_script(_replace(task, gold=tuple(calls)))


def _without(gold: Sequence[Action], place: int) -> tuple[Action, ...]:
    return (*gold[:place], *gold[place + 1 :])


def _swapped(call: Action) -> Action:
    return _replace(call, requestor="user" if call.requestor == "agent" else "agent")


def _other_call(scene: Scene, task: Task, *, writes: bool) -> Action:
    """Return a gold call of another task."""
    found = [
        call
        for other in scene.tasks.values()
        if other.id != task.id
        for call in other.gold
        if scene.toolbox.writes(call.requestor, call.name) is writes
    ]
    return derive_rng("another task's", task.id, writes).choice(found)


def _changed(scene: Scene, gold: Sequence[Action], place: int) -> tuple[Action, ...]:
    """Give one argument of a call the value another task's gold has for it, or a value of its kind."""
    call = gold[place]
    rng = derive_rng("changed", call.name, place)
    if not call.arguments:
        return (*gold[:place], _replace(call, arguments={"because": 1}), *gold[place + 1 :])
    name = rng.choice(sorted(call.arguments))
    donors = [
        other.arguments[name]
        for task in scene.tasks.values()
        for other in task.gold
        if other.name == call.name and other.arguments.get(name, call.arguments[name]) != call.arguments[name]
    ]
    value = rng.choice(donors) if donors else _other_value(call.arguments[name])
    arguments: Mapping[str, Any] = {**call.arguments, name: value}
    return (*gold[:place], _replace(call, arguments=dict(arguments)), *gold[place + 1 :])


def _other_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else [*value, *value]
