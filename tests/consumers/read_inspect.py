"""Read an export with inspect_ai: datasets as its tasks read them, then the tasks run against an endpoint.

Arguments: folder of the export, address of the endpoint, names of the splits.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from inspect_ai import eval as run_tasks
from print_items import fingerprint, print_json

folder, address, *splits = sys.argv[1:]
sys.path.insert(0, folder)
samples = importlib.import_module("task").samples
items = []
for split in splits:
    for sample in samples(split):
        [message] = sample.input
        images = [part.image for part in message.content if part.type == "image"]
        items.append(
            {
                "item_id": sample.id,
                "split": sample.metadata["split"],
                "question": message.text,
                "options": sample.choices,
                "target": sample.target or None,
                "pixels": [fingerprint(Path(image)) for image in images],
            }
        )
scores = {}
for split in splits:
    [log] = run_tasks(
        f"{folder}/task.py@{split}", model="openai/test", model_base_url=address, display="none", log_dir="logs",
        model_args={"responses_api": False},
    )  # fmt: skip
    assert log.status == "success", log.error
    for sample in log.samples:
        score = (sample.scores or {}).get("choice_where_one_is_right")
        scores[sample.id] = None if score is None else score.value
print_json({"items": items, "scores": scores})
