"""A person's names in texts: the whole name, which only they have, and parts of the name, which others may share.

The comparison ignores case, width and accents, so that composed and decomposed spellings match: `RENÉ`, `rené` and
`Rene`. The words of a whole name may come in either order, with white space, a comma, `.`, `-` or `_` between them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

_BETWEEN = r"[\s,._-]+"
_SPLITS = re.compile(r"[\W\d_]+")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
"""Beginnings of the Unicode names of letters whose scripts join words without spaces, or attach endings to them."""
_SHORT = 2
"""Length, in letters, up to which a part must be capitalized to be recognized: `Li`, but not every `an`."""


class PersonNames:
    """Names by which texts may refer to a person.

    Args:
        names: Names that belong to this person only: the name under which they decide, and others that a curator gives.
            The words before the `@` of an e-mail address are also treated as a name.

    Attributes:
        whole: Names to search for as a whole.
        parts: Words of these names, such as first and last name, that are not whole names themselves.
    """

    def __init__(self, names: Iterable[str]) -> None:
        given = list(dict.fromkeys(unicodedata.normalize("NFC", name.strip()) for name in names))
        words = [_words_of(name) for name in given]
        spelled = [" ".join(of_name) for name, of_name in zip(given, words, strict=True) if "@" in name]
        self.whole = tuple(dict.fromkeys([*given, *(name for name in spelled if " " in name)]))
        own = {_folded(name) for name in self.whole}
        every = dict.fromkeys(word for of_name in words for word in of_name)
        self.parts = tuple(word for word in every if _folded(word) not in own)
        self._whole = re.compile("|".join(pattern for name in self.whole for pattern in _whole_patterns(name)))
        self._parts = re.compile("|".join(_bounded(re.escape(_folded(part)), part, r"(?:s)?") for part in self.parts))

    def replaced(self, text: str, pseudonym: str) -> str:
        """Return a text with each whole name replaced by a pseudonym."""
        for start, end in reversed([*_spans(self._whole, text)]):
            text = text[:start] + pseudonym + text[end:]
        return text

    def are_in(self, text: str) -> bool:
        """Return whether a text contains a whole name."""
        return next(_spans(self._whole, text), None) is not None

    def parts_in(self, text: str) -> list[str]:
        """Return the words of a text that are parts of a name, as spelled in the text, each only once."""
        if not self.parts:
            return []
        words = [text[start:end] for start, end in _spans(self._parts, text)]
        return list(dict.fromkeys(word for word in words if len(word) > _SHORT or word == word.capitalize()))


def _words_of(name: str) -> list[str]:
    """Return the words of a name or of the local part of an e-mail address, without single letters other than Han's.

    Example:
        >>> words_of("marguerite.dubois2@example.org")
        ['marguerite', 'dubois']
    """
    local = name.rpartition("@")[0] or name
    return [word for word in _SPLITS.split(local) if len(word) > 1 or (word and _is_unspaced(word))]


def _whole_patterns(name: str) -> Iterator[str]:
    """Yield the patterns that find a name in folded texts: in the given order and, for two-word names, reversed."""
    words = [re.escape(word) for word in re.split(r"[\s,._-]+", _folded(name)) if word]
    if "@" in name or len(words) < 2:
        yield _bounded(re.escape(_folded(name)), name)
        return
    yield _bounded(_BETWEEN.join(words), name)
    if len(words) == 2:
        yield _bounded(_BETWEEN.join(reversed(words)), name)


def _bounded(pattern: str, name: str, ending: str = "") -> str:
    before = "" if _is_unspaced(name[0]) else r"(?<!\w)"
    after = "" if _is_unspaced(name[-1]) else rf"{ending}(?!\w)"
    return f"{before}(?:{pattern}){after}"


def _is_unspaced(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_UNSPACED)


def _folded(text: str) -> str:
    return "".join(_fold(letter) for letter in text)


def _fold(letter: str) -> str:
    """Return a character without case, width and accents; empty for an accent or an invisible character."""
    spelled = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letter).casefold())
    return "".join(sign for sign in spelled if not unicodedata.combining(sign) and unicodedata.category(sign) != "Cf")


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end, in the original text, of each match of a pattern in the folded text."""
    folded: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        signs = _fold(letter)
        folded.append(signs)
        places += [place] * len(signs)
    for match in pattern.finditer("".join(folded)):
        end = places[match.end() - 1] + 1
        while end < len(text) and not _fold(text[end]):  # accents of the last letter
            end += 1
        yield places[match.start()], end


def spellings(names: Sequence[str]) -> Iterator[bytes]:
    """Yield names in UTF-8 as files may encode them: composed, decomposed, and escaped as in JSON."""
    for name in names:
        for form in dict.fromkeys(unicodedata.normalize(form, name) for form in ("NFC", "NFD")):
            yield form.encode()
            if not form.isascii():
                yield form.encode("ascii", "backslashreplace")
