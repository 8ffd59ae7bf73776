"""The statement judge: a model's word on statements about a dialogue that no code can decide."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eigen_cli.api.backend import Chat, Request
from eigen_cli.api.canonical import SHORT, digest
from eigen_cli.api.errors import BackendError, BackendUnreachableError
from eigen_cli.api.evaluations import Judgement
from eigen_cli.api.outputs import schema_of
from eigen_cli.episode.state import EpisodeState
from eigen_cli.roles.context import RoleContext
from eigen_cli.roles.prompting import load_prompt
from eigen_cli.roles.speech import dialogue_line
from eigen_cli.roles.structured import UnusableReplyError, ask_structured

PROMPT = "statement_judge"


class StatementOutput(msgspec.Struct, frozen=True):
    """What the judge answers."""

    holds: bool
    evidence: str


async def judge_statements(
    context: RoleContext, state: EpisodeState, statements: Sequence[str], *, judge: str
) -> tuple[Judgement, ...]:
    """Return the judge's word on each statement; one without a usable answer stays undecided.

    `judge` is the identity of the model asked. It enters the calls' keys, so that another judge's words are never taken
    for this one's.
    """
    return tuple([await _judged(context, state, statement, judge=judge) for statement in statements])


async def _judged(context: RoleContext, state: EpisodeState, statement: str, *, judge: str) -> Judgement:
    prompt, key = load_prompt(PROMPT), state.key
    text = prompt.render(
        statement=statement, conversation="\n".join(dialogue_line(message) for message in state.messages)
    )
    name = f"{digest(judge)[:SHORT]}-{digest(statement)[:SHORT]}"
    request = Request(
        role="judge",
        key=context.key(
            "judge", round_=key.round, plan=f"statement-{name}", task=key.task, trial=key.trial, turn=state.turn
        ),
        inputs=None,  # simulators are not asked: they cannot read
        chat=Chat.of({"role": "user", "content": text}),
        schema=schema_of(StatementOutput),
        prompt_version=prompt.version,
    )
    try:
        output, _, _ = await ask_structured(context.completer, request, StatementOutput, repairs=context.repairs)
    except BackendUnreachableError:
        raise
    except (UnusableReplyError, BackendError) as error:
        return Judgement(statement, None, f"the judge gave no usable answer: {error}")
    return Judgement(statement, output.holds, output.evidence)
