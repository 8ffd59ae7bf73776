"""`checks`: every named check of the task holds."""

from __future__ import annotations

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.checks import checks_of
from eigen_cli.api.domain import CheckContext
from eigen_cli.api.errors import VerifierError
from eigen_cli.api.tasks import Task
from eigen_cli.api.verdicts import Part
from eigen_cli.api.verifier import EpisodeView, Replayer, Verifier


class ChecksVerifier(Verifier):
    """Scores 1 when all checks hold, else 0, naming those that do not."""

    name = "checks"
    version = "1"

    def verify(self, task: Task, episode: EpisodeView, replayer: Replayer) -> Part:
        """Run the task's checks; raises `VerifierError` for a check the domain does not have."""
        if not task.checks:
            return Part(self.name, self.version, 1.0, applicable=False)
        known = checks_of(replayer.domain)
        context = CheckContext(episode.initial, episode.final, episode.messages, episode.calls)
        broken = []
        for call in task.checks:
            check = known.get(call.name)
            if check is None:
                raise VerifierError(f"task {task.id} uses the check {call.name!r}, which {task.domain} does not have")
            if not check(context, **call.arguments):
                broken.append(f"{call.name} {canonical_json(call.arguments).decode()} does not hold")
        return Part(self.name, self.version, 0.0 if broken else 1.0, tuple(broken))
