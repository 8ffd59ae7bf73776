from __future__ import annotations

import pytest
from bank import MakeContext, Scripted, a_task

from eigen_cli.api.backend import Reply, Request
from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.tasks import Communicate
from eigen_cli.api.verdicts import Rejection
from eigen_cli.roles.task_reader import read_task


async def _objections(make_context: MakeContext, *answers: str) -> tuple[tuple[Rejection, ...], Scripted]:
    model = Scripted(answers)
    found = await read_task(make_context(model), a_task(), name="0003", attempt=1)
    return found, model


async def test_problems_become_rejections_and_none_is_consent(make_context: MakeContext) -> None:
    said = '{"problems": [{"reason": "ambiguous", "evidence": "two accounts are called savings"}]}'
    found, _ = await _objections(make_context, said)
    assert found == (Rejection("ambiguous", "two accounts are called savings"),)
    assert (await _objections(make_context, '{"problems": []}'))[0] == ()


async def test_the_reader_sees_scenario_policy_gold_and_results_under_a_key_of_its_own(
    make_context: MakeContext,
) -> None:
    model = Scripted(['{"problems": []}'])
    task = a_task(communicate=(Communicate("number", "128", "the new balance"),))
    await read_task(make_context(model), task, name="0003", attempt=1)
    (request,) = model.requests
    text = request.chat.messages()[0]["content"]
    assert 'transfer({"amount":10,"source":"A0001","target":"A0002"}): ' in text
    assert "Never move more than 500 dollars at once." in text
    assert "Please move some money." in text and "- the new balance: 128" in text
    assert "Checks:\n(none besides)" in text and "- `transfer(" in text
    assert "$" not in text.replace("$$", ""), "every name of the prompt is filled"
    assert (request.key.path(), request.inputs) == ("bank:1/1/plan-1/0003/0/task_verifier/0/10", None)


async def test_an_unknown_reason_is_handed_back(make_context: MakeContext) -> None:
    right = '{"problems": [{"reason": "ambiguous", "evidence": "x"}]}'
    wrong = right.replace("ambiguous", "boring")
    found, model = await _objections(make_context, wrong, right)
    assert found == (Rejection("ambiguous", "x"),)
    assert [request.key.attempt for request in model.requests] == [10, 11]


async def test_a_reader_without_a_usable_answer_objects_to_nothing(make_context: MakeContext) -> None:
    found, model = await _objections(make_context, "fine", "really", "yes")
    assert (found, len(model.requests)) == ((), 3)


class _Down:
    def __init__(self, error: BackendError) -> None:
        self._error = error

    async def complete(self, request: Request) -> Reply:
        raise self._error


async def test_a_server_that_is_gone_ends_the_run_and_a_refused_call_does_not(make_context: MakeContext) -> None:
    with pytest.raises(BackendUnreachableError):
        await read_task(make_context(_Down(BackendUnreachableError("gone"))), a_task(), name="0", attempt=0)
    refused = await read_task(make_context(_Down(BackendError("filtered"))), a_task(), name="0", attempt=0)
    assert refused == ()
