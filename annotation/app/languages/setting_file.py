"""The descriptions of recipe settings in a language: a TOML file with a table for each setting, read on first use.

    [jigsaw.margin]
    english = "In mode `hardened`, fraction of each side, 0-0.3, that is left out of the cut."
    text = "..."

The file of `ar.toml` is `settings/ar.toml` next to it. Settings with the same description share the table of the first
one. A page finds a translation by its English text, so a description that has changed appears in English.
"""

from __future__ import annotations

import json
import logging
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchwright.errors import DataError

FOLDER_OF_SETTINGS = "settings"
SettingTexts = Mapping[str, Mapping[str, str]]
"""English descriptions by step and setting."""
_ENGLISH, _TEXT = "english", "text"
_CODE = re.compile(r"`[^`]*`")
_CHECK = "CHECK: "
"""Beginning of a translation whose English text has changed; such a translation counts as missing."""

logger = logging.getLogger(__name__)


def setting_file_of(path: Path) -> Path:
    """Return the file of setting descriptions that belongs to a language file."""
    return path.parent / FOLDER_OF_SETTINGS / path.name


@lru_cache(maxsize=64)
def translated_settings(path: Path) -> Mapping[str, str]:
    """Return the valid translations in a file, by English text; none, with a logged warning, if it cannot be read."""
    try:
        entries = _entries(path)
    except DataError as error:
        logger.warning("%s", error)
        return {}
    return {entry[_ENGLISH]: entry[_TEXT] for _, _, entry in entries if not list(_faults(entry))}


def setting_problems(path: Path, english: SettingTexts) -> list[str]:
    """Return the faults of a file: settings that are missing, extra, or different in their codes from English.

    Args:
        path: The file.
        english: English descriptions by step and setting.

    Raises:
        DataError: The file cannot be read.
    """
    known = {(step, name): entry for step, name, entry in _entries(path)}
    problems = [
        f"[{step}.{name}] there is no such setting, or an earlier one has the same text"
        for step, name in known
        if name not in english.get(step, {})
    ]
    for step, settings in english.items():
        for name, source in settings.items():
            entry = known.get((step, name))
            faults = ["it is missing"] if entry is None else list(_faults(entry))
            if entry is not None and entry.get(_ENGLISH) != source:
                faults.append(f"its English text is now {source!r}")
            problems += [f"[{step}.{name}] {fault}" for fault in faults]
    return problems


def written_settings(tag: str, english: SettingTexts, begun: Path | None = None) -> str:
    """Return the text of a file with all settings; those without a translation have an empty text.

    A translation of an English text that has changed is kept, marked with "CHECK: ".

    Args:
        tag: Tag of the language.
        english: English descriptions by step and setting.
        begun: Existing file of the language, whose head is also kept; default None.

    Raises:
        DataError: The file cannot be read.
    """
    head = [f"# What the settings of recipes mean, in the language {tag}. Codes in backticks stay as they are."]
    known: dict[tuple[str, str], dict[str, str]] = {}
    if begun is not None:
        known = {(step, name): entry for step, name, entry in _entries(begun)}
        head = begun.read_text(encoding="utf-8").partition("\n[")[0].rstrip().splitlines()
    by_text = {entry.get(_ENGLISH, ""): entry.get(_TEXT, "") for entry in known.values()}
    lines = [*head]
    for step, settings in english.items():
        for name, source in settings.items():
            text = by_text.get(source) or known.get((step, name), {}).get(_TEXT, "")
            if text and source not in by_text and not text.startswith(_CHECK):
                text = f"{_CHECK}{text}"
            lines += ["", f"[{step}.{name}]", f"{_ENGLISH} = {_quoted(source)}", f"{_TEXT} = {_quoted(text)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a text as a basic TOML string, which uses the notation of JSON strings."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _entries(path: Path) -> list[tuple[str, str, dict[str, str]]]:
    """Return the step, setting and table of each entry in a file.

    Raises:
        DataError: The file cannot be read, or has something other than tables of texts.
    """
    try:
        document: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} cannot be read as TOML: {error}") from error
    entries = []
    for step, settings in document.items():
        for name, entry in settings.items() if isinstance(settings, dict) else [("", settings)]:
            if not isinstance(entry, dict) or not all(isinstance(text, str) for text in entry.values()):
                raise DataError(
                    f"{path}: {step}.{name} is not a table; write [{step}.SETTING] with `english` and `text`"
                )
            entries.append((step, name, entry))
    return entries


def _faults(entry: Mapping[str, str]) -> Iterator[str]:
    """Yield the faults of one entry."""
    english, text = entry.get(_ENGLISH, ""), entry.get(_TEXT, "")
    if not english or not text.strip() or text.startswith(_CHECK):
        yield "it is not translated yet"
        return
    if text != text.strip():
        yield "it begins or ends with a space"
    needed, given = set(_CODE.findall(english)), set(_CODE.findall(text))
    if lost := sorted(needed - given):
        yield f"it lacks {', '.join(lost)}"
    if surplus := sorted(given - needed):
        yield f"it has {', '.join(surplus)}, which the English text has not"
