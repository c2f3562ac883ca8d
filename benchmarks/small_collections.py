"""The number of items from small collections, in mode `hardened` and in mode `paper`.

    python benchmarks/small_collections.py --folder DIR [--images DIR] [--task NAME ...] [--records 50 200 1000]

makes items of each task as `shortcut_free_tasks.py` does: from photographs (those of the demo, and a folder's, and
composites of them), or from random annotations with the biases of real ones, one record per photograph. It prints one
JSON document per line: task, number of records, and the number of items in each mode.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from shortcut_free_tasks import ITEMS, made_items, pictures_in

from benchwright.cli.demo import prepare_photographs

TASKS = (
    "relative_depth", "relative_reflectance", "counting", "spatial_relation", "object_localization",
    "jigsaw", "visual_correspondence",
)  # fmt: skip


def main() -> None:
    """Make items and count them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder to work in")
    parser.add_argument("--images", type=Path, help="further photographs")
    parser.add_argument("--task", nargs="*", default=list(TASKS), choices=list(ITEMS), help="tasks")
    parser.add_argument("--records", type=int, nargs="*", default=[50, 200, 1000])
    parser.add_argument("--seed", type=int, default=301)
    options = parser.parse_args()
    prepare_photographs(options.folder / "photographs")
    pictures = list(pictures_in([options.folder / "photographs", *([options.images] if options.images else [])]))
    for task in options.task:
        for records in options.records:
            made = {
                mode: len(made_items(ITEMS[task], options.folder / "work", pictures, options.seed, records, mode).items)
                for mode in ("hardened", "paper")
            }
            print(json.dumps({"task": task, "records": records, **made}), flush=True)


if __name__ == "__main__":
    main()
