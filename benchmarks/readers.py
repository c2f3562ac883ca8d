"""Where our reader of answers and the papers' own differ, on the replies that the papers published.

    .venv/bin/python benchmarks/readers.py --data ../shared/data              # counts
    .venv/bin/python benchmarks/readers.py --data ../shared/data --show 3     # and three replies of each difference

Classes: `same` (equal letters), `neither` (both read none), `only_ours`, `only_theirs`, `other` (two different
letters); each difference is divided by the rule of ours that decided it. BLINK's rows are divided by who settled them
in the paper: the repository's rule or its judge.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from measuring import show

from benchwright.evaluation.published import blink, ii_bench, mvp_bench, mvp_layout
from benchwright.evaluation.published.files import needed
from benchwright.replies.answers import read_answer
from benchwright.replies.readers import READERS, Choices


class Case(NamedTuple):
    """A reply with its options; `theirs` is what the paper read, by whoever read it."""

    source: str
    reply: str
    choices: Choices
    theirs: dict[str, str | None]


def mvp_cases(data: Path) -> Iterator[Case]:
    """Yield every reply to a rotated question, read by each paper's reader."""
    questions, rotations = mvp_layout.read_questions(data), mvp_layout.read_rotations(data)
    for model in mvp_layout.models(data):
        outputs = mvp_layout.read_outputs(data, model, questions, rotations).rotated or {}
        for key, said in outputs.items():
            choices = mvp_bench.options_of(rotations[key].text)
            yield Case(f"mvp-bench {model}", said.output, choices, _by_papers(said.output, choices))


def blink_cases(data: Path) -> Iterator[Case]:
    """Yield every output of both splits with the choice of the rule, or of the judge where it has none."""
    for model in blink.models(data):
        for row in blink.read_outputs(data, model, ("val", "test")):
            letters = "ABCDE"[: blink.OPTIONS[row.task]]
            settled = blink.read_choice(row, "rule")
            judged = row.choice[1:2] if row.choice[1:2] in letters else None
            theirs = {"judge": judged} if settled is None else {"rule": settled[1:2]}
            yield Case(f"blink {model}", row.output, [(letter, None) for letter in letters], theirs)


def ii_cases(data: Path) -> Iterator[Case]:
    """Yield every reply of every mode."""
    for model in ii_bench.models(data):
        for mode in ii_bench.MODES:
            path = needed(data / "results", f"{model}_test_{mode}.jsonl")
            for row in ii_bench.read_results(path):
                choices = list(zip("ABCDEF", row.options, strict=True))
                theirs = {"ii-bench": READERS["ii-bench"](row.response or "", choices)}
                yield Case(f"ii-bench {model}", row.response or "", choices, theirs)


def _by_papers(reply: str, choices: Choices) -> dict[str, str | None]:
    return {name: read(reply, choices) for name, read in READERS.items() if name != "robust"}


def difference(ours: str | None, theirs: str | None) -> str:
    """Return the class of a pair of readings."""
    if ours == theirs:
        return "neither" if ours is None else "same"
    return "only_theirs" if ours is None else "only_ours" if theirs is None else "other"


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with mvp_bench, blink and ii_bench")
    parser.add_argument("--show", type=int, default=0, help="replies to show of each class of difference")
    given = parser.parse_args()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shown: defaultdict[str, list[str]] = defaultdict(list)
    for cases in (
        mvp_cases(given.data / "mvp_bench"),
        blink_cases(given.data / "blink"),
        ii_cases(given.data / "ii_bench"),
    ):
        for case in cases:
            ours = read_answer(case.reply, case.choices)
            for name, theirs in case.theirs.items():
                what = difference(ours.letter, theirs)
                table = f"{case.source} / {name}"
                counts[table][what] += 1
                if what not in {"same", "neither"}:
                    counts[table][f"{what} ({ours.rule})"] += 1
                    examples = shown[f"{table}: {what} ({ours.rule})"]
                    if len(examples) < given.show:
                        examples.append(f"{theirs} / {ours.letter}: {case.reply}")
    document: dict[str, object] = {table: dict(sorted(found.items())) for table, found in counts.items()}
    settled = [found for table, found in counts.items() if table.endswith("/ rule")]
    agreed = sum(found["same"] for found in settled)
    total = sum(found[what] for found in settled for what in ("same", "neither", "only_ours", "only_theirs", "other"))
    document["blink, rows that the rule settles"] = {"agree": agreed, "rows": total, "share": round(agreed / total, 4)}
    show(document | ({"replies": dict(shown)} if given.show else {}))


if __name__ == "__main__":
    main()
