"""The opt-in side channel to a loopback server that plays the offline actors."""

from __future__ import annotations

import msgspec

from eigen_cli.api.backend import Request


def trace(request: Request) -> str:
    """Return the call's key and the start of the request's hash: the same for every attempt and every resume."""
    return f"{request.key.path()}/{request.fingerprint()[:16]}"


def metadata(request: Request) -> bytes:
    """Return the `metadata` object that carries a request's typed inputs."""
    # Only simulated runs pay for, and depend on, the testing package.
    from eigen_cli.testing.inputs_codec import encode

    return msgspec.json.encode({"eigen_inputs": encode(request.inputs).decode(), "eigen_key": trace(request)})
