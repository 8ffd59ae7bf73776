"""Evaluations to seal: every field of every record is set somewhere."""

from __future__ import annotations

import msgspec
from registry_samples import episode_record, task

from eigen_cli.api.backend import Usage
from eigen_cli.api.episodes import Limits
from eigen_cli.api.evaluations import (
    EvaluatedEpisode,
    EvaluationBody,
    EvaluationContents,
    EvaluationObserved,
    Interval,
    Judgement,
    Overlap,
    ScoringFigures,
)
from eigen_cli.api.tasks import SkippedTask
from eigen_cli.api.verdicts import Blame

SealableEvaluation = tuple[EvaluationBody, EvaluationObserved, EvaluationContents]


def evaluated(index: int, task_index: int, trial: int, size: int = 200) -> EvaluatedEpisode:
    record = episode_record(index, task(task_index), trial, size)
    if record.episode.stop == "infrastructure":
        return EvaluatedEpisode(record.episode, failure="the server broke down", usage=record.usage)
    return EvaluatedEpisode(
        record.episode,
        rewards={"official": 1.0, "corrected": 0.5},
        parts=record.verdict.parts,
        undetermined=("corrected",),
        judgements=(Judgement("it was polite", None, "no answer"), Judgement("it was short", True)),
        violations=(Blame("user", "early_stop", "…", 3),),
        usage=record.usage,
    )


def evaluation(*, tasks: int = 3, trials: int = 2, size: int = 200, checkpoint: str = "sft-1") -> SealableEvaluation:
    """Return what `Store.seal_evaluation` takes."""
    episodes = tuple(
        evaluated(index * trials + trial, index, trial, size) for index in range(tasks) for trial in range(trials)
    )
    interval = Interval(0.5, 0.25, 0.75)
    figures = ScoringFigures(
        pass_hat_k={"1": interval},
        upper_bound={"1": 0.75},
        passed=1,
        undetermined=4,
        untouched_passes=1,
        basis={"state*communicate": tasks},
    )
    body = EvaluationBody(
        domain="tau2-airline",
        split="test",
        release="r1",
        seed=7,
        trials=trials,
        attempts=3,
        tasks=tasks,
        limits=Limits(agent_turns=50),
        actors={"agent": "openai/a", "user": "openai/u"},
        temperatures={"agent": 0.5},
        simulated=False,
        fingerprint="f" * 64,
        prompts={"agent": "agent@1"},
        verifiers={"state": "1"},
        scorings={"official": figures, "corrected": figures},
        scoring="official",
        stops={"user_stop": 4, "infrastructure": 2},
        infrastructure=2,
        missing=2,
        violations={"early_stop": 4},
        violating_episodes=4,
        turns=7.5,
        tool_calls=2.25,
        skipped=(SkippedTask("odd", "unknown tool"),),
        generation="a" * 64,
        checkpoint=checkpoint,
        rescored="b" * 64,
        overlap=Overlap("a" * 64, 10, 5, {"users": 1}, 1, ("mia_li_1",)),
    )
    observed = EvaluationObserved("run-1", 1000.5, 1060.25, {"agent": Usage(calls=3)}, 1.25, "host", "0.1.0")
    contents = EvaluationContents(tuple(task(index) for index in range(tasks)), episodes)
    return body, observed, contents


def relabelled(sample: SealableEvaluation, checkpoint: str) -> SealableEvaluation:
    """Return the same evaluation of another checkpoint."""
    return msgspec.structs.replace(sample[0], checkpoint=checkpoint), sample[1], sample[2]
