"""Which parser reads which model's tool calls."""

from __future__ import annotations

import pytest

from eigen_vllm.families import FAMILIES, family_of


@pytest.mark.parametrize(
    ("model", "tools", "reasoning"),
    [
        ("Qwen/Qwen3-4B-Instruct-2507", "hermes", ""),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507", "hermes", "qwen3"),
        ("Qwen/Qwen3-8B", "hermes", "qwen3"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder", ""),
        ("Qwen/Qwen2.5-72B-Instruct", "hermes", ""),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3_json", ""),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama4_pythonic", ""),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral", ""),
        ("mistralai/Magistral-Small-2506", "mistral", "mistral"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek_v31", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek_v32", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3", ""),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek_v3", "deepseek_r1"),
        ("zai-org/GLM-4.5-Air", "glm45", "glm45"),
        ("moonshotai/Kimi-K2-Instruct-0905", "kimi_k2", ""),
        ("moonshotai/Kimi-K2-Thinking", "kimi_k2", "kimi_k2"),
        ("openai/gpt-oss-20b", "openai", "openai_gptoss"),
        ("allenai/Olmo-3-7B-Instruct", "olmo3", ""),
        ("/data/checkpoints/qwen3-4b-instruct-sft/", "hermes", ""),
    ],
)
def test_a_name_tells_the_parsers(model: str, tools: str, reasoning: str) -> None:
    family = family_of(model)
    assert family is not None
    assert (family.tools, family.reasoning) == (tools, reasoning)


@pytest.mark.parametrize("model", ["acme/own-model-7b", "/data/qwen3/step-200", ""])
def test_a_name_that_tells_nothing_is_no_family(model: str) -> None:
    assert family_of(model) is None


def test_every_family_has_a_tool_parser() -> None:
    assert all(family.tools for family in FAMILIES)
