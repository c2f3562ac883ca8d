"""Invisible characters that change how a text looks or is read: controls, bidirectional and zero-width characters.

A terminal obeys control characters. Bidirectional controls show a text in an order other than the one models read, and
zero-width characters make texts that look the same differ. Characters that a script needs are not hidden characters:
joiners of Arabic, Persian and Indic scripts, direction marks in right-to-left texts, emoji sequences, word breaks in
Thai or Khmer. `escaped` shows the others as `\\u202e`, both on a terminal and to curators.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

Kind = Literal["control", "direction", "zero_width", "undecodable"]

_SUSPECT = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # controls
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
    "\ud800-\udfff"  # halves of surrogate pairs: bytes of a file name outside UTF-8
    "]"
)
"""Controls, halves of surrogate pairs, and characters that programs do not draw.

The last group is Unicode's property Default_Ignorable_Code_Point without the marks of music and shorthand, plus the
interlinear annotations.
"""

_ORDINARY = "\t\n\r"
_MARKS_OF_DIRECTION = "\u061c\u200e\u200f"
_ISOLATES, _END_OF_ISOLATE = "\u2066\u2067\u2068", "\u2069"
_DIRECTION = frozenset(f"{_MARKS_OF_DIRECTION}\u202a\u202b\u202c\u202d\u202e{_ISOLATES}{_END_OF_ISOLATE}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_FLAG_OF_A_REGION = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,8}\U000e007f")
_MARKS_OF_A_LETTER = 8
_GRAPHEME_JOINER = "\u034f"
_SCRIPTS_WITH_JOINERS = frozenset({
    "ADLAM", "ARABIC", "BALINESE", "BENGALI", "DEVANAGARI", "GRANTHA", "GUJARATI", "GURMUKHI", "HANIFI", "HEBREW",
    "JAVANESE", "KANNADA", "KHMER", "MALAYALAM", "MANDAIC", "MEETEI", "MONGOLIAN", "MYANMAR", "NEWA", "NKO", "ORIYA",
    "PHAGS-PA", "SINHALA", "SYRIAC", "TAMIL", "TELUGU", "TIBETAN", "TIRHUTA",
})  # fmt: skip
_SCRIPTS_WITHOUT_SPACES = frozenset(
    {"BALINESE", "JAVANESE", "KHMER", "LAO", "MYANMAR", "NEW", "TAI", "THAI", "TIBETAN"}
)
_SCRIPTS_OF: Mapping[str, frozenset[str]] = {
    **dict.fromkeys("\u200c\u200d", _SCRIPTS_WITH_JOINERS),
    "\u200b": _SCRIPTS_WITHOUT_SPACES,
    **dict.fromkeys("\u115f\u1160", frozenset({"HANGUL"})),
    **dict.fromkeys("\u17b4\u17b5", frozenset({"KHMER"})),
    **dict.fromkeys("\u180b\u180c\u180d\u180e\u180f", frozenset({"MONGOLIAN"})),
}
"""Characters that writing requires next to letters of some scripts, by prefixes of those letters' Unicode names."""


class HiddenCharacter(NamedTuple):
    """An invisible character of a text.

    Args:
        place: Index in the text.
        character: The character.
        kind: `control` (such as escape, which begins terminal commands), `direction` (bidirectional controls),
            `zero_width`, or `undecodable` (half of a surrogate pair).
    """

    place: int
    character: str
    kind: Kind

    @property
    def name(self) -> str:
        """Return the Unicode name of the character, or its code point if it has no name."""
        return unicodedata.name(self.character, f"U+{ord(self.character):04X}")


def hidden_characters(text: str) -> Iterator[HiddenCharacter]:
    """Yield a text's invisible characters in order, except tabs, line ends and characters that the text's script needs.

    Example:
        >>> [hidden.name for hidden in hidden_characters("two\\u200b birds")]
        ['ZERO WIDTH SPACE']
        >>> list(hidden_characters("\\u0645\\u06cc\\u200c\\u062e\\u0648\\u0627\\u0647\\u0645"))
        []
    """
    reading = _ReadText(text)
    for match in _SUSPECT.finditer(text):
        character, place = match.group(), match.start()
        if character not in _ORDINARY and not reading.is_writing(place):
            yield HiddenCharacter(place, character, _kind(character))


def escaped(text: str, *, keep: str = _ORDINARY, spell: Callable[[str], str] | None = None) -> str:
    """Return a text with its invisible characters spelled out, such as `\\u202e`.

    Args:
        text: The text.
        keep: Tabs and line ends to leave as they are; `escaped` spells out the others.
        spell: Function that spells a character; Python's escapes if None.

    Example:
        >>> print(escaped("red\\x1b[8m herring"))
        red\\x1b[8m herring
    """
    if text.isprintable() and text.isascii():
        return text
    spelling, reading = spell or _as_in_python, _ReadText(text)

    def spelled(match: re.Match[str]) -> str:
        character = match.group()
        stays = character in keep if character in _ORDINARY else reading.is_writing(match.start())
        return character if stays else spelling(character)

    return _SUSPECT.sub(spelled, text)


def may_hide(character: str) -> bool:
    """Return whether a character is a control or one that programs do not draw, whatever its context."""
    return _SUSPECT.match(character) is not None


def _as_in_python(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _kind(character: str) -> Kind:
    if character in _DIRECTION:
        return "direction"
    category = unicodedata.category(character)
    return "control" if category == "Cc" else "undecodable" if category == "Cs" else "zero_width"


class _ReadText:
    """A text with its properties, each computed only once, because many characters of a hostile text may need them."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def runs_to_the_left(self) -> bool:
        """Return whether the text has a letter of a script that is written from right to left."""
        letters = (character for character in self.text if not _SUSPECT.match(character))
        return any(unicodedata.bidirectional(character) in {"R", "AL"} for character in letters)

    @cached_property
    def isolates_end(self) -> bool:
        """Return whether every bidirectional isolate has an end and every end has an isolate."""
        depth = 0
        for character in self.text:
            depth += (character in _ISOLATES) - (character == _END_OF_ISOLATE)
            if depth < 0:
                return False
        return depth == 0

    @cached_property
    def places_in_flags(self) -> frozenset[int]:
        """Return the indices of the tag letters that follow a flag and name its region."""
        flags = _FLAG_OF_A_REGION.finditer(self.text)
        return frozenset(place for flag in flags for place in range(flag.start() + 1, flag.end()))

    def is_writing(self, place: int) -> bool:
        """Return whether the script or an emoji requires the character at an index."""
        character = self.text[place]
        if character in _SCRIPTS_OF:
            scripts = _SCRIPTS_OF[character]
            return not scripts.isdisjoint(self._scripts_beside(place)) or self._joins_emoji(place)
        if character in _MARKS_OF_DIRECTION:
            return self.runs_to_the_left
        if character in _ISOLATES or character == _END_OF_ISOLATE:
            return self.runs_to_the_left and self.isolates_end
        if character == _GRAPHEME_JOINER:
            return any(map(unicodedata.combining, self.text[max(0, place - 1) : place + 2]))
        return self._selects(place) if _SELECTORS.match(character) else place in self.places_in_flags

    def _before(self, place: int) -> str:
        """Return the character before an index, past a few variation selectors and marks; empty if there is none."""
        for _ in range(_MARKS_OF_A_LETTER):
            if place == 0 or not (
                _SELECTORS.match(self.text[place - 1]) or unicodedata.category(self.text[place - 1])[0] == "M"
            ):
                break
            place -= 1
        return self.text[place - 1 : place]

    def _scripts_beside(self, place: int) -> set[str]:
        """Return the scripts of the letters on both sides of an index, as prefixes of Unicode names."""
        near = (self._before(place), self.text[place - 1 : place], self.text[place + 1 : place + 2])
        return {unicodedata.name(each, "").split(" ")[0] for each in near if each and not _SUSPECT.match(each)}

    def _joins_emoji(self, place: int) -> bool:
        before, after = self._before(place), self.text[place + 1 : place + 2]
        return self.text[place] == "\u200d" and _is_symbol(before) and _is_symbol(after)

    def _selects(self, place: int) -> bool:
        """Return whether a variation selector follows a sign with variants, not a Latin letter, space or selector."""
        before = self.text[place - 1 : place]
        if not before or before.isspace() or _SUSPECT.match(before):
            return False
        if self.text[place] > "\ufe0f":  # variants of ideographs
            return unicodedata.category(before) == "Lo"
        return unicodedata.category(before) not in {"Lu", "Ll", "Lt"}


def _is_symbol(character: str) -> bool:
    """Return whether a character may be part of an emoji: a pictograph, or an arrow such as U+2194."""
    return bool(character) and unicodedata.category(character) in {"So", "Sm", "Sk"} and not character.isascii()
