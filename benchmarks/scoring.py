"""The cost of scoring: a million predictions on a release of a million items, with intervals over clusters.

Three jobs, each in a separate process:

- `metrics`: from judged predictions to a score: counts, accuracies, intervals; it reads only the judged table.
- `letters`: `benchwright evaluate score` on a file of letters.
- `replies`: the same on a file of short free replies, each of which is parsed.

The release has fourteen tasks and up to five items per image, written once into `--folder` (some 5 minutes for a
million items) and reused from there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import benchwright, cost_of, show

from benchwright.canonical import bytes_digest, digest
from benchwright.images.decode import encode_png
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation
from benchwright.release import Release, write_release

TASKS, CHOICES = 14, ("a red car", "a cat on a mat", "two birds", "nothing of the kind")
OPERATION = Operation(step="benchmark", version=1, parameters={}, seed=1)
METRICS = """
import sys
from pathlib import Path
from benchwright.evaluation.results.metric_rows import read_metric_rows
from benchwright.evaluation.protocols.templated import Vanilla
from benchwright.evaluation.run import take_metrics
from benchwright.evaluation.results.score import figures
judged = read_metric_rows(Path(sys.argv[1]), Vanilla())
print({name: figure.ci for name, figure in figures(take_metrics(judged)).items()})
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where release and predictions are kept")
    parser.add_argument("--items", type=int, default=1_000_000)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    folder = given.folder / "release"
    release = Release.open(folder) if folder.exists() else write(folder, given.items)
    files = {name: predictions(given.folder / f"{name}.jsonl", folder, name) for name in ("letters", "replies")}
    measured: dict[str, Any] = {}
    for name, path in files.items():
        out = given.folder / "results"
        cost = cost_of(benchwright("evaluate", "score", folder, path, "--out", out, "--json"))
        measured[name] = cost.to_json()
    [judged] = (given.folder / "results").glob("*letters*/predictions.parquet")
    measured["metrics"] = cost_of([sys.executable, "-c", METRICS, str(judged)]).to_json()
    show({"items": len(release), "measured": measured})


def write(folder: Path, count: int) -> Release:
    """Write the release."""
    data = encode_png(np.zeros((2, 2, 3), dtype=np.uint8))
    image_id = bytes_digest(data)
    record = ImageRecord(
        image_id=image_id, width=2, height=2, media_type="image/png", size_bytes=len(data), root_image_id=image_id
    )
    return write_release(
        folder, name="scoring", version="1.0", items=items(count, image_id), image=lambda _: record,
        image_bytes=lambda _: data, operations=[OPERATION], recipe={}, stages=[], agreement={}, seed=1,
    )  # fmt: skip


def items(count: int, image_id: str) -> Iterator[tuple[Item, str]]:
    """Yield items; the first image has the most."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(count), rng.integers(1, 6, count))[:count]
    task, answer = rng.integers(0, TASKS, count), rng.integers(0, len(CHOICES), count)
    choices = tuple(Choice(key=key, text=text) for key, text in zip("ABCD", CHOICES, strict=True))
    for number in range(count):
        item = Item(
            item_id=digest(["scoring", number])[:32],
            task=f"task_{task[number]:02d}",
            kind="multiple_choice",
            images=(ItemImage(image_id=image_id, role="view"),),
            question=f"What is shown in picture {number}?",
            choices=choices,
            answer="ABCD"[answer[number]],
            root_image_id=image_id,
            operation_id=OPERATION.operation_id,
            made_from=image_id,
            group_keys=(f"image:{group[number]}",),
        )
        yield item, "test"


def predictions(path: Path, release: Path, kind: str) -> Path:
    """Write a file of predictions that are right in three of five, correlated within an image."""
    import pyarrow.parquet as pq

    if path.exists():
        return path
    rng = np.random.default_rng(2)
    with path.open("w", encoding="utf-8") as handle:
        for file in sorted((release / "data").glob("*.parquet")):
            for batch in pq.ParquetFile(file).iter_batches(columns=["item_id", "answer", "group_keys"]):
                for row in batch.to_pylist():
                    hard = int(digest(row["group_keys"])[:4], 16) / 65536
                    letter = row["answer"] if rng.random() < 0.2 + 0.8 * hard else "ABCD"[rng.integers(4)]
                    said = {"answer": letter} if kind == "letters" else {"reply": f"The answer is ({letter})."}
                    handle.write(json.dumps({"item_id": row["item_id"], **said}) + "\n")
    return path


if __name__ == "__main__":
    main()
