"""The languages that an app offers, and the choice among them for a browser or an account."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from .language import ENGLISH, AppLanguage, TextsBySection
from .language_file import FOLDER, SUFFIX, problems_of, read_language
from .setting_file import setting_file_of

logger = logging.getLogger(__name__)
_MOST_HEADER = 500
"""Number of characters read of an `Accept-Language` header."""


class OfferedLanguages:
    """English, and each language with a file.

    Args:
        english: English texts by section and key.
        folders: Folders with additional files, each of which takes precedence over an included file of the same name;
            so does a file of descriptions of settings in their `settings`.

    Raises:
        DataError: A file cannot be read, or its name is not a language tag.
    """

    def __init__(self, english: TextsBySection, *folders: Path) -> None:
        self._languages = {ENGLISH.tag: ENGLISH}
        all_folders = (FOLDER, *folders)
        for path in (path for folder in all_folders for path in sorted(folder.glob(f"*{SUFFIX}"))):
            if problems := problems_of(path, english):
                logger.warning("%s: %d texts show in English; the first: %s", path, len(problems), problems[0])
            possible = (setting_file_of(folder / path.name) for folder in reversed(all_folders))
            settings = next((file for file in possible if file.is_file()), None)
            self._languages[path.stem] = read_language(path, english, settings)
        self._accepted = lru_cache(maxsize=256)(self._best_of)

    @property
    def all(self) -> Sequence[AppLanguage]:
        """Return all languages, English first."""
        return tuple(self._languages.values())

    def of_tag(self, tag: str | None) -> AppLanguage | None:
        """Return the language of a tag, or None if the tag is unknown."""
        return self._languages.get(tag or "")

    def choose(self, *tags: str | None, accepted: str = "") -> AppLanguage:
        """Return the language of the first offered tag, or else the best language for a browser.

        Args:
            tags: Tags that the user chose, the most specific choice first; None and unknown tags are skipped.
            accepted: `Accept-Language` header of the browser.
        """
        known = (self._languages.get(tag) for tag in tags if tag)
        chosen = next((language for language in known if language is not None), None)
        return self._accepted(accepted[:_MOST_HEADER]) if chosen is None else chosen

    def _best_of(self, header: str) -> AppLanguage:
        """Return the offered language that a browser prefers, or English if it accepts no offered language."""
        for tag in _by_preference(header):
            for name, language in self._languages.items():
                if tag == name.lower() or tag.partition("-")[0] == name.lower().partition("-")[0]:
                    return language
        return ENGLISH


def _by_preference(header: str) -> list[str]:
    """Return the tags of an `Accept-Language` header in order of preference (RFC 9110, section 12.5.4)."""
    liked = []
    for entry in header.split(","):
        tag, _, quality = entry.partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if tag.strip() and 0 < weight <= 1:
            liked.append((weight, tag.strip().lower()))
    return [tag for weight, tag in sorted(liked, key=lambda entry: -entry[0])]
