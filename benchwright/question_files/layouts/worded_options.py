"""Options within the text of a question: `(a) one (b) two`, lines `A. one`, or `Options: A: one; B: two`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright.records import LETTERS

from ..mapping.columns import FIELDS, option_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

_MARKS = (
    re.compile(r"(?<!\w)\(([A-Za-z])\)\s*"),
    re.compile(r"(?:^|(?<=[\s;,]))(?:[Oo]ption\s+)?([A-Z])[.):]\s*"),
    re.compile(r"(?:^|(?<=[\s;,:]))([A-Z])[.):]\s*"),
    re.compile(r"(?:^|(?<=[\s;,]))([a-z])[.)]\s+"),
)
"""A letter before an option, by kind of mark; the search handles each kind separately."""
_LEADING = re.compile(r"\s*(?:the\s+)?(?:options?|choices?|candidates?)(?:\s+are)?\s*[:：]?\s*$", re.I)
_CLOSING = re.compile(
    r"\s*(?:please\s+)?(?:directly\s+)?"
    r"(?:answer|select|choose|reply|respond|give|only|provide|output|in your response)\b.{0,300}",
    re.I | re.S,
)
_CLOSING_SENTENCE = re.compile(
    r"(?<=[\s.;?!])(?:please\s+\w|(?:answer|select|choose|reply|respond)\s+(?:with|the|by|directly|only|from|using)\b).*",
    re.I | re.S,
)
_CONNECTING = re.compile(r"[\s,;]*(?:and|or|and/or|vs\.?|versus|to|through|with|from|is|than)[\s,;]*", re.I)
"""Words between letters that a sentence mentions, which are not an option."""
_LETTER_KEY = re.compile(r"(?:the answer is\s+)?[(\[]?([A-Za-z])[)\].:]?(?:[\s.:)].*)?", re.I | re.S)
_PLAIN_LETTER = re.compile(r"[(\[]?([A-Za-z])[)\].:]?")


class _WordedOptions(NamedTuple):
    """A question without the options listed in its text, and these options."""

    question: str
    options: tuple[str, ...]


@lru_cache(maxsize=16)  # an entry is examined several times
def _options_in_words(words: str) -> _WordedOptions | None:
    """Return a question and the options listed in its text, in the order of their letters; None if there are none."""
    for mark in _MARKS:
        found = list(mark.finditer(words))
        starts = [number for number, match in enumerate(found) if match[1] in "Aa"]
        for start in reversed(starts):
            run = [found[start]]
            for letter, match in zip(LETTERS[1:], found[start + 1 :], strict=False):
                if match[1].upper() != letter:
                    break
                run.append(match)
            if len(run) >= 2 and (read := _between(words, run)) is not None:
                return read
    return None


def _between(words: str, run: list[re.Match[str]]) -> _WordedOptions | None:
    """Return the text before, between and after the marks; None if no words follow one of the marks."""
    ends = [*(match.start() for match in run[1:]), len(words)]
    options = [words[match.end() : end] for match, end in zip(run, ends, strict=True)]
    # The last option ends with its line, or where the words start to explain how to answer.
    last, newline, after = options[-1].lstrip().partition("\n")
    if (closing := _CLOSING_SENTENCE.search(last)) is not None:
        last, after = last[: closing.start()], f"{closing[0]}{newline}{after}"
    options[-1] = last
    stripped = tuple(option.strip().rstrip(";,").strip() for option in options)
    if not all(re.search(r"\w|<", option) or option.strip(" .,;") for option in stripped):
        return None
    if any(_CONNECTING.fullmatch(option) for option in stripped):  # "which plot, (a) or (b), shows …" lists no options
        return None
    before = _LEADING.sub("", words[: run[0].start()]).strip()
    rest = [line for line in after.splitlines() if line.strip() and not _CLOSING.fullmatch(line)]
    question = "\n".join([before, *(line.strip() for line in rest)]).strip()
    return _WordedOptions(question, stripped) if before else None


def _columns(entry: Entry) -> tuple[str | None, str | None]:
    """Return the columns of the question and of the key, if the entry has no separate options."""
    columns = named(entry)
    if any(entry[columns[name]] for name in FIELDS["options"] if name in columns) or option_columns(list(entry)):
        return None, None
    question, answer = (
        next((columns[name] for name in FIELDS[field] if name in columns), None) for field in ("question", "answer")
    )
    return question, answer


def _read(entry: Entry) -> _WordedOptions | None:
    """Return the question and options of an entry whose key is one of these, by letter or text."""
    question, answer = _columns(entry)
    if question is None or answer is None or not isinstance(entry[question], str):
        return None
    key = _key(entry[answer])
    if key is None or (read := _options_in_words(entry[question])) is None:
        return None
    letter = _PLAIN_LETTER.fullmatch(key)
    is_letter = letter is not None and LETTERS.index(letter[1].upper()) < len(read.options)
    folded = [option.casefold().rstrip(".") for option in read.options]
    lettered = _LETTER_KEY.fullmatch(key)
    is_option = key.casefold().rstrip(".") in folded or (
        lettered is not None
        and LETTERS.index(lettered[1].upper()) < len(read.options)
        and key.casefold().rstrip(".").endswith(folded[LETTERS.index(lettered[1].upper())])
    )
    return read if is_letter or is_option else None


def _key(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value.strip() if isinstance(value, str) and value.strip() else None


def _taken(entry: Entry) -> frozenset[str]:
    question, _ = _columns(entry)
    return NOTHING if question is None or _read(entry) is None else frozenset({question})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    question, _ = _columns(entry)
    read = _read(entry)
    assert question is not None
    assert read is not None
    # At the place of the column, so that it is still guessed as the question.
    row = {name: read.question if name == question else value for name, value in entry.items()}
    row = without(row, frozenset(name for name in row if str(name).lower() in FIELDS["options"]))
    yield PlainRow("", {**row, "options": list(read.options)})


WORDED_OPTIONS = Layout(
    "options within the question",
    "`(a) one (b) two`, lines `A. one`, or `Options: A: one; B: two` in the words of the question, and a key that is "
    "one of them",
    "the words without the options and without lines that only explain how to answer",
    ("VisOnlyQA", "NaturalBench", "BLINK (prompts)", "MMVP"),
    _taken,
    _rows,
)
