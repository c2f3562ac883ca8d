"""The cost of the text checks on many questions, and its growth.

    python benchmarks/text_checks.py [--items 10000 30000 100000] [--only CHECK ...]

Items consist of our sentences: nearly all different, with four options each and unevenly used letters. Each check reads
all of them in one process: `language`, `repeated_options`, `duplicate_questions` (once within pictures, three questions
each, once over all), `question_overlap` against 4 MB of text, `answer_balance` and `wording_bias`. Prints a document
for each number: CPU seconds of each check, the peak memory of the process so far, and the exponent of growth since the
previous number; 1 is linear, 2 is quadratic.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from language_sentences import CLEAN
from measuring import peak_mb, show

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from worded_items import item

from benchwright.canonical import canonical_json
from benchwright.filters.contamination.question_overlap import QuestionOverlap
from benchwright.filters.items.answer_balance import AnswerBalance
from benchwright.filters.items.duplicate_questions import DuplicateQuestions
from benchwright.filters.items.repeated_options import RepeatedOptions
from benchwright.filters.items.wording_bias import WordingBias
from benchwright.filters.language.step import Language
from benchwright.records import Item
from benchwright.steps import FOLDER, Filter, GatherContext, GatherStep

SEED = 20
CORPUS_MB = 4


def main() -> None:
    """Measure each number of items and print one document each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 30_000, 100_000], help="ascending")
    parser.add_argument("--only", nargs="+", help="names of the checks that are to be measured")
    options = parser.parse_args()
    before: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        checks = {name: check for name, check in all_checks(Path(folder)).items() if name in (options.only or [name])}
        for number in options.items:
            measured = cost(number, checks)
            growth = math.log(number / before["items"]) if before else 1.0
            show(
                measured
                | {"exponent": {
                    name: round(math.log(measured["cpu_s"][name] / seconds) / growth, 2)
                    for name, seconds in before.get("cpu_s", {}).items()
                    if seconds > 0
                }}
            )  # fmt: skip
            before = measured


def cost(number: int, checks: dict[str, Callable[[Sequence[Item], pa.Table], object]]) -> dict[str, Any]:
    """Return the CPU seconds of each check on this many items, and the peak memory so far."""
    items = made_items(number)
    table = pa.table({"record": [canonical_json(made.model_dump(mode="json")) for made in items]})
    cpu_s = {}
    for name, check in checks.items():
        started = time.process_time()
        check(items, table)
        cpu_s[name] = round(time.process_time() - started, 2)
    cpu_s["together"] = round(sum(cpu_s.values()), 2)
    return {"items": number, "cpu_s": cpu_s, "peak_mb": round(peak_mb())}


class Opened(NamedTuple):
    """The part of a context that `measure` needs."""

    opened: Any


def all_checks(folder: Path) -> dict[str, Callable[[Sequence[Item], pa.Table], object]]:
    """Return the checks by name; each reads items or the table with their records."""
    corpus = folder / "corpus.txt"
    chance = random.Random(SEED)
    words = [word for text in CLEAN for word in text.split()]
    corpus.write_text(" ".join(chance.choices(words, k=CORPUS_MB * 180_000)), encoding="utf-8")
    overlap = QuestionOverlap.model_validate({"against": [corpus.name]}, context={FOLDER: folder})
    letters = AnswerBalance().parts()[0]
    assert isinstance(letters, GatherStep), "it compares all items"
    return {
        "language": measuring(Language()),
        "repeated_options": measuring(RepeatedOptions()),
        "duplicate_questions": gathering(DuplicateQuestions.model_validate({})),
        "duplicate_questions, all": gathering(DuplicateQuestions.model_validate({"scope": "all"})),
        "question_overlap": gathering(overlap),
        "answer_balance": gathering(letters),
        "wording_bias": gathering(WordingBias()),
    }


def measuring(step: Filter) -> Callable[[Sequence[Item], pa.Table], object]:
    """Return a function that measures each item."""

    def check(items: Sequence[Item], table: pa.Table) -> None:
        del table
        context: Any = Opened(step.open(None))  # type: ignore[arg-type]  # reads nothing of it
        for made in items:
            step.judge(step.measure(made, context).values)

    return check


def gathering(step: GatherStep) -> Callable[[Sequence[Item], pa.Table], object]:
    """Return a function that compares all items."""

    def check(items: Sequence[Item], table: pa.Table) -> None:
        del items
        step.gather(table, GatherContext(SEED, step.name))

    return check


def made_items(number: int) -> Sequence[Item]:
    """Return items, three per picture, with three sentences' words and four options, nearly all distinct."""
    rng = random.Random(SEED)
    words = [word.strip("?.,").lower() for text in CLEAN for word in text.split()]
    things = sorted({word for word in words if len(word) > 4})
    return [
        item(
            str(n), f"{rng.choice(CLEAN)[:-1]} beside the {rng.choice(things)} and the {rng.choice(things)} {n % 97}?",
            [f"a {thing} with the {rng.choice(things)}" for thing in rng.sample(things, 4)],
            rng.choices("ABCD", [4, 2, 1, 1])[0], picture=str(n // 3), written_by={"question": "person"},
        )
        for n in range(number)
    ]  # fmt: skip


if __name__ == "__main__":
    main()
