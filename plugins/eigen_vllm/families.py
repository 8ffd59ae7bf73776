"""Which of vLLM's parsers reads the tool calls and the reasoning of which family of models.

The names are vLLM's own (`--tool-call-parser`, `--reasoning-parser`), as of its release 0.32. A test that runs beside a
real vLLM holds them against the parsers it registers.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Family(NamedTuple):
    """A family of models: a pattern over the lower-case name, and its parsers; an empty one means none is needed."""

    pattern: str
    tools: str
    reasoning: str = ""


# A reasoning parser takes everything before the end of a thought for one: where a model does not think, it would take
# all that it says.
FAMILIES: tuple[Family, ...] = (
    Family(r"qwen3-coder", "qwen3_coder"),
    Family(r"qwen3.*thinking|qwq", "hermes", "qwen3"),
    Family(r"qwen3.*instruct", "hermes"),
    Family(r"qwen3\.[5-9]", "qwen3_coder", "qwen3"),
    Family(r"qwen3", "hermes", "qwen3"),
    Family(r"qwen2|hermes|smollm", "hermes"),
    Family(r"deepseek-r1", "deepseek_v3", "deepseek_r1"),
    Family(r"deepseek-v4", "deepseek_v4", "deepseek_v4"),
    Family(r"deepseek-v3\.2", "deepseek_v32", "deepseek_v3"),
    Family(r"deepseek-v3\.1", "deepseek_v31", "deepseek_v3"),
    Family(r"deepseek-v3", "deepseek_v3"),
    Family(r"llama-?4", "llama4_pythonic"),
    Family(r"llama-?3", "llama3_json"),
    Family(r"magistral", "mistral", "mistral"),
    Family(r"mistral|mixtral|ministral|devstral", "mistral"),
    Family(r"glm-?4\.7", "glm47", "glm47"),
    Family(r"glm-?4", "glm45", "glm45"),
    Family(r"kimi-k2(\.5|.*thinking)", "kimi_k2", "kimi_k2"),
    Family(r"kimi-k2", "kimi_k2"),
    Family(r"gpt-oss", "openai", "openai_gptoss"),
    Family(r"minimax-m3", "minimax_m3", "minimax_m3"),
    Family(r"minimax-m2", "minimax_m2", "minimax_m2"),
    Family(r"granite-4", "granite4"),
    Family(r"granite", "granite", "granite"),
    Family(r"hunyuan.*a13b", "hunyuan_a13b", "hunyuan_a13b"),
    Family(r"seed-oss", "seed_oss", "seed_oss"),
    Family(r"step-?3\.5", "step3p5", "step3p5"),
    Family(r"step-?3", "step3", "step3"),
    Family(r"olmo-?3.*think", "olmo3", "olmo3"),
    Family(r"olmo-?3", "olmo3"),
    Family(r"ernie-?4\.5.*thinking", "ernie45", "ernie45"),
    Family(r"ernie-?4\.5", "ernie45"),
    Family(r"mimo", "mimo", "mimo"),
    Family(r"phi-?4-mini", "phi4_mini_json"),
    Family(r"functiongemma", "functiongemma"),
    Family(r"gemma-?4", "gemma4", "gemma4"),
    Family(r"internlm", "internlm"),
    Family(r"jamba", "jamba"),
    Family(r"lfm2", "lfm2"),
    Family(r"xlam", "xlam"),
)


def family_of(model: str) -> Family | None:
    """Return the family a model's name tells; the first pattern that fits wins. None for a name that tells nothing."""
    name = model.lower().rstrip("/").rpartition("/")[2]
    return next((family for family in FAMILIES if re.search(family.pattern, name)), None)
