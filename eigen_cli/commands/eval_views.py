"""An evaluation as text: the table a paper takes, and what its figures stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eigen_cli.api.canonical import SHORT
from eigen_cli.api.evaluations import Evaluation, Interval, ScoringFigures
from eigen_cli.commands.eval_json import Shown, mean_tokens, scorings_in_order
from eigen_cli.commands.generation_views import SIMULATED
from eigen_cli.console import Line, aligned
from eigen_cli.evaluation.estimators import Sample
from eigen_cli.evaluation.figures import by_k


def results_table(shown: Sequence[Shown], macro: Sample | None = None, macro_difference: Sample | None = None) -> str:
    """Return pass^k with intervals, a row a domain and scoring: what a paper's table is copied from."""
    highest = max((len(f.pass_hat_k) for one in shown for f in one.evaluation.body.scorings.values()), default=0)
    ks = [str(k) for k in range(1, highest + 1)]
    rows = [row for one in shown for row in _result_rows(one, ks)]
    if macro is not None:
        rows.append(["macro mean", "", "", "", *_cells(by_k(macro), ks), "", ""])
        if macro_difference is not None:
            rows.append(["  difference", "", "", "", *_cells(by_k(macro_difference), ks, signed=True), "", ""])
    header = ("domain", "split", "scoring", "tasks", *(f"pass^{k} [95 %]" for k in ks), "all passed", "untouched")
    return aligned(rows, header=header, right=[3, *range(4 + len(ks), 6 + len(ks))])


def _result_rows(shown: Shown, ks: Sequence[str]) -> Iterator[list[str]]:
    body = shown.evaluation.body
    for name in scorings_in_order(shown.evaluation, shown.scoring):
        figures = body.scorings[name]
        tail = [f"{figures.passed}/{body.tasks}", f"{figures.untouched_passes}/{body.tasks}"]
        yield [body.domain, body.split, name, str(body.tasks), *_cells(figures.pass_hat_k, ks), *tail]
        if figures.undetermined:
            bound = [f"at most {figures.upper_bound[k]:.3f}" if k in figures.upper_bound else "-" for k in ks]
            yield ["", "", f"  {figures.undetermined} undetermined", "", *bound, "", ""]
        if name == shown.scoring and shown.difference is not None:
            difference = shown.difference
            cells = _cells(by_k(difference.sample), ks, signed=True)
            yield ["", "", f"  minus {difference.against.id}", str(difference.tasks), *cells, "", ""]


def _cells(figures: Mapping[str, Interval], ks: Sequence[str], *, signed: bool = False) -> list[str]:
    return [_interval(figures[k], signed=signed) if k in figures else "-" for k in ks]


def _interval(interval: Interval, *, signed: bool) -> str:
    sign = "+" if signed else ""
    return f"{interval.mean:{sign}.3f} [{interval.low:{sign}.3f}, {interval.high:{sign}.3f}]"


def evaluation_lines(shown: Shown) -> Iterator[Line]:
    """Yield what an evaluation's figures stand on."""
    evaluation, body = shown.evaluation, shown.evaluation.body
    yield Line(f"{evaluation.id}  {body.domain}, split {body.split}, {_trials(body.trials)}, seed {body.seed}", "bold")
    if body.simulated:
        yield Line(SIMULATED, "yellow")
    figures = body.scorings[shown.scoring]
    facts = [
        ("hash", evaluation.hash),
        ("release", body.release),
        ("actors", _actors(body.actors, body.temperatures)),
        *_subject(evaluation),
        ("reward basis", "; ".join(_basis(name, body.scorings[name]) for name in sorted(body.scorings))),
        ("a trial", _means(evaluation)),
        ("stops", counts_text(body.stops)),
        ("violations", f"{counts_text(body.violations)} (user's contract, in {_trials(body.violating_episodes)})"),
        ("infrastructure", f"{_trials(body.infrastructure)} broke down; {body.missing} of all trials have no reward"),
        ("undetermined", f"{_trials(figures.undetermined)}, on statements that no judge decided"),
        ("skipped", _skipped(evaluation)),
        ("overlap", overlap_text(evaluation)),
    ]
    yield Line(aligned(facts))


def _subject(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    body = evaluation.body
    if body.checkpoint:
        yield "checkpoint", body.checkpoint
    if body.generation:
        yield "generation", body.generation
    if body.rescored:
        yield "re-scores", body.rescored


def _actors(actors: Mapping[str, str], temperatures: Mapping[str, float]) -> str:
    def played(role: str) -> str:
        at = f" at {temperatures[role]:g}" if role in temperatures else ""
        return f"{role} {actors.get(role) or 'none'}{at}"

    return ", ".join(map(played, ("agent", "user", "judge")))


def _basis(name: str, figures: ScoringFigures) -> str:
    return f"{name}: {', '.join(f'{basis or chr(45)} ({count})' for basis, count in sorted(figures.basis.items()))}"


def _means(evaluation: Evaluation) -> str:
    body, observed = evaluation.body, evaluation.observed
    tokens = mean_tokens(evaluation)
    said = f"{body.turns:.1f} turns, {body.tool_calls:.1f} tool calls"
    said += "" if tokens is None else f", {tokens:,.0f} tokens"
    if observed.usd == 0 or tokens is None:
        return said
    if observed.usd is not None:
        return f"{said}, {observed.usd / (body.tasks * body.trials):.4f} USD ({observed.usd:.2f} USD in all)"
    return f"{said}, price unknown"


def _skipped(evaluation: Evaluation) -> str:
    skipped = evaluation.body.skipped
    return f"{len(skipped)} tasks" + (f", the first {skipped[0].id}: {skipped[0].why}" if skipped else "")


def overlap_text(evaluation: Evaluation) -> str:
    """Return whether a result is generalisation, with the counts the verdict stands on."""
    overlap, body = evaluation.body.overlap, evaluation.body
    if overlap is None:
        return "unknown: --generation names what the agent was trained on"
    seen = f"{overlap.training_tasks} training tasks"
    if overlap.clean:
        claim = (
            "generalisation may be claimed" if body.split == "test" else "no generalisation is claimed of this split"
        )
        return f"none: {seen} name none of {overlap.entities} entities; {claim}"
    shared = ", ".join(f"{table} {count}" for table, count in overlap.shared.items())
    return (
        f"{seen} name {sum(overlap.shared.values())} of {overlap.entities} entities ({shared}; such as "
        f"{', '.join(overlap.examples)}), which {overlap.tasks} of {body.tasks} tasks touch: "
        "no generalisation is claimed"
    )


def counts_text(counts: Mapping[str, int]) -> str:
    """Return counts by name, the largest first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered if count) or "none"


def evaluations_table(evaluations: Sequence[Evaluation]) -> str:
    """Return one line an evaluation, under a header; figures are those of the domain's default scoring."""
    header = (
        "id",
        "hash",
        "domain",
        "split",
        "scoring",
        "tasks",
        "trials",
        "pass^1 [95 %]",
        "agent",
        "user",
        "checkpoint",
    )
    rows = [_listed(evaluation) for evaluation in evaluations]
    return aligned(rows, header=header, right=(5, 6))


def _listed(evaluation: Evaluation) -> list[str]:
    body = evaluation.body
    figures = body.scorings[body.scoring].pass_hat_k
    subject = body.checkpoint or (body.generation or "")[:SHORT]
    agent = body.actors["agent"] + (" SIMULATED" if body.simulated else "")
    return [
        evaluation.id,
        evaluation.hash[:SHORT],
        body.domain,
        body.split,
        body.scoring,
        str(body.tasks),
        str(body.trials),
        *_cells(figures, ["1"]),
        agent,
        body.actors["user"],
        subject or "-",
    ]


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"
