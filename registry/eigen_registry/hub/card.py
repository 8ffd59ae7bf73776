"""The dataset card: metadata that loaders read, and a text that says what made the data and how to prove it.

What comes from records stands in code spans alone, so that nothing a model wrote is ever markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from eigen_cli.api.backend import Usage
from eigen_cli.api.canonical import SHORT
from eigen_cli.api.generations import Figures, GenerationBody
from eigen_cli.api.releases import DATA, GENERATION, Manifest, ReleaseTerms
from eigen_registry.hub.card_text import code, paragraph, table

COMPAT = "_compat"
"""Ends the name of a config whose JSON columns are plain strings."""
FIRST_CONFIGS = ("agent_sft", "user_sft", "rl_tasks", "episodes", "plans")
"""What there is most of, first; the first of them that has rows is what is loaded without a name."""
SIMULATED = (
    "SIMULATED: made by offline actors, which are programs and no models. It is for trying out and testing; it is not "
    "training data."
)
_SIZES = (("n<1K", 10**3), ("1K<n<10K", 10**4), ("10K<n<100K", 10**5), ("100K<n<1M", 10**6), ("1M<n<10M", 10**7))
_Z = 1.959964
"""Of a 95% interval."""


def card(
    manifest: Manifest,
    terms: ReleaseTerms,
    configs: Mapping[str, Mapping[str, int]],
    *,
    parent_id: str | None = None,
) -> str:
    """Return `README.md`; `configs` are rows by config and split, in the order to list them.

    `parent_id` is what the generation's parent is called where it is pushed from, if it is there.
    """
    text = _text(manifest, terms, configs, lineage=_lineage(manifest, terms, parent_id))
    return f"---\n{_metadata(manifest, terms, configs)}---\n\n" + "\n\n".join(text) + "\n"


def _metadata(manifest: Manifest, terms: ReleaseTerms, configs: Mapping[str, Mapping[str, int]]) -> str:
    from huggingface_hub import DatasetCardData  # 400 ms of CPU

    rows = sum(sum(splits.values()) for config, splits in configs.items() if not config.endswith(COMPAT))
    entries: list[dict[str, Any]] = []
    for config, splits in configs.items():
        files = [{"split": split, "path": f"{folder_of(config)}/{config}/{split}-*.parquet"} for split in splits]
        entries.append({"config_name": config, "data_files": files} | ({} if entries else {"default": True}))
    data = DatasetCardData(
        license=terms.license,
        language=["en"],
        pretty_name=f"{manifest.body.domain} {terms.tag}",
        task_categories=["text-generation"],
        annotations_creators=["machine-generated"],
        language_creators=["machine-generated"],
        source_datasets=["original"],
        size_categories=[next((name for name, most in _SIZES if rows < most), "n>1M")],
        tags=["synthetic", "agent", "tool-use", "function-calling", "multi-turn", "reinforcement-learning", "eigen"],
        configs=entries,
    )
    return str(data.to_yaml()) + "\n"


def folder_of(config: str) -> str:
    """Return the folder that a config's files lie below."""
    return GENERATION if config in ("episodes", "plans") else DATA


def _text(
    manifest: Manifest, terms: ReleaseTerms, configs: Mapping[str, Mapping[str, int]], *, lineage: str
) -> Iterator[str]:
    body = manifest.body
    yield f"# {code(body.domain)}, {code(terms.tag)}"
    if body.simulated:
        yield f"**{SIMULATED}**"
    yield paragraph(
        """Dialogues of customers with an agent that calls tools, tasks to reinforce on, and everything they were made
        from: one generation of a loop that plans, writes tasks, plays them and judges them by executing them. The
        revision `main` is the latest generation that was pushed; each has a tag of its own."""
    )
    yield "## How to load"
    yield from _loading(terms, configs)
    yield "## What is in it"
    yield table(
        ("config", "train", "validation", "test"),
        [
            (code(config), *(f"{splits.get(split, 0):,}" for split in ("train", "validation", "test")))
            for config, splits in configs.items()
        ],
    )
    yield paragraph(
        """Splits are dealt by scenario family and world before anything is played: all turns and trials of a task are
        in its split, and so are its twins. `agent_sft` has dialogues that passed, as the agent saw them; `user_sft` the
        same calls as the simulated customer saw them, chosen by whether the customer kept to its scenario; `rl_tasks`
        the tasks with what judges them. `episodes` and `plans` are the records themselves, rejected plans included."""
    )
    yield "## What made it"
    yield from _makers(manifest)
    yield lineage
    yield "## Figures"
    yield from _figures(body)
    yield "## Contamination"
    yield _contamination(body)
    yield "## Certificate"
    yield from _certificate(manifest, terms)


LEARNING = """```python
def turns(rows):
    chats = list(zip(rows["messages"], rows["tools"], rows["targets"]))
    return {
        "prompt": [chat[:turn] for chat, _, targets in chats for turn in targets],
        "completion": [[chat[turn]] for chat, _, targets in chats for turn in targets],
        "tools": [tools for _, tools, targets in chats for _ in targets],
    }

train = data["train"].map(turns, batched=True, remove_columns=data["train"].column_names)
```"""
"""One row a turn to learn, as TRL's `SFTTrainer` takes it."""


def _loading(terms: ReleaseTerms, configs: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    first = next(iter(configs), "agent_sft")
    yield f"""```python
from datasets import load_dataset

data = load_dataset("{terms.repo}", "{first}", revision="{terms.tag}")
```"""
    if f"{first}{COMPAT}" in configs:
        yield paragraph(
            f"""`messages` and `tools` are lists of JSON values, which `datasets` reads from 4.8 on. Each config with
            such columns has a twin, `{first}{COMPAT}` for this one, that has JSON text in their place: for what stands
            on an older `datasets` (LLaMA-Factory)."""
        )
    if first in ("agent_sft", "user_sft"):
        yield paragraph(
            """**Learn the turns in `targets` and no others.** It lists the places in `messages` of the turns to learn;
            greetings that no model wrote and calls that a tool refused are context, and a loss over all assistant turns
            would teach them. For TRL, make a prompt and a completion of each:"""
        )
        yield LEARNING
        yield paragraph(
            """`eigen pull` and `eigen export --format trl` (or `openai`, `openrlhf-sft`, `llamafactory`) write the same
            in each trainer's own form, with fewer rows."""
        )


def _makers(manifest: Manifest) -> Iterator[str]:
    body, used = manifest.body, manifest.observed.usage
    rows = []
    for role, actor in sorted(body.actors.items()):
        usage = used.get(role)
        rows.append((code(role), code(actor), *(_used(usage) if usage else ("-", "-", "-"))))
    yield table(("role", "actor", "calls", "tokens written", "USD"), rows)
    yield paragraph(
        f"""Domain {code(body.domain)} (fingerprint {code(body.fingerprint)}), seed {body.seed}, round {body.round},
        eigen {code(manifest.observed.eigen_version or manifest.eigen_version)}.
        Prompts: {_list(body.prompts.values())}.
        Verifiers: {_list(f"{name} {version}" for name, version in sorted(body.verifiers.items()))}.
        Settings: {_list(f"{name}={value}" for name, value in sorted(body.settings.items()))}."""
    )


def _used(usage: Usage) -> tuple[str, str, str]:
    """Return a role's calls, tokens and dollars; a dash for dollars where no call had a price."""
    dollars = f"{usage.cost_usd:.2f}" if usage.cost_usd else "-"
    return f"{usage.calls:,}", f"{usage.completion_tokens:,}", dollars


def _lineage(manifest: Manifest, terms: ReleaseTerms, parent_id: str | None) -> str:
    parent = manifest.body.parent
    if not parent:
        return f"Lineage: {code(manifest.generation)} is the first of its line."
    name = f"{code(parent_id)} ({code(parent[:SHORT])})" if parent_id else f"a generation {code(parent[:SHORT])}"
    released = f", the revision {code(terms.parent_tag)} of this dataset" if terms.parent_tag else ""
    return f"Lineage: {code(manifest.generation)} is made from {name}{released}."


def _figures(body: GenerationBody) -> Iterator[str]:
    rows = [_figure_row(name, figures) for name, figures in sorted(body.by_domain.items())]
    if len(rows) > 1:
        rows.append(_figure_row("all", body))
    yield table(("domain", "tasks accepted", "episodes passed", "tools", "tool pairs", "clauses"), rows)
    yield paragraph(
        f"""In brackets: Wilson's 95% interval, as if trials were independent. {body.infrastructure:,} of
        {body.episodes:,} episodes broke down and have no reward; they are in no rate."""
    )
    turned_down = [(code(reason), f"{count:,}") for reason, count in sorted(body.rejections.items()) if count]
    if turned_down:
        yield table(("attempts turned down for", "times"), turned_down)
    blamed = [(code(party), f"{count:,}") for party, count in sorted(body.blame.items()) if count]
    if blamed:
        yield table(("failures blamed on", "episodes"), blamed)


def _figure_row(name: str, figures: Figures) -> tuple[str, ...]:
    covered = (figures.coverage.tools, figures.coverage.tool_pairs, figures.coverage.clauses)
    return (
        code(name),
        rate(figures.tasks_accepted, figures.tasks_proposed),
        rate(figures.passed, figures.episodes - figures.infrastructure),
        *(f"{count.covered}/{count.total}" for count in covered),
    )


def rate(hits: int, of: int) -> str:
    """Return a rate with its counts and Wilson's 95% interval."""
    if not of:
        return "none"
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    spread = _Z * sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    low, high = max(0.0, middle - spread), min(1.0, middle + spread)
    return f"{hits:,}/{of:,} = {share:.1%} ({low:.1%} to {high:.1%})"


def _contamination(body: GenerationBody) -> str:
    overlaps = body.rejections.get("benchmark_overlap", 0)
    if body.settings.get("validation") is False:
        return "Tasks were accepted without validation: nothing was held against any benchmark."
    return paragraph(
        f"""Before a task was played, the entities it touches were held against those of its domain's benchmark test
        tasks, where the domain names any: {overlaps:,} attempts were turned down for an overlap.
        {body.near_duplicates:,} were near-duplicates of others.
        Nothing else was compared: no claim is made about other benchmarks."""
    )


def _certificate(manifest: Manifest, terms: ReleaseTerms) -> Iterator[str]:
    pinned = [(code("generation"), code(manifest.hash))]
    pinned += [(code(kind), code(digest)) for kind, digest in sorted(manifest.body.contents.items())]
    yield table(("what", "SHA-256"), pinned)
    yield paragraph(
        """The generation's hash covers its summary, and through it every record in order. `manifest.json` names each
        file with its own. To fetch it, verify both, and look into it:"""
    )
    yield f"""```sh
eigen pull {terms.repo}@{terms.tag}
eigen verify-registry
```"""


def _list(names: Any) -> str:
    listed: Sequence[str] = [code(str(name)) for name in names]
    return ", ".join(listed) or "none"
