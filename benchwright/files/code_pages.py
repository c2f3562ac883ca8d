"""Detection of the Windows code page of a text that is not UTF-8, from the letters of its language.

Windows programs save CSV in the code page of the machine's language and do not state it. The detection assumes a code
page if nearly all characters beyond ASCII are letters of one of its languages, or usual marks; the reader reports the
page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_SAMPLE_BYTES = 1 << 18
"""Largest number of bytes, from lines with characters beyond ASCII, that are used to choose a page."""
_LEAST = 0.9
"""Smallest proportion of a language's letters and usual marks among the characters beyond ASCII."""
_USUAL = 0.5
"""Smallest proportion of a non-Latin language's most common letters, if there is no other evidence."""
_FEWEST = 12
"""Smallest number of bytes beyond ASCII that suffices to recognize a page of a non-Latin script."""
_CLEAR = 0.1
"""Smallest lead over the proportion of a language with another page; with a smaller lead, no page is assumed."""
_MARKS = frozenset("‘’‚“”„–—…•€№«»\xa0§°£©®×±µ™²³¹½¼¾")
_LATIN = (
    ("cp1252", "äöüß"), ("cp1252", "àâæçéèêëîïôœùûüÿñ"), ("cp1252", "áéíñóúü¿¡ºª"), ("cp1252", "áâãàçéêíóôõúü"),
    ("cp1252", "àèéìíîòóùú"), ("cp1252", "éëïóöüèêá"), ("cp1252", "åäöæøéü"), ("cp1250", "ąćęłńóśźż"),
    ("cp1250", "áčďéěíňóřšťúůýž"), ("cp1250", "áäčďéíĺľňóôŕšťúýž"), ("cp1250", "áéíóöőúüű"), ("cp1250", "čćđšž"),
    ("cp1250", "ăâîşţ"), ("cp1254", "çğıİöşü"), ("cp1252", "áðéíóúýþæö"), ("cp1257", "ąčęėįšųūž"),
    ("cp1257", "āčēģīķļņšūž"), ("cp1257", "äõöüšž"),
)  # fmt: skip
"""Letters beyond ASCII of languages in Latin script, with their page; the first of equal matches is chosen."""
_MACINTOSH = (
    ("mac_roman", "äöüß"), ("mac_roman", "àâæçéèêëîïôœùûüÿñ"), ("mac_roman", "áéíñóúü¿¡ºª"),
    ("mac_roman", "áâãàçéêíóôõúü"), ("mac_roman", "àèéìíîòóùú"), ("mac_roman", "éëïóöüèêá"), ("mac_roman", "åäöæøéü"),
)  # fmt: skip
"""The same for the page that Excel uses on a Macintosh, if no Windows page fits."""
_OTHERS = (
    ("cp1251", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "оеаинтсрвл"),
    ("cp1251", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "оаиніетврс"),
    ("cp1251", "абвгдђежзијклљмнњопрстћуфхцчџш", "аиоенрстју"),
    ("cp1253", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ", "αοιετσνηυρπκς"),
    ("cp1255", "אבגדהוזחטיךכלםמןנסעףפץצקרשת", "יוהלאתרשמב"),
    ("cp1256", "ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوىيپچژگ،؛؟ًٌٍَُِّْ", "اليمونترب"),
    ("cp874", "".join(map(chr, (*range(0xE01, 0xE3B), *range(0xE3F, 0xE5C)))), "านรอกเงมยลวดท"),
)
"""Letters of languages in other scripts, with their page and their most common letters."""
_RAISED = "¹²³¼½¾"
"""Marks that are never followed by a letter."""
_RUN = re.compile(rb"([A-Za-z]?)([\x80-\xff]+)(?=([A-Za-z]?))")
"""Runs of bytes beyond ASCII, with the adjacent ASCII letters."""
_EAST = ("cp949", "gbk", "cp950")
"""Two-byte pages, whose bytes are mostly valid in each other: the most common characters decide."""
_FIRST_BYTES = {"cp949": (0xB0, 0xC8), "gbk": (0xB0, 0xD7), "cp950": (0xA4, 0xC6)}


_NAMES = {"gbk": "GBK (Windows-936)", "mac_roman": "Mac OS Roman"}


class CodePage(NamedTuple):
    """A code page.

    Args:
        codec: Name of the page in Python.
        name: Name of the page in messages.
    """

    codec: str
    name: str

    @property
    def is_of_one_byte(self) -> bool:
        """Whether each character is encoded in one byte."""
        return self.codec not in ("cp932", *_EAST)

    def told(self) -> str:
        """Return a note that a text was decoded with this page."""
        return f"read as {self.name}, since it is not UTF-8; if texts look wrong, save it in UTF-8"


def code_page(lines: Iterable[bytes]) -> CodePage | None:
    """Return the code page of lines; None if no language fits, or if more of the lines are UTF-8.

    Args:
        lines: Lines with characters beyond ASCII; only the first `_SAMPLE_BYTES` bytes are examined.

    Example:
        >>> code_page(["Gr\xfc\xdfe".encode("cp1252")]).name
        'Windows-1252'
    """
    others, as_utf_8, left = [], 0, _SAMPLE_BYTES
    for line in lines:
        if left <= 0:
            break
        try:
            line.decode()
        except UnicodeDecodeError:
            others.append(line[:left])
            left -= len(line)
        else:
            as_utf_8 += 1
    if not others or as_utf_8 > len(others):
        return None
    sample = b"\n".join(others)
    if _common(sample, "cp932") >= _LEAST:
        found: str | None = "cp932"  # kana hardly ever occur by chance
    elif _is_latin(sample):
        found = _latin(sample) or _eastern(sample)  # second bytes of signs are letters of ASCII, too
        found = found or _latin(sample, _MACINTOSH)
    else:
        found = _other_script(sample)
    if found is None:
        return None
    return CodePage(found, _NAMES.get(found) or f"Windows-{found[2:]}")


def _is_latin(sample: bytes) -> bool:
    """Return whether most letters beyond ASCII are isolated or next to an ASCII letter, as is rare in other scripts."""
    runs: list[tuple[bytes, bytes, bytes]] = _RUN.findall(sample)
    return sum(bool(before or after) or len(run) == 1 for before, run, after in runs) >= len(runs) / 2


def _latin(sample: bytes, languages: Sequence[tuple[str, str]] = _LATIN) -> str | None:
    best, found = 0.0, None
    for page, letters in languages:
        if (fit := _share(sample, page, frozenset(letters + letters.upper()) | _MARKS)) > best:
            best, found = fit, page
    return found if best >= _LEAST else None


def _other_script(sample: bytes) -> str | None:
    if len(sample) - sum(byte < 0x80 for byte in sample) < _FEWEST:
        return None
    fits = [
        (_share(sample, page, frozenset(common + common.upper())), page)
        for page, letters, common in _OTHERS
        if _share(sample, page, frozenset(letters + letters.upper()) | _MARKS) >= _LEAST
    ]
    (best, found), (next_best, other) = sorted([(0.0, None), (0.0, None), *fits], key=lambda fit: fit[0])[:-3:-1]
    if best < _USUAL:
        return _eastern(sample) or (found if len(fits) == 1 else None)
    return found if found == other or best - next_best >= _CLEAR else None


def _share(sample: bytes, page: str, letters: frozenset[str]) -> float:
    """Return the proportion of a language's letters and usual marks among the characters beyond ASCII.

    Capitals right after a lower-case letter and superscripts before one are not counted: wrong pages produce these.
    """
    text = sample.decode(page, "replace")
    near = zip(f" {text}", text, f"{text[1:]} ", strict=False)
    others = [(before, each, after) for before, each, after in near if each > "\x7f"]
    fit = sum(
        each in letters and not (before.islower() and each.isupper()) and not (each in _RAISED and after.isalpha())
        for before, each, after in others
    )
    return fit / len(others) if others else 0.0


def _eastern(sample: bytes) -> str | None:
    """Return the two-byte page whose most common characters make up most of a text."""
    shares = {page: _common(sample, page) for page in _EAST}
    page = max(shares, key=lambda name: shares[name])
    return page if shares[page] >= _LEAST else None


def _common(sample: bytes, page: str) -> float:
    """Return the proportion of a two-byte page's common characters: hangul, kana with kanji, or first-level hanzi."""
    try:
        text = sample.decode(page)
    except UnicodeDecodeError:
        return 0.0
    others = [character for character in text if character > "\x7f"]
    if page == "cp932":
        if sum("\u3041" <= character <= "\u30ff" for character in others) < len(others) / 8:
            return 0.0  # Japanese without kana is rare; half of all Chinese texts are valid Shift JIS
        kinds = ((0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xFF01, 0xFF5E))
        common = sum(any(low <= ord(character) <= high for low, high in kinds) for character in others)
    else:
        # By their first byte: hangul, and the first level of hanzi sets, which has the common ones.
        first, last = _FIRST_BYTES[page]
        leads = [character.encode(page)[0] for character in others]
        common = sum(first <= lead <= last or 0xA1 <= lead <= 0xA3 for lead in leads)
    return common / max(len(others), 1)
