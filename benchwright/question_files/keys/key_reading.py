"""How keys name options: the possible readings, and the one that fits all keys of a source.

| reading   | a key is                                                                                        |
|-----------|-------------------------------------------------------------------------------------------------|
| `letters` | a letter (`B`, `(b)`, `B.`, `Option B`): the option with that name, or else at that position       |
| `labels`  | the name that the source gives the option: its column, its key in a mapping, its label          |
| `from_0`  | the option's number, the first being 0                                                          |
| `from_1`  | the option's number, the first being 1                                                          |
| `text`    | the option's words                                                                              |
| `yes_no`  | 1 or true for yes, 0 or false for no                                                            |

A single key rarely determines the reading: `2` may be the third option, the second, or the one with the text "2". The
reader therefore first counts the evidence of all rows (`KeyEvidence`) and chooses one reading for all
(`chosen_reading`). A key in words can only be the text of an option, and is read as such whatever the other keys are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright.records import LETTERS
from benchwright.source_files.rows import BadRow
from benchwright.texts.normalization import counted

from ..mapping.header_words import other_letter
from ..mapping.readings import READINGS, KnownKey, Reading
from .option_cells import is_absent, own_marks, parsed_cell, without_mark

READING_WORDS: Mapping[Reading, str] = {
    "letters": "letters", "labels": "names of options", "from_0": "numbers from 0", "from_1": "numbers from 1",
    "text": "texts of options", "yes_no": "1 for yes, 0 for no",
}  # fmt: skip
SEALED = frozenset({"", "hidden", "none", "nan", "null", "-1", "?"})
"""Marks of an unpublished key, in lower case (from BLINK, MMMU and pandas tables)."""
WORDS_OF_ANSWERS = frozenset({"none", "-1"})
"""Marks that may also answer an open question if other rows of their split have other keys."""

_NAMED = r"(?:(?:option|choice|answer|opt)[\s_:#-]*)?[(\[]?"
_LETTER = re.compile(_NAMED + r"([A-Za-z])[)\]]?[.:)]?", re.I)
_NUMBER = re.compile(_NAMED + r"(\d{1,3})(?:\.0+)?[)\]]?[.:)]?", re.I)
_WHOLE = re.compile(r"(-?\d+)\.0+")
_LETTERED = re.compile(r"[(\[]?([A-Za-z])[.):\]]+\s+(.+)", re.S)
_LETTERS = re.compile(r"[A-Z](?:\s*(?:[,;/&+|]|\band\b)\s*[A-Z]| +[A-Z](?![A-Z]))+", re.I)
_CAPITALS = re.compile(r"[A-Z]{2,}")
_NUMBERS = re.compile(r"\d{1,2}(?:\s*[,;/&+|]\s*\d{1,2})+")
_TRUTH = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
_SAYS = ({"no": False, "yes": True}, {"false": False, "true": True})
_SHORT, _LONGEST_LIST = 24, 100
"""Largest length, in characters, of a key whose form is cached, and of a key that may list several options."""
Places = int | tuple[int, ...] | None
"""Index of the option that a key names; several indices if it names several options; None if it names none."""


class KeyCell(NamedTuple):
    """A key as stated in its row, with the options.

    Args:
        value: The key, or a list of keys.
        texts: Words of each option; None for a picture.
        names: The source's name for each option; empty if it has none.
    """

    value: Any
    texts: tuple[str | None, ...]
    names: tuple[str, ...] = ()


def key_values(value: Any) -> list[Any]:
    """Return the keys in a cell: several if the cell lists several, and none if the cell is empty.

    Raises:
        BadRow: The cell contains an object.
    """
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return [value] if value else []
        value = parsed_cell(value) if value.rstrip().endswith("]") else value
    values = list(value) if isinstance(value, list | tuple) else [value]
    for entry in values:
        if isinstance(entry, Mapping | list | bytes):
            raise BadRow(
                f"the answer is a {type(entry).__name__} within a cell, not a letter, number or text", "bad_row"
            )
    return [entry for entry in values if not is_absent(entry)]


def stated_keys(key: KeyCell) -> list[Any]:
    """Return the keys in a cell; the text of an option, such as the interval `[0, 2]`, is not treated as a list.

    Raises:
        BadRow: The cell contains an object.
    """
    is_option = isinstance(key.value, str) and key.value.strip() in {text.strip() for text in key.texts if text}
    return [key.value] if is_option else key_values(key.value)


def key_text(value: Any) -> str:
    """Return a key as text, without surrounding spaces and with letters and digits in their usual form."""
    text = str(value).strip()
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


class _Form(NamedTuple):
    """The possible meanings of a key by its form: a letter from A on, or a number; neither if it can only be words."""

    letters: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    words: str = ""
    """Words that follow a letter, as in `A. cat`."""


def _form(text: str) -> _Form:
    return _short_form(text) if len(text) <= _SHORT else _form_of(text)


def _form_of(text: str) -> _Form:
    if (match := _LETTER.fullmatch(text)) is not None:
        return _Form(letters=(match[1].upper(),))
    if (match := _NUMBER.fullmatch(text)) is not None:
        return _Form(numbers=(int(match[1]),))
    if (match := _LETTERED.fullmatch(text)) is not None:
        return _Form(letters=(match[1].upper(),), words=match[2].strip())
    if len(text) <= _LONGEST_LIST and (_LETTERS.fullmatch(text) or _CAPITALS.fullmatch(text)):
        letters = re.sub(r"\band\b|[^A-Za-z]", "", text, flags=re.I).upper()
        return _Form(letters=tuple(letters) if len({*letters}) == len(letters) else ())
    if len(text) <= _LONGEST_LIST and _NUMBERS.fullmatch(text):
        return _Form(numbers=tuple(map(int, re.findall(r"\d+", text))))
    return _Form()


_short_form = lru_cache(maxsize=4096)(_form_of)


def _places_of(key: KeyCell, reading: Reading) -> Places:
    """Return the index of the option that a key names under a reading."""
    return all_places(key, (reading,))[0]


def all_places(key: KeyCell, readings: Sequence[Reading] = READINGS) -> list[Places]:
    """Return the index of the option that a key names under each reading."""
    values = [(value, key_text(value)) for value in stated_keys(key)]
    if len(values) == 1:
        [(value, text)] = values
        return [_place(value, text, key, reading) for reading in readings]
    return [_joined([_place(value, text, key, reading) for value, text in values]) for reading in readings]


def _joined(found: Sequence[Places]) -> Places:
    """Return the options that several keys name; None if any of the keys names no option."""
    flat = dict.fromkeys(p for place in found for p in (place if isinstance(place, tuple) else (place,)))
    places = tuple(place for place in flat if place is not None)
    if not places or None in flat:
        return None
    return places[0] if len(places) == 1 else places


def _place(value: Any, text: str, key: KeyCell, reading: Reading) -> Places:
    match reading:
        case "letters":
            return _of_letters(_form(text), key)
        case "labels":
            return _at_name(text, key.names)
        case "from_0" | "from_1":
            return None if isinstance(value, bool) else _of_numbers(_form(text), len(key.texts), int(reading[-1]))
        case "text":
            return _of_text(text, key)
        case "yes_no":
            return _of_truth(text, key.texts) if len(key.texts) == 2 else None


def _at_name(text: str, names: Sequence[str]) -> int | None:
    """Return the option with this name, or the option whose column is named by this letter of another script."""
    if names.count(text) == 1:
        return names.index(text)
    letter = other_letter(text)
    places = [place for place, name in enumerate(names) if letter is not None and other_letter(name) == letter]
    return places[0] if len(places) == 1 else None


def _of_letters(form: _Form, key: KeyCell) -> Places:
    if not form.letters:
        return None
    places = _joined([_at_letter(letter, key) for letter in form.letters])
    return places if not form.words or places == _with_text(form.words, key.texts) else None


def _at_letter(letter: str, key: KeyCell) -> int | None:
    if key.names and (letters := _letters_of(key.names)):
        return letters.index(letter) if letters.count(letter) == 1 else None
    if any(other_letter(name) for name in key.names):
        return None  # Cyrillic В looks like B but is the third letter
    place = LETTERS.index(letter)
    return place if place < len(key.texts) else None


@lru_cache(maxsize=64)
def _letters_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the letters that name the options; empty if any option has a name of another kind."""
    found = [_LETTER.fullmatch(name) for name in names]
    return tuple(match[1].upper() for match in found if match is not None) if all(found) else ()


def _of_numbers(form: _Form, options: int, first: int) -> Places:
    return _joined([n - first if 0 <= n - first < options else None for n in form.numbers]) if form.numbers else None


def _of_text(text: str, key: KeyCell) -> int | None:
    place = _with_text(text, key.texts)
    if place is None and (form := _form(text)).words:
        place = _with_text(form.words, key.texts)
        return place if place == _at_letter(form.letters[0], key) else None
    return place


def _with_text(text: str, texts: Sequence[str | None]) -> int | None:
    """Return the only option with this text: exactly, or ignoring case, a final period and a leading mark."""
    if known := texts.count(text):
        return texts.index(text) if known == 1 else None
    wanted = _folded(text)
    if own_marks(texts):
        texts = [None if t is None else without_mark(t) for t in texts]
    # Most options differ in the first character; folding each would be most of the work.
    first = wanted[:1]
    folded = [None if t is None or (t[:1].casefold()[:1] != first and t.isascii()) else _folded(t) for t in texts]
    return folded.index(wanted) if folded.count(wanted) == 1 else None


def _folded(text: str) -> str:
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole is not None else key_text(text).casefold().rstrip(".")


def _of_truth(text: str, texts: Sequence[str | None]) -> int | None:
    said = _TRUTH.get(text.casefold())
    if said is None or None in texts:
        return None
    folded = [_folded(words or "") for words in texts]
    for words in _SAYS:
        if sorted(folded) == sorted(words):
            return next(place for place, word in enumerate(folded) if words[word] == said)
    return None


_NO_FORM = _Form()


def is_letter(value: Any) -> bool:
    """Return whether a key consists of one letter."""
    if isinstance(value, KnownKey):
        value = value.value
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    return isinstance(value, str) and len(value) <= _SHORT and _LETTER.fullmatch(key_text(value)) is not None


def is_in_words(value: Any) -> bool:
    """Return whether a key can only be words, that is, not a letter, a number, true or false."""
    text = key_text(value)
    is_other = isinstance(value, bool) or _form(text) != _NO_FORM or text.casefold() in _TRUTH
    return not (is_other or _WHOLE.fullmatch(text))


def option_named(key: KeyCell, reading: Reading | None) -> int | None:
    """Return the index of the option that a key names; None if the row states no key, or an unpublished one.

    Args:
        key: The key.
        reading: The reading of the source; None if no key is readable, so that none was chosen.

    Raises:
        BadRow: The key names no option, several options, or an option only under another reading.
    """
    if isinstance(key.value, KnownKey):
        key, reading = key._replace(value=key.value.value), key.value.reading
    values = [] if key.value is None else stated_keys(key)
    if not values:
        return None
    shown = ", ".join(key_text(value) for value in values)[:80]
    if len(values) == 1 and shown.casefold() in SEALED and not (reading == "text" and shown in key.texts):
        return None
    places = None if reading is None else _places_of(key, reading)
    if places is None and all(is_in_words(value) for value in values):
        places = _places_of(key, "text")
    if isinstance(places, int):
        return places
    if places is not None:
        raise BadRow(f"{len(places)} answers are right ({shown}); an item has exactly one", "several_keys")
    if sum(text == shown for text in key.texts) > 1:
        raise BadRow(f"the answer {shown!r} is the text of several options", "ambiguous_key")
    others = dict(zip(READINGS, all_places(key), strict=True))
    ways = [(other, place) for other, place in others.items() if isinstance(place, int)]
    if reading is not None and ways:
        told = ", ".join(f"{LETTERS[place]} as one of {READING_WORDS[other]}" for other, place in ways)
        settings = " or ".join(f"--column keys={other}" for other, _ in ways)
        raise BadRow(
            f"the answer {shown!r} is none of the {counted(len(key.texts), 'option')} as the keys of this source are "
            f"read ({READING_WORDS[reading]}); it is {told}; {settings} reads all keys so (in a recipe's mapping "
            f"`keys: {ways[0][0]}`)",
            "other_reading",
        )
    raise BadRow(f"the answer {shown!r} is none of the {counted(len(key.texts), 'option')}", "key_not_an_option")
