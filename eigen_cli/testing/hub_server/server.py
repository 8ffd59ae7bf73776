"""The server itself: which request goes where, faults, the log, and the ways to run it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator

import msgspec
from aiohttp import web  # 200 to 280 ms of CPU; this module is nothing without it, and only servers import it

from eigen_cli.testing.hub_server.access import Access
from eigen_cli.testing.hub_server.exchange import HubReply, HubRequest, RefusedError, json_reply
from eigen_cli.testing.hub_server.faults import HubFault, HubFaults
from eigen_cli.testing.hub_server.large_files import LargeFiles
from eigen_cli.testing.hub_server.reading import Reading
from eigen_cli.testing.hub_server.repos import HubContents, HubRepo
from eigen_cli.testing.hub_server.writing import Writing
from eigen_cli.testing.threaded import threaded

_LARGEST_BODY = 2 * 2**30


class SeenHubRequest(msgspec.Struct, frozen=True):
    """A request that came in. `status` is what it was answered, or 0 where the connection was closed instead."""

    method: str
    path: str
    status: int


class HubServer:
    """A Hub for dataset repositories. Requests are handled one after the other, so a commit is atomic as it stands."""

    def __init__(self, *, orgs: tuple[str, ...] = ("acme",)) -> None:
        """`orgs`: namespaces that every user may write to."""
        self.contents = HubContents()
        self.faults = HubFaults()
        self.seen: list[SeenHubRequest] = []
        self._access = Access(self.contents, orgs)
        self._reading = Reading(self.contents, self._access)
        self._writing = Writing(self.contents, self._access)
        self._large = LargeFiles(self.contents, self._access)

    def repo(self, repo_id: str) -> HubRepo:
        """Return a repository, to look into or to tamper with."""
        return self.contents.repos[repo_id]

    def answer(self, request: HubRequest) -> HubReply:
        """Return the reply to a request."""
        try:
            return self._route(request)
        except RefusedError as refusal:
            headers = {"X-Error-Message": refusal.message, **refusal.headers}
            if refusal.code:
                headers["X-Error-Code"] = refusal.code
            return json_reply({"error": refusal.message}, status=refusal.status, headers=headers)

    def _route(self, request: HubRequest) -> HubReply:
        match request.segments:
            case ("_control", *rest):
                return self._command(request, *rest)
            case ("_lfs", *rest):
                return self._large.lfs(request, tuple(rest))
            case ("_xet", *rest):
                return self._large.xet(request, tuple(rest))
            case ("api", "whoami-v2"):
                return json_reply(self._access.whoami(request))
            case ("api", "validate-yaml"):
                return json_reply({"errors": [], "warnings": []})
            case ("api", "repos", "create"):
                return self._writing.create(request)
            case ("api", "datasets", user, name, *rest):
                return self._api(request, f"{user}/{name}", tuple(rest))
            case ("datasets", user, name, "info", "lfs", "objects", "batch"):
                return self._large.batch(request, f"{user}/{name.removesuffix('.git')}")
            case ("datasets", user, name, "resolve", revision, *path) if request.reads:
                return self._reading.resolve(request, f"{user}/{name}", revision=revision, path="/".join(path))
        raise RefusedError(404, "Sorry, we can't find the page you are looking for.")

    def _api(self, request: HubRequest, repo_id: str, rest: tuple[str, ...]) -> HubReply:
        what, arguments = (rest[0], rest[1:]) if rest else ("", ())
        if what in ("xet-read-token", "xet-write-token"):
            return self._large.xet_token(request, repo_id, writes=what == "xet-write-token")
        reply = self._reading.answer(request, repo_id, what=what, rest=arguments) or self._writing.answer(
            request, repo_id, what=what, rest=arguments
        )
        if reply is None:
            raise RefusedError(404, f"this server has no {request.method} {what}")
        return reply

    def _command(self, request: HubRequest, what: str = "") -> HubReply:
        """Answer what tests in other processes ask: `/_control/log`, `/_control/faults`."""
        if what == "log":
            return json_reply(self.seen)
        if what == "faults" and request.method == "POST":
            self.faults.add(*msgspec.json.decode(request.body, type=list[HubFault]))
            return json_reply({})
        raise RefusedError(404, "there is `log` to read and `faults` to post")

    def application(self) -> web.Application:
        """Return the one route there is."""
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_route("*", "/{path:.*}", self._handle)
        return application

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        path, _, query = http.raw_path.partition("?")
        body = await http.read()
        base = f"http://{http.host}"
        request = HubRequest(http.method, path, query, http.headers, body, base)
        fault = None if path.startswith("/_control/") else self.faults.strike(f"{http.method} {path}")
        if fault is None or fault.kind == "lost_reply":
            reply = self.answer(request)
        else:
            reply = json_reply({"error": "on command"}, status=fault.status, headers=fault.headers)
        closed = fault is not None and fault.kind != "status"
        if not path.startswith("/_control/"):
            self.seen.append(SeenHubRequest(http.method, http.raw_path, 0 if closed else reply.status))
        if closed and http.transport is not None:
            http.transport.abort()
        return _response(http, reply)


def _response(http: web.Request, reply: HubReply) -> web.StreamResponse:
    headers = dict(reply.headers)
    if reply.length is not None and http.method == "HEAD":
        headers["Content-Length"] = str(reply.length)
    return web.Response(body=reply.body, status=reply.status, headers=headers, content_type=reply.content_type)


@contextlib.asynccontextmanager
async def serving_hub_async(server: HubServer, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serve in the running event loop; give the endpoint (`http://127.0.0.1:…`)."""
    runner = web.AppRunner(server.application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield f"http://{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@contextlib.contextmanager
def serving_hub(server: HubServer, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve in a thread of its own; give the endpoint (`http://127.0.0.1:…`), which `HF_ENDPOINT` names to clients."""
    with threaded(lambda: serving_hub_async(server, host=host, port=port), name="hub-server") as url:
        yield url
