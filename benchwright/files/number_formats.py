"""Spreadsheet numbers and dates as their number formats show them: `0.25` in the format `0%` is 25%.

The module covers the common formats: decimal places, thousands, leading zeros, percent, currencies and other text
around a number, and dates and times in digits or English names. It returns None for others, such as fractions,
conditions, and dates whose order depends on the reader's locale.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

GENERAL = frozenset({"", "General", "GENERAL", "@", "Standard"})
"""Formats that show a number unchanged."""
_DIGITS = 15
"""Number of significant digits that spreadsheet programs keep and show."""
_LONGEST = 200
_SECTION = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])*')
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<colour>[A-Za-z]+\d*)\]'
    r"|(?P<space>_.)|(?P<fill>\*.)|(?P<number>[#0?][#0?,]*(?:\.[#0?]*)?|\.[#0?]+)|(?P<percent>%)"
    r"|(?P<plain>[-$€£¥+() :!^&'~{}=<>/₹₩₽])"
)
_COLOURS = frozenset({"black", "blue", "cyan", "green", "magenta", "red", "white", "yellow"})
_DAY_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<locale>\[\$-[^\]]*\])|(?P<half>AM/PM)|(?P<part>y+|m+|d+|h+|s+)'
    r"|(?P<plain>[-/.,: ])",
    re.I,
)
_OF_THE_COUNTRY = frozenset({"mm-dd-yy", "m/d/yy h:mm"})
"""Formats that programs show according to the reader's locale, whatever the formats' text."""


def shown_in_general(value: float) -> str | None:
    """Return a number with the digits that spreadsheet programs show; None if it requires an exponent.

    Example:
        >>> shown_in_general(0.1 + 0.2)
        '0.3'
    """
    text = f"{value:.{_DIGITS}g}"
    return None if "e" in text or "n" in text else text


def shown_in(value: Any, code: str) -> str | None:
    """Return a number, date or time as a number format shows it; None if the format is not a common one.

    Example:
        >>> shown_in(0.125, "0.0%"), shown_in(1234.5, '"$"#,##0.00'), shown_in(7, "000"), shown_in(0.5, "# ?/?")
        ('12.5%', '$1,234.50', '007', None)
    """
    if isinstance(value, bool) or len(code) > _LONGEST:
        return None
    if isinstance(value, date | datetime | time):
        return _shown_day(value, code)
    if not isinstance(value, int | float) or not abs(value) < 10**_DIGITS:
        return None
    sections = _sections(code)
    if not 0 < len(sections) <= 3:
        return None
    which = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    number = Decimal(f"{value:.{_DIGITS}g}")
    return _shown_number(abs(number) if which == 1 else number, sections[which])


@lru_cache(maxsize=256)
def _sections(code: str) -> tuple[str, ...]:
    """Return the formats for positive numbers, negative numbers and zero; empty if the parts are ambiguous."""
    found, place = [], 0
    while True:
        match = _SECTION.match(code, place)
        assert match is not None, "it matches the empty text"
        found.append(match[0])
        place = match.end()
        if place == len(code):
            return tuple(found[:3])  # the fourth is for texts
        if code[place] != ";":
            return ()
        place += 1


def _shown_number(number: Decimal, section: str) -> str | None:
    before, after, percents, place = "", "", 0, 0
    block: str | None = None
    while place < len(section):
        match = _TOKEN.match(section, place)
        if match is None:
            return None
        place, kind, text = match.end(), match.lastgroup, match[match.lastgroup or 0]
        if kind == "number":
            if block is not None:
                return None
            block = text
            continue
        if kind == "colour" and text.lower() not in _COLOURS:
            return None
        percents += kind == "percent"
        words = "" if kind in ("colour", "fill", "space") else text
        before, after = (before + words, after) if block is None else (before, after + words)
    if block is None:
        return None
    digits = _digits(abs(number) * 100**percents, block)
    if digits is None or "/" in after:
        return None
    sign = "-" if number < 0 and any(digit in "123456789" for digit in digits) else ""
    return f"{sign}{before}{digits}{after}".strip()


def _digits(number: Decimal, block: str) -> str | None:
    """Return a number in the digit positions of a block such as `#,##0.00`; None for a block that scales it down."""
    whole, point, places = block.partition(".")
    if whole.endswith(",") or "?" in block:
        return None
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP)
    ahead, _, behind = f"{rounded:f}".partition(".")
    while behind and places[len(behind) - 1] == "#" and behind.endswith("0"):
        behind = behind[:-1]
    ahead = ahead.lstrip("0").zfill(whole.count("0")) if whole.count("0") else ahead.lstrip("0")
    if "," in whole:
        ahead = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", ahead)
    return f"{ahead}{point}{behind}"


def _shown_day(value: date | datetime | time, code: str) -> str | None:
    if code in _OF_THE_COUNTRY or ";" in code.removesuffix(";@"):
        return None
    tokens, place, code = [], 0, code.removesuffix(";@")
    while place < len(code):
        match = _DAY_TOKEN.match(code, place)
        if match is None:
            return None
        place = match.end()
        tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
    parts = [(number, text.lower()) for number, (kind, text) in enumerate(tokens) if kind == "part"]
    has_half = any(kind == "half" for kind, _ in tokens)
    shown: dict[int, str] = {}
    for order, (number, part) in enumerate(parts):
        beside = {parts[order - 1][1][0] if order else "", parts[order + 1][1][0] if order + 1 < len(parts) else ""}
        is_minute = part[0] == "m" and ((order and parts[order - 1][1][0] == "h") or "s" in beside)
        form = _DAY_FORMS.get(f"minute {part}" if is_minute else f"half {part}" if has_half else part) or (
            _DAY_FORMS.get(part)
        )
        if form is None or not _has(value, "h" if is_minute else part[0]):
            return None
        shown[number] = _day_part(value, form)
    for number, (kind, text) in enumerate(tokens):
        if kind == "half":
            if not isinstance(value, datetime | time):
                return None
            shown[number] = "AM" if value.hour < 12 else "PM"
        elif kind != "part":
            shown[number] = "" if kind == "locale" else text
    return "".join(shown[number] for number in range(len(tokens))).strip() or None


_DAY_FORMS = {
    "yyyy": "%Y", "yy": "%y", "mmmm": "%B", "mmm": "%b", "mm": "%m", "m": "-%m", "dddd": "%A", "ddd": "%a",
    "dd": "%d", "d": "-%d", "hh": "%H", "h": "-%H", "ss": "%S", "s": "-%S", "minute mm": "%M", "minute m": "-%M",
    "half hh": "%I", "half h": "-%I",
}  # fmt: skip
"""Python's format for each part of a date or time format; those that begin with `-` have no leading zero."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _has(value: date | datetime | time, part: str) -> bool:
    """Return whether a value has a given part: dates have no hours, and times have no years."""
    if part in "ymd":
        return not isinstance(value, time)
    return isinstance(value, datetime | time)


def _day_part(value: date | datetime | time, form: str) -> str:
    if form in ("%B", "%b", "%A", "%a") and not isinstance(value, time):  # names do not depend on the machine
        name = _MONTHS[value.month - 1] if form.lower() == "%b" else _WEEKDAYS[value.weekday()]
        return name if form[1].isupper() else name[:3]
    if form == "%Y" and not isinstance(value, time):
        return f"{value.year:04d}"
    text = value.strftime(form.removeprefix("-"))
    return text.lstrip("0") or "0" if form.startswith("-") else text
