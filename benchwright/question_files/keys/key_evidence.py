"""Choice of the reading that fits a source's keys, based on all rows of all files with the same columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from benchwright.errors import DataError
from benchwright.records import LETTERS
from benchwright.source_files.rows import BadRow
from benchwright.texts.normalization import counted

from ..mapping.readings import READINGS, KnownKey, Reading
from .key_reading import READING_WORDS, SEALED, KeyCell, Places, all_places, is_in_words, key_text, stated_keys
from .option_cells import own_marks

_NEARLY_ALL = 0.98
"""Smallest proportion of rows that a reading must fit to count as fitting nearly all of them."""
_TIMES_WORSE = 2
"""Largest ratio of a reading's failed rows to those of the best reading; readings with a higher ratio are discarded."""
_EXAMPLES, _MOST_NAMED = 50, 200
"""Largest numbers of example rows, for each way in which readings differ and in total."""
_TEXT = READINGS.index("text")


class _Pattern(NamedTuple):
    """The options that the readings yield for a key; equal numbers denote equal options."""

    in_words: bool
    options: tuple[int | None, ...]


class KeyExample(NamedTuple):
    """A key for which readings differ.

    Args:
        file: Path of the file.
        entry: Row of the file.
        source_id: Id of the row's question.
        key: The key.
        options: Letter of the option that each reading yields, by reading; readings that yield none are omitted.
    """

    file: str
    entry: str
    source_id: str
    key: str
    options: dict[Reading, str]

    def __str__(self) -> str:
        which = " or ".join(f"{option} ({READING_WORDS[r]})" for r, option in self.options.items())
        named = f" ({self.source_id})" if self.source_id != self.entry else ""
        return f"{self.file}, {self.entry}{named}: the key {self.key!r} is option {which}"


class ReadingFit(NamedTuple):
    """How well a reading fits.

    Args:
        reading: The reading.
        valid: Number of keys that name an option under the reading.
        differing: Number of these keys for which the chosen reading yields another option.
        spread: Number of keys by letter of the option, under the reading.
    """

    reading: Reading
    valid: int
    differing: int
    spread: dict[str, int]


@dataclass(frozen=True)
class KeyTable:
    """The reading of keys in files with the same columns, with its evidence.

    Attributes:
        files: Paths of the files.
        column: Column of the keys.
        reading: The reading; None if no key names an option.
        is_stated: Whether the reading was stated by a curator.
        keys: Number of rows with options and a key.
        in_words: Number of keys that can only be the text of an option, next to keys of another kind.
        unread: Number of keys that name an option only under another reading; their rows are omitted.
        fits: Fit of each reading that yields an option for any key.
        differing: Rows for which another reading gives another option, the first of each kind. For number keys, rows
            that differ only in the base are omitted, because nearly all rows do.
        origin: Origin of the column, as text: the file's column, or the columns from which a layout made it.
    """

    files: tuple[str, ...]
    column: str
    reading: Reading | None
    is_stated: bool
    keys: int
    in_words: int
    unread: int
    fits: tuple[ReadingFit, ...]
    differing: tuple[KeyExample, ...]
    origin: str = ""

    def document(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {
            "files": list(self.files),
            "column": self.column,
            "origin": self.origin or f"column {self.column}",
            "reading": self.reading,
            "is_stated": self.is_stated,
            "keys": self.keys,
            "in_words": self.in_words,
            "other_reading": self.unread,
            "readings": [fit._asdict() for fit in self.fits],
            "differing": [example._asdict() for example in self.differing],
        }


@dataclass
class KeyEvidence:
    """Evidence for the reading of keys in files with the same columns; memory use does not grow with the rows.

    Attributes:
        column: Column of the keys.
        bare: Number of keys of rows without options, by value: `0`, `1`, or `other`.
    """

    column: str
    bare: Counter[str] = field(default_factory=Counter)
    _files: dict[str, Counter[_Pattern]] = field(default_factory=dict)
    _spread: Counter[tuple[int, int]] = field(default_factory=Counter)
    _examples: dict[_Pattern, list[KeyExample]] = field(default_factory=dict)
    _own_bases: set[Reading] = field(default_factory=set)
    """Readings by the number of the first option, which may differ from the number of the first key."""

    @property
    def is_binary(self) -> bool:
        """Return whether all keys are 1 or 0 (true or false), both values occur, and no row has options."""
        return set(self.bare) == {"0", "1"} and not any(self._files.values())

    def add(self, file: str, entry: str, source_id: str | None, key: KeyCell) -> None:
        """Count a key with its options; a row without a key provides no evidence."""
        patterns = self._files.setdefault(file, Counter())
        if isinstance(key.value, KnownKey):
            return
        try:
            values = stated_keys(key)
        except BadRow:
            return
        text = ", ".join(map(key_text, values))
        if not values or (len(values) == 1 and text.casefold() in SEALED and text not in key.texts):
            return
        if not key.texts:
            kind = {"0": "0", "0.0": "0", "false": "0", "1": "1", "1.0": "1", "true": "1"}.get(text.casefold(), "other")
            self.bare[kind] += 1
            return
        if len(key.texts) < 2:
            return
        if key.names and key.names[0].isdecimal() and own_marks(key.texts) == key.names:
            self._own_bases.add("from_0" if "0" in key.names else "from_1")
        places = all_places(key)
        if key.texts.count(text) > 1:  # two options have these words, so the key fits as words and names neither
            places[_TEXT] = tuple(place for place, words in enumerate(key.texts) if words == text)
        pattern = _Pattern(all(map(is_in_words, values)), _classes(places))
        patterns[pattern] += 1
        for number, place in enumerate(places):
            if isinstance(place, int):
                self._spread[number, place] += 1
        if len({place for place in places if place is not None}) > 1:
            examples = self._examples.setdefault(pattern, [])
            if len(examples) < _EXAMPLES:
                examples.append(_example(file, entry, source_id, text, places))

    def table(self, *, stated: Reading | None = None, first: int | None = None) -> KeyTable:
        """Return the reading that fits best, with the fit of each reading.

        Args:
            stated: The reading that a curator states; None to determine it.
            first: Number of the first option for number keys, as a curator states it.

        Raises:
            DataError: Two readings fit and give different options, or a single file fits another reading than all files
                together.
        """
        excluded = {0: {"from_1"}, 1: {"from_0"}, None: set[str]()}[first]
        candidates = [number for number, reading in enumerate(READINGS) if reading not in excluded]
        every: Counter[_Pattern] = sum(self._files.values(), Counter())
        chosen = self._chosen(every, candidates) if stated is None else READINGS.index(stated)
        if stated is None and chosen is not None:
            self._check_each_file(chosen, candidates)
        return self._table(every, chosen, is_stated=stated is not None)

    def _chosen(self, every: Counter[_Pattern], candidates: Sequence[int]) -> int | None:
        read = Counter({p: n for p, n in every.items() if any(p.options[c] is not None for c in candidates)})
        if not read:
            return None
        if _valid(read, _TEXT) < _NEARLY_ALL * read.total():
            # Keys in words do not indicate the reading of others, unless nearly all keys are texts.
            read = Counter({p: n for p, n in read.items() if not p.in_words}) or read
        best = max(candidates, key=lambda c: (_valid(read, c), -c))
        rivals = [c for c in candidates if _fits_as_well(read, c, best) and not self._is_named(read, best, c)]
        if rivals:
            self._refuse(every, [best, *rivals])
        return best

    def _check_each_file(self, chosen: int, candidates: Sequence[int]) -> None:
        """Reject a file if all its keys fit a reading with different options, but some do not fit the chosen one."""
        for file, patterns in self._files.items():
            keys = Counter({p: n for p, n in patterns.items() if not p.in_words})
            read = Counter({p: n for p, n in keys.items() if any(p.options[c] is not None for c in candidates)})
            for rival in candidates:
                if (
                    read.total() == _valid(read, rival) > _valid(read, chosen)
                    and _differing(read, rival, chosen)
                    and not self._is_named(read, chosen, rival)
                ):
                    own, common = READINGS[rival], READINGS[chosen]
                    raise DataError(
                        f"{file}: its keys (column {self.column!r}) fit as {_words(rival)} ({_share(read, rival)}) "
                        f"better than as {_words(chosen)} ({_share(read, chosen)}), which fits the files with the same "
                        f"columns together; state `keys: {own}` or `keys: {common}` for this file in a file of columns "
                        f"(--columns), or for all files with --column keys={common}"
                    )

    def _is_named(self, patterns: Counter[_Pattern], best: int, rival: int) -> bool:
        """Return whether all keys are exact names of options, which takes precedence over numbers of options."""
        bases = ("from_0", "from_1") if not self._own_bases else self._own_bases if len(self._own_bases) == 1 else ()
        counting = ("letters", *bases)
        by_name = READINGS[best] == "labels" and _valid(patterns, best) == patterns.total()
        return by_name and READINGS[rival] in counting

    def _refuse(self, every: Counter[_Pattern], readings: Sequence[int]) -> NoReturn:
        """Reject keys that have several possible readings, naming an example key."""
        best, *rivals = readings
        pattern = max(self._examples, key=lambda p: sum(_options_differ(p, best, rival) for rival in rivals))
        example = self._examples[pattern][0]
        shown = example._replace(options={r: o for r, o in example.options.items() if READINGS.index(r) in readings})
        files = ", ".join(list(self._files)[:3]) + (f" and {len(self._files) - 3} more" if len(self._files) > 3 else "")
        ways = ", or ".join(f"as {_words(reading)} (fits {_share(every, reading)})" for reading in readings)
        settings = " or ".join(f"--column keys={READINGS[reading]}" for reading in readings)
        raise DataError(
            f"{files}: the keys (column {self.column!r}) can be read in {len(readings)} ways, which differ: {ways}; "
            f"{shown}; choose one with {settings} (in a recipe's mapping or a file of columns `keys: {READINGS[best]}`)"
        )

    @staticmethod
    def _telling(chosen: int) -> list[int]:
        """Return the readings by which to choose example rows: those from 0 and from 1 differ in nearly all rows."""
        numbers = {READINGS.index("from_0"), READINGS.index("from_1")}
        return [n for n in range(len(READINGS)) if not {n, chosen} <= numbers]

    def _table(self, every: Counter[_Pattern], chosen: int | None, *, is_stated: bool) -> KeyTable:
        fits = []
        for number, reading in enumerate(READINGS):
            if valid := _valid(every, number):
                other = 0 if chosen is None else _differing(every, number, chosen)
                spread = {LETTERS[p]: n for (r, p), n in sorted(self._spread.items()) if r == number}
                fits.append(ReadingFit(reading, valid, other, spread))
        others = Counter({p: n for p, n in every.items() if chosen is None or p.options[chosen] is None})
        in_words = sum(n for p, n in others.items() if p.in_words and p.options[_TEXT] is not None)
        unread = sum(n for p, n in others.items() if not p.in_words and any(o is not None for o in p.options))
        differing = [
            example
            for pattern, found in self._examples.items()
            if chosen is not None and any(_options_differ(pattern, chosen, n) for n in self._telling(chosen))
            for example in found
        ]
        named = None if chosen is None else READINGS[chosen]
        return KeyTable(
            tuple(self._files), self.column, named, is_stated, every.total(), in_words, unread, tuple(fits),
            tuple(differing[:_MOST_NAMED]),
        )  # fmt: skip


def _classes(places: Sequence[Places]) -> tuple[int | None, ...]:
    """Return a number for each index: equal numbers for equal indices, different numbers for different indices."""
    numbers: dict[Places, int] = {}
    return tuple(None if place is None else numbers.setdefault(place, len(numbers)) for place in places)


def _example(file: str, entry: str, source_id: str | None, key: str, places: Sequence[Places]) -> KeyExample:
    options = {
        reading: "+".join(LETTERS[p] for p in (place if isinstance(place, tuple) else (place,)))
        for reading, place in zip(READINGS, places, strict=True)
        if place is not None
    }
    return KeyExample(file, entry, source_id or entry, key[:80], options)


def _valid(patterns: Counter[_Pattern], reading: int) -> int:
    return sum(n for p, n in patterns.items() if p.options[reading] is not None)


def _options_differ(pattern: _Pattern, one: int, other: int) -> bool:
    options = pattern.options[one], pattern.options[other]
    return None not in options and options[0] != options[1]


def _differing(patterns: Counter[_Pattern], one: int, other: int) -> int:
    return sum(n for p, n in patterns.items() if _options_differ(p, one, other))


def _fits_as_well(patterns: Counter[_Pattern], rival: int, best: int) -> bool:
    """Return whether a reading that yields other options fails on hardly more keys than the best reading."""
    if not _differing(patterns, rival, best):
        return False
    failing, best_failing = (patterns.total() - _valid(patterns, reading) for reading in (rival, best))
    return failing <= max((1 - _NEARLY_ALL) * patterns.total(), _TIMES_WORSE * best_failing)


def _words(reading: int) -> str:
    return READING_WORDS[READINGS[reading]]


def _share(patterns: Counter[_Pattern], reading: int) -> str:
    return f"{_valid(patterns, reading):,} of {counted(patterns.total(), 'key')}"
