"""Tasks of Label Studio (JSON export): question, options and pictures from `data`, the key from annotators' choices.

A task with a question in its `data` is one question. A task without one gives a question for each control `Choices`.
Its text is the header above the control in the labeling configuration next to the export (`*.xml`), or else the
control's name. Its options are those in the configuration, or else all choices in the file.

The key comes from `data` or `meta` if these state one, or else from an annotation marked as ground truth, or else from
the choice of most annotators. A tie gives no key, and the row states this.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from benchwright.errors import BenchwrightError
from benchwright.questions.own_ids import ENTRY_ID
from benchwright.records import LETTERS
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Reshaped, Row, guarded, json_list

from ..mapping.columns import FIELDS
from ..mapping.readings import KnownKey
from .own_exports import is_own_export, own_export_row

_MAX_CONFIG_BYTES = 4 << 20
_NAMES_OF_OPTIONS = FIELDS["options"]


class _Control(NamedTuple):
    """A control `Choices`: the text above it, its options if the configuration lists them, and the options by alias."""

    words: str
    options: tuple[str, ...]
    by_alias: Mapping[str, str]


def is_task(document: Any) -> bool:
    """Return whether an entry of a list is a task of Label Studio."""
    return (
        isinstance(document, Mapping)
        and isinstance(document.get("data"), Mapping)
        and any(name in document for name in ("annotations", "completions", "predictions", "meta", "id"))
    )


def task_rows(files: DatasetFiles, path: str) -> Iterator[Row | RefusedRow]:
    """Yield the questions of a file of tasks."""
    controls = _configured(files, path)
    chosen: dict[str, set[str]] = {}
    for row in json_list(files, path):
        if is_task(row.document):
            for _, control, choices in _results(row.document, controls):
                chosen.setdefault(control, set()).update(choices)
    for row in json_list(files, path):
        if not is_task(row.document):
            yield RefusedRow(path, row.entry, "bad_row", "not a task: it has no `data`", position=row.position)
            continue
        with guarded(path, row.entry) as guard:
            for place, document in _questions(row.document, controls, chosen):
                step = Reshaped("the form of tasks of Label Studio", frozenset(map(str, row.document)), row.document)
                yield Row(f"{row.entry}{place}", document, row.position, (step,))
        if guard.refusal is not None:
            yield guard.refusal._replace(position=row.position)


def _questions(
    task: Mapping[str, Any], controls: Mapping[str, _Control], chosen: Mapping[str, set[str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    data = task["data"]
    stated = task.get("meta")
    meta: Mapping[str, Any] = stated if isinstance(stated, Mapping) else {}
    if is_own_export({**data, **meta}):
        row = own_export_row({**meta, **data, "options": _own_options(data)})
        yield "", {**row, "image": [_picture(value) for value in _listed(data.get("images"))]}
        return
    shared = {name: _picture_cell(value) for name, value in {**meta, **data}.items()}
    shared.setdefault("id", task.get("id"))
    if any(str(name).lower() in FIELDS["question"] for name in data):
        cell = next((data[name] for name in data if str(name).lower() in _NAMES_OF_OPTIONS), None)
        options = None if cell is None else _values(cell)
        control = _control_for(options, task, controls, chosen)
        if options is None and control is not None:
            options = _options_of(control, controls, chosen)
        yield "", {**shared, **_key(task, control, shared, controls, _aliases(cell)), "options": options}
        return
    for control in controls or sorted(chosen):
        words = controls[control].words if control in controls else control
        own = {"id": f"{shared['id']}-{control}", ENTRY_ID: str(shared["id"])}
        row = {**shared, **_key(task, control, {}, controls), "question": words, **own}
        yield f", {control}", {**row, "options": _options_of(control, controls, chosen), "task": control}


def _own_options(data: Mapping[str, Any]) -> list[str]:
    """Return the options of a Benchwright export, `(A) words`, without their letters."""
    options = zip(LETTERS, _values(data["options"]), strict=False)
    return [value.removeprefix(f"({letter}) ") for letter, value in options]


def _control_for(
    options: Sequence[str] | None,
    task: Mapping[str, Any],
    controls: Mapping[str, _Control],
    chosen: Mapping[str, set[str]],
) -> str | None:
    """Return the control that answers the question: the one whose choices are its options, or else the first.

    Args:
        options: Options in the task's data; None if there are none.
        task: The task.
        controls: Controls of the configuration.
        chosen: Choices made in the whole file, by control.
    """
    used = list(dict.fromkeys(control for _, control, _ in _results(task, controls)))
    names = used or list(controls) or sorted(chosen)
    if options is not None:
        fitting = [name for name in names if chosen.get(name, set()) & set(options)]
        return fitting[0] if fitting else None
    return next((name for name in names if name in ("answer", "choice", "label")), names[0] if names else None)


def _options_of(control: str, controls: Mapping[str, _Control], chosen: Mapping[str, set[str]]) -> list[str]:
    stated = controls[control].options if control in controls else ()
    return list(stated) or sorted(chosen.get(control, ()))


def _key(
    task: Mapping[str, Any],
    control: str | None,
    stated: Mapping[str, Any],
    controls: Mapping[str, _Control],
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the column `answer`, from annotators' choices with their counts; empty if the task states a key.

    Args:
        task: The task.
        control: Control that answers the question; None if there is none.
        stated: Statements in the task's data.
        controls: Controls of the configuration.
        aliases: Options that the task's data list, by alias.

    Raises:
        BadRow: Two choices are tied.
    """
    if control is None or any(str(name).lower() in FIELDS["answer"] for name in stated):
        return {}
    votes = [
        (is_truth, [aliases.get(choice, choice) for choice in choices])
        for is_truth, name, choices in _results(task, controls)
        if name == control
    ]
    truths = [choices for is_truth, choices in votes if is_truth]
    counted = Counter(tuple(choices) for choices in truths or [choices for _, choices in votes])
    ranked = counted.most_common()
    if not ranked:
        return {"answer": None}
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        words = " and ".join(repr(", ".join(choices))[:80] for choices, _ in ranked[:2])
        raise BadRow(f"{words} were chosen by {ranked[0][1]} each; no key", "ambiguous_key")
    best, number = ranked[0]
    # A choice is the text of an option, even if it looks like a letter or a number.
    return {"answer": KnownKey(list(best), "text"), "annotators": counted.total(), "annotators_agreeing": number}


def _results(task: Mapping[str, Any], controls: Mapping[str, _Control]) -> Iterator[tuple[bool, str, list[str]]]:
    """Yield, for each annotation that was not canceled, whether it is ground truth, the control, and the choices.

    Replaces the alias that Label Studio writes for a choice by the choice's words.
    """
    for annotation in _listed(task.get("annotations")) or _listed(task.get("completions")):
        if not isinstance(annotation, Mapping) or annotation.get("was_cancelled") or annotation.get("skipped"):
            continue
        for result in _listed(annotation.get("result")):
            value = result.get("value") if isinstance(result, Mapping) else None
            choices = value.get("choices") if isinstance(value, Mapping) else None
            if isinstance(choices, list) and choices:
                name = str(result.get("from_name", "choice"))
                words = controls[name].by_alias if name in controls else {}
                chosen = [words.get(str(choice), str(choice)) for choice in choices]
                yield bool(annotation.get("ground_truth")), name, chosen


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _values(options: Any) -> list[str]:
    """Return options in data, either strings or Label Studio's dynamic choices (`{"value": ...}`)."""
    if not isinstance(options, list):
        return [] if options is None else [str(options)]
    return [str(o.get("value", o.get("alias", ""))) if isinstance(o, Mapping) else str(o) for o in options]


def _aliases(options: Any) -> dict[str, str]:
    """Return the options that have an alias in the task's data, by alias."""
    listed = [o for o in _listed(options) if isinstance(o, Mapping) and o.get("alias") and o.get("value") is not None]
    return {str(option["alias"]): str(option["value"]) for option in listed}


def _picture_cell(value: Any) -> Any:
    return [_picture(entry) for entry in value] if isinstance(value, list) else _picture(value)


def _picture(value: Any) -> Any:
    """Return the path in the URL of a file that Label Studio serves from local storage or as an upload."""
    if not isinstance(value, str) or "/data/" not in value:
        return value
    parts = urlsplit(value)
    if parts.path.endswith("/data/local-files/"):
        return unquote(parse_qs(parts.query).get("d", [""])[0]) or value
    return unquote(parts.path.rpartition("/data/")[2]) if "/data/" in parts.path else value


def _configured(files: DatasetFiles, path: str) -> dict[str, _Control]:
    """Return the controls of the labeling configuration next to a file; empty if there is no readable one."""
    folder = path.rpartition("/")[0]
    for name in files.listing(folder):
        if not name.lower().endswith(".xml"):
            continue
        place = f"{folder}/{name}" if folder else name
        try:
            text = files.read(place, max_bytes=_MAX_CONFIG_BYTES).decode("utf-8")
            # Entities could make a short text a very large one; labeling configurations declare none.
            root = None if "<!" in text.replace("<!--", "") else ET.fromstring(text)  # noqa: S314
        except (BenchwrightError, ET.ParseError, ValueError):
            continue
        if root is not None and root.tag == "View":
            return _controls_of(root)
    return {}


def _controls_of(root: ET.Element) -> dict[str, _Control]:
    controls: dict[str, _Control] = {}
    header = ""
    for element in root.iter():
        if element.tag == "Header":
            header = element.get("value", "")
        elif element.tag == "Choices" and (name := element.get("name")):
            choices = [
                (value, choice.get("alias")) for choice in element.iter("Choice") if (value := choice.get("value"))
            ]
            words = header if header and not header.startswith("$") else name
            by_alias = {alias: value for value, alias in choices if alias}
            controls[name] = _Control(words, tuple(value for value, _ in choices), by_alias)
            header = ""
    return controls
