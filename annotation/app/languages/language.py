"""A language of the app, and the choice of language for the current request or run of a page.

English texts are in the code. `Texts` holds them under keys and returns each in the chosen language, so that code uses
`TEXTS["undo"]` and never names a language. Numbers in a text follow the language's notation, and its wording follows
the plural form of a count (rules of the Unicode CLDR, by Babel).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, cast

from .setting_file import translated_settings

if TYPE_CHECKING:
    from babel import Locale

Forms = Mapping[str, str]
"""A text in the forms for different counts, by plural category (`one`, `few`, `other`, ...); `by` names the count."""
TextsBySection = Mapping[str, Mapping[str, str | Forms]]
PLURAL_CATEGORIES = ("zero", "one", "two", "few", "many", "other")
BY = "by"
_SPEC = re.compile(r"(,?)(?:\.(\d+))?([dfg%]?)")
_ISOLATE, _ISOLATE_END = "\u2068", "\u2069"


class AppLanguage:
    """One language of the app.

    Args:
        tag: Tag, such as `ar` or `pt-BR`.
        texts: Translations by section and key; none for English. A text without a translation appears in English.
        english: English texts by section and key.
        setting_file: File with the descriptions of recipe settings, read on first use; default none.
    """

    def __init__(
        self,
        tag: str,
        texts: TextsBySection | None = None,
        english: TextsBySection | None = None,
        setting_file: Path | None = None,
    ) -> None:
        self.tag = tag
        self._setting_file = setting_file
        self._texts: dict[tuple[str, str], str] = {}
        self._own: dict[tuple[str, str], str] = {}
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        for section, entries in (texts or {}).items():
            for key, entry in entries.items():
                text = self._texts[section, key] = _ready(entry, self)
                source = (english or {}).get(section, {}).get(key)
                if section in _STORED and isinstance(source, str):
                    self._own[section, source] = text
                elif section == MESSAGES:
                    self._patterns.append((_pattern_of(key), text))

    def __repr__(self) -> str:
        return f"Language({self.tag!r})"

    @cached_property
    def locale(self) -> Locale:
        """Return Babel's locale of the language."""
        from babel import Locale

        return Locale.parse(self.tag, sep="-")

    @cached_property
    def name(self) -> str:
        """Return the language's name in the language itself."""
        name = self.locale.get_display_name() or self.tag
        return name[:1].upper() + name[1:]

    @cached_property
    def direction(self) -> str:
        """Return `ltr` or `rtl`."""
        return self.locale.text_direction

    @cached_property
    def plural_categories(self) -> frozenset[str]:
        """Return the plural categories that the language distinguishes."""
        return frozenset({*self.locale.plural_form.tags, "other"})

    def text(self, section: str, key: str, english: str) -> str:
        """Return a text in this language, or in English if there is no translation."""
        return self._texts.get((section, key), english)

    def setting_text(self, english: str) -> str | None:
        """Return the description of a recipe setting in this language, or None if there is no translation."""
        return None if self._setting_file is None else translated_settings(self._setting_file).get(english)

    def plural(self, number: float) -> str:
        """Return the plural category of a count."""
        return self.locale.plural_form(number)

    def number(self, value: float, spec: str) -> str:
        """Return a number in the language's notation, with Western digits.

        Args:
            value: The number.
            spec: Format as in Python's `format`: `,`, `.1f`, `.0%`, `g` and combinations of these.
        """
        parsed = _SPEC.fullmatch(spec)
        if not spec or parsed is None or (isinstance(value, float) and not -1e15 < value < 1e15):
            return format(value, spec)
        from babel.numbers import format_decimal, format_percent

        grouped, places, kind = parsed.groups()
        if kind == "g":
            return format_decimal(float(format(value, f".{places or 6}g")), "#,##0.######", locale=self.locale)
        whole = "#,##0" if grouped else "0"
        pattern = whole + (f".{'0' * int(places)}" if places and int(places) else "")
        if kind == "%":
            return format_percent(value, self._percent_pattern(pattern), locale=self.locale)
        return format_decimal(value, pattern, locale=self.locale)

    def _percent_pattern(self, pattern: str) -> str:
        of_language = self.locale.percent_formats[None].pattern
        return re.sub(r"[#0,.]+", pattern, of_language, count=1)

    def date_and_time(self, moment: datetime) -> str:
        """Return day, month and time of day, such as "24 Nov 16:05"."""
        if self is ENGLISH:
            return f"{moment:%d %b %H:%M}"
        from babel.dates import format_datetime, format_skeleton

        day = format_skeleton("MMMd", moment, locale=self.locale)
        return f"{day} {format_datetime(moment, 'HH:mm', locale=self.locale)}"

    def translated(self, english: str, section: str) -> str:
        """Return a built-in text that is stored in English, such as in a campaign's form, in this language.

        A user's text has no translation and is returned unchanged.

        Args:
            english: The text.
            section: One of `_STORED`.
        """
        return self._own.get((section, english), english)

    def message(self, english: str) -> str:
        """Return an English message, with values filled in, in this language; unchanged if the message is unknown."""
        messages = self._messages(english.split("; "))
        return english if messages is None else "; ".join(messages)

    def _messages(self, parts: Sequence[str]) -> list[str] | None:
        """Return the translation of a message made of joined parts; None if any part is unknown."""
        if not parts:
            return []
        for end in range(1, len(parts) + 1):
            first = self._single_message("; ".join(parts[:end]))
            if first is not None and (others := self._messages(parts[end:])) is not None:
                return [first, *others]
        return None

    def _single_message(self, english: str) -> str | None:
        for pattern, text in self._patterns:
            if (match := pattern.fullmatch(english)) is not None:
                values = {name: self.translated(value, "forms") for name, value in match.groupdict().items()}
                if (why := values.get(_WHY)) is not None:
                    values[_WHY] = self.message(why)
                return text.format(**values)
        return None


class Text(str):
    """A text with placeholders, which `format` fills in with the language's notation and plural forms."""

    language: AppLanguage
    forms: Forms | None

    def __new__(cls, text: str | Forms, language: AppLanguage) -> Text:
        """Create a text in a language from one form, or from forms by plural category."""
        self = super().__new__(cls, text if isinstance(text, str) else text["other"])
        self.language = language
        self.forms = None if isinstance(text, str) else text
        return self

    def format(self, *args: object, **values: object) -> str:
        """Return the text with its placeholders filled in."""
        text = str(self)
        if self.forms is not None:
            count = values.get(self.forms[BY])
            if isinstance(count, int | float):
                text = self.forms.get(self.language.plural(count), text)
        return _FORMATTERS[self.language.direction == "rtl"](self.language).vformat(text, args, values)


class _LocalFormatter(Formatter):
    """Formatter that fills in numbers in a language's notation."""

    def __init__(self, language: AppLanguage) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._language.number(value, format_spec)
        return cast(str, super().format_field(value, format_spec))


class _IsolatingFormatter(_LocalFormatter):
    """Formatter that also isolates names and codes from the surrounding words, which run from right to left."""

    def format_field(self, value: Any, format_spec: str) -> str:
        text = super().format_field(value, format_spec)
        return f"{_ISOLATE}{text}{_ISOLATE_END}" if isinstance(value, str) and text else text


_FORMATTERS: tuple[Callable[[AppLanguage], Formatter], Callable[[AppLanguage], Formatter]] = (
    _LocalFormatter,
    _IsolatingFormatter,
)
MESSAGES = "messages"
_WHY = "why"
"""Placeholder in a message for another message."""
"""Section of error messages, whose keys are the English messages, with places for values."""
_STORED = frozenset({"forms", "guidelines", "practice"})
"""Sections of texts that campaigns hold in English, and that are found by their English wording."""
_SESSION_KEY = "benchwright-language"


def unisolated(text: str) -> str:
    """Return a text without the isolation marks around values, for drawings, which do not support such marks."""
    return text.replace(_ISOLATE, "").replace(_ISOLATE_END, "")


def _ready(text: str | Forms, language: AppLanguage) -> str:
    """Return a text in the type that code uses: a plain string if there are no placeholders."""
    return text if isinstance(text, str) and "{" not in text else Text(text, language)


def _pattern_of(english: str) -> re.Pattern[str]:
    """Return a pattern for messages from an English template, in which each placeholder is a named group."""
    parts = []
    for literal, field, _, _ in Formatter().parse(english):
        parts.append(re.escape(literal))
        if field is not None:
            parts.append(f"(?P<{field}>.*?)")
    return re.compile("".join(parts), re.DOTALL)


ENGLISH = AppLanguage("en")
_chosen: ContextVar[AppLanguage | None] = ContextVar("benchwright_language", default=None)


def chosen_language() -> AppLanguage:
    """Return the language of the current request or page run; English outside of both."""
    language = _chosen.get()
    return _language_of_session() if language is None else language


def _language_of_session() -> AppLanguage:
    """Return the language that the last complete run chose for the Streamlit session of this thread.

    Each run has a separate thread. Callbacks run before the page's script, and fragments without it.
    """
    streamlit = sys.modules.get("streamlit")
    if streamlit is None or streamlit.runtime.scriptrunner.get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    kept = streamlit.session_state.get(_SESSION_KEY)
    if not isinstance(kept, AppLanguage):
        return ENGLISH
    _chosen.set(kept)
    return kept


def choose_for_session(language: AppLanguage) -> None:
    """Use a language for the current run of a page, and for callbacks and fragments of its session."""
    import streamlit as st

    st.session_state[_SESSION_KEY] = language
    _chosen.set(language)


@contextmanager
def use_language(language: AppLanguage) -> Iterator[None]:
    """Use a language within the context, in this thread and in the coroutines that it awaits."""
    token = _chosen.set(language)
    try:
        yield
    finally:
        _chosen.reset(token)


class Texts(Mapping[str, str]):
    """English texts by key, each returned in the chosen language.

    Args:
        section: Section of the language files with their translations.
        english: English texts; a text with a count may consist of forms by plural category, with the name of the count
            as `by`.
    """

    def __init__(self, section: str, english: Mapping[str, str | Forms]) -> None:
        self.section = section
        self.english = english
        self._ready = {key: text if isinstance(text, str) else Text(text, ENGLISH) for key, text in english.items()}

    def __getitem__(self, key: str) -> str:
        return chosen_language().text(self.section, key, self._ready[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self.english)

    def __len__(self) -> int:
        return len(self.english)

    def __contains__(self, key: object) -> bool:
        return key in self.english


def for_browser(texts: Mapping[str, str]) -> dict[str, str | dict[str, str]]:
    """Return texts as JSON values for scripts, whose `fill` selects the form for a count."""
    forms = ((name, getattr(text, "forms", None), text) for name, text in texts.items())
    return {name: str(text) if by_category is None else dict(by_category) for name, by_category, text in forms}
