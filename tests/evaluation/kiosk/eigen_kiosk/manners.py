"""A verifier that leaves statements to a judge."""

from __future__ import annotations

import os

from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier


class Manners(Verifier):
    """Decides nothing itself. `KIOSK_STRICT` stands for a new version that does."""

    name = "manners"
    version = "2" if os.environ.get("KIOSK_STRICT") else "1"

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Hand on the task's statements; a task that says `break` breaks this verifier."""
        del replayer
        if task.imported.get("break") and episode.messages:
            raise KeyError("the verifier has a bug")
        if os.environ.get("KIOSK_STRICT") and task.id == "lend-1":
            return Part(self.name, "2", 0.0, ("nobody said please",))
        return Part(self.name, self.version, 1.0, undecided=tuple(task.imported.get("statements", ())))
