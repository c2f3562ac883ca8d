"""Overlap of texts with corpora: shared runs of n words, found in one pass over files of any size.

Thirteen words in a row count as overlap, as in Brown et al., "Language Models are Few-Shot Learners" (2020, appendix
C). Case, width and punctuation are ignored; each character of Chinese and Japanese is a word. Memory does not grow
with a corpus: files are read piece by piece, and memory holds only the runs of the given texts.
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
"""Smallest number of words in a text shorter than n words, which must then match as a whole."""
_PLAIN_TEXT = (".txt", ".md", ".csv", ".tsv", ".html", ".tex", ".yaml", ".yml")
_JSON_LINES = (".jsonl", ".ndjson")
_ENDINGS = (*_PLAIN_TEXT, *_JSON_LINES, ".json")
"""Endings of files to read in a folder, compressed (`.gz`) or not."""
_START = 4
"""Number of initial words of a run that are looked up before the run itself; no run is shorter."""
_PIECE_CHARS = 1 << 18
_MAX_LINE_CHARS = 8 << 20
"""Largest number of characters in a line of JSON; a longer line is read as plain text."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_CJK}]|[^\\W_{_CJK}]+")


class Overlap(NamedTuple):
    """A run of words that a text and a corpus share.

    Args:
        text: Index of the text.
        where: File of the corpus, with the line for files of lines.
        words: The run, in the form compared.
    """

    text: int
    where: str
    words: str


def words_of(text: str) -> list[str]:
    """Return the words of a text in the form used for comparison.

    Example:
        >>> words_of("The CAT's hat, 猫です")
        ['the', 'cat', 's', 'hat', '猫', 'で', 'す']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def question_and_options(item: Item) -> str:
    """Return the text of an item for comparison: its question, followed by its options in order."""
    return "\n".join([item.question, *(choice.text or "" for choice in item.choices)])


class SharedRuns:
    """Runs of words in given texts, to be found in other texts.

    Args:
        texts: Texts with the runs to find, such as questions with their options.
        n: Number of words in a run; a shorter text of five or more words counts as a whole.
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
        """Yield the index of each text that has a run among these words, and the run."""
        starts = map(" ".join, zip(*(words[place:] for place in range(_START)), strict=False))
        for at, start in enumerate(starts):
            for size in self._lengths.get(start, ()):
                if at + size <= len(words):
                    run = " ".join(words[at : at + size])
                    yield from ((number, run) for number in self._holders.get(run, ()))

    def first_overlaps(self, places: Sequence[Path]) -> dict[int, tuple[int, Overlap]]:
        """Return, for each text that shares a run with a corpus, the index of the first such corpus and the overlap.

        Raises:
            DataError: A path does not exist, or a file there is unreadable.
        """
        found: dict[int, tuple[int, Overlap]] = {}
        for number, place in enumerate(places):
            for where, words in corpus_words(place, overlap=self._most - 1):
                for text, run in self.among(words):
                    found.setdefault(text, (number, Overlap(text, where, run)))
        return found


def corpus_words(place: Path, *, overlap: int = NGRAM - 1) -> Iterator[tuple[str, list[str]]]:
    """Yield the location of each piece of a corpus, and its words.

    A corpus is a file or a folder. In JSON lines, each line is a piece, with all its texts in order. Other files are
    cut into pieces that repeat the last words of the previous piece.

    Args:
        place: Text file, JSON lines, or folder with such files; compressed ones end in `.gz`.
        overlap: Number of words that a piece repeats.

    Raises:
        DataError: The path does not exist, or a file there is unreadable.
    """
    for path in corpus_files(place):
        name = path.relative_to(place).as_posix() if place.is_dir() else path.name
        try:
            with _opened(path) as handle:
                pieces = _json_lines(handle) if _ending(path) in _JSON_LINES else _cut(handle, overlap)
                for line, words in pieces:
                    yield (f"{name}, line {line}" if line else name), words
        except OSError as error:
            raise DataError(f"{path} cannot be read ({error}); fix it, or remove it from the corpus") from error


def corpus_files(place: Path) -> list[Path]:
    """Return the files of a corpus, sorted.

    Raises:
        DataError: The path does not exist, or has no file of a supported kind.
    """
    if place.is_file():
        return [place]
    files = sorted(path for path in place.rglob("*") if path.is_file() and _ending(path) in _ENDINGS)
    if not files:
        what = "holds no text" if place.is_dir() else "does not exist"
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
        # Corpora are large and rarely clean: bytes that are not UTF-8 are not words either.
        yield io.TextIOWrapper(handle, encoding="utf-8", errors="replace")


def _json_lines(handle: IO[str]) -> Iterator[tuple[int, list[str]]]:
    number, is_new = 0, True
    while line := handle.readline(_MAX_LINE_CHARS):
        number += is_new
        try:
            # The rest of an overlong line is plain text, like a line that is not JSON.
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
    """Yield the words of a file piece by piece, without splitting a word, however long the line is."""
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
