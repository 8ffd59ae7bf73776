"""Loads rows as OpenRLHF's `train_sft --data.multiturn --data.apply_chat_template` does."""

from types import SimpleNamespace

import tiny
from openrlhf.datasets import SFTDataset
from openrlhf.datasets.utils import blending_datasets

folder, samples = tiny.asked()
own = tiny.template("qwen3_instruct_2507")
tok = tiny.tokenizer(own)
data = SimpleNamespace(
    input_key="messages",
    output_key=None,
    apply_chat_template=True,
    tokenizer_chat_template=(folder / "openrlhf_template.jinja").read_text() + own,
)
strategy = SimpleNamespace(args=SimpleNamespace(data=data, use_ms=False), print=print, is_rank_0=lambda: False)
rows = blending_datasets(str(folder / "rows.jsonl"), None, strategy, dataset_split="train")
served = [tiny.served(tok, sample) for sample in samples]
loaded = SFTDataset(rows, tok, 100_000, strategy, num_processors=1, multiturn=True)
found = []
for ids, _, mask in loaded:
    # The mask is of what predicts a token, one place before it.
    flags = [False, *(bool(flag) for flag in mask[0, :-1])]
    found.append(tiny.words(tok, ids[0].tolist(), flags))
# The trained model keeps the template: serving it must give what it gave before.
tiny.answer(folder, {"rows": found, "served": served, "kept": [tiny.served(tok, sample) for sample in samples]})
