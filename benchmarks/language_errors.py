"""Errors of language that the filter `language` finds: precision and recall by kind.

    .venv/bin/python benchmarks/language_errors.py

plants 200 errors of six kinds into our sentences, one each, adds 40 sentences whose words disagree, and lets the filter
read them and 200 clean sentences. A planted sentence is found if the filter names the planted kind. Any other finding
in it, and any finding in a clean sentence, counts against the precision of the kind it names. Every second sentence is
held back, and so are the 40.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from language_sentences import CLEAN, DISAGREEING, DISAGREEING_HELD_BACK
from measuring import show

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from worded_items import item

from benchwright.filters.language.step import Language

PLANTED = {"spelling": 60, "article": 30, "doubled_word": 30, "capital": 20, "end_mark": 20, "agreement": 40}
SEED = 20


class Sentence(NamedTuple):
    """A sentence as a question, with its kind of error; None without one."""

    text: str
    kind: str | None
    is_held_back: bool


def main() -> None:
    """Measure and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="list what is wrong on the sentences not held back")
    options = parser.parse_args()
    document: dict[str, Any] = {part: quality(part == "held_back") for part in ("tuned_on", "held_back")}
    if options.misses:
        document["wrong"] = list(wrong())
    show(document)


def sentences() -> Iterator[Sentence]:
    """Yield all sentences, the same ones every time."""
    rng = random.Random(SEED)
    for number, text in enumerate(CLEAN):
        yield Sentence(text, None, number % 2 == 1)
    for kind, most in PLANTED.items():
        pool = DISAGREEING if kind == "agreement" else rng.sample(CLEAN, len(CLEAN))
        spoils = pool if kind == "agreement" else (spoiled(clean, kind, rng) for clean in pool)
        planted = (text for text in spoils if text is not None)
        for number, text in enumerate(itertools.islice(planted, most)):
            yield Sentence(text, kind, number % 2 == 1)
    for text in DISAGREEING_HELD_BACK:
        yield Sentence(text, "agreement", True)


def spoiled(text: str, kind: str, rng: random.Random) -> str | None:
    """Return a sentence with one error of a kind; None if it has no place for one."""
    words = text.split()
    if kind == "capital":
        return text[0].lower() + text[1:]
    if kind == "end_mark":
        return text[:-1]
    if kind == "doubled_word":
        place = rng.randrange(1, len(words) - 1)
        return " ".join([*words[:place], words[place], *words[place:]])
    if kind == "article":
        match = re.search(r"\b(an?)\b", text)
        other = {"a": "an", "an": "a"}
        return None if match is None else text[: match.start()] + other[match[0]] + text[match.end() :]
    places = [place for place, word in enumerate(words) if re.fullmatch(r"[a-z]{5,}", word)]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = misspelled(words[place], rng)
    return " ".join(words)


def misspelled(word: str, rng: random.Random) -> str:
    """Return a word with a letter dropped, doubled, replaced, or two exchanged, never at its beginning."""
    while True:
        at = rng.randrange(1, len(word) - 1)
        edits = (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + rng.choice("aeiourstnl") + word[at + 1 :],
        )  # fmt: skip
        edit = rng.choice(edits)
        if edit != word:
            return edit


class Opened(NamedTuple):
    """The part of a context that `measure` needs."""

    opened: Any


def kinds_named(step: Language, context: Any, sentence: Sentence) -> list[str]:
    """Return the kinds of faults that the filter names in a sentence."""
    asked = item("x", sentence.text, ("the first of these", "the second of these"))
    return list(step.measure(asked, context).values["faults"])


def quality(is_held_back: bool) -> dict[str, Any]:
    """Return precision and recall of each kind, with their counts."""
    step = Language.model_validate({"language": "en"})
    context = Opened(step.open(None))  # type: ignore[arg-type]  # reads nothing of it
    right: Counter[str] = Counter()
    wrongly: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    clean = clean_named = 0
    for sentence in sentences():
        if sentence.is_held_back is is_held_back:
            named = kinds_named(step, context, sentence)
            clean += sentence.kind is None
            clean_named += sentence.kind is None and bool(named)
            planted.update([sentence.kind] if sentence.kind else [])
            for kind in named:
                (right if kind == sentence.kind else wrongly)[kind] += 1
    rows = {
        kind: {
            "planted": planted[kind], "found": right[kind], "recall": round(right[kind] / planted[kind], 3),
            "named_wrongly": wrongly[kind], "precision": round(right[kind] / max(1, right[kind] + wrongly[kind]), 3),
        }
        for kind in PLANTED
    }  # fmt: skip
    return {"kinds": rows, "clean": clean, "clean_with_a_fault": clean_named}


def wrong() -> Iterator[dict[str, Any]]:
    """Yield the sentences that are not held back and were read wrongly."""
    step = Language.model_validate({"language": "en"})
    context = Opened(step.open(None))  # type: ignore[arg-type]  # reads nothing of it
    for sentence in sentences():
        if not sentence.is_held_back:
            named = kinds_named(step, context, sentence)
            if named != ([sentence.kind] if sentence.kind else []):
                yield {"text": sentence.text, "planted": sentence.kind, "named": named}


if __name__ == "__main__":
    main()
