"""Read a language file, a TOML file with a table for each section, and check it against English.

An entry is a text, or a table of the forms for a count, by the plural categories of the Unicode CLDR:

    sign_in = "تسجيل الدخول"
    home_today = { zero = "...", one = "...", two = "...", few = "...", many = "...", other = "..." }

If a text has several placeholders, `by` names the count.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from benchwright.errors import DataError

from .language import BY, PLURAL_CATEGORIES, AppLanguage, Forms, TextsBySection

FOLDER = Path(__file__).parent
SUFFIX = ".toml"


def read_language(path: Path, english: TextsBySection, setting_file: Path | None = None) -> AppLanguage:
    """Return the language in a file; entries that do not match the English ones are left out and appear in English.

    Args:
        path: The file, named by the language's tag, such as `ar.toml`.
        english: English texts by section and key.
        setting_file: File with the language's descriptions of recipe settings; default none.

    Raises:
        DataError: The file cannot be read, or its name is not a language tag.
    """
    tag = path.stem
    bare = AppLanguage(tag)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} cannot be read as TOML: {error}") from error
    categories = _categories_of(bare, path)
    texts = {
        section: {
            key: _with_count(entry, source)
            for key, source in sources.items()
            if (entry := _entry(document, section, key)) is not None and not _faults(entry, source, categories)
        }
        for section, sources in english.items()
    }
    return AppLanguage(tag, texts, english, setting_file)


def problems_of(path: Path, english: TextsBySection) -> list[str]:
    """Return the faults of a language file: entries that are missing, extra, or differ in form from the English text.

    Args:
        path: The file.
        english: English texts by section and key.

    Raises:
        DataError: The file cannot be read, or its name is not a language tag.
    """
    read_language(path, english)
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    categories = AppLanguage(path.stem).plural_categories
    problems = []
    for section, entries in document.items():
        known = english.get(section)
        if known is None or not isinstance(entries, dict):
            problems.append(f"[{section}] is no section of texts; there are {', '.join(english)}")
        else:
            problems += [f"[{section}] {key}: there is no such English text" for key in entries if key not in known]
    for section, sources in english.items():
        for key, source in sources.items():
            entry = _entry(document, section, key)
            faults = ["it is missing"] if entry is None else _faults(entry, source, categories)
            problems += [f"[{section}] {key}: {fault}" for fault in faults]
    return problems


def check_tag(tag: str) -> None:
    """Raise `DataError` if a text is not a language tag."""
    _categories_of(AppLanguage(tag), Path(f"{tag}{SUFFIX}"))


def _categories_of(language: AppLanguage, path: Path) -> frozenset[str]:
    from babel import UnknownLocaleError

    try:
        return language.plural_categories
    except (ValueError, UnknownLocaleError) as error:
        raise DataError(f"{path}: {language.tag!r} is not a language tag such as ar or pt-BR ({error})") from error


_UNTRANSLATED = "EN: "
"""Beginning of untranslated entries; such an entry counts as missing."""


def written_file(tag: str, english: TextsBySection, begun: Path | None = None) -> str:
    """Return the text of a language file with all entries: valid ones unchanged, all others marked as untranslated.

    Args:
        tag: Tag of the language.
        english: English texts by section and key.
        begun: Existing file of the language, whose head is also kept; default None.

    Raises:
        DataError: The tag is not a language tag, or the file cannot be read.
    """
    categories = _categories_of(AppLanguage(tag), Path(f"{tag}{SUFFIX}"))
    document, head = {}, [f"# The review app in {AppLanguage(tag).name}. Terms, one word for one thing:", "#"]
    if begun is not None:
        read_language(begun, english)
        text = begun.read_text(encoding="utf-8")
        document = tomllib.loads(text)
        head = text.partition("\n[")[0].rstrip().splitlines()
    lines = [*head]
    for section, sources in english.items():
        lines += ["", f"[{section}]"]
        for key, source in sources.items():
            entry = _entry(document, section, key)
            fits = entry is not None and not _faults(entry, source, categories)
            lines.append(f"{_key(key)} = {_written(entry if fits else _to_be_done(source))}")
    return "\n".join(lines) + "\n"


def _to_be_done(source: str | Forms) -> str | Forms:
    if isinstance(source, str):
        return f"{_UNTRANSLATED}{source}"
    return {category: form if category == BY else f"{_UNTRANSLATED}{form}" for category, form in source.items()}


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _written(entry: str | Forms) -> str:
    """Return an entry as TOML, whose basic strings have the notation of JSON strings."""
    if isinstance(entry, str):
        return json.dumps(entry, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "{ " + ", ".join(f"{name} = {_written(form)}" for name, form in entry.items()) + " }"


def _places_of(text: str) -> list[str]:
    """Return the names of a text's placeholders.

    Raises:
        ValueError: A brace is not closed.
    """
    return [field for _, field, _, _ in Formatter().parse(text) if field is not None]


def _entry(document: Mapping[str, Any], section: str, key: str) -> Any:
    entries = document.get(section)
    return entries.get(key) if isinstance(entries, dict) else None


def _with_count(entry: str | dict[str, str], source: str | Forms) -> str | Forms:
    """Return an entry whose forms name their count."""
    return entry if isinstance(entry, str) or BY in entry else {BY: _count_of(source), **entry}


def _count_of(source: str | Forms) -> str:
    """Return the name of the count's placeholder in an English text: the named one or the only one; otherwise empty."""
    if not isinstance(source, str):
        return source[BY]
    places = list(dict.fromkeys(_places_of(source)))
    return places[0] if len(places) == 1 else ""


def _faults(entry: Any, source: str | Forms, categories: frozenset[str]) -> list[str]:
    """Return the faults of one entry."""
    if not isinstance(entry, str) and not (isinstance(entry, dict) and all(isinstance(v, str) for v in entry.values())):
        return ["it is neither a text nor a table of texts"]
    places = set(_places_of(source if isinstance(source, str) else source["other"]))
    if isinstance(entry, str):
        return list(_faults_of_form(entry, places, places))
    forms = dict(entry)
    by = forms.pop(BY, "") or _count_of(source)
    faults = []
    if by not in places:
        faults.append(f"`by` says which of {', '.join(sorted(places)) or 'no places'} is the count, not {by!r}")
    if missing := [category for category in PLURAL_CATEGORIES if category in categories - forms.keys()]:
        faults.append(f"forms are missing for {', '.join(missing)}")
    if surplus := sorted(forms.keys() - categories):
        faults.append(f"the language has no forms for {', '.join(surplus)}")
    for category, form in forms.items():
        # A word may replace the count, such as for one or two.
        faults += [f"{category}: {fault}" for fault in _faults_of_form(form, places, places - {by})]
    return faults


def _faults_of_form(text: str, possible: set[str], needed: set[str]) -> Iterator[str]:
    if not text.strip() or text != text.strip():
        yield "it is empty, or begins or ends with a space"
    if text.startswith(_UNTRANSLATED):
        yield "it is not translated yet"
    try:
        places = set(_places_of(text))
    except ValueError as error:
        yield f"its braces cannot be read: {error}"
        return
    if lost := sorted(needed - places):
        yield f"it lacks {', '.join(f'{{{name}}}' for name in lost)}"
    if surplus := sorted(places - possible):
        yield f"it has {', '.join(f'{{{name}}}' for name in surplus)}, which the English text has not"
