"""Plugin hooks of the chat formats."""

from __future__ import annotations

from collections.abc import Iterable

from eigen_cli.api.hookspecs import hookimpl
from eigen_cli.api.specs import PluginSpec

_SUMMARIES = {
    "openai": ("openai:OpenAIExporter", "OpenAI fine-tuning chats: messages, tools, weight 0 on turns not to learn"),
    "trl": ("trl:TrlExporter", "TRL 1.x: chats with tools for SFTTrainer, prompts with task columns for GRPOTrainer"),
    "openrlhf-sft": ("openrlhf_sft:OpenRlhfSftExporter", "OpenRLHF train_sft --data.multiturn, and its template"),
    "openrlhf-rl": ("openrlhf_rl:OpenRlhfRlExporter", "OpenRLHF train_ppo_ray prompts; the label carries the task"),
}


@hookimpl
def eigen_exporters() -> Iterable[PluginSpec]:
    """Return the exporters of chat formats."""
    return tuple(
        PluginSpec(kind="exporter", name=name, target=f"eigen_chat_formats.export_{target}", summary=summary)
        for name, (target, summary) in _SUMMARIES.items()
    )
