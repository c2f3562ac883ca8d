"""A WordNet in Princeton's files (WNDB): words, their senses, and more general senses.

Princeton's WordNet (under its own permissive license) and the Open English WordNet (CC BY 4.0) are distributed in this
form; the Debian package `wordnet-base` installs it in `/usr/share/wordnet`. The manual page `wndb(5WN)` describes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from benchwright.canonical import digest
from benchwright.errors import DataError, PrerequisiteError
from benchwright.machine.storage_faults import naming

PartOfSpeech = Literal["noun", "verb", "adj", "adv"]
PARTS: tuple[PartOfSpeech, ...] = get_args(PartOfSpeech)
_PART_OF: Mapping[str, PartOfSpeech] = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_MORE_GENERAL = {"noun": ("@", "@i"), "verb": ("@",), "adj": ("&",), "adv": ()}
"""Pointers to more general senses; for an adjective in another adjective's cluster, the pointer to that adjective."""
_MOST_BYTES = 1 << 28
_MOST_STEPS = 20
"""Number of upward steps after which a file is considered circular."""
_ENDINGS: Mapping[PartOfSpeech, tuple[tuple[str, str], ...]] = {
    "noun": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
             ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""Endings of inflected words and their replacements (the rules of `morphy(7WN)`)."""
_DOUBLED = re.compile(r"(.*([bdgklmnprt]))\2(?:ed|ing|er|est)")
_MARKER = re.compile(r"\((?:a|p|ip)\)$")


class Synset(NamedTuple):
    """A sense: its words, and its position in the hierarchy.

    Args:
        part: Part of speech.
        is_satellite: Whether it is an adjective in another adjective's cluster, such as `furious` in that of `angry`.
        offset: Offset in the file of its part of speech, which is its id.
        field: Number of its field, 0-44: among nouns 5 animals, 6 artifacts, 18 people.
        words: Words with this sense, in lowercase, with spaces.
        pointers: Symbol, part of speech and offset of each sense to which it points.
    """

    part: PartOfSpeech
    is_satellite: bool
    offset: int
    field: int
    words: tuple[str, ...]
    pointers: tuple[tuple[str, PartOfSpeech, int], ...]


class WordNet:
    """Senses of English words.

    Args:
        folder: Folder with `index.noun`, `data.noun` and the files of verbs, adjectives and adverbs.

    Raises:
        PrerequisiteError: A file is missing.
        DataError: A file is too large.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        needed = [f"{kind}.{part}" for kind in ("index", "data") for part in PARTS]
        if missing := [name for name in needed if not (folder / name).is_file()]:
            raise PrerequisiteError(
                f"{folder} contains no WordNet: {missing[0]} is missing; give the folder with Princeton's files "
                "(`index.noun`, `data.noun`, ...), from the Debian package wordnet-base, or a download of "
                "WordNet or the Open English WordNet"
            )
        with naming(folder):
            self._data = {part: self._read(f"data.{part}") for part in PARTS}
            self._offsets = {part: self._index(part) for part in PARTS}
            self._irregular = {part: self._exceptions(part) for part in PARTS}
        self.synset = lru_cache(maxsize=1 << 15)(self._synset)
        self.senses = lru_cache(maxsize=1 << 14)(self._senses)
        self.gloss = lru_cache(maxsize=1 << 13)(self._gloss)

    @cached_property
    def version(self) -> str:
        """Return a digest of the files, so that results from another WordNet are computed again."""
        return digest([[part, len(self._data[part]), len(self._offsets[part])] for part in PARTS])[:16]

    @property
    def words(self) -> frozenset[str]:
        """Return all single words."""
        return frozenset(
            word.decode("utf-8", "replace")
            for offsets in self._offsets.values()
            for word in offsets
            if b"_" not in word
        )

    def _read(self, name: str) -> bytes:
        path = self.folder / name
        if path.stat().st_size > _MOST_BYTES:
            raise DataError(f"{path} is larger than {_MOST_BYTES:,} bytes, too large for a WordNet file")
        return path.read_bytes()

    def _index(self, part: PartOfSpeech) -> dict[bytes, bytes]:
        """Return the rest of each word's line; a line is parsed only when its word is looked up."""
        lines = (line.partition(b" ") for line in self._read(f"index.{part}").splitlines() if line[:1] != b" ")
        return {word: rest for word, _, rest in lines}

    def _exceptions(self, part: PartOfSpeech) -> dict[str, str]:
        if not (self.folder / f"{part}.exc").is_file():
            return {}
        lines = (line.decode("utf-8", "replace").split() for line in self._read(f"{part}.exc").splitlines())
        return {words[0]: words[1] for words in lines if len(words) > 1}

    def _synset(self, part: PartOfSpeech, offset: int) -> Synset:
        data = self._data[part]
        line = data[offset : data.find(b"\n", offset)].partition(b" |")[0].decode("utf-8", "replace").split()
        try:
            if int(line[0]) != offset:
                raise ValueError
            count = int(line[3], 16)
            words = tuple(_MARKER.sub("", word).replace("_", " ").casefold() for word in line[4 : 4 + 2 * count : 2])
            first = 4 + 2 * count
            pointers = [line[first + 1 + 4 * at : first + 5 + 4 * at] for at in range(int(line[first]))]
            pointing = tuple((symbol, _PART_OF[of], int(place)) for symbol, place, of, _ in pointers)
            return Synset(part, line[2] == "s", offset, int(line[1]), words, pointing)
        except (ValueError, IndexError, KeyError):
            raise DataError(
                f"{self.folder / f'data.{part}'} is damaged: another line points to a sense at byte {offset:,}, "
                "where none begins; get the files again, without changing their line endings"
            ) from None

    def _gloss(self, sense: Synset) -> str:
        """Return the definition of a sense in lowercase, without its examples."""
        data = self._data[sense.part]
        line = data[sense.offset : data.find(b"\n", sense.offset)].partition(b"| ")[2].decode("utf-8", "replace")
        return line.partition('"')[0].strip(" ;").casefold()

    def _senses(self, word: str, part: PartOfSpeech) -> tuple[Synset, ...]:
        """Return the senses of a word or of its base form, most frequent first; empty if none is known."""
        found: tuple[Synset, ...] = ()
        for lemma in self._lemmas(word, part):
            rest = self._offsets[part].get(lemma.replace(" ", "_").encode())
            if rest is None:
                continue
            fields = rest.split()
            try:
                count = int(fields[1])
                found += tuple(self.synset(part, int(offset)) for offset in fields[len(fields) - count :])
            except (ValueError, IndexError):
                raise DataError(f"{self.folder / f'index.{part}'} is damaged at the word {lemma!r}") from None
            if part != "noun" or lemma != word.casefold() or not lemma.endswith("s"):
                break  # `shoes` has its own entry, but is also the plural of `shoe`
        return found

    def _lemmas(self, word: str, part: PartOfSpeech) -> Iterator[str]:
        word = word.casefold()
        if (regular := self._irregular[part].get(word)) is not None:
            yield regular.replace("_", " ")
        yield word
        if part == "noun" and " " in word:  # of a compound the last word has the ending
            first, _, last = word.rpartition(" ")
            yield from (f"{first} {lemma}" for lemma in self._lemmas(last, part) if lemma != last)
            return
        for ending, instead in _ENDINGS[part]:
            if word.endswith(ending) and len(word) > len(ending) + 1:
                yield word[: len(word) - len(ending)] + instead
        if part in ("verb", "adj") and (doubled := _DOUBLED.fullmatch(word)):
            yield doubled[1]

    def has(self, word: str) -> bool:
        """Return whether a word, or its base form, has a sense."""
        return any(self.senses(word, part) for part in PARTS)

    def more_general(self, sense: Synset, *, steps: int = _MOST_STEPS) -> dict[Synset, int]:
        """Return the more general senses, each with its distance in upward steps, up to `steps` steps away."""
        found: dict[Synset, int] = {}
        now = [sense]
        for step in range(1, min(steps, _MOST_STEPS) + 1):
            now = [
                above
                for below in now
                if below.part != "adj" or below.is_satellite
                for symbol, part, offset in below.pointers
                if symbol in _MORE_GENERAL[sense.part] and (above := self.synset(part, offset)) not in found
            ]
            if not now:
                break
            found |= {above: step for above in now if above not in found}
        return found
