"""Read an export with webdataset. Arguments: folder, names of the splits."""

from __future__ import annotations

import sys
from pathlib import Path

import webdataset
from print_items import fingerprint, print_json

folder, *splits = sys.argv[1:]
items = []
for split in splits:
    archives = [str(path) for path in sorted(Path(folder).glob(f"{split}-*.tar"))]
    for sample in webdataset.WebDataset(archives, shardshuffle=False).decode("pil"):
        row = sample["json"]
        assert sample["__key__"] == row["item_id"]
        items.append(
            {
                "item_id": row["item_id"],
                "split": row["split"],
                "question": row["question"],
                "options": row["options"],
                "target": row["target"] or None,
                "pixels": [fingerprint(sample[f"{number}.png"]) for number in range(row["n_images"])],
            }
        )
print_json(items)
