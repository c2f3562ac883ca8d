"""Checks of field values from any source: the app, a table, another program, a simulated annotator."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchwright.errors import BenchwrightError
from benchwright.questions.written import ASK, question_mistakes
from benchwright.regions import RegionError, SizeWH

from .field_types import (
    DraftsField,
    FormField,
    Lines,
    OneChoice,
    OneOf,
    PhotographField,
    PicturesField,
    RegionField,
    Repeated,
    SeveralOf,
    TextField,
    Values,
)
from .field_words import count_in_words, takes_in_words
from .region_values import read_regions
from .texts import can_be_kept

MOST_MISTAKES = 30
"""Maximum number of mistakes named in a message, so that hostile values cannot make it endless."""

_SHORT_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")

_PLACE = re.compile(r"[a-z][a-z0-9_]{0,31}(/[1-9][0-9]{0,2})?")

_LEAD = re.compile(r"field '\w+'(?: \(.*?\))?:? (?=.)(?!\()")

_SHA256 = re.compile(r"[0-9a-f]{64}")


class FieldMistake(NamedTuple):
    """A mistake in the value of a field.

    Args:
        place: Path of the field, such as `questions/2/ask` in one of a group's entries; empty for the form as a whole.
        words: Description of the mistake, which names the field.
        entry: Description of the group's entry, such as `question 2`; empty outside of groups.
        is_missing: Whether a value is still missing, rather than wrong.
    """

    place: str
    words: str
    entry: str = ""
    is_missing: bool = False

    @property
    def sentence(self) -> str:
        """Return a description of the mistake that names the entry and the field."""
        return f"{self.entry}: {self.words}" if self.entry else self.words

    @property
    def beside_field(self) -> str:
        """Return a description of the mistake for display next to the field, which does not repeat the field's name."""
        return _LEAD.sub("", self.words)


class FormError(BenchwrightError):
    """Values do not fit a form; the message names their paths.

    Args:
        message: Description of the mistakes.
        at_fields: Each mistake with its path; empty if only the message is known.
    """

    def __init__(self, message: str, at_fields: Sequence[FieldMistake] = ()) -> None:
        super().__init__(message)
        self.at_fields = tuple(at_fields)


class TaskValues(NamedTuple):
    """Properties of a task that determine valid values: letters of choices, the right letter, and picture sizes."""

    letters: Sequence[str] = ()
    key: str | None = None
    sizes_wh: Sequence[SizeWH] = ()


def applies(field: FormField, values: Values) -> bool:
    """Return whether a field applies, given the values of earlier fields."""
    if field.only_if is None:
        return True
    value = values.get(field.only_if.field, ())
    return bool({*([value] if isinstance(value, str) else value)} & set(field.only_if.codes))


def checked_values(
    fields: Sequence[FormField], entries: Mapping[str, Any], task: TaskValues
) -> tuple[dict[str, Any], list[FieldMistake]]:
    """Return the checked values of the fields that apply, and all mistakes."""
    values: dict[str, Any] = {}
    mistakes: list[FieldMistake] = []
    for field in fields:
        if not applies(field, values):
            continue
        try:
            value = _value(field, entries.get(field.name), task)
            if isinstance(field, Lines) and value:
                _check_lines(field, value, before=values)
        except FormError as error:
            nested = error.at_fields or (FieldMistake("", str(error)),)
            mistakes += [each._replace(place=f"{field.name}/{each.place}".rstrip("/")) for each in nested]
            continue
        if value:
            values[field.name] = value
        elif field.is_required and not (isinstance(field, RegionField) and field.min_count == 0):
            words = f"field {field.name!r} ({field.label}) is not filled in"
            mistakes.append(FieldMistake(field.name, words, is_missing=True))
    return values, mistakes


def raise_all(mistakes: Sequence[FieldMistake]) -> None:
    """Raise any mistakes as a single error that names the first of them.

    Raises:
        FormError: The list is not empty.
    """
    if mistakes:
        more = f"; and {len(mistakes) - MOST_MISTAKES} more" if len(mistakes) > MOST_MISTAKES else ""
        raise FormError("; ".join(mistake.sentence for mistake in mistakes[:MOST_MISTAKES]) + more, mistakes)


def _value(field: FormField, value: Any, task: TaskValues) -> Any:
    """Check and return the value of a field; an empty value means that the field is not filled in."""
    if isinstance(field, RegionField):
        return _regions(field, value, task.sizes_wh)
    if isinstance(field, Repeated):
        return _entries(field, value)
    if isinstance(field, SeveralOf):
        chosen = [value] if isinstance(value, str) and value else value or []
        codes = [option.code for option in field.options]
        if not isinstance(chosen, list | tuple) or any(code not in codes for code in chosen):
            raise FormError(f"field {field.name!r}: {quoted(value)} is not one of {', '.join(codes)}")
        return [code for code in codes if code in chosen]
    if isinstance(field, Lines):
        return _lines(field, value)
    if isinstance(field, PicturesField | DraftsField):
        return _pictures(field, value) if isinstance(field, PicturesField) else _drafts(field, value)
    return "" if value is None or value == "" else _text_or_code(field, value, task)


def _text_or_code(field: OneOf | OneChoice | TextField | PhotographField, value: Any, task: TaskValues) -> str:
    """Check and return the value of a field that accepts a text, a code or a letter."""
    if not isinstance(value, str):
        raise FormError(f"field {field.name!r}: {quoted(value)} is not text")
    if isinstance(field, TextField):
        return _text(field, value)
    if isinstance(field, PhotographField):
        if not _SHA256.fullmatch(value):
            raise FormError(f"field {field.name!r}: {quoted(value)} is not an uploaded photograph")
        return value
    possible = [option.code for option in field.options] if isinstance(field, OneOf) else list(task.letters)
    if isinstance(field, OneChoice) and not field.is_key_offered:
        possible = [letter for letter in possible if letter != task.key]
    if value not in possible:
        raise FormError(f"field {field.name!r}: {quoted(value)} is not one of {', '.join(possible)}")
    return value


def _pictures(field: PicturesField, value: Any) -> list[str]:
    """Return the ids of pictures from a list or a text with semicolons; the store checks that they exist."""
    listed = [part.strip() for part in value.split(";")] if isinstance(value, str) else value or []
    if not isinstance(listed, list | tuple) or not all(isinstance(image_id, str) for image_id in listed):
        raise FormError(f"field {field.name!r} ({field.label}): {quoted(value)} is not a list of pictures")
    ids = list(dict.fromkeys(image_id for image_id in listed if image_id))
    if wrong := [image_id for image_id in ids if not _SHA256.fullmatch(image_id)]:
        raise FormError(f"field {field.name!r} ({field.label}): {quoted(wrong[0])} is not a picture of the campaign")
    if len(ids) > field.max_count:
        raise FormError(f"field {field.name!r} ({field.label}): at most {field.max_count}; it has {len(ids)}")
    return ids


def _drafts(field: DraftsField, value: Any) -> dict[str, str]:
    """Return the path in the draft by the path of each statement; the value may also come in its stored form."""
    if value is None or value == "":
        return {}
    if not isinstance(value, Mapping):
        raise FormError(f"field {field.name!r}: {quoted(value)} does not state the origin of a statement")
    places: dict[str, str] = {}
    for place, origin in value.items():
        source = origin.get("from") if isinstance(origin, Mapping) else origin
        if not (isinstance(source, str) and _PLACE.fullmatch(source) and _PLACE.fullmatch(place)):
            raise FormError(f"field {field.name!r}: {quoted((place, source))} do not name statements")
        places[place] = source
    return places


def _regions(field: RegionField, value: Any, sizes_wh: Sequence[SizeWH]) -> list[dict[str, Any]]:
    """Return the regions in a field from a list or a JSON text."""
    try:
        regions = read_regions(value, field.rule, sizes_wh)
    except RegionError as error:
        raise FormError(f"field {field.name!r} ({field.label}): {error}") from None
    if regions and len(regions) < field.min_count:
        raise FormError(f"field {field.name!r} ({field.label}): at least {field.min_count}; it has {len(regions)}")
    return regions


def _entries(field: Repeated, value: Any) -> list[dict[str, Any]]:
    """Return the entries in a group from a list or a JSON text, without empty entries.

    Raises:
        FormError: There are too few or too many entries, or they have mistakes; the message names all mistakes.
    """
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            wanted = takes_in_words(field)
            raise FormError(f"field {field.name!r}: {quoted(value)} is not JSON; the field takes {wanted}") from None
    entries = value or []
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, Mapping) for entry in entries):
        raise FormError(f"field {field.name!r} ({field.label}): {quoted(value)} is not a list of entries")
    if len(entries) > field.max_count:
        raise FormError(f"field {field.name!r} ({field.label}): at most {field.max_count}; it has {len(entries)}")
    checked: list[dict[str, Any]] = []
    mistakes: list[FieldMistake] = []
    taken: dict[str, int] = {}
    known = {part.name for part in field.fields}
    for number, entry in enumerate((entry for entry in entries if any(entry.values())), 1):
        values, wrong = checked_values(field.fields, entry, TaskValues())
        wrong += [FieldMistake("", f"no field is called {quoted(name)}") for name in entry if name not in known]
        text = "" if field.distinct is None else values.get(field.distinct, "")
        if text and (first := taken.setdefault(text.casefold(), number)) != number:
            words = f"{quoted(text)} is already that of {field.entry} {first}"
            wrong.append(FieldMistake(str(field.distinct), words))
        wrong += _mistakes_in_question(field, values)
        mistakes += [
            each._replace(place=f"{number}/{each.place}".rstrip("/"), entry=f"{field.entry} {number}") for each in wrong
        ]
        checked.append(values)
    if checked and len(checked) < field.min_count:
        words = f"field {field.name!r} ({field.label}): at least {field.min_count}; it has {len(checked)}"
        mistakes.append(FieldMistake("", words, is_missing=True))
    raise_all(mistakes)
    return checked


def _mistakes_in_question(field: Repeated, values: Values) -> list[FieldMistake]:
    """Return the mistakes in the question and options of an entry; none if the group has no question."""
    rule = field.question
    if rule is None:
        return []
    labels = {part.name: part.label for part in field.fields}
    options = {
        f"{name}/{number}": text
        for name in rule.options
        if isinstance(values.get(name), str | list)
        for number, text in enumerate([values[name]] if isinstance(values[name], str) else values[name])
    }
    return [
        FieldMistake(name, f"field {name!r} ({labels[name]}): {words}")
        for place, words in question_mistakes(values.get(rule.ask), options, refusal=rule.refusal)
        for name in [rule.ask if place == ASK else place.partition("/")[0]]
    ]


def _text(field: TextField | Lines, value: str) -> str:
    if len(value) > field.max_chars or not can_be_kept(value):
        most = f"at most {field.max_chars} characters, without null or incomplete ones"
        raise FormError(f"field {field.name!r}: {most}; it has {len(value)}")
    text = value.strip()
    if isinstance(field, TextField) and field.is_line and len(text.splitlines()) > 1:
        raise FormError(f"field {field.name!r} ({field.label}): one line; it has {len(text.splitlines())}")
    if text and isinstance(field, TextField) and field.is_name and not _SHORT_NAME.fullmatch(text):
        raise FormError(
            f"field {field.name!r} ({field.label}): {quoted(text)} is not a short name of lowercase letters, "
            "digits and underscores, such as name_tag"
        )
    if text and isinstance(field, TextField) and field.is_count and not re.fullmatch("[0-9]{1,6}", text):
        raise FormError(f"field {field.name!r} ({field.label}): {quoted(text)} is not a whole number")
    if text and isinstance(field, TextField) and field.is_address and not _is_address(text):
        raise FormError(
            f"field {field.name!r} ({field.label}): {quoted(text)} is not an address such as https://host/page"
        )
    return text


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and not re.search(r"[\s\x00-\x1f]", text)
    except ValueError:
        return False


def _lines(field: Lines, value: Any) -> list[str]:
    """Return the nonempty lines in a list or a text."""
    texts_given = value.splitlines() if isinstance(value, str) else value or []
    if not isinstance(texts_given, list | tuple) or not all(isinstance(text, str) for text in texts_given):
        raise FormError(f"field {field.name!r}: {quoted(value)} are not lines of text")
    texts = [_text(field, line) for text in texts_given for line in text.splitlines()]
    return [text for text in texts if text]


def _check_lines(field: Lines, lines: Sequence[str], *, before: Mapping[str, Any]) -> None:
    least = field.count if field.at_least is None else field.at_least
    if not least <= len(lines) <= field.count:
        words = f"field {field.name!r} ({field.label}): {count_in_words(field)} lines; it has {len(lines)}"
        raise FormError(words, [FieldMistake("", words, is_missing=len(lines) < least)])
    taken = {before.get(field.differ_from, "").casefold()} if field.differ_from is not None else set()
    for line in lines:  # lines that differ only in case count as equal: a reader sees no difference
        if line.casefold() in taken:
            raise FormError(f"field {field.name!r} ({field.label}): {quoted(line)} appears twice")
        taken.add(line.casefold())


def quoted(value: Any) -> str:
    """Return a possibly hostile value in a form for messages: ASCII, and shortened."""
    return ascii(value)[:80]
