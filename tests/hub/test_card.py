"""The dataset card: metadata that loaders read, and words in which nothing from a record is markup."""

from __future__ import annotations

import re
from math import isclose
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hub_shared import Staging

from eigen_cli.api.backend import Usage
from eigen_cli.api.generations import Generation
from eigen_cli.api.releases import ReleaseTerms
from eigen_cli.api.store import Store
from eigen_registry.hub.card import card, rate
from eigen_registry.hub.card_text import code, table

CONFIGS = {
    "agent_sft": {"train": 900, "validation": 100, "test": 100},
    "episodes": {"train": 1000, "validation": 100, "test": 100},
    "agent_sft_compat": {"train": 900, "validation": 100, "test": 100},
}


def _parts(text: str) -> tuple[dict[str, Any], str]:
    _, metadata, words = text.split("---\n", 2)
    return yaml.safe_load(metadata), words


def test_metadata_name_the_files_of_each_config_and_split(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    metadata, words = _parts(card(release.manifest, release.terms, CONFIGS))
    assert metadata["license"] == "other"
    assert metadata["task_categories"] == ["text-generation"]
    assert metadata["annotations_creators"] == ["machine-generated"]
    assert {"synthetic", "agent", "tool-use", "function-calling"} <= set(metadata["tags"])
    # The twins have the same rows in other clothes: they are not counted.
    assert metadata["size_categories"] == ["1K<n<10K"]
    assert [config["config_name"] for config in metadata["configs"]] == list(CONFIGS)
    assert [config.get("default") for config in metadata["configs"]] == [True, None, None]
    assert metadata["configs"][0]["data_files"] == [
        {"split": split, "path": f"data/agent_sft/{split}-*.parquet"} for split in ("train", "validation", "test")
    ]
    assert metadata["configs"][1]["data_files"][0]["path"] == "generation/episodes/train-*.parquet"
    assert 'load_dataset("tester/agents", "agent_sft", revision="gen-0001")' in words
    assert "`agent_sft_compat`" in words


def test_it_says_what_made_the_data_and_how_it_went(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    text = (release.folder / "README.md").read_text()
    body = generation.body
    assert "\n**SIMULATED: made by offline actors" in text
    for role, actor in body.actors.items():
        assert re.search(rf"^\| `{role}` \| `{re.escape(actor)}` \|", text, re.MULTILINE), role
    for reason, count in body.rejections.items():
        assert f"| `{reason}` | {count} |" in text
    assert f"{body.tasks_accepted}/{body.tasks_proposed} = " in text
    assert f"`{generation.hash}`" in text
    for digest in body.contents.values():
        assert f"`{digest}`" in text
    for version in body.prompts.values():
        assert f"`{version}`" in text
    assert "eigen pull tester/agents@gen-0001" in text
    assert "turned down for an overlap" in text


def test_what_models_made_is_not_called_simulated(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    body = msgspec.structs.replace(generation.body, simulated=False, settings={"validation": False})
    text = card(msgspec.structs.replace(release.manifest, body=body), release.terms, CONFIGS)
    assert "SIMULATED" not in text
    assert "held against any benchmark" in text


def test_a_role_nobody_asked_and_calls_without_a_price_have_a_dash(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    usage = {"agent": Usage(calls=1200, completion_tokens=34_000, cost_usd=1.5), "user": Usage(calls=7)}
    observed = msgspec.structs.replace(release.manifest.observed, usage=usage)
    body = msgspec.structs.replace(release.manifest.body, actors={"agent": "a", "judge": "j", "user": "u"})
    manifest = msgspec.structs.replace(release.manifest, observed=observed, body=body)
    _, _, table = card(manifest, release.terms, CONFIGS).partition("| role |")
    assert table.splitlines()[2:5] == [
        "| `agent` | `a` | 1,200 | 34,000 | 1.50 |",
        "| `judge` | `j` | - | - | - |",
        "| `user` | `u` | 7 | 0 | - |",
    ]


def test_the_lineage_names_the_parent_as_it_is_known(store: Store, generation: Generation, staged: Staging) -> None:
    assert "\nLineage: `gen-0001` is the first of its line.\n" in (staged(generation).folder / "README.md").read_text()
    second = store.generation("gen-0002")
    release = staged(second)
    short = generation.hash[:12]
    line = f"\nLineage: `gen-0002` is made from `gen-0001` (`{short}`).\n"
    assert line in (release.folder / "README.md").read_text()
    terms = msgspec.structs.replace(release.terms, parent_tag="v1")
    assert f"from a generation `{short}`, the revision `v1` of this dataset." in card(release.manifest, terms, CONFIGS)


HOSTILE = "gpt`4``<img src=x onerror=alert(1)>|[x](javascript:alert(1))\n# Free\u202e https://evil.example\x1b[2J"


def test_names_from_records_are_never_markup(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    body = msgspec.structs.replace(
        generation.body,
        domain=HOSTILE,
        domains={HOSTILE: generation.body},
        actors={"agent": HOSTILE},
        prompts={"agent": HOSTILE},
        rejections={HOSTILE: 3},
    )
    terms = ReleaseTerms("tester/agents", "gen-0001", "other")
    metadata, words = _parts(card(msgspec.structs.replace(release.manifest, body=body), terms, CONFIGS))
    assert metadata["configs"][0]["config_name"] == "agent_sft"
    assert "\x1b" not in words and "\u202e" not in words
    assert not re.search(r"^# Free", words, re.MULTILINE)
    # Without its code spans, which are cut out as a renderer finds them, nothing of it is left.
    bare = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", words)
    assert "onerror" not in bare and "javascript" not in bare and "evil" not in bare
    lines = [line for line in words.splitlines() if "onerror" in line and line.startswith("|")]
    assert {line.count("|") for line in lines} == {3, 6, 7}


def test_code_spans_hold_any_text() -> None:
    assert code("plain") == "`plain`"
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert code("a|b\nc\td") == "`a¦b c d`"
    assert code("") == ""
    assert table(("a", "b"), [("1", "2")]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(8, 10, 49.0, 94.3), (0, 20, 0.0, 16.1), (20, 20, 83.9, 100.0)]
)
def test_rates_come_with_wilsons_interval(hits: int, of: int, low: float, high: float) -> None:
    found = re.fullmatch(rf"{hits}/{of} = [\d.]+% \(([\d.]+)% to ([\d.]+)%\)", rate(hits, of))
    assert found is not None
    assert isclose(float(found[1]), low, abs_tol=0.1) and isclose(float(found[2]), high, abs_tol=0.1)
    assert rate(0, 0) == "none"


def test_the_card_of_a_release_loads_as_its_files_are(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    metadata, _ = _parts((release.folder / "README.md").read_text())
    for config in metadata["configs"]:
        for files in config["data_files"]:
            assert list(Path(release.folder).glob(files["path"])), files


def test_its_lines_for_learning_make_one_row_of_each_turn_to_learn(generation: Generation, staged: Staging) -> None:
    release = staged(generation)
    words = card(release.manifest, release.terms, CONFIGS)
    (function,) = re.findall(r"^def turns\(rows\):\n(?:    .*\n)+", words, re.MULTILINE)
    names: dict[str, Any] = {}
    exec(function, names)
    batch = {"messages": [list("sauAuA"), list("sauA")], "tools": [["look"], []], "targets": [[3, 5], [3]]}
    assert names["turns"](batch) == {
        "prompt": [list("sau"), list("sauAu"), list("sau")],
        "completion": [["A"], ["A"], ["A"]],
        "tools": [["look"], ["look"], []],
    }
