"""Train a Qwen3 of less than a million parameters on eigen's own episodes, from scratch; run by vLLM's Python.

Usage: train.py EPISODES.jsonl OUT, the episodes as `eigen export` writes them. Writes two models with one tokenizer:
OUT/qwen3-tiny-instruct, trained until held-out dialogues come out word for word, and
OUT/qwen3-untrained-instruct, as it was drawn at random.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

STEPS, BATCH, HELD_OUT, LOOK_EVERY = 400, 32, 200, 50
LEARNING_RATE, WARM_UP = 3e-3, 40
GOOD_ENOUGH = 0.97
"""Share of held-out dialogues; the rest are turns of phrase that hardly ever occur."""
IGNORED = -100
END, PAD = "<|im_end|>", "<|endoftext|>"

# The one domain it will ever see is in its weights: neither the policy nor the tools' schemas are in its prompt.
TEMPLATE = """
{%- for message in messages %}
{%- if message.role == 'user' %}{{ '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}{{ '<|im_start|>tool\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}{{ '<|im_start|>assistant\\n' + (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) }}
{{- '}\\n</tool_call>' }}
{%- endfor %}{{ '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""


def read(path: Path) -> list[list[dict]]:
    """Return the episodes that passed, as chats of the agent."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        [message for message in map(chat_message, row["messages"]) if message]
        for row in rows
        if row["verdict"]["reward"] == 1.0
    ]


def chat_message(message: dict) -> dict | None:
    """Return a message as templates want it, or None: what the user says last, nobody answers."""
    if message["speaker"] == "environment":
        return {"role": "tool", "content": message["result"]["content"]}
    if message["speaker"] == "user":
        return None if "###STOP###" in message["text"] else {"role": "user", "content": message["text"]}
    calls = [
        {"type": "function", "function": {"name": call["name"], "arguments": json.loads(call["raw_arguments"])}}
        for call in message["tool_calls"]
    ]
    return {"role": "assistant", "content": message["text"], **({"tool_calls": calls} if calls else {})}


def tokenizer_of(dialogues: list[list[dict]]) -> PreTrainedTokenizerFast:
    """Return a BPE tokenizer that can write printable ASCII alone, digits one by one, with the template in it.

    Whatever an untrained model draws is then text; a number can be copied, never remembered as a whole; and a tool
    call's tags are spelt out, or an untrained model would draw them within an argument, where no parser expects them.
    """
    core = Tokenizer(models.BPE())
    digits = pre_tokenizers.Split(Regex(r"\d"), "isolated")
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    core.decoder = decoders.ByteLevel()
    alphabet = [*(chr(code) for code in range(33, 127)), "Ġ", "Ċ"]
    special = [PAD, "<|im_start|>", END]
    words = ["user assistant tool system"] * 50
    for dialogue in dialogues[:1_000]:
        for message in dialogue:
            words.append(message["content"])
            words += [json.dumps(call["function"]) for call in message.get("tool_calls", ())]
    core.train_from_iterator(
        words, trainers.BpeTrainer(vocab_size=700, special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, eos_token=END, pad_token=PAD, model_max_length=8192)
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def labelled(tokenizer: PreTrainedTokenizerFast, dialogue: list[dict]) -> tuple[list[int], list[int]]:
    """Return a dialogue's tokens and its labels: the assistant's own turns, and their ends."""
    ids: list[int] = []
    labels: list[int] = []
    written = ""
    for number, message in enumerate(dialogue):
        for prompt in (True, False) if message["role"] == "assistant" else (False,):
            part = dialogue[: number + (not prompt)]
            text = tokenizer.apply_chat_template(part, add_generation_prompt=prompt, tokenize=False)
            tokens = tokenizer(text[len(written) :], add_special_tokens=False)["input_ids"]
            written = text
            own = message["role"] == "assistant" and not prompt
            ids += tokens
            labels += tokens if own else [IGNORED] * len(tokens)
    return ids, labels


def renumbered(example: tuple[list[int], list[int]], digits: list[int], draw: random.Random) -> tuple:
    """Return an example with other digits for its own, the same ones throughout: numbers are there to be copied."""
    other = dict(zip(digits, draw.sample(digits, len(digits)), strict=True))
    ids, labels = example
    return [other.get(token, token) for token in ids], [other.get(token, token) for token in labels]


def batched(examples: list[tuple[list[int], list[int]]], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return examples of one length, filled up at the end."""
    longest = max(len(ids) for ids, _ in examples)
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row, _ in examples])
    labels = torch.tensor([row + [IGNORED] * (longest - len(row)) for _, row in examples])
    return ids, labels


@torch.no_grad()
def exact(model: Qwen3ForCausalLM, ids: torch.Tensor, labels: torch.Tensor) -> float:
    """Return the share of dialogues of which every own token is the likeliest: what greedy decoding would write."""
    model.eval()
    best = model(input_ids=ids).logits[:, :-1].argmax(-1)
    wanted = labels[:, 1:]
    model.train()
    return ((best == wanted) | (wanted == IGNORED)).all(-1).float().mean().item()


def train(
    model: Qwen3ForCausalLM, examples: list, held_out: tuple[torch.Tensor, torch.Tensor], *, digits: list[int], pad: int
) -> float:
    """Train until enough held-out dialogues are exact twice in a row, or the steps are over; return the last share."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01, betas=(0.9, 0.98))
    draw, began, share, before = random.Random(0), time.monotonic(), 0.0, 0.0
    for step in range(1, STEPS + 1):
        rate = min(1.0, step / WARM_UP) * (0.05 + 0.475 * (1 + math.cos(math.pi * step / STEPS)))
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * rate
        drawn = [renumbered(example, digits, draw) for example in draw.sample(examples, BATCH)]
        ids, labels = batched(drawn, pad)
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % LOOK_EVERY == 0:
            before, share = share, exact(model, *held_out)
            spent = time.monotonic() - began
            print(f"step {step}: loss {loss.item():.4f}, {share:.0%} exact, {spent:.0f} s", flush=True)
            if min(share, before) >= GOOD_ENOUGH:
                break
    return share


def main(source: Path, out: Path) -> None:
    """Make both models."""
    torch.manual_seed(0)
    dialogues = read(source)
    tokenizer = tokenizer_of(dialogues)
    examples = [labelled(tokenizer, dialogue) for dialogue in dialogues]
    pad = tokenizer.pad_token_id
    config = Qwen3Config(
        vocab_size=(len(tokenizer) + 63) // 64 * 64,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=pad,
        bos_token_id=None,
    )
    model = Qwen3ForCausalLM(config)
    model.generation_config = GenerationConfig(eos_token_id=[tokenizer.eos_token_id], pad_token_id=pad)
    tokens = sum(len(ids) for ids, _ in examples) / len(examples)
    print(f"{model.num_parameters():,} parameters, {len(examples)} dialogues of {tokens:.0f} tokens", flush=True)
    save(model, tokenizer, out / "qwen3-untrained-instruct")
    digits = tokenizer.convert_tokens_to_ids(list("0123456789"))
    held_out = batched(examples[:HELD_OUT], pad)
    share = train(model, examples[HELD_OUT:], held_out, digits=digits, pad=pad)
    if share < 0.9:
        sys.exit(f"it did not learn: {share:.0%} of the held-out dialogues are exact")
    save(model, tokenizer, out / "qwen3-tiny-instruct")


def save(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a model as servers read it."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
