"""Who may do what: `hf_NAME` is the token of user NAME, `hf_read_NAME` may only read, `hf_bad…` is nobody's."""

from __future__ import annotations

import hashlib
from typing import Any

from eigen_cli.testing.hub_server.exchange import HubRequest, RefusedError
from eigen_cli.testing.hub_server.repos import HubContents, HubRepo

_READ_ONLY = "read_"


class Access:
    """Answers for tokens; everyone may write to their own namespace and to `orgs`."""

    def __init__(self, contents: HubContents, orgs: tuple[str, ...]) -> None:
        self._contents = contents
        self._orgs = orgs

    def user(self, request: HubRequest, *, needed: bool = False, writes: bool = False) -> str:
        """Return the user a request comes from, or an empty string for nobody where nobody is `needed`."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            if needed or writes:
                raise RefusedError(401, "Invalid username or password.")
            return ""
        if token.startswith("hf_bad") or not token.startswith("hf_"):
            raise RefusedError(401, "Invalid credentials in Authorization header")
        name = token.removeprefix("hf_")
        if writes and name.startswith(_READ_ONLY):
            raise RefusedError(403, "your token is read-only: it has no write permission")
        return name.removeprefix(_READ_ONLY)

    def whoami(self, request: HubRequest) -> dict[str, Any]:
        """Return what the Hub says to the owner of a token."""
        name = self.user(request, needed=True)
        return {
            "type": "user",
            "id": hashlib.sha1(name.encode()).hexdigest()[:24],
            "name": name,
            "fullname": name,
            "orgs": [{"type": "org", "name": org, "roleInOrg": "admin"} for org in self._orgs],
            "auth": {"type": "access_token", "accessToken": {"displayName": "test", "role": "write"}},
        }

    def owns(self, user: str, namespace: str) -> bool:
        """Tell whether a user may write to a namespace."""
        return bool(user) and (user == namespace or namespace in self._orgs)

    def repo(self, request: HubRequest, repo_id: str, *, writes: bool = False, content: bool = False) -> HubRepo:
        """Return a repository that a request may read, write to, or read the `content` of."""
        user = self.user(request, writes=writes)
        repo = self._contents.repos.get(repo_id)
        if repo is None or (repo.private and not self.owns(user, repo.namespace)):
            # As on the Hub: nobody is told to log in, somebody that there is nothing; the code is the same.
            raise RefusedError(404 if user else 401, "Repository not found", code="RepoNotFound")
        owner = self.owns(user, repo.namespace)
        if writes and not owner:
            raise RefusedError(403, "You don't have the rights to push to this repo")
        if content and repo.gated and not owner and user not in repo.granted:
            message = f"Access to dataset {repo_id} is restricted. Visit its page to ask for access."
            raise RefusedError(403 if user else 401, message, code="GatedRepo")
        return repo
