"""Readings of question files, compared with sources drawn from a seed whose truth is known by construction.

Layouts, containers, forms of options and keys, missing and stray keys, several files (`tests/drawn_layouts/`). Each
source is read in this process and each row compared: right, or refused with the reason, but never wrong. Ambiguous
sources, in which two readings of the keys fit every row and differ, should be refused.

On seeds 1000 to 2999, which their author drew before the reader was written and which were never used for development:
1,919 right, 79 refused (55 of the 57 ambiguous ones among them), 2 wrong, none lost, no crash. In these two, a key was
the text of two options; both have since been refused.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import show

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from drawn_layouts.drawing import make_source
from drawn_layouts.examining import OUTCOMES, Verdict, examine
from drawn_layouts.sources import Source

from benchwright.errors import BenchwrightError
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.listed_rows import listed_rows

DIMENSIONS = ("container", "layout", "options", "texts", "key", "ids", "picture name")


def listed(folder: Path) -> Iterator[dict[str, Any]]:
    with read_questions(folder) as read:
        yield from listed_rows(read.index)


def keep(source: Source, verdict: Verdict, folder: Path) -> None:
    """Write a source, its truth and its findings."""
    source.write(folder / "files")
    truth = "".join(json.dumps(row.as_truth(), ensure_ascii=False) + "\n" for row in source.rows)
    (folder / "truth.jsonl").write_text(truth, encoding="utf-8")
    about = {**source.about(), "outcome": verdict.outcome, "why": verdict.why}
    (folder / "about.json").write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")


def counts(counter: Counter[str]) -> dict[str, int]:
    return {outcome: counter[outcome] for outcome in OUTCOMES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first source")
    parser.add_argument("--count", type=int, default=200, help="number of sources")
    parser.add_argument("--keep", type=Path, help="folder for the sources that are not right, with their truth")
    arguments = parser.parse_args()
    table: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in DIMENSIONS}
    totals: dict[str, Counter[str]] = {"plain": Counter(), "ambiguous": Counter()}
    seeds: dict[str, list[int]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.count):
            source = make_source(seed)
            verdict = examine(source, Path(folder) / str(seed), listed, BenchwrightError)
            totals["ambiguous" if source.ambiguous else "plain"][verdict.outcome] += 1
            for name in DIMENSIONS:
                table[name][source.kind[name]][verdict.outcome] += 1
            if verdict.outcome != "right":
                seeds[verdict.outcome].append(seed)
                if arguments.keep:
                    keep(source, verdict, arguments.keep / str(seed))
    show(
        {
            "first_seed": arguments.first,
            "sources": arguments.count,
            "all": counts(totals["plain"] + totals["ambiguous"]),
            **{name: counts(counter) for name, counter in totals.items()},
            "seeds": seeds,
            "by": {name: {value: counts(c) for value, c in sorted(values.items())} for name, values in table.items()},
        }
    )


if __name__ == "__main__":
    main()
