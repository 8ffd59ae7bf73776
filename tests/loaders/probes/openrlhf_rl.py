"""Loads rows as OpenRLHF's `train_ppo_ray` does."""

from types import SimpleNamespace

import tiny
from openrlhf.datasets import PromptDataset
from openrlhf.datasets.utils import blending_datasets

folder, samples = tiny.asked()
own = tiny.template("qwen3_instruct_2507")
tok = tiny.tokenizer((folder / "openrlhf_template.jinja").read_text() + own)
data = SimpleNamespace(input_key="prompt", label_key="label", apply_chat_template=True)
strategy = SimpleNamespace(args=SimpleNamespace(data=data, use_ms=False), print=print, is_rank_0=lambda: False)
rows = blending_datasets(str(folder / "rows.jsonl"), None, strategy, dataset_split="train")
loaded = PromptDataset(rows, tok, strategy)
plain = tiny.tokenizer(own)
served = [
    plain.apply_chat_template(
        sample["messages"], tools=sample["tools"] or None, tokenize=False, add_generation_prompt=True
    )
    for sample in samples
]
tiny.answer(folder, {"rows": [list(row) for row in loaded], "served": served})
