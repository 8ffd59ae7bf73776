"""A real OpenAI-compatible server on loopback, for tests of anything that talks to one.

It plays the offline actors to requests that carry their typed inputs, a script or an echo to all others, misbehaves
on command, and remembers every request it saw:

    with serving(OpenAIServer(faults=[Fault(kind="status", status=429, rate=0.3)])) as url: ...

As a program: `python -m eigen_cli.testing.openai_server --port 0`.
"""

from __future__ import annotations

from eigen_cli.testing.openai_server.chat import ChatRequest, Refusal, Responder, echo
from eigen_cli.testing.openai_server.faults import Fault
from eigen_cli.testing.openai_server.seen import RequestLog, SeenRequest, read_log
from eigen_cli.testing.openai_server.server import OpenAIServer, serving, serving_async

__all__ = [
    "ChatRequest",
    "Fault",
    "OpenAIServer",
    "Refusal",
    "RequestLog",
    "Responder",
    "SeenRequest",
    "echo",
    "read_log",
    "serving",
    "serving_async",
]
