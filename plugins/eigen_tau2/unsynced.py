"""The gold state of telecom as the benchmark's evaluator makes it: its two sides never learn of each other.

While an episode runs, both sides are synchronised after every call. For gold the evaluator calls the tools directly and
leaves that out, so the phone goes on with what the initial state copied to it, and no payment reaches the carrier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eigen_cli.api.messages import Requestor
from eigen_cli.api.tasks import Action
from eigen_cli.api.verifier import Replayer
from eigen_cli.api.world import WorldView
from eigen_tau2.telecom_records import Copied, copied


def unsynced_gold(gold: Sequence[Action], replayer: Replayer) -> tuple[WorldView, WorldView, Copied]:
    """Return a world whose carrier's side is gold's, one whose phone is, and what the phone's surroundings hold.

    Each side's calls run on the initial world without the other's. A payment is marked as made on the phone, once there
    was a request in the initial state, and stays there.
    """
    carrier = replayer.replay(_of("agent", gold)).world
    users = _of("user", gold)
    phone = replayer.replay(users)
    copies = copied(replayer.initial_world())
    paid = any(call.name == "make_payment" and not done.error for call, done in zip(users, phone.outcomes, strict=True))
    request: dict[str, Any] | None = copies.payment_request
    if request is not None and paid:
        request = {**request, "paid": True}
    return carrier, phone.world, copies._replace(payment_request=request)


def _of(requestor: Requestor, gold: Sequence[Action]) -> tuple[Action, ...]:
    return tuple(action for action in gold if action.requestor == requestor)
