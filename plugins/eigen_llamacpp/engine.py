"""One llama.cpp context: loads weights, turns chats into tokens, samples replies under a grammar.

Everything here blocks and belongs to one thread: a context is not re-entrant.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from threading import Event
from typing import Any

from eigen_cli.api.canonical import canonical_json
from eigen_cli.api.errors import BackendError, BackendUnreachableError, ConfigError, ContextOverflowError
from eigen_llamacpp.options import Options
from eigen_llamacpp.prompt import Turn
from eigen_llamacpp.reading import Written
from eigen_llamacpp.weights import Weights


class Engine:
    """Loads when made: raises `ConfigError` for weights that cannot be used, `BackendUnreachableError` without the Hub.

    A prompt is computed turn by turn and what the last call left of it is used again. Since every turn is computed by
    itself, what is used again is bit for bit what would have been computed anew: replies do not depend on what was
    asked before.
    """

    def __init__(self, weights: Weights, options: Options) -> None:
        self._weights = weights
        self._options = options
        self._llama = self._loaded()
        self._grammars: dict[bytes, Any] = {}
        self._computed: list[list[int]] = []
        self._plain, self._answering = self._templates()

    @property
    def room(self) -> int:
        """Tokens of prompt and reply together."""
        return int(self._llama.n_ctx())

    def size(self, text: str) -> int:
        """Return the tokens of a text."""
        return len(self._tokens(text))

    def write(
        self,
        turns: Sequence[Turn],
        *,
        schema: Mapping[str, Any] | None,
        limit: int,
        temperature: float,
        seed: int,
        stop: Event,
        deadline: float,
    ) -> Written:
        """Return the reply to a chat, of `limit` tokens at most.

        Raises `ContextOverflowError` where chat and reply do not fit, and `BackendError` past the deadline (a reading
        of `time.monotonic`) and once `stop` is set.
        """
        started = time.monotonic()
        chunks = self._chunks(turns)
        prompt = [token for chunk in chunks for token in chunk]
        if len(prompt) + limit > self.room:
            raise ContextOverflowError(f"{len(prompt)} tokens of prompt leave no room for a reply of {limit}")
        reused = self._compute(chunks, stop)
        self._llama.set_seed(seed)
        written: list[int] = []
        complete = False
        for token in self._llama.generate(prompt, temp=temperature, grammar=self._grammar(schema)):
            if self._ends(token):
                complete = True
                break
            written.append(token)
            if len(written) == limit:
                break
            if stop.is_set() or time.monotonic() > deadline:
                raise BackendError(
                    f"a reply broken off after {len(written)} tokens and {time.monotonic() - started:.0f} seconds"
                )
        return Written(
            text=self._llama.detokenize(written).decode("utf-8", "replace"),
            complete=complete,
            prompt_tokens=len(prompt),
            reused_tokens=reused,
            tokens=len(written),
            seconds=time.monotonic() - started,
        )

    def close(self) -> None:
        """Free the model and its context."""
        self._llama.close()

    def _compute(self, chunks: list[list[int]], stop: Event) -> int:
        """Compute a prompt but for its last chunk, which sampling computes; return how many tokens were there."""
        import llama_cpp

        same = 0
        for held, wanted in zip(self._computed, chunks[:-1], strict=False):
            if held != wanted:
                break
            same += 1
        reused = sum(map(len, chunks[:same]))
        self._computed = []  # should computing fail, nothing of it is relied on
        memory = llama_cpp.llama_get_memory(self._llama.ctx)
        if not (reused and llama_cpp.llama_memory_seq_rm(memory, -1, reused, -1)):
            same = reused = 0  # recurrent models cannot forget a part
            self._llama.reset()
        self._llama.n_tokens = reused
        for chunk in chunks[same:-1]:
            if stop.is_set():
                raise BackendError("a reply that nobody waits for any more")
            self._llama.eval(chunk)
        self._computed = chunks[:-1]
        return reused

    def _chunks(self, turns: Sequence[Turn]) -> list[list[int]]:
        """Return the tokens of a chat, split where its turns end; the last chunk opens the reply.

        Templates that write a turn differently once another follows get fewer splits.
        """
        whole = self._rendered(self._answering, turns)
        texts, begun = [], 0
        for count in range(1, len(turns) + 1):
            part = self._rendered(self._plain, turns[:count])
            if len(part) > begun and whole.startswith(part):
                texts.append(whole[begun : len(part)])
                begun = len(part)
        texts.append(whole[begun:])
        return [tokens for text in texts if (tokens := self._tokens(text))]

    def _rendered(self, template: Any, turns: Sequence[Turn]) -> str:
        messages = [{"role": turn.role, "content": turn.text} for turn in turns]
        try:
            return str(template(messages=messages).prompt)
        except Exception as error:  # whatever a template of somebody else's may raise
            raise BackendError(
                f"the chat template of {self._weights.name} refuses the conversation: {error}"
            ) from error

    def _tokens(self, text: str) -> list[int]:
        # Chat templates write the token that opens a text themselves.
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=False, special=True)
        return tokens

    def _ends(self, token: int) -> bool:
        import llama_cpp

        return bool(llama_cpp.llama_vocab_is_eog(llama_cpp.llama_model_get_vocab(self._llama.model), token))

    def _grammar(self, schema: Mapping[str, Any] | None) -> Any:
        if schema is None:
            return None
        from llama_cpp import LlamaGrammar

        key = canonical_json(schema)
        if key not in self._grammars:
            self._grammars[key] = LlamaGrammar.from_json_schema(json.dumps(schema), verbose=False)
        return self._grammars[key]

    def _templates(self) -> Iterator[Any]:
        """Yield the model's chat template twice: without and with the opening of a reply at its end."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            raise ConfigError(
                f"{self._weights.name} has no chat template", hint="take an instruction-tuned model, not a base model"
            )
        vocabulary = self._llama.detokenize
        eos, bos = (
            vocabulary([token], special=True).decode("utf-8", "replace") if token >= 0 else ""
            for token in (self._llama.token_eos(), self._llama.token_bos())
        )
        for opening in (False, True):
            yield Jinja2ChatFormatter(template, eos_token=eos, bos_token=bos, add_generation_prompt=opening)

    def _loaded(self) -> Any:
        import llama_cpp  # 0.3 s, and numpy

        llama = self._opened(self._options.n_ctx)
        trained = int(llama_cpp.llama_model_n_ctx_train(llama.model))
        if 0 < trained < self._options.n_ctx:
            llama.close()
            llama = self._opened(trained)
        return llama

    def _opened(self, n_ctx: int) -> Any:
        from llama_cpp import Llama

        threads = self._options.n_threads
        settings = {"n_ctx": n_ctx, "n_threads": threads, "n_threads_batch": threads, "verbose": False}
        weights = self._weights
        if weights.path is not None:
            try:
                return Llama(str(weights.path), **settings)
            except (ValueError, RuntimeError) as error:
                raise ConfigError(
                    f"{weights.name} cannot be loaded: {error}",
                    hint="it has to be a GGUF file of a kind of model that the installed llama-cpp-python knows",
                ) from error
        try:
            return Llama.from_pretrained(weights.repository, weights.files, **settings)
        except ImportError as error:
            raise ConfigError(
                f"{weights.name} is on the Hub, and huggingface-hub is not installed",
                hint="pip install huggingface-hub, or --model with the path of a GGUF file",
            ) from error
        except ValueError as error:  # no file, or several, fit the pattern; or the file cannot be loaded
            raise ConfigError(f"{weights.name}: {' '.join(str(error).split())[:300]}") from error
        except Exception as error:  # the Hub's client raises its own, and its HTTP library's
            raise BackendUnreachableError(
                f"{weights.name} cannot be had from the Hub: {type(error).__name__}",
                hint="--model with the path of a GGUF file needs no network",
            ) from error
