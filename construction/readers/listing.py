"""Readers by name: what each needs and supplies, as documents and as text, and their creation from options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from pydantic import ValidationError

from benchwright.errors import BenchwrightError
from benchwright.rooms import catalogue, find
from benchwright.settings.help import settings_of, summary_of
from benchwright.source_files.rows import first_mistake

from .reader import DatasetReader


def make_reader(name: str, options: Mapping[str, Any]) -> DatasetReader:
    """Return the reader with a name and settings.

    Raises:
        BenchwrightError: The reader is unknown, or a setting is wrong.
    """
    kind: type[DatasetReader] = find("dataset_readers", name).load()
    try:
        return kind(**options)
    except ValidationError as error:
        known = ", ".join(kind.model_fields) or "none"
        raise BenchwrightError(f"options of reader {name!r}: {first_mistake(error)}; it has: {known}") from None


def options_in(words: Iterable[str]) -> dict[str, Any]:
    """Return options given as `NAME=VALUE`, with values written as in a recipe.

    Raises:
        BenchwrightError: An option has another form.
    """
    options: dict[str, Any] = {}
    for word in words:
        name, is_stated, value = word.partition("=")
        try:
            options[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            is_stated = ""
        if not name or not is_stated:
            raise BenchwrightError(f"option {word!r} is not NAME=VALUE, such as split=zeroshot or splits=[trn, val]")
    return options


def reader_documents() -> list[dict[str, Any]]:
    """Return documents that state what each reader needs and supplies, sorted by the reader's name."""
    return [_document(name, entry.load()) for name, entry in catalogue("dataset_readers").items()]


def _document(name: str, kind: type[DatasetReader]) -> dict[str, Any]:
    return {
        "name": name,
        "title": kind.title,
        "help": summary_of(kind),
        "home": kind.home,
        "licence": kind.licence,
        "pictures_licence": kind.pictures_licence,
        "gives": [truth.kind for truth in kind.gives],
        "needs": [needed._asdict() for needed in kind.needs],
        "options": [
            {
                "name": setting.name,
                "kind": setting.kind.replace("`", ""),
                "default": setting.default,
                "help": setting.help,
            }
            for setting in settings_of(kind)
        ],
    }


def reader_text(document: Mapping[str, Any]) -> str:
    """Return a reader's document as readable text."""
    lines = [
        f"{document['name']}: {document['title']}",
        f"  home      {document['home']}",
        f"  license   {document['licence']}",
        f"  pictures  {document['pictures_licence']}",
        f"  gives     {', '.join(document['gives']) or 'pictures only'}",
    ]
    lines += [
        f"  needs     {needed['path']}: {needed['content']}; {needed['obtained']}" for needed in document["needs"]
    ]
    lines += [
        f"  option    {option['name']}: {option['kind']}; default {option['default']}. {option['help']}"
        for option in document["options"]
    ]
    return "\n".join(lines)
