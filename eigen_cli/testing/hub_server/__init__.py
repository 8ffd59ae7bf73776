"""A small Hugging Face Hub on loopback, for tests of what is pushed to one and pulled from it.

It keeps dataset repositories in memory, takes large files through LFS and through Xet, knows private and gated
repositories and tokens that may not write, misbehaves on command, and remembers every request it saw:

    hub = HubServer()
    hub.faults.add(HubFault(match="POST .*/commit/", kind="lost_reply"))
    with serving_hub(hub) as endpoint: ...

The token of user NAME is `hf_NAME`, `hf_read_NAME` may only read, `hf_bad…` is nobody's. There is no git, no pull
request, no viewer and no rate limit; status codes follow the Hub's as far as its clients tell them apart.
As a program: `python -m eigen_cli.testing.hub_server --port 0`.
"""

from __future__ import annotations

from eigen_cli.testing.hub_server.faults import HubFault, HubFaultKind, HubFaults
from eigen_cli.testing.hub_server.repos import HubCommit, HubFile, HubRepo
from eigen_cli.testing.hub_server.server import HubServer, SeenHubRequest, serving_hub, serving_hub_async

__all__ = [
    "HubCommit",
    "HubFault",
    "HubFaultKind",
    "HubFaults",
    "HubFile",
    "HubRepo",
    "HubServer",
    "SeenHubRequest",
    "serving_hub",
    "serving_hub_async",
]
