"""Words that texts share with corpora: runs of n words, found in one pass over files that may be of any size.

Thirteen words in a row count as taken over, as in Brown et al., "Language Models are Few-Shot Learners" (2020, appendix
C). Case, width and punctuation do not count; each character of Chinese and Japanese is a word. Memory does not grow
with a corpus: files are read piece by piece, and only the runs of the texts that are looked for are kept.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from benchwright.errors import DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.packed import unpacked
from benchwright.records import Item

NGRAM = 13
_LEAST_WORDS = 5
"""Words of a text with fewer than n words that count where all of it is the same."""
_PLAIN_TEXT = (".txt", ".md", ".csv", ".tsv", ".html", ".tex", ".yaml", ".yml")
_JSON_LINES = (".jsonl", ".ndjson")
_ENDINGS = (*_PLAIN_TEXT, *_JSON_LINES, ".json")
"""Files of a folder that are read, packed (`.gz`) or not."""
_START = 4
"""First words of a run that are looked up before the run is; every run has as many."""
_PIECE_CHARS = 1 << 18
_MAX_LINE_CHARS = 8 << 20
"""Most characters of a line of JSON; of a longer one, all is text."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_CJK}]|[^\\W_{_CJK}]+")


class Overlap(NamedTuple):
    """A run of words that a text and a corpus share.

    Args:
        text: Number of the text, from 0.
        where: File of the corpus, with the line where it has lines.
        words: The run, as it is compared.
    """

    text: int
    where: str
    words: str


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared.

    Example:
        >>> words_of("The CAT's hat, 猫です")
        ['the', 'cat', 's', 'hat', '猫', 'で', 'す']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def question_and_options(item: Item) -> str:
    """Return the text of an item that is compared: its question, and its options in their order."""
    return "\n".join([item.question, *(choice.text or "" for choice in item.choices)])


class SharedRuns:
    """Runs of words of some texts, looked for in others.

    Args:
        texts: Texts whose runs are looked for, such as questions with their options.
        n: Words of a run; a shorter text counts as a whole, from five words on.
    """

    def __init__(self, texts: Sequence[str], *, n: int = NGRAM) -> None:
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(texts):
            words = words_of(text)
            if len(words) < min(n, _LEAST_WORDS):
                continue
            size = min(n, len(words))
            for at in range(len(words) - size + 1):
                self._holders[" ".join(words[at : at + size])].append(number)
                lengths[" ".join(words[at : at + _START])].add(size)
        self._lengths = {start: tuple(sorted(sizes)) for start, sizes in lengths.items()}
        self._most = n

    def among(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield the number of each text of which a run stands among these words, and the run."""
        starts = map(" ".join, zip(*(words[place:] for place in range(_START)), strict=False))
        for at, start in enumerate(starts):
            for size in self._lengths.get(start, ()):
                if at + size <= len(words):
                    run = " ".join(words[at : at + size])
                    yield from ((number, run) for number in self._holders.get(run, ()))

    def first_overlaps(self, places: Sequence[Path]) -> dict[int, tuple[int, Overlap]]:
        """Return, for each text that shares a run with a corpus, the number of the first corpus, and where it does.

        Raises:
            DataError: There is nothing at a place, or a file there cannot be read.
        """
        found: dict[int, tuple[int, Overlap]] = {}
        for number, place in enumerate(places):
            for where, words in corpus_words(place, overlap=self._most - 1):
                for text, run in self.among(words):
                    found.setdefault(text, (number, Overlap(text, where, run)))
        return found


def corpus_words(place: Path, *, overlap: int = NGRAM - 1) -> Iterator[tuple[str, list[str]]]:
    """Yield where each piece of a corpus stands, and its words.

    A corpus is a file or a folder. Of JSON lines each line is a piece, with all texts in it in order; other files are
    cut into pieces that repeat the last words of the one before.

    Args:
        place: Text file, JSON lines, or folder with such files; packed ones end in `.gz`.
        overlap: Words that a piece repeats.

    Raises:
        DataError: There is nothing at that place, or a file there cannot be read.
    """
    for path in corpus_files(place):
        name = path.relative_to(place).as_posix() if place.is_dir() else path.name
        try:
            with _opened(path) as handle:
                pieces = _json_lines(handle) if _ending(path) in _JSON_LINES else _cut(handle, overlap)
                for line, words in pieces:
                    yield (f"{name}, line {line}" if line else name), words
        except OSError as error:
            raise DataError(f"{path} cannot be read ({error}); mend it, or take it out of the corpus") from error


def corpus_files(place: Path) -> list[Path]:
    """Return the files of a corpus, sorted.

    Raises:
        DataError: There is nothing at that place, or no file of a kind that is read.
    """
    if place.is_file():
        return [place]
    files = sorted(path for path in place.rglob("*") if path.is_file() and _ending(path) in _ENDINGS)
    if not files:
        what = "holds no text" if place.is_dir() else "is not there"
        raise DataError(f"{place} {what}; a corpus is a file of texts, or a folder with files {', '.join(_ENDINGS)}")
    return files


def _ending(path: Path) -> str:
    return path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    with ExitStack() as stack:
        handle: BinaryIO = stack.enter_context(path.open("rb"))
        if path.suffix.lower() == ".gz":
            handle = stack.enter_context(unpacked(handle, str(path)))
        # Corpora are large and rarely clean: what is no UTF-8 is no word either.
        yield io.TextIOWrapper(handle, encoding="utf-8", errors="replace")


def _json_lines(handle: IO[str]) -> Iterator[tuple[int, list[str]]]:
    number, is_new = 0, True
    while line := handle.readline(_MAX_LINE_CHARS):
        number += is_new
        try:
            # The rest of a line that is too long is text, like one that is no JSON.
            yield number, words_of("\n".join(_texts(bounded_json(line))) if is_new else line)
        except (ValueError, RecursionError):
            yield number, words_of(line)
        is_new = line.endswith("\n")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _cut(handle: IO[str], overlap: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of a file piece by piece; no word is cut, however long its line."""
    kept: list[str] = []
    rest = ""
    while piece := handle.read(_PIECE_CHARS):
        text = rest + piece
        end = max(text.rfind(" "), text.rfind("\n")) + 1
        whole, rest = (text[:end], text[end:]) if end and len(text) - end < _PIECE_CHARS else (text, "")
        words = [*kept, *words_of(whole)]
        yield 0, words
        kept = words[max(0, len(words) - overlap) :]
    yield 0, [*kept, *words_of(rest)]
