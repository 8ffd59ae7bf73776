"""The playbook: every request finds its procedure, and perfect actors pass every template."""

from __future__ import annotations

import asyncio
import random
from decimal import Decimal
from typing import Any

import pytest

from eigen_cli.api.backend import BackendSettings
from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.domain import Draft
from eigen_cli.api.plans import EvaluationPlan, Plan, PlanBody, Quota, SynthesisPlan
from eigen_cli.api.playbook import Ask, Call, CallResult
from eigen_cli.api.tasks import WorldRef
from eigen_cli.episode.state import EpisodeKey
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.episode_verifier import verify_episode
from eigen_cli.roles.rollout import roll_out
from eigen_cli.roles.synthesizer import Attempt, Grounding, synthesize
from eigen_cli.roles.task_verifier import verify_task
from eigen_cli.world.base import BaseCache
from eigen_cli.world.toolbox import Toolbox
from eigen_offline.backend import OfflineBackend
from eigen_offline.intents import script_of
from eigen_offline.synthesizer import _reworded
from eigen_retail.domain import Retail
from eigen_retail.playbook import PLAYBOOK
from eigen_retail.playbook_common import dollars
from eigen_retail.playbook_items import _meant
from eigen_retail.templates import INTENTS, TEMPLATES
from eigen_verifiers.actions import ActionsVerifier
from eigen_verifiers.checks import ChecksVerifier
from eigen_verifiers.communicate import CommunicateVerifier
from eigen_verifiers.state import StateVerifier

_RETAIL = Retail()
_WORLD = WorldRef(11, 0)
_PERFECT = {"skill": "perfect", "user": "faithful", "defects": "none"}


@pytest.fixture(scope="module")
def context() -> RoleContext:
    """The roles over one world, played by actors that make no mistake."""
    verifiers = (StateVerifier(), ChecksVerifier(), CommunicateVerifier(), ActionsVerifier())
    return RoleContext(
        run="tests:1",
        seed=1,
        domain=_RETAIL,
        templates={template.name: template for template in TEMPLATES},
        toolbox=Toolbox(_RETAIL),
        bases=BaseCache(),
        completer=OfflineBackend(BackendSettings(options=_PERFECT)),
        verifiers={verifier.name: verifier for verifier in verifiers},
    )


def drafted(context: RoleContext, name: str, number: int) -> Draft | None:
    rng = derive_rng("playbook", name, number)
    found = (context.templates[name].draft(context.world(_WORLD), rng) for _ in range(8))
    return next((draft for draft in found if draft is not None), None)


@pytest.mark.parametrize("name", [template.name for template in TEMPLATES])
def test_perfect_actors_pass(context: RoleContext, name: str) -> None:
    plan = Plan.of(PlanBody("retail", 0, SynthesisPlan("tests", (Quota(name, 1),)), EvaluationPlan()))

    async def work(number: int) -> None:
        draft = drafted(context, name, number)
        assert draft is not None
        grounding = Grounding(plan, 1, number, f"{name}-{number}", name, draft, _WORLD)
        proposed = await synthesize(context, grounding, Attempt())
        assert verify_task(context, proposed.task).rejections == ()
        key = EpisodeKey(context.run, 1, plan.id, proposed.task.id, 0)
        rolled = await roll_out(context, key, proposed.task, attempts=1)
        verdict = await verify_episode(context, plan, rolled.state)
        assert (verdict.reward, rolled.state.stop) == (1.0, "user_stop"), verdict.parts

    for number in range(2):
        asyncio.run(work(number))


def test_every_intent_has_a_procedure() -> None:
    assert {intent.name for intent in PLAYBOOK.intents} == set(INTENTS)


def test_requests_as_templates_word_them_find_their_intent(context: RoleContext) -> None:
    script, rng, seen = script_of(PLAYBOOK), random.Random(3), set()
    for template in TEMPLATES:
        for number in range(5):
            draft = drafted(context, template.name, number)
            for goal in draft.goals if draft is not None else ():
                for text in (goal.request, _reworded(goal, rng, first=True).request):
                    (wish,) = script.further(text)
                    assert wish.intent.name == goal.intent, text
                    seen.add(goal.intent)
    assert seen == set(INTENTS)


def test_the_opening_driven_by_hand() -> None:
    """An e-mail address that finds nobody is followed by name and zip code."""
    steps = PLAYBOOK.opening()
    assert next(steps) == Ask("identity")
    assert steps.send("Ada@Old.example") == Call("find_user_id_by_email", {"email": "ada@old.example"})
    assert steps.send(CallResult("Error: nobody", error=True)) == Ask("corrected_identity")
    found = steps.send("Ada Moss, zip code 80213")
    assert found == Call("find_user_id_by_name_zip", {"first_name": "Ada", "last_name": "Moss", "zip": "80213"})
    assert steps.send(CallResult("ada_moss_1234", error=False)) == Call(
        "get_user_details", {"user_id": "ada_moss_1234"}
    )


def test_someone_who_has_just_moved_stays_known() -> None:
    steps = PLAYBOOK.opening()
    next(steps)
    steps.send("Ada Moss, zip code 80213")
    moved = CallResult("Error: nobody", error=True, earlier=("ada_moss_1234",))
    assert steps.send(moved) == Call("get_user_details", {"user_id": "ada_moss_1234"})


def test_amounts_and_items_in_words() -> None:
    assert [dollars(1234), dollars(12.5), dollars(Decimal("-8.10")), dollars(0)] == ["$1,234", "$12.50", "$8.10", "$0"]
    jacket, pot = {"name": "Rain Jacket"}, {"name": "Tea Pot"}
    order: dict[str, Any] = {"items": [jacket, dict(jacket), pot]}
    assert _meant(order, "one Rain Jacket") == [jacket]
    assert _meant(order, "the Rain Jacket") == [jacket, jacket]
    assert _meant(order, "the Tea Pot and both Rain Jackets") == [jacket, jacket, pot]
    assert _meant(order, "everything") == order["items"]
    assert _meant(order, "the Hammock") == [] == _meant(order, "no idea")
