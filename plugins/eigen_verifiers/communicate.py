"""`communicate`: the agent told the user every fact it had to, compared as values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from eigen_cli.api.tasks import Communicate, Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier

# A number standing alone: not part of an id (HAT101), a date (2024-05-15), a clock time (14:30) or a longer number.
_NUMBER = re.compile(r"(?<![\w.:/-])-?\$?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w:/]|-\d|[.,]\d)")


class CommunicateVerifier(Verifier):
    """Scores 1 when every item was told in some agent message, else 0, naming what was not."""

    name = "communicate"
    version = "1"

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Look for each item in the agent's words; see `Verifier.verify`."""
        del replayer
        if not task.communicate:
            return Part(self.name, self.version, 1.0, applicable=False)
        texts = [message.text for message in episode.messages if message.speaker == "agent" and message.text]
        told = numbers_in(texts)
        prose = " ".join(" ".join(texts).split()).lower()
        missing = [item for item in task.communicate if not _told(item, told, prose)]
        evidence = tuple(f"the agent never told {item.label or item.kind} {item.value}" for item in missing)
        return Part(self.name, self.version, 0.0 if missing else 1.0, evidence)


def numbers_in(texts: Iterable[str]) -> set[Decimal]:
    """Return every stand-alone number in the texts, as exact values (`$1,250.00` is 1250)."""
    return {Decimal(match.replace(",", "")) for text in texts for match in _NUMBER.findall(text)}


def _told(item: Communicate, numbers: set[Decimal], prose: str) -> bool:
    if item.kind == "number":
        return Decimal(item.value.replace(",", "").lstrip("$")) in numbers
    wanted = re.escape(" ".join(item.value.split()).lower())
    return re.search(rf"(?<!\w){wanted}(?!\w)", prose) is not None
