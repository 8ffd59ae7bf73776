"""Load every config of a dataset and print what is in it: a program for an environment that has `datasets`.

    python print_rows.py REPO REVISION CONFIG...

Prints one JSON object: by config its splits with all rows, or the words of the error it met. It imports nothing of
eigen.
"""

from __future__ import annotations

import json
import sys

from datasets import load_dataset


def main(repo: str, revision: str, configs: list[str]) -> None:
    """Load, and print."""
    found = {}
    # Without a name it is the first one.
    for config in [*configs, ""]:
        try:
            loaded = load_dataset(repo, config or None, revision=revision)
            found[config] = {split: list(rows) for split, rows in loaded.items()}
        except ValueError as error:
            found[config] = str(error)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
