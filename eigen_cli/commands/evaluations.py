"""`eigen evaluations`."""

from __future__ import annotations

import click

from eigen_cli.api.evaluations import EvaluatedEpisode
from eigen_cli.api.generations import EpisodeRecord
from eigen_cli.api.verdicts import EpisodeVerdict
from eigen_cli.commands.dialogue import dialogue_lines, failures_first
from eigen_cli.commands.eval_json import Shown, evaluation_json, headline
from eigen_cli.commands.eval_views import evaluation_lines, evaluations_table, results_table
from eigen_cli.commands.generation_views import SCHEMA, SIMULATED
from eigen_cli.commands.options import common_options, json_option, registry_option
from eigen_cli.commands.wiring import opened_store
from eigen_cli.console import Console, Line


@click.command()
@click.argument("evaluation", metavar="[EVAL]", required=False)
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Show N dialogues, failures first.")
@click.option("--scoring", metavar="NAME", help="Scoring of the headline.")
@registry_option
@json_option
@common_options
@click.pass_obj
def evaluations(
    console: Console,
    evaluation: str | None,
    *,
    sample: int | None,
    scoring: str | None,
    registry: str | None,
    as_json: bool,
) -> None:
    """List the stored evaluations, or show one.

    EVAL is an id (eval-0001), a hash or a prefix of one, or latest.

    Example: eigen evaluations eval-0001 --sample 20
    """
    store = opened_store(registry)
    if evaluation is None:
        if sample is not None:
            raise click.UsageError("--sample needs an evaluation: eigen evaluations EVAL --sample N")
        stored = store.evaluations()
        if as_json:
            shown_all = [evaluation_json(Shown(one, headline(one, scoring))) for one in stored]
            console.json({"schema": SCHEMA, "evaluations": shown_all})
        elif stored:
            console.data(evaluations_table(stored))
        else:
            console.note(f"no evaluations in {store.folder} yet; `eigen eval DOMAIN` makes one")
        return
    found = store.evaluation(evaluation)
    shown = Shown(found, headline(found, scoring))
    if sample is None:
        if as_json:
            console.json({"schema": SCHEMA, "evaluation": evaluation_json(shown)})
        else:
            console.data(results_table([shown]))
            console.lines([Line("")])
            console.lines(evaluation_lines(shown))
        return
    chosen = failures_first((as_record(item, shown.scoring) for item in store.evaluation_episodes(found.hash)), sample)
    wanted = {record.episode.task for record in chosen}
    tasks = {task.id: task for task in store.evaluation_tasks(found.hash) if task.id in wanted}
    if as_json:
        console.json({"schema": SCHEMA, "evaluation": evaluation_json(shown), "tasks": tasks, "episodes": chosen})
        return
    if found.body.simulated:
        console.data(SIMULATED, "yellow")
    for record in chosen:
        console.lines(dialogue_lines(record, tasks[record.episode.task]))
        console.data("")


def as_record(evaluated: EvaluatedEpisode, scoring: str) -> EpisodeRecord:
    """Return a trial as dialogues are shown: its verdict is that of one scoring."""
    verdict = EpisodeVerdict(evaluated.rewards.get(scoring), evaluated.parts)
    return EpisodeRecord(evaluated.episode, verdict, evaluated.usage)
