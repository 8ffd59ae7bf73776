"""Takes a step of TRL's `GRPOTrainer` with an environment, and notes what it was given."""

import os

import tiny
from datasets import load_dataset

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
from trl import GRPOConfig, GRPOTrainer

folder, _ = tiny.asked()
resets, prompts = [], []


class Environment:
    """Speaks the user's first words."""

    def reset(self, **row):
        """Note the row."""
        resets.append(row)
        return f"I am the user of {row['id']}."

    def look(self, key: str) -> str:
        """Look something up.

        Args:
            key: What to look up.
        """
        return key


def reward(prompts, completions, **_):
    """Note the prompts; tell the completions apart, so that there is something to learn."""
    globals()["prompts"].extend(prompts)
    return [float(at) for at, _ in enumerate(completions)]


tok = tiny.tokenizer(tiny.template("qwen3_instruct_2507"))
trainer = GRPOTrainer(
    model=tiny.model(tok),
    processing_class=tok,
    train_dataset=load_dataset("json", data_files=str(folder / "rows.jsonl"), split="train"),
    reward_funcs=reward,
    environment_factory=Environment,
    args=GRPOConfig(
        output_dir=str(folder / "out"),
        max_steps=1,
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=4,
        use_cpu=True,
        bf16=False,
        report_to="none",
        save_strategy="no",
    ),
)
trainer.train()
tiny.answer(folder, {"resets": resets, "prompts": prompts})
