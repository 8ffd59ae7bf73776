"""The backend's options."""

from __future__ import annotations

import pytest

from eigen_cli.api.errors import ConfigError
from eigen_llamacpp.options import Options


def test_defaults_name_nothing_and_threads_never_do() -> None:
    assert Options.of({}) == Options(n_ctx=4096, n_threads=1, seed=0, examples=8)
    assert Options.of({"n_threads": 4}).named() == ""
    assert Options.of({"examples": 0, "n_ctx": 2048, "seed": 5}).named() == "+n_ctx=2048+seed=5+examples=0"


@pytest.mark.parametrize("options", [{"threads": 2}, {"n_ctx": 10}, {"n_threads": 0}, {"examples": -1}, {"seed": "x"}])
def test_what_does_not_fit_is_an_error_that_names_the_options(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="local backend options") as failure:
        Options.of(options)
    assert failure.value.hint == "the options are: n_ctx, n_threads, seed, examples"
