"""Troubles put together: two at once up to eight, and a hopeless one among others; each at most once a group."""

from __future__ import annotations

from collections.abc import Sequence

from eigen_cli.api.domain import Draft
from eigen_telecom.cases import Trouble
from eigen_telecom.templates.drafting import Scene, Template
from eigen_telecom.templates.families import DATA, MMS, SERVICE, Family, clauses_of, tools_of, troubled
from eigen_telecom.troubles import TROUBLES
from eigen_telecom.troubles_data import DATA as DATA_TROUBLES
from eigen_telecom.troubles_mms import MMS as MMS_TROUBLES

_OWN: dict[str, frozenset[str]] = {
    "service": frozenset(SERVICE.troubles),
    "data": frozenset(trouble.name for trouble in DATA_TROUBLES),
    "mms": frozenset(trouble.name for trouble in MMS_TROUBLES) | {"slow_network_mode"},
}
"""Troubles of which a composed task has at least one, so that it belongs to its family."""


def drawn_troubles(scene: Scene, family: Family, count: int, *, among: Sequence[Trouble]) -> tuple[Trouble, ...]:
    """Return that many troubles of different groups, at least one of them the family's own; fewer if there are not."""
    order = scene.some(among, len(among))
    order.sort(key=lambda trouble: trouble.name not in _OWN[family.name])
    own = next((trouble for trouble in order if trouble.name in _OWN[family.name]), None)
    rest = scene.some(order, len(order))
    chosen: dict[str, Trouble] = {own.group: own} if own is not None else {}
    for trouble in rest:
        if len(chosen) < count:
            chosen.setdefault(trouble.group, trouble)
    return tuple(trouble for trouble in TROUBLES.values() if trouble in chosen.values())


def composed(family: Family, name: str, *, counts: tuple[int, ...], difficulty: int) -> Template:
    """Return the template of several troubles that can all be cured."""
    among = family.solvable()

    def build(scene: Scene) -> Draft | None:
        return troubled(scene, family, drawn_troubles(scene, family, scene.pick(counts), among=among))

    full = f"{family.name}_{name}"
    return Template(full, full, tools_of(family, among), clauses_of(family, among), difficulty, build)


def hopeless(family: Family, counts: tuple[int, ...] = (1, 2, 3)) -> Template:
    """Return the template of one trouble nobody on the line can cure, among others of the phone's own."""
    lost = [TROUBLES[name] for name in family.troubles if not TROUBLES[name].solvable]
    # What the carrier can cure is left out: an agent that cures it before giving up is as good as one that does not.
    others = [trouble for trouble in family.solvable() if not trouble.carrier]

    def build(scene: Scene) -> Draft | None:
        trouble = scene.pick(lost)
        rest = [other for other in others if other.group != trouble.group]
        company = drawn_troubles(scene, family, scene.pick(counts), among=rest)
        return troubled(scene, family, (*company, trouble))

    full = f"{family.name}_beyond_help"
    tools, clauses = tools_of(family, lost), clauses_of(family, [*lost, *others])
    return Template(full, full, tools, clauses, 3, build)


TEMPLATES: tuple[Template, ...] = (
    composed(SERVICE, "two_troubles", counts=(2,), difficulty=2),
    composed(SERVICE, "many_troubles", counts=(3, 4), difficulty=3),
    hopeless(SERVICE),
    composed(DATA, "two_troubles", counts=(2,), difficulty=2),
    composed(DATA, "few_troubles", counts=(3, 4), difficulty=3),
    composed(DATA, "many_troubles", counts=(5, 6, 7), difficulty=3),
    hopeless(DATA),
    composed(MMS, "two_troubles", counts=(2,), difficulty=2),
    composed(MMS, "few_troubles", counts=(3, 4, 5), difficulty=3),
    composed(MMS, "many_troubles", counts=(6, 7, 8), difficulty=3),
    hopeless(MMS),
)
