"""Loads rows as TRL's `SFTTrainer` does, with the loss over assistant turns."""

import tiny
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

folder, samples = tiny.asked()
tok = tiny.tokenizer(tiny.template("qwen3_instruct_2507"))
rows = load_dataset("json", data_files=str(folder / "rows.jsonl"), split="train")
trainer = SFTTrainer(
    model=tiny.model(tok),
    processing_class=tok,
    train_dataset=rows,
    args=SFTConfig(
        output_dir=str(folder / "out"),
        assistant_only_loss=True,
        max_length=None,
        max_steps=1,
        per_device_train_batch_size=1,
        use_cpu=True,
        bf16=False,
        report_to="none",
        save_strategy="no",
    ),
)
found = [tiny.words(tok, row["input_ids"], [label != -100 for label in row["labels"]]) for row in trainer.train_dataset]
loss = trainer.train().training_loss
tiny.answer(folder, {"rows": found, "served": [tiny.served(tok, sample) for sample in samples], "loss": loss})
