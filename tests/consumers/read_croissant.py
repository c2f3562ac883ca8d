"""Read an export with mlcroissant: validated, and every record. Arguments: folder, names of the splits."""

from __future__ import annotations

import sys

import mlcroissant
from mlcroissant import GenerationError
from print_items import fingerprint, print_json

folder, *splits = sys.argv[1:]
dataset = mlcroissant.Dataset(f"{folder}/croissant.json")
issues = dataset.metadata.ctx.issues
items = []
try:
    for split in splits:
        for record in dataset.records(split):
            row = {name.partition("/")[2]: value for name, value in record.items()}
            pictures = [row[f"image_{number}"] for number in range(1, 9)]
            items.append(
                {
                    "item_id": row["item_id"].decode(),
                    "split": row["split"].decode(),
                    "question": row["question"].decode(),
                    "options": [option.decode() for option in row["options"]],
                    "target": None if row["target"] is None else row["target"].decode(),
                    "pixels": [fingerprint(picture) for picture in pictures if picture is not None],
                }
            )
    refused = None
except (GenerationError, ValueError) as error:
    refused = f"{error}: {error.__cause__}"
print_json({"items": items, "errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "refused": refused})
