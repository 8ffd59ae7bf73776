"""LLaMA-Factory's ShareGPT form of dialogues, with the entry of `dataset_info.json` that makes it findable."""
