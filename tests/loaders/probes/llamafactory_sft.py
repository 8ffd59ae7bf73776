"""Loads rows as LLaMA-Factory's `get_dataset` does, through `dataset_info.json`."""

import sys
import types

import tiny

# Imported for audio, of which there is none here; its builds want CUDA's libraries.
sys.modules["torchaudio"] = types.ModuleType("torchaudio")

from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.hparams import DataArguments, ModelArguments  # noqa: E402
from transformers import Seq2SeqTrainingArguments  # noqa: E402

folder, samples = tiny.asked()
# Its `qwen` is Qwen2.5's own template, written anew; this one is to find that out.
tok = tiny.tokenizer(tiny.template("qwen2_5"))
served = [tiny.served(tok, sample) for sample in samples]
data = DataArguments(
    template="qwen",
    dataset="rows",
    dataset_dir=str(folder),
    cutoff_len=100_000,
    overwrite_cache=True,
    mask_history="last" in sys.argv[2:],
)
training = Seq2SeqTrainingArguments(output_dir=str(folder / "out"), use_cpu=True, report_to="none")
module = get_dataset(
    get_template_and_fix_tokenizer(tok, data),
    ModelArguments(model_name_or_path="tiny", cache_dir=str(folder / "cache")),
    data,
    training,
    stage="sft",
    tokenizer=tok,
)
found = [
    tiny.words(tok, row["input_ids"], [label != -100 for label in row["labels"]]) for row in module["train_dataset"]
]
tiny.answer(folder, {"rows": found, "served": served})
