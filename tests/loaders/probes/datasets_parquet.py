"""Loads Parquet as `datasets` does."""

import datasets
import tiny

folder, _ = tiny.asked()
found = {}
for path in sorted(folder.glob("*.parquet")):
    try:
        rows = datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(folder / "cache"))
        found[path.stem] = {"rows": list(rows), "features": {name: str(kind) for name, kind in rows.features.items()}}
    except Exception as error:
        found[path.stem] = {"error": f"{type(error).__name__}: {error}"}
tiny.answer(folder, {"version": datasets.__version__, "files": found})
