"""One error family, named by the boundary that was crossed.

Every error carries a message a user can act on and, where there is one, a hint: the next thing to try.
`eigen_cli.exits` maps the classes to exit codes; nothing else in the project calls `sys.exit`.
"""

from __future__ import annotations


class EigenError(Exception):
    """Base of all errors eigen reports to a user."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(EigenError):
    """A flag, an environment variable or `eigen.toml` is wrong."""


class PluginError(EigenError):
    """A plugin is missing, broken, duplicated or written for another API."""


class DomainError(EigenError):
    """A domain breaks its contract: a mutable record, an unknown table, a generator that is not pure."""


class BackendError(EigenError):
    """A backend answered, but not with something usable, and retries are exhausted."""


class BackendUnreachableError(BackendError):
    """No backend answered within the connect timeout, or it refuses us (wrong key)."""


class ContextOverflowError(BackendError):
    """The conversation no longer fits the model's context: the side that spoke is responsible, not the server."""


class GateError(EigenError):
    """Something was refused that can be done, and should not be unless the user says so."""


class BudgetReachedError(EigenError):
    """The next call could pass the budget: the run has stopped, and can be resumed with a larger one."""


class VerifierError(EigenError):
    """A verifier failed while judging; the episode stays, without a reward."""


class RegistryError(EigenError):
    """The registry cannot be read or written: locked, read-only, newer, corrupt, disk full."""


class UnknownRefError(RegistryError):
    """A ref names no generation, task or episode of this registry."""


class AlteredContentsError(RegistryError):
    """Records that are to be sealed are not those that their generation's body pins."""


class TagNameError(RegistryError):
    """A name that no tag may have: ill-formed, or one that means something else already."""


class HubError(EigenError):
    """The Hugging Face Hub refused or could not be reached."""


class HubRefusalError(HubError):
    """What was to be pushed or pulled is refused: a tag that is taken, a release that is not whole or not safe."""


class TrainerError(EigenError):
    """A trainer could not be planned or launched."""


class ToolError(Exception):
    """Raised by a domain tool to refuse a call; its text is what the model reads.

    Not an `EigenError`: a refused call is an ordinary event of an episode, never a failure of the program.
    """
