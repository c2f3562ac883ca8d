"""The shortcut battery: the cost of 10,000 items, and its recall of planted cues with their names.

    .venv/bin/python benchmarks/shortcuts.py --items 10000 [--width 320]
    .venv/bin/python benchmarks/shortcuts.py --planted 200

The first writes a release of four tasks of equal size, with pictures composed of pieces of photographs: pieces of a
jigsaw (three pictures, all decoded), points in a second view (two pictures, of which headers are enough), two boxes
(likewise), and a yes/no question (one picture, decoded). The command then reads it in a separate process.

The second makes the given number of clean sets of items and as many with a planted cue, of twelve kinds in turn. It
counts the planted sets with a finding and with the right cue named, and the clean sets with any finding.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from composites import composite, photographs
from measuring import benchwright, cost_of, show
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from planted_shortcuts import KINDS, named_families, planted, result_of

from benchwright.cli.demo import prepare_photographs
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation, VisualPrompt
from benchwright.release import write_release

OPERATION = Operation(step="benchmark", version=1, parameters={}, seed=1)
SIZES = {"whole": (480, 360), "piece": (160, 120)}
"""Width and height of pictures at the default width."""
TASKS = ("jigsaw", "correspondence", "localization", "claim")


def main() -> None:
    """Measure and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--width", type=int, default=SIZES["whole"][0], help="width of a whole picture in pixels")
    parser.add_argument("--images", type=Path, help="folder of photographs; the demo's by default")
    parser.add_argument("--planted", type=int, help="number of planted sets, and of clean ones; measures no time")
    parser.add_argument("--per-set", type=int, default=200, help="items of a set")
    parser.add_argument("--share", type=float, default=0.4, help="share of a planted set's items with the cue")
    options = parser.parse_args()
    if options.planted:
        show(_planted(options.planted, options.per_set, options.share))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        images = options.images
        if images is None:
            prepare_photographs(images := folder / "photographs")
        started = time.perf_counter()
        _write(folder, photographs(images), options.items, options.width)
        print(f"written in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        out = folder / "report.json"
        cost = cost_of([*benchwright("filter", "shortcuts", folder / "release", "--json")], output=out)
        document = json.loads(out.read_text(encoding="utf-8"))
        show(
            {
                "items": document["items"],
                "tests": document["tests"],
                "carried": sum(solver["carries"] for task in document["tasks"] for solver in task["solvers"]),
                **cost.to_json(),
            }
        )


def _planted(count: int, per_set: int, share: float) -> dict[str, object]:
    """Count the findings in clean and planted sets."""
    found, named, sets, alarms = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    false_solvers: Counter[str] = Counter()
    kinds = list(KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        sets[kind] += 1
        with_cue = result_of(planted(kind, count=per_set, share=share, seed=1000 + number))
        found[kind] += bool(with_cue.carried)
        named[kind] += bool(named_families(with_cue) & set(KINDS[kind].families))
        clean = result_of(planted(kind, count=per_set, share=0, seed=5000 + number))
        alarms[kind] += bool(clean.carried)
        false_solvers.update(solver.solver for solver in clean.carried)
        print(number + 1, kind, dict(named), dict(alarms), file=sys.stderr)
    return {
        "sets": count,
        "items_per_set": per_set,
        "share": share,
        "recall": round(found.total() / count, 4),
        "named": round(named.total() / count, 4),
        "false_alarms": round(alarms.total() / count, 4),
        "false_solvers": dict(false_solvers),
        "kinds": {
            kind: {"sets": sets[kind], "found": found[kind], "named": named[kind], "false_alarms": alarms[kind]}
            for kind in kinds
        },
    }


def _write(folder: Path, photos: Sequence[np.ndarray], count: int, width: int) -> None:
    """Write the release."""
    sizes = {name: (width * wide // 480, width * high // 480) for name, (wide, high) in SIZES.items()}
    pictures = folder / "pictures"
    pictures.mkdir()
    records: dict[str, ImageRecord] = {}

    def picture(number: int, size: str, *, lossless: bool = False) -> str:
        pixels = composite(photos, number, size=sizes[size])[:, :, ::-1]
        handle = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(pixels)).save(handle, "PNG" if lossless else "JPEG")
        data = handle.getvalue()
        image_id = hashlib.sha256(data).hexdigest()
        (pictures / image_id).write_bytes(data)
        records[image_id] = ImageRecord(
            image_id=image_id, width=sizes[size][0], height=sizes[size][1], root_image_id=image_id,
            media_type="image/png" if lossless else "image/jpeg", size_bytes=len(data),
        )  # fmt: skip
        return image_id

    def items() -> Iterator[Item]:
        for number in range(count):
            yield _item(number, TASKS[number % len(TASKS)], picture, sizes["whole"], np.random.default_rng(number))

    made = list(items())
    write_release(
        folder / "release", name="many", version="1.0", items=[(item, "test") for item in made],
        image=records.__getitem__, image_bytes=lambda record: (pictures / record.image_id).read_bytes(),
        operations=[OPERATION], recipe={"name": "many", "seed": 1}, stages=[], agreement={}, seed=1, licence=None,
    )  # fmt: skip


def _item(number: int, task: str, picture: object, size: tuple[int, int], rng: np.random.Generator) -> Item:
    assert callable(picture)
    first = 4 * number
    width, height = size
    marks: list[list[VisualPrompt]] = [[], [], []]
    if task == "jigsaw":
        shown = [picture(first, "whole"), *(picture(first + k, "piece", lossless=True) for k in (1, 2))]
        choices = [Choice(key=key, image_id=image_id) for key, image_id in zip("AB", shown[1:], strict=True)]
    elif task == "correspondence":
        shown = [picture(first + k, "whole") for k in (0, 1)]
        places = rng.uniform(20, height - 20, (5, 2))
        names = ("REF", "A", "B", "C", "D")
        rings = [
            VisualPrompt(kind="ring", image_id=shown[k > 0], points=((float(x), float(y)),), label=names[k])
            for k, (x, y) in enumerate(places)
        ]
        marks[0], marks[1] = rings[:1], rings[1:]
        choices = [Choice(key=key, text=f"Point {key}") for key in "ABCD"]
    elif task == "localization":
        shown = [picture(first, "whole")]
        for key in "AB":
            x, y = rng.uniform(0, width / 2), rng.uniform(0, height / 2)
            corners = ((x, y), (x + rng.uniform(30, width / 2), y + rng.uniform(30, height / 2)))
            marks[0].append(VisualPrompt(kind="box", image_id=shown[0], points=corners, label=key))
        choices = [Choice(key=key, text=f"Box {key}") for key in "AB"]
    else:
        shown = [picture(first, "whole")]
        choices = [Choice(key="A", text="Yes"), Choice(key="B", text="No")]
    return Item(
        item_id=f"{number:032x}", task=task, kind="multiple_choice", question=f"Which, of {number % 97} things?",
        images=tuple(
            ItemImage(image_id=image_id, role="picture", prompts=tuple(prompts))
            for image_id, prompts in zip(shown, marks, strict=False)
        ),
        choices=tuple(choices), answer="ABCD"[int(rng.integers(len(choices)))], group_keys=(f"image:{shown[0]}",),
        root_image_id=shown[0], operation_id=OPERATION.operation_id, made_from=shown[0],
    )  # fmt: skip


if __name__ == "__main__":
    main()
