"""Recall and false alarms of the audit for each kind of fault of single items, with pictures and all layers on.

    .venv/bin/python benchmarks/catalogue.py --data ../shared/data/ii_bench --wordnet /usr/share/wordnet --ocr

Sets of clean items with pictures (`clean_items.py`) get the requested number of faults of each of up to six kinds
(`catalogue_kinds.py`); the requested number of clean items stays unchanged. An item counts as found if a finding of a
fitting kind names it, and a clean item as accused if such a finding names it. The program prints a table in Markdown,
kinds with recall below .8 first. Checks that learn and checks that ask a model do not run. Text in pictures is read
only in the set with personal data in pictures, which has half as many clean items.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from catalogue_kinds import KINDS, Kind
from catalogue_planting import Place
from clean_items import COLUMNS, Row, clean_set

from benchwright.audit import AuditSettings, audit
from benchwright.audit.registry import all_checks

IN_A_SET = 6
OF_PICTURES = "personal data in picture"
_LEAST_OPTIONS = 4
_LEARNING = frozenset({"shortcuts", "learned_cues", "best_blind_strategy", "blind_models"})


@dataclass(frozen=True)
class Found:
    """Numbers of planted items of a kind and of those found, and of clean ones accused."""

    kind: str
    found: int
    planted: int
    accused: int
    clean: int

    @property
    def recall(self) -> float:
        """Return the share found, 0-1."""
        return self.found / self.planted


def main() -> None:
    """Plant, audit and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of II-Bench's repository")
    parser.add_argument("--wordnet", type=Path, help="folder of a WordNet")
    parser.add_argument("--ocr", action="store_true", help="read the text in pictures of one set")
    parser.add_argument("--planted", type=int, default=50)
    parser.add_argument("--clean", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="print what was not found, and what was accused")
    parser.add_argument("--kinds", nargs="*", help="names of kinds; all by default")
    options = parser.parse_args()
    chosen = [kind for kind in KINDS if not options.kinds or kind.name in options.kinds]
    in_words = [kind for kind in chosen if kind.name != OF_PICTURES]
    sets = [in_words[start : start + IN_A_SET] for start in range(0, len(in_words), IN_A_SET)]
    found: list[Found] = []
    with tempfile.TemporaryDirectory() as name:
        for number, kinds in enumerate(sets):
            found += _of_set(Path(name), f"set-{number}", kinds, options.clean, options)
        if options.ocr and len(in_words) < len(chosen):
            kinds = [kind for kind in chosen if kind.name == OF_PICTURES]
            found += _of_set(Path(name), "pictures", kinds, options.clean // 2, options)
    print("| kind | found | of clean items accused |\n| -- | -: | -: |")
    for each in sorted(found, key=lambda each: (each.recall >= 0.8, each.kind)):
        print(f"| {each.kind} | {each.found} of {each.planted} ({each.recall:.2f}) | {each.accused} of {each.clean} |")


def _of_set(folder: Path, name: str, kinds: Sequence[Kind], clean: int, options: argparse.Namespace) -> list[Found]:
    """Plant some kinds into one set, audit it, and return the results."""
    of_set = folder / name
    rng = random.Random(f"{options.seed} {name}")
    count = clean + options.planted * len(kinds)
    rows = rng.sample(clean_set(of_set, count, options.seed, options.data), count)
    free = rng.sample(rows, len(rows))
    planted: dict[str, list[str]] = {}
    for kind in sorted(kinds, key=lambda kind: not kind.needs_words):
        fitting = [row for row in free if not kind.needs_words or _has_words(row)][: options.planted]
        planted[kind.name] = [_planted(kind, row, of_set, rng, form, rows) for form, row in enumerate(fitting)]
        taken = {id(row) for row in fitting}
        free = [row for row in free if id(row) not in taken]
    _write(of_set, rows)
    settings = AuditSettings(wordnet=options.wordnet, ocr=options.ocr and name == "pictures", workers=2)
    checks = [check for check in all_checks() if check.name not in _LEARNING]
    report = audit(of_set / "q.csv", folder / "audit", settings, checks=checks)
    lines = []
    for kind in kinds:
        named = {item for finding in report.findings if finding.kind in kind.expects for item in finding.items}
        clean_ids = [row["id"] for row in free]
        own = planted[kind.name]
        lines.append(
            Found(kind.name, len(named.intersection(own)), len(own), len(named.intersection(clean_ids)), len(free))
        )
        if options.missed:
            by_id = {row["id"]: row for row in rows}
            show = {"missed": sorted(set(own) - named), "accused": sorted(named.intersection(clean_ids))}
            for what, ids in show.items():
                for item in ids:
                    other = sorted({finding.kind for finding in report.findings if item in finding.items})
                    print(
                        kind.name,
                        what,
                        json.dumps({**by_id[item], "named": other}, ensure_ascii=False),
                        file=sys.stderr,
                    )
    shutil.rmtree(of_set)
    return lines


def _has_words(row: Row) -> bool:
    return sum(bool(row[letter]) for letter in "ABCDEF") >= _LEAST_OPTIONS


def _planted(kind: Kind, row: Row, folder: Path, rng: random.Random, form: int, rows: list[Row]) -> str:
    """Plant a kind into a row and return its id."""
    own = row["id"]
    place = Place(row, folder, rng, form)
    kind.plant(place)
    row["id"] = row["id"].replace("{}", own)
    if "again" in place.changes:
        changes = {column: value for column, value in place.changes.items() if column != "again"}
        rows.append({**row, **changes, "id": f"{own}-again", "answer": place.changes["again"]})
    return row["id"]


def _write(folder: Path, rows: Sequence[Row]) -> None:
    with (folder / "q.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, [*COLUMNS, "alt_text", "hint"], restval="")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
