"""The time of `release diff` on two versions of a release, and its recall of planted differences.

A release of generated items with one picture each is written twice. In the second version, some items are missing, some
are new, some are in another split, and some have another question. The command runs once without and once with the
page.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measuring import cost_of, show

from benchwright.records import Item

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from small_bench import Bench, bench_of


def planted(items: int, size: int, share: float) -> tuple[Bench, dict[str, int]]:
    """Return the newer version of `bench_of(items, size)`, and its number of differences of each kind."""
    bench = bench_of(items + round(items * share), size)
    each = round(items * share)
    old = bench.items[:items]
    moved = [(item, "val") for item, _ in old[each : 2 * each]]
    changed = [
        (Item.model_validate(item.model_copy(update={"question": "Is it green?", "revision": 1}).model_dump()), split)
        for item, split in old[2 * each : 3 * each]
    ]
    bench.items[:items] = [*moved, *changed, *old[3 * each :]]
    return bench, {"dropped": each, "moved": each, "changed": each, "added": each}


def main() -> None:
    """Write both versions, compare them, and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--picture-bytes", type=int, default=30_000)
    parser.add_argument("--share", type=float, default=0.02, help="share of items with a difference of each kind")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        bench_of(arguments.items, arguments.picture_bytes).write(place / "a")
        newer, expected = planted(arguments.items, arguments.picture_bytes, arguments.share)
        newer.write(place / "b", version="1.1")
        command = [sys.executable, "-m", "benchwright", "release", "diff", str(place / "a"), str(place / "b")]
        listed = cost_of([*command, "--json"], output=place / "differences.json", allowed=(0, 1))
        paged = cost_of([*command, "--out", str(place / "page.html"), "--json"], allowed=(0, 1))
        document = json.loads((place / "differences.json").read_bytes())
        show(
            {
                "items": arguments.items,
                "planted": expected,
                "listed": {name: len(document[name]) for name in expected},
                "diff": listed.to_json(),
                "diff and page": paged.to_json(),
                "page_mb": round((place / "page.html").stat().st_size / 1e6, 1),
            }
        )


if __name__ == "__main__":
    main()
