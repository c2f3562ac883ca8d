"""Recall and false alarms of rules about meaning, on items labeled before the rules were written.

    python benchmarks/meaning.py --wordnet /usr/share/wordnet [--last]

The items are the tables in `meaning_items/`: one per line, its label first; those of `--last` were written after the
rules were final, and used once.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchwright.canonical import digest
from benchwright.diagnostics.item_faults.fault_rules import FaultRule, ItemFacts
from benchwright.diagnostics.item_faults.rules import ITEM_RULES, faults_of_item
from benchwright.diagnostics.meaning.asked_again import asked_again
from benchwright.diagnostics.meaning.meaning_rules import meaning_rules
from benchwright.diagnostics.meaning.wordnet import WordNet
from benchwright.diagnostics.wording.languages import language_of
from benchwright.diagnostics.wording.spelling import Spelling
from benchwright.records import LETTERS, Choice, Item

ITEMS = Path(__file__).parent / "meaning_items"
_OPTION_KINDS = {"repeated_option", "options_equal_but_for_spelling", "range_holds_right_option",
                 "options_related_in_meaning"}  # fmt: skip
CLEAN = {"clean", "other"}


def rows(name: str) -> Iterator[list[str]]:
    """Yield the fields of each line of a table."""
    yield from (line.split("|") for line in (ITEMS / f"{name}.psv").read_text(encoding="utf-8").splitlines())


def item_of(name: str, question: str, options: str, key: str) -> Item:
    """Return an item about one picture, the same for all."""
    choices = tuple(Choice(key=letter, text=text) for letter, text in zip(LETTERS, options.split(";"), strict=False))
    kind = "yes_no" if options == "Yes;No" else "multiple_choice"
    picture = "0" * 64
    return Item.model_validate({
        "item_id": digest([name])[:32], "task": "t", "kind": kind, "question": question, "choices": choices,
        "images": ({"image_id": picture, "role": "picture"},), "answer": key, "root_image_id": picture,
        "operation_id": "0" * 32, "made_from": picture, "group_keys": (),
    })  # fmt: skip


def counted_rules(name: str, rules: Sequence[FaultRule], kinds: set[str]) -> Counter[tuple[str, bool]]:
    """Return how many items of a table have a finding of some kinds, by label."""
    counts: Counter[tuple[str, bool]] = Counter()
    for number, (label, question, options, key) in enumerate(rows(name)):
        found = faults_of_item(ItemFacts(item_of(f"{name} {number}", question, options, key)), rules)
        counts[label, any(rule.kind in kinds for rule, _ in found)] += 1
    return counts


def counted_by(name: str, is_found: Callable[[Sequence[str]], bool]) -> Counter[tuple[str, bool]]:
    """Return how many lines of a table a function finds, by label."""
    return Counter((label, is_found(fields)) for label, *fields in rows(name))


def main() -> None:
    """Print recall and false alarms of each kind as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True, help="Folder of a WordNet.")
    parser.add_argument("--last", action="store_true", help="The tables that were written after the rules.")
    given = parser.parse_args()
    wordnet = WordNet(given.wordnet)
    last = "_last" if given.last else ""
    rules = [*ITEM_RULES, *meaning_rules(wordnet)]
    spelling = Spelling(wordnet.words)

    def is_asked_again(fields: Sequence[str]) -> bool:
        first, second = item_of("first", *fields[:3]), item_of("second", *fields[3:])
        return any(asked_again([first, second], wordnet=wordnet))

    counts = {
        "second right option": counted_rules(f"second_right{last}", rules, _OPTION_KINDS),
        "option of another kind": counted_rules(f"off_kind{last}", rules, {"option_of_another_kind"}),
        "question asked again": counted_by(f"asked_again{last}", is_asked_again),
    }
    if not last:
        counts["misspelling"] = counted_by("misspelled", lambda fields: bool(spelling.misspellings(fields[0])))
    for kind, of_kind in counts.items():
        for label in sorted({label for label, _ in of_kind}):
            found, missed = of_kind[label, True], of_kind[label, False]
            what = "accused" if label in CLEAN else "found"
            print(json.dumps({"kind": kind, "label": label, what: found, "of": found + missed}))
    if last:
        return
    told = Counter(language == language_of(question) for language, question in rows("languages"))
    print(json.dumps({"kind": "language", "label": "right", "found": told[True], "of": sum(told.values())}))


if __name__ == "__main__":
    main()
