"""Personal data in questions, options, explanations and the text of pictures: mail, phone, IBAN, card, passport.

Numbers are reported if their checksum is valid (IBAN, card, machine-readable passport), if they have the usual written
form (phone), or if the document is named next to them (passport).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![\w@])")
_MAIL_SPELLED = re.compile(
    r"(?<![\w.+-])[\w.+-]{2,64}\s*[\[({<]\s*(?:at|ät|@|arroba)\s*[\])}>]\s*[A-Za-z0-9-]{2,63}"
    r"(?:\s*(?:[\[({<]\s*(?:dot|punkt|punto|point|\.)\s*[\])}>]|\.)\s*[A-Za-z0-9-]{2,24}){1,3}",
    re.IGNORECASE,
)
"""`anna [at] mail-haus [dot] de`, a spelling meant to hide an address from programs."""
_NOBODYS = re.compile(
    r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net|edu)|(?:example|test|invalid|localhost))$", re.IGNORECASE
)
"""Domains that RFC 2606 reserves for examples."""
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = re.compile(r"(?<![\d.-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{1,7}|3[47]\d{2}([ -]?)\d{6}\2\d{5})(?![\d-]|\.\d)")
_ISSUER = re.compile(r"4|5[1-5]|2[2-7]|3[47]|6(?:011|4|5|2)|35|30|36|38")
_PHONE = re.compile(
    r"(?<![\w.+/])(?:"
    r"\+[1-9]\d{0,2}[ .\-/]?(?:\(0?\d{1,4}\)[ .\-/]?)?\d{1,5}(?:[ .\-/]?\d{2,5}){1,4}"  # +49 (0)30 123456
    r"|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d(?!00)\d{2}([.-])\d{3}\1\d{4}|1-\d{3}-\d{3}-\d{4}"  # (555) 123-4567
    r"|0\d([ .-])\d{2}\2\d{2}\2\d{2}\2\d{2}"  # 06 12 34 56 78
    r"|\(0\d{1,4}\) ?\d{3,4}[ -]?\d{3,5}|0\d{2,4}[ /-]\d{3,4}[ -]\d{3,4}"  # 020 7946 0958
    r"|0[1-9]\d{1,3}(?: ?/ ?|[ -])\d{6,8}"  # 030/1234567
    r"|1[3-9]\d([ -])\d{4}\3\d{4}"  # 138 1234 5678
    r")(?![\w/]|\.\d|-\d)"
)
_PHONE_NEAR_ITS_NAME = re.compile(
    r"\b(?:phone|tel(?:ephone)?|mobile|cell(?:phone)?|call|fax|whatsapp|text me at|hotline|电话|手机)\b[^\d+\n]{0,25}"
    r"(\+?\(?\d[\d ()./-]{5,18}\d)",
    re.IGNORECASE,
)
_PASSPORT = re.compile(
    r"\bpassport\b[^\n]{0,30}?\b([A-Z]{1,2}\d{6,8}|\d{9}|[A-Z]\d{2}[A-Z]{2}\d{4}|[CFGHJKLMNPRTVWXYZ0-9]{9}(?<=\d))\b"
    r"|\b([A-Z]{1,2}\d{6,8})\b[^\n]{0,30}?\bpassport\b",
    re.IGNORECASE,
)
_MACHINE_READABLE = re.compile(r"\b([A-Z0-9<]{9})(\d)[A-Z<]{3}(\d{6})(\d)[MFX<](\d{6})(\d)")
_FIRST_LINE = re.compile(r"(?<![A-Z<])[PVIA][A-Z<][A-Z<]{3}[A-Z]{2,}<<[A-Z]+(?:<[A-Z]+)*<{2,}")
"""First line of a machine-readable passport or card, which names its holder."""
_SOCIAL_SECURITY = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_LEAST_DIGITS, _MOST_DIGITS = 8, 15


class PersonalDatum(NamedTuple):
    """A personal datum and its position in a text: `mail`, `phone`, `iban`, `card`, `passport`, `social_security`."""

    sort: str
    start: int
    stop: int


def personal_data(text: str) -> list[PersonalDatum]:
    """Return the personal data in a text, each position once, those with a checksum first.

    Example:
        >>> [datum.sort for datum in personal_data("Pay DE89 3704 0044 0532 0130 00 or call +49 30 1234567.")]
        ['iban', 'phone']
    """
    if not any(sign.isdigit() or sign in "@[(<" for sign in text):
        return []
    found: list[PersonalDatum] = []
    for sort, find in _FINDERS:
        for start, stop in find(text):
            if all(stop <= datum.start or start >= datum.stop for datum in found):
                found.append(PersonalDatum(sort, start, stop))
    return found


def _mails(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _MAIL.finditer(text) if not _NOBODYS.search(match.group()))
    yield from (match.span() for match in _MAIL_SPELLED.finditer(text) if "example" not in match.group())


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for match in _IBAN.finditer(text):
        number = match.group().replace(" ", "")
        if 15 <= len(number) <= 34 and int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1:
            yield match.span()


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for match in _CARD.finditer(text):
        number = re.sub(r"\D", "", match.group())
        if _ISSUER.match(number) and has_luhn_checksum(number) and len(set(number)) > 1:
            yield match.span()


def has_luhn_checksum(digits: str) -> bool:
    """Return whether the last of the digits is their Luhn checksum, as on payment cards."""
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for match in _PHONE.finditer(text):
        if _LEAST_DIGITS <= sum(sign.isdigit() for sign in match.group()) <= _MOST_DIGITS:
            yield match.span()
    for match in _PHONE_NEAR_ITS_NAME.finditer(text):
        if 7 <= sum(sign.isdigit() for sign in match.group(1)) <= _MOST_DIGITS:
            yield match.span(1)


def _passports(text: str) -> Iterator[tuple[int, int]]:
    for match in _PASSPORT.finditer(text):
        yield match.span(1) if match.group(1) else match.span(2)
    yield from (match.span() for match in _FIRST_LINE.finditer(text))
    for match in _MACHINE_READABLE.finditer(text.replace(" ", "")):
        number, check, born, born_check, expires, expires_check = match.groups()
        checked = ((number, check), (born, born_check), (expires, expires_check))
        if all(_check_digit(field) == int(digit) for field, digit in checked):
            yield 0, len(text)


def _check_digit(field: str) -> int:
    """Return the check digit of a field of a machine-readable document (ICAO 9303)."""
    values = (0 if sign == "<" else int(sign, 36) for sign in field)
    return sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10


def _social_security(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _SOCIAL_SECURITY.finditer(text))


_FINDERS: tuple[tuple[str, Callable[[str], Iterator[tuple[int, int]]]], ...] = (
    ("iban", _ibans),
    ("card", _cards),
    ("passport", _passports),
    ("mail", _mails),
    ("social_security", _social_security),
    ("phone", _phones),
)
_NAMES = {
    "iban": "the number of a bank account (with a valid checksum)",
    "card": "the number of a payment card (with a valid checksum)",
    "passport": "the number of a passport",
    "mail": "a mail address",
    "social_security": "a social security number",
    "phone": "a phone number",
}


def _in_texts(facts: ItemFacts) -> Iterator[ItemFault]:
    yield from _said(facts.texts)


def _in_pictures(facts: ItemFacts) -> Iterator[ItemFault]:
    lines = [(f"picture {n}", "\n".join(shown.text or ())) for n, shown in enumerate(facts.pictures or (), start=1)]
    yield from _said(lines)


def _said(texts: Iterable[tuple[str, str]]) -> Iterator[ItemFault]:
    found = [(place, text, datum) for place, text in texts for datum in personal_data(text)]
    if found:
        sorts = dict.fromkeys(datum.sort for _, _, datum in found)
        places = dict.fromkeys(place for place, _, _ in found)
        shown = {f"{place}, {datum.sort}": excerpt(text, datum.start, datum.stop) for place, text, datum in found[:8]}
        what = " and ".join(_NAMES[sort] for sort in sorts)
        yield ItemFault(f"{what[0].upper()}{what[1:]} is in the {', '.join(places)}.", {"texts": shown})


RULES = (
    FaultRule(
        "personal_data",
        "personal_data",
        "medium",
        "mail address, phone, bank account (IBAN) or payment card with a valid checksum, passport or social "
        "security number in question, options or explanation; addresses at `example.com` do not count",
        _in_texts,
    ),
    FaultRule(
        "personal_data_in_picture",
        "personal_data",
        "medium",
        "with `--ocr`: the same in the text of a picture",
        _in_pictures,
        ("picture_text",),
    ),
)
