"""Dialogue procedures a domain may hand to simulated actors.

A procedure is a generator: it yields steps (ask for a fact, call a tool, confirm, tell, refuse) and receives what
each step brought. It sees only what an agent sees: the user's words and tool results. Procedures are for simulation,
load tests and domain bring-up; they never reach a model's prompt. Their texts may offer alternatives, as in
`<Sure|Of course>`, of which the actor picks one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ask:
    """Ask the user for a fact kind; receives the value as text, or None when the user has none."""

    fact: str
    question: str = ""
    """Overrides the fact kind's own question."""


@dataclass(frozen=True)
class Call:
    """Call a tool; receives a `CallResult`."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class CallResult:
    """A tool's answer: parsed JSON (or the plain text it is), and whether it was refused.

    `earlier` holds what the same call returned before in this conversation, oldest first: what a write has since
    changed.
    """

    value: Any
    error: bool
    earlier: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Confirm:
    """Lay out what is about to be done and ask for a yes; receives True or False."""

    summary: str


@dataclass(frozen=True)
class Tell:
    """Tell the user something and go on; receives None."""

    text: str


@dataclass(frozen=True)
class Refuse:
    """Decline the request, naming the clause. A good agent ends the procedure here; what the procedure yields after it
    is what a careless agent would do instead."""

    text: str
    clause: str = ""


@dataclass(frozen=True)
class Handover:
    """Transfer to a human with a summary; the procedure ends here."""

    summary: str


Step = Ask | Call | Confirm | Tell | Refuse | Handover
Procedure = Callable[[], Generator[Step, Any, None]]


@dataclass(frozen=True)
class Intent:
    """One thing users call about. `cues` are regular expressions over the user's words; the most matches wins."""

    name: str
    cues: tuple[str, ...]
    procedure: Procedure


@dataclass(frozen=True)
class Hand:
    """Something users do themselves when told to: `cue` is a regular expression over the agent's words, `tool` the
    user's own tool it stands for. Where several cues fit, the first wins."""

    cue: str
    tool: str
    arguments: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Playbook:
    """All intents of a domain, the opening steps common to them (identification), and what users do when told to."""

    opening: Procedure
    intents: tuple[Intent, ...]
    hands: tuple[Hand, ...] = ()
