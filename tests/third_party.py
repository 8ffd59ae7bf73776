"""Packages of other people, put on the path with their metadata as an installer would."""

from __future__ import annotations

from pathlib import Path

LIBRARY = Path(__file__).parent / "packaging" / "tidy_library"


def install(site: Path, distribution: str, *, groups: dict[str, dict[str, str]], modules: dict[str, str]) -> None:
    """Write modules and a `.dist-info` into a folder; `groups` are its entry points."""
    site.mkdir(exist_ok=True)
    for name, source in modules.items():
        (site / f"{name}.py").write_text(source)
    metadata = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    lines = [
        line for group, points in groups.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in points.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install_library(site: Path) -> list[str]:
    """Install the library domain and its command; return the folders that belong on the path."""
    groups = {
        "eigen": {"tidy_library": "eigen_tidy_library.hooks"},
        "eigen.commands": {"shelves": "eigen_tidy_library.command:shelves"},
    }
    install(site, "eigen-tidy-library", groups=groups, modules={})
    return [str(site), str(LIBRARY)]
