"""A tokenizer of bytes, chat templates that TRL ships, and what a loader's rows come to in words."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def tokenizer(template):
    """Return a tokenizer with a token a byte, ChatML's special tokens, and a chat template."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(alphabet)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    bytewise.add_special_tokens(list(SPECIAL))
    made = PreTrainedTokenizerFast(
        tokenizer_object=bytewise, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=100_000
    )
    made.chat_template = template
    return made


def model(tok):
    """Return an untrained model of a few thousand parameters for a tokenizer."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tok),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=8,
            eos_token_id=tok.eos_token_id,
            pad_token_id=tok.pad_token_id,
            bos_token_id=None,
        )
    )


def template(name):
    """Return one of the chat templates TRL ships."""
    return Path(os.environ["CHAT_TEMPLATES"], f"{name}.jinja").read_text()


def served(tok, sample):
    """Return what a server makes of a chat, and of each turn to learn what its model was to write."""

    def rendered(turns, **more):
        return tok.apply_chat_template(turns, tools=sample["tools"] or None, tokenize=False, **more)

    turns = sample["messages"]
    wanted = [
        rendered(turns[: at + 1])[len(rendered(turns[:at], add_generation_prompt=True)) :] for at in sample["targets"]
    ]
    return {"text": rendered(turns).rstrip("\n"), "learned": [text.rstrip("\n") for text in wanted]}


def learned(tok, ids, flags):
    """Return the stretches of tokens whose flag is set, in words."""
    spans, span = [], []
    for token, flag in zip(ids, flags, strict=True):
        if flag:
            span.append(token)
        elif span:
            spans.append(tok.decode(span).rstrip("\n"))
            span = []
    return [*spans, tok.decode(span).rstrip("\n")] if span else spans


def words(tok, ids, flags):
    """Return a row in words."""
    return {"text": tok.decode(ids).rstrip("\n"), "learned": learned(tok, ids, flags)}


def asked():
    """Return the folder with what is to be loaded, and the samples it was made of as a server gets them."""
    folder = Path(sys.argv[1])
    return folder, json.loads((folder / "served.json").read_text())


def answer(folder, found):
    """Leave what was found."""
    (folder / "found.json").write_text(json.dumps(found))
