"""Asking the Hub: the one place that imports its client, tries again what may pass, and says what will not.

The client tries again only some of its requests, and never those that change a repository: nothing here depends on it.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import tenacity

from eigen_cli.api.errors import EigenError, HubError

if TYPE_CHECKING:
    import huggingface_hub

T = TypeVar("T")

_ATTEMPTS = 6
_ATTEMPTS_UNREACHED = 3
"""Where nothing answers at all, waiting seldom helps."""
_LONGEST_PAUSE = 60.0
_LONGEST = 120.0
"""Seconds after which nothing is begun again: the client has its own patience with much of what it asks."""
_STALE = frozenset({409, 412})
"""Somebody else was quicker: what is asked for is decided anew."""
_PASSING = frozenset({408, 425, 429})
_HTTP_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3"})
_SIGN_IN = "set HF_TOKEN to a token of huggingface.co/settings/tokens, or run `hf auth login`"


class Reaching:
    """The Hub's client, for one repository, with patience."""

    def __init__(
        self, repo: str, *, wants: Literal["read", "write to"], endpoint: str | None = None, pause: float = 1.0
    ) -> None:
        """`wants`: what the token must be able to do. `endpoint`: the Hub's URL if it is not the public one. `pause`:
        seconds before the second attempt.
        """
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        import huggingface_hub  # 400 ms of CPU: only a push or a pull should pay
        from huggingface_hub.utils.tqdm import disable_progress_bars

        # What it would say on stderr is said here, once and in our words.
        disable_progress_bars()
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        self.repo = repo
        self.api: huggingface_hub.HfApi = huggingface_hub.HfApi(endpoint=endpoint, library_name="eigen-cli")
        self._wants = wants
        self._pause = pause

    def patiently(self, ask: Callable[[], T]) -> T:
        """Return what `ask` does; it is done again while what it meets may pass, from its beginning.

        Raises `HubError` with what the Hub said, and lets a full disk and errors of our own through.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._may_pass),
            stop=self._is_enough,
            wait=self._wait,
            reraise=True,
        )
        try:
            return retrying(ask)
        except EigenError:
            raise
        except Exception as error:
            if _is_disk_full(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
            if not _is_the_hubs(error):
                raise
            raise self._explained(error) from error

    def _may_pass(self, error: BaseException) -> bool:
        if isinstance(error, EigenError) or not isinstance(error, Exception) or _is_disk_full(error):
            return False
        status = status_of(error)
        if status is None:
            return _is_the_hubs(error) and type(error).__name__ != "OfflineModeIsEnabled"
        return status in _STALE or status in _PASSING or status >= 500

    def _is_enough(self, state: tenacity.RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        unreached = error is not None and status_of(error) is None and "Connect" in _names(error)
        enough = state.attempt_number >= (_ATTEMPTS_UNREACHED if unreached else _ATTEMPTS)
        return enough or (state.seconds_since_start or 0.0) >= _LONGEST

    def _wait(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = _retry_after(error) if error is not None else None
        growing = tenacity.wait_exponential(multiplier=self._pause, max=_LONGEST_PAUSE)
        grown = (growing + tenacity.wait_random(0, self._pause))(state)
        return min(max(asked or 0.0, grown), _LONGEST_PAUSE)

    def _explained(self, error: Exception) -> HubError:
        status, name = status_of(error), type(error).__name__
        said = " ".join(str(getattr(error, "server_message", None) or error).split())[:300]
        if name == "GatedRepoError":
            return HubError(f"{self.repo} is gated: the Hub lets nobody in without permission", hint=self._page())
        if name == "RevisionNotFoundError":
            return HubError(f"{self.repo} has no such tag, branch or commit", hint=f"look at its tags: {self._page()}")
        if name in ("EntryNotFoundError", "RemoteEntryNotFoundError"):
            return HubError(f"{self.repo} lacks a file: {said}", hint="was it pushed by `eigen push`?")
        if status == 401 and self.api.token is None and not _has_token():
            return HubError(f"the Hub asks who you are before it shows or takes {self.repo}", hint=_SIGN_IN)
        if name == "RepositoryNotFoundError" and status == 404:
            return HubError(f"there is no dataset {self.repo} that this token may see", hint=self._page())
        if status == 401:
            return HubError("the Hub does not accept the token", hint=_SIGN_IN)
        if status == 403:
            hint = f"use a token that may {self._wants} it, or name another dataset"
            return HubError(f"this token may not {self._wants} {self.repo}: {said}", hint=hint)
        if status == 429:
            return HubError(
                "the Hub wants fewer requests, and went on wanting so", hint="wait a while; then run it again"
            )
        if status is not None:
            return HubError(f"the Hub answered {status}, again and again: {said}", hint="run the same command later")
        return HubError(
            f"the Hub cannot be reached: {name}: {said}", hint="check the network and HF_ENDPOINT; then run it again"
        )

    def _page(self) -> str:
        return f"{self.api.endpoint}/datasets/{self.repo}"


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status an error comes from, or None where there was no reply."""
    seen: BaseException | None = error
    while seen is not None:
        status = getattr(getattr(seen, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
        seen = seen.__cause__
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return float(headers.get("Retry-After", ""))
    except ValueError:
        return None


def _has_token() -> bool:
    import huggingface_hub

    return huggingface_hub.get_token() is not None


def _names(error: BaseException) -> str:
    """Return the class names along an error's causes, and what the last one says."""
    seen = [error]
    while seen[-1].__cause__ is not None:
        seen.append(seen[-1].__cause__)
    return " ".join([*(type(one).__name__ for one in seen), str(seen[-1])])


def _is_the_hubs(error: Any) -> bool:
    """Tell whether an error comes from the Hub, its client or the way there."""
    modules = {cls.__module__.split(".")[0] for cls in type(error).__mro__}
    # hf_xet, which moves large files, is compiled and raises what Python has: its words are all there is to tell.
    by_xet = isinstance(error, RuntimeError | OSError) and type(error).__module__ == "builtins"
    return bool(modules & (_HTTP_LIBRARIES | {"huggingface_hub", "hf_xet"})) or by_xet


def _is_disk_full(error: BaseException) -> bool:
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if isinstance(error, OSError) and error.errno in full:
        return True
    return any(os.strerror(number).lower() in str(error).lower() for number in full)
