"""`actions`: the gold calls were made. Reported by default, never rewarded: many roads lead to the same outcome."""

from __future__ import annotations

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier


class ActionsVerifier(Verifier):
    """Scores the share of gold calls that some successful call of the same side equals by name and arguments."""

    name = "actions"
    version = "1"

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Match gold calls; see `Verifier.verify`."""
        del replayer
        if not task.gold:
            return Part(self.name, self.version, 1.0, applicable=False)
        made = [call for call, ok in episode.calls if ok]
        missing = [action for action in task.gold if action not in made]
        evidence = tuple(f"not called: {a.name} {canonical_json(a.arguments).decode()}" for a in missing)
        return Part(self.name, self.version, 1 - len(missing) / len(task.gold), evidence)
