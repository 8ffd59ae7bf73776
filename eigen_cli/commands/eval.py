"""`eigen eval`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import click

from eigen_cli.api.evaluations import Evaluation
from eigen_cli.api.store import Store
from eigen_cli.commands.eval_assembly import MAILBOX, PLAYED, assembled, reassembled, role_flags
from eigen_cli.commands.eval_estimate import estimate_json, estimate_table
from eigen_cli.commands.eval_json import Shown, evaluated_json, headline
from eigen_cli.commands.eval_options import eval_options
from eigen_cli.commands.eval_views import evaluation_lines, results_table
from eigen_cli.commands.options import (
    common_options,
    completed_plugins,
    json_option,
    registry_option,
    tau2_data_option,
    tau2_tasks_option,
    terms_options,
    terms_settings,
)
from eigen_cli.commands.remarks import remarks
from eigen_cli.commands.rescore_views import rescored_json, rescored_lines
from eigen_cli.commands.run_assembly import domain_names, recast, warn_of_one_model
from eigen_cli.commands.wiring import configured, open_store
from eigen_cli.console import Console
from eigen_cli.evaluation.comparison import difference, macro_difference, macro_sample
from eigen_cli.evaluation.loop import Progress
from eigen_cli.evaluation.runs import EvalRun
from eigen_cli.evaluation.settings import EvalSettings
from eigen_cli.exits import ExitCode
from eigen_cli.run.sections import Config


@click.command("eval")
@click.argument("domains", metavar="DOMAIN[,DOMAIN…]", required=False, shell_complete=completed_plugins("domain"))
@eval_options
@terms_options
@tau2_data_option
@tau2_tasks_option
@registry_option
@json_option
@common_options
@click.pass_obj
def evaluate(console: Console, /, domains: str | None, *, dry_run: bool, as_json: bool, **flags: Any) -> int:
    """Score an agent on a domain's tasks: pass^k with intervals.

    Runs every task of the split several times and stores the evaluation. An interrupted one resumes with the same
    command, a completed one is printed. Domains with tasks of their own (tau2-*) bring their splits; the others take
    the tasks of a generation. Without --agent and --user the actors are simulated (SIMULATED).

    Example: eigen eval tau2-retail --split test --trials 4 --agent openai:my-model --user openai:gpt-4.1
    """
    config = configured(_settings_of(flags))
    store = open_store(config.registry)
    if flags["rescore"] is not None:
        return _rescored(console, config, store, domains, flags, as_json=as_json)
    if domains is None:
        raise click.UsageError("Missing argument 'DOMAIN[,DOMAIN…]'.")
    names = domain_names(domains)
    config = recast(config, console, PLAYED)
    settings = _eval_settings(config, flags)
    against = _against(store, names, flags["against"])
    runs = assembled(names, config, settings, store, judge_named=flags["judge"] is not None, record=not dry_run)
    _check_scoring(runs, flags["scoring"])
    warn_of_one_model(runs[0].actors, console, remedy="give --user or --judge another model")
    if dry_run:
        _print_estimate(console, runs, config, as_json=as_json)
        return ExitCode.DONE
    evaluations = _evaluated(console, runs)
    _print(console, store, evaluations, against, scoring=flags["scoring"], as_json=as_json)
    return _exit_code(console, evaluations, allow_missing=flags["allow_missing"])


def _settings_of(flags: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Return the flags that are settings, by key, each with its spelling."""
    settings = {name: (f"--{name.replace('_', '-')}", flags[name]) for name in ("registry", "tau2_data", "tau2_tasks")}
    settings["evolve.concurrency"] = ("--concurrency", flags["concurrency"])
    settings["backend.name"] = ("--backend", flags["backend"])
    if flags["folder"] is not None and flags["backend"] == MAILBOX:
        settings["backend.options"] = ("--dir", {"dir": flags["folder"]})
    for name in ("base_url", "model"):
        settings[f"backend.{name}"] = (f"--{name.replace('_', '-')}", flags[name])
    return settings | terms_settings(flags) | role_flags(flags)


def _eval_settings(config: Config, flags: Mapping[str, Any]) -> EvalSettings:
    return EvalSettings(
        split=flags["split"],
        trials=flags["trials"],
        seed=flags["seed"],
        tasks=flags["tasks"],
        limit=flags["limit"],
        generation=flags["generation"],
        checkpoint=flags["checkpoint"],
        attempts=config.evolve.attempts,
        concurrency=config.evolve.concurrency,
        fresh=flags["fresh"],
    )


def _against(store: Store, names: Sequence[str], refs: Sequence[str]) -> dict[str, Evaluation]:
    """Return what to compare with, by domain."""
    found = {evaluation.body.domain: evaluation for evaluation in map(store.evaluation, refs)}
    strange = next((evaluation for domain, evaluation in found.items() if domain not in names), None)
    if strange is not None or len(found) < len(refs):
        what = f"{strange.id} is of {strange.body.domain}" if strange else "two of them are of one domain"
        raise click.UsageError(f"--against takes one evaluation of each of {', '.join(names)}; {what}")
    return found


def _check_scoring(runs: Sequence[EvalRun], scoring: str | None) -> None:
    """Refuse a scoring that some domain lacks before anything is paid for."""
    for run in runs:
        if scoring is not None and scoring not in run.scorings:
            raise click.UsageError(
                f"{run.part.domain.name} has no scoring {scoring!r}; it has {', '.join(run.scorings)}"
            )


def _evaluated(console: Console, runs: Sequence[EvalRun]) -> list[Evaluation]:
    from eigen_cli.evaluation.loop import evaluate as run_trials

    # A registry that cannot be read must say so before anything is paid for.
    runs[0].store.evaluations()
    for run in runs:
        if run.selection.skipped:
            first = run.selection.skipped[0]
            console.warn(
                f"{run.part.domain.name}: {len(run.selection.skipped)} tasks are skipped, the first is {first.id}: "
                f"{first.why}"
            )
    try:
        with remarks(console):
            return asyncio.run(run_trials(runs, progress=_progress_of(console)))
    except KeyboardInterrupt:
        console.note("everything acknowledged is kept; the same command resumes")
        raise


def _progress_of(console: Console) -> Progress:
    def show(domain: str, stage: str, done: int, total: int) -> None:
        if stage == "damaged":
            console.warn(
                f"the journal of {domain} was damaged in {done} places; what they held is asked for again, "
                "and the damaged file stays beside the new one"
            )
        else:
            console.progress(f"{domain}: {stage} {done}/{total}")

    return show


def _print(
    console: Console,
    store: Store,
    evaluations: Sequence[Evaluation],
    against: Mapping[str, Evaluation],
    *,
    scoring: str | None,
    as_json: bool,
) -> None:
    shown = []
    for one in evaluations:
        name, other = headline(one, scoring), against.get(one.body.domain)
        shown.append(Shown(one, name, difference(store, one, other, name) if other is not None else None))
    several = len(shown) > 1
    mean = macro_sample(store, evaluations, [one.scoring for one in shown]) if several else None
    differences = [one.difference for one in shown if one.difference is not None]
    mean_difference = macro_difference(differences) if several and len(differences) == len(shown) else None
    if as_json:
        console.json(evaluated_json(shown, mean, mean_difference))
        return
    console.data(results_table(shown, mean, mean_difference))
    for item in shown:
        console.data("")
        console.lines(evaluation_lines(item))
    last = evaluations[-1].id
    console.note(f"in {store.folder}; look with `eigen evaluations {last} --sample 20`")


def _exit_code(console: Console, evaluations: Sequence[Evaluation], *, allow_missing: bool) -> int:
    missing = sum(evaluation.body.missing for evaluation in evaluations)
    if not missing:
        return ExitCode.DONE
    trials = sum(evaluation.body.tasks * evaluation.body.trials for evaluation in evaluations)
    text = f"{missing} of {trials} trials have no reward; k and n are smaller for their tasks"
    if allow_missing:
        console.warn(text)
        return ExitCode.DONE
    more = 2 * evaluations[0].body.attempts
    console.error(text, f"EIGEN_EVOLVE_ATTEMPTS={more} with the same command tries them again; --allow-missing accepts")
    return ExitCode.GATE


def _rescored(
    console: Console, config: Config, store: Store, domains: str | None, flags: Mapping[str, Any], *, as_json: bool
) -> int:
    from eigen_cli.evaluation.rescoring import rescore

    before = store.evaluation(flags["rescore"])
    if domains not in (None, before.body.domain):
        raise click.UsageError(f"{before.id} is an evaluation of {before.body.domain}, not of {domains}")
    result = rescore(reassembled(before, config, store), before, store)
    shown = Shown(result.evaluation, headline(result.evaluation, flags["scoring"]))
    if as_json:
        console.json(rescored_json(result, shown))
    else:
        console.data(results_table([shown]))
        console.data("")
        console.lines(evaluation_lines(shown))
        console.data("")
        console.lines(rescored_lines(result))
    return _exit_code(console, [result.evaluation], allow_missing=flags["allow_missing"])


def _print_estimate(console: Console, runs: Sequence[EvalRun], config: Config, *, as_json: bool) -> None:
    if as_json:
        console.json(estimate_json(runs, config))
    else:
        console.data(estimate_table(runs, config))
