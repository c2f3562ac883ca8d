"""Unfinished or damaged texts: placeholders, template braces, missing values, markup, mojibake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..wording.authors_notes import asks_for_text, authors_note, labels_for_texts
from ..wording.text_checks import MISSING_VALUES
from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt

_TODO = re.compile(
    r"\b(?:TODO|FIXME|XXX+|PLACEHOLDER)\b(?!\s+(?:LIST|list|List|lists|app|item)\b)|[\[<{](?:TBD|TBA)[\]>}]|"
    r"^\s*(?:TBD|TBA)\b|\b(?:TBD|TBA)[).?]{0,2}\s*$"
    r"|\b[Ll]orem ipsum\b|\b[Ii]nsert (?:the )?(?:question|answer|option|text|caption|description|name) here\b"
    r"|\b(?:[Qq]uestion|[Aa]nswer|[Oo]ption|[Dd]istractor|[Cc]aption|[Yy]our) (?:text|question|answer) (?:goes )?here\b"
    r"|\[object Object\]|[<\[](?:placeholder|your [a-z ]+|insert [a-z ]+|fill [a-z ]+|missing|empty|todo|tbd)[>\]]",
)
_IGNORING_CASE = re.compile(r"\bplaceholder(?: text)?\b|<(?:placeholder|todo|tbd)>", re.IGNORECASE)
_DUMMY = re.compile(
    r"(?:asdf\w*|qwerty|foo ?bar|dummy|sample (?:text|question|answer)|test (?:question|answer|option)|"
    r"(?:new|untitled) (?:question|option|answer)|"
    r"(?:wrong|incorrect|false|right|correct) (?:option|answer|choice) ?\d*|"
    r"distractor ?\d*|\.{3,}|…|\?{2,}|x{3,}|-{3,})",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"\{\{[^{}\n]{1,60}\}\}|\{%[^{}\n]{1,60}%\}|<%[^<>\n]{1,60}%>|\$\{[A-Za-z_][\w.]{0,40}\}|%\([a-z_]\w*\)[sd]"
    r"|(?<![\w\\^_}{$√])\{(?:[a-z_][a-z0-9_.]{1,40}|[A-Z_]{3,40}|\d)\}(?![{^_])|(?<![\w%])%[sd](?!\w)"
    r"|<<[A-Za-z_ ]{2,40}>>|\[\[[A-Za-z_ ]{2,40}\]\]"
    r"|\[[A-Z]{2,20}(?:_[A-Z0-9]{1,20}){1,4}\]|(?<!\w)__[A-Za-z]{2,20}(?:_[A-Za-z0-9]{1,20}){0,4}__(?!\w)"
    r"|(?<![\w$\\])\$[A-Z][A-Z_]{2,30}\b(?!\$)|(?<![\w@])@@[A-Za-z_]{2,30}@@|(?<![\w#])#\{[a-z_][\w.]{0,40}\}"
)
_TEX = re.compile(r"\\[A-Za-z]+|\$[^$]+\$|[\^_]\{")
_TAG = re.compile(
    r"</?(?:a|b|i|u|p|br|hr|em|div|span|strong|sub|sup|ul|ol|li|td|tr|th|table|tbody|font|h[1-6]|img|small|center|code|"
    r"pre|blockquote|script|style|html|body|input|label|button|iframe|svg|strike|mark)(?:\s[^<>]{0,300})?\s*/?>"
    r"|&(?:nbsp|amp|lt|gt|quot|apos|#\d{2,6}|#x[0-9a-f]{2,6}|[lr][sd]quo|[mn]dash|hellip|deg|times|divide|eacute);"
    r"|<!--|\\u[0-9a-fA-F]{4}|(?<!\\)\\n(?![A-Za-z\\])|(?<!\\)\\n(?=[A-Z][a-z])",
    re.IGNORECASE,
)
_LEFT_OVER = re.compile(r"[?？!.]\s*(?:nan|NaN|None|null|NULL|undefined|N/A|NaT|<NA>)\s*$")
"""A program's text for a field without a value, such as a hint, after a question."""
_CODECS = ("cp1252", "latin-1", "cp1251", "cp437")
_LEADING = re.compile("[ÂÃÄÅÆÇÈÉÊËÎÏÐÑØÙÚâãäåæçèéêëìíîïðРСТГЎВ]")
"""Characters that begin the garbled form of one UTF-8 character in texts decoded with another encoding."""
_SURELY = re.compile(
    "\ufffd|â€[™œ\x9d“”¦˜\u0093\u0094]?|ï»¿|Ã[\x80-\xbf©¨¤¶¼±³¡§«]|Â[\xa0°·©®»«£²³±]|‚Ä[ôúùìî¶]"
    "|ΓÇ[ÖöÜ¥£]|锟斤拷|鈥[檚淭滐]|烫烫烫|(?<=[A-Za-z])√[©®´¨†°¢£§•¶ß™≠±≥∂º∫ªø](?![\\d(])"
)
_RUN = re.compile(r"[^\x00-\x7f]{2,}")
_SHOWN = 8
_LEAST_IN_TEX = 7
"""Smallest number of characters of a field in braces, in a text with formulas, where `{2}` and `{abc}` belong to the
formulas."""


def _where(facts: ItemFacts, pattern: re.Pattern[str], *, least: int = 0) -> dict[str, str]:
    """Return the first match of a pattern in each text, by the text's name, with the surrounding words.

    Args:
        facts: The item.
        pattern: The pattern to search for.
        least: Smallest number of characters of a match in a text with TeX formulas.
    """
    found = {}
    for place, text in facts.texts:
        match = pattern.search(text)
        if match is not None and (len(match.group()) >= least or not _TEX.search(text)):
            found[place] = excerpt(text, *match.span())
    return found


def _said(found: dict[str, str], what: str) -> Iterator[ItemFault]:
    if found:
        place, words = next(iter(found.items()))
        more = f" and {len(found) - 1} more of its texts" if len(found) > 1 else ""
        yield ItemFault(f"{what} in the {place}{more}: {words!r}.", {"texts": dict(list(found.items())[:_SHOWN])})


def _placeholders(facts: ItemFacts) -> Iterator[ItemFault]:
    found = _where(facts, _TODO)
    for place, text in facts.texts:
        if (
            (place == "question" and _LEFT_OVER.search(text))
            or _DUMMY.fullmatch(text.strip())
            or (len(text) < 60 and _IGNORING_CASE.search(text))
            or (
                not place.startswith("option")
                and text.strip().casefold() in {*map(str.casefold, MISSING_VALUES), "none", "undefined"}
            )
        ):
            found.setdefault(place, excerpt(text))
    if asks_for_text(facts.item.question):  # `TODO` may be the text on a sticky note
        found = {
            place: words for place, words in found.items() if not place.startswith("option") and place != "explanation"
        }
    for label in labels_for_texts([str(choice.text) for choice in facts.worded]):
        choice = facts.worded[label]
        found.setdefault(f"option {choice.key}", str(choice.text))
    yield from _said(found, "A placeholder is")


_SURE_IN_OPTION = re.compile(
    r"\b(?:distractors?|options?|answer|key|reviewers?|re-?word|picture|image)\b", re.IGNORECASE
)
"""Words of a note that occur in no option of a question about a note or a screen."""


def _notes(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if a text contains a note; in explanations, whose prose is long, only notes that are certain."""
    of_text = asks_for_text(facts.item.question)
    spans = {
        place: (text, span)
        for place, text in facts.texts
        if (span := authors_note(text, in_prose=place == "explanation")) is not None
        and not (of_text and place.startswith("option") and _SURE_IN_OPTION.search(text) is None)
        and text[slice(*span)] not in {"TODO", "FIXME"}  # a bare mark is a placeholder, which makes one finding
    }
    yield from _said({place: excerpt(text, *span) for place, (text, span) in spans.items()}, "A note to the authors is")


def _templates(facts: ItemFacts) -> Iterator[ItemFault]:
    yield from _said(_where(facts, _TEMPLATE, least=_LEAST_IN_TEX), "An unfilled template field is")


def _markup(facts: ItemFacts) -> Iterator[ItemFault]:
    yield from _said(_where(facts, _TAG), "Unrendered markup is")


def _mojibake(facts: ItemFacts) -> Iterator[ItemFault]:
    found = {}
    for place, text in facts.texts:
        if not text.isascii() and (garbled := garbled_run(text)) is not None:
            start = text.index(garbled[0])
            found[place] = excerpt(text, start, start + len(garbled[0])) + (
                f" for {garbled[1]!r}" if garbled[1] else ""
            )
    yield from _said(found, "Characters are garbled by a wrong encoding")


@lru_cache(maxsize=1 << 12)
def garbled_run(text: str) -> tuple[str, str] | None:
    """Return the first run of characters that are UTF-8 decoded with another encoding, and the intended text.

    The intended text is empty if it is lost (`U+FFFD`). The result is None if there is no such run.

    Example:
        >>> garbled_run("a cafÃ© in Paris"), garbled_run("a café in Paris")
        (('Ã©', 'é'), None)
    """
    for match in _RUN.finditer(text):
        run = match.group()
        if _LEADING.search(run) is None:
            continue
        for codec in _CODECS:
            meant = _decoded_again(run, codec)
            if meant is not None and _is_likelier(meant, run, codec):
                return run, meant
    surely = _SURELY.search(text)
    return None if surely is None else (surely.group(), "")


def _decoded_again(run: str, codec: str) -> str | None:
    try:
        data = b"".join(
            bytes([ord(sign)]) if codec == "cp1252" and "\x80" <= sign <= "\x9f" else sign.encode(codec) for sign in run
        )
        return data.decode()
    except UnicodeError:
        return None


def _is_likelier(meant: str, run: str, codec: str) -> bool:
    if len(meant) >= len(run) or not all(sign.isprintable() or sign.isspace() for sign in meant):
        return False
    return codec in {"cp1252", "latin-1"} or len(meant) > 1  # in Cyrillic two letters may decode by chance


RULES = (
    FaultRule(
        "placeholder_text",
        "placeholders",
        "medium",
        "`TODO`, `TBD`, `lorem ipsum`, `option text here`, `???`, `nan` in place of a question: a text was never "
        "written",
        _placeholders,
    ),
    FaultRule(
        "authors_note",
        "placeholders",
        "medium",
        "a note of authors or reviewers to one another: `[needs a better distractor]`, `(too easy?)`, `// rewrite`, "
        "`<!-- fix me -->`, `to be filled in`, `Source needed.`, `same as Q12:`, `Difficulty: 2/5`, `(key)`. "
        "Options of a question about the text of a note or a screen may contain it",
        _notes,
    ),
    FaultRule(
        "template_field",
        "placeholders",
        "medium",
        "`{object}`, `{{ color }}`, `${name}`, `%s`: an unfilled template field; braces of formulas do not count",
        _templates,
    ),
    FaultRule(
        "garbled_characters",
        "placeholders",
        "medium",
        "mojibake: `cafÃ©` for `café`, `â€™` for `’`, `\ufffd`",
        _mojibake,
    ),
    FaultRule(
        "markup_in_text",
        "placeholders",
        "low",
        "HTML tags and entities, `\\u00e9` and `\\n` shown literally",
        _markup,
        together=True,
    ),
)
