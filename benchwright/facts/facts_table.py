"""Facts as a table: a CSV file with one row for each picture, box or question.

Lines that begin with `#` precede the header row: the format's version, and the meaning of each column. Each row names
its picture and its kind of statement. A table and a YAML file with the same statements give equal facts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from benchwright.errors import DataError
from benchwright.files.table_text import TableLine
from benchwright.files.tables import by_column, header_names
from benchwright.settings.yaml_places import Mistakes, Path_, Places, shown

from .picture_facts import PictureFacts

_FIRST_LINE = "# benchwright-facts 1: one row for each picture, box or question"
_VERSION = re.compile(r"# benchwright-facts ([0-9]+)")
_SIDES = "x0", "y0", "x1", "y1"
_MOST_WRONG = 8
_WRONG = tuple(f"wrong_{number}" for number in range(1, _MOST_WRONG + 1))
_LABELS = "image_type", "domain", "emotion"

COLUMNS: Mapping[str, str] = {
    "picture": "File name, path below the image folder, or SHA-256 of the file; in every row.",
    "states": "Kind of the row: picture, subject, unanswerable, answerable or implication; in every row.",
    "name": "Of a subject or question, unique in its picture: lower-case letters, digits, underscores.",
    "phrase": "Subject: as a question calls it, such as: the cup.",
    "x0": "Subject: left side of the box around it, in pixels of the upright picture.",
    "y0": "Subject: upper side.",
    "x1": "Subject: right side.",
    "y1": "Subject: lower side.",
    "inside": "Subject, may be empty: points that surely belong to it, such as: 290 60; 310 80.",
    "outside": "Subject, may be empty: points that surely do not.",
    "mask": 'Subject, may be empty: its outline, as run lengths of COCO: {"size": [height, width], "counts": "..."}.',
    "onto": "Subject, may be empty: pictures to place it in front of, with | between them.",
    "why": "Unanswerable question: one of MM-SAP's six kinds.",
    "question": "Unanswerable or answerable question; of an implication it may be empty.",
    "right": "Answerable question, or question of an implication: the right option.",
    "wrong_1": "A wrong option; wrong_2 to wrong_8 hold further ones, if any.",
    **dict.fromkeys(_WRONG[1:], "A further wrong option."),
    "explanation": "Question of an implication, may be empty: why the right option is right.",
    "background": "Picture, may be empty: what lies behind the subjects, such as: a wooden table.",
    "width": "Picture, may be empty: its width in pixels, upright; must match the file.",
    "height": "Picture, may be empty: its height.",
    "also": "Picture, may be empty: further names of the same picture, with | between them.",
    "image_type": "Implication: photograph, illustration, painting, poster, meme, logo, single-panel comic ...",
    "domain": "Implication: life, art, society, psychology, environment or others.",
    "emotion": "Implication: positive, neutral or negative.",
    "dataset": "Picture, may be empty: its source dataset.",
    "canonical_id": "Picture, may be empty: its id there, such as: coco:000000123.",
    "uri": "Picture, may be empty: its address of origin.",
    "pairs": "Picture, may be empty: facts for manipulation ideas, as JSON.",
}
"""Meaning of each column."""
_SOURCE = "dataset", "canonical_id", "uri"


class _Kind(NamedTuple):
    """The required and optional columns of a row of one kind."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


_KINDS: Mapping[str, _Kind] = {
    "picture": _Kind((), ("background", "width", "height", "also", *_SOURCE, "pairs")),
    "subject": _Kind(("name", "phrase", *_SIDES), ("inside", "outside", "mask", "onto")),
    "unanswerable": _Kind(("name", "why", "question", *_WRONG[:2]), _WRONG[2:]),
    "answerable": _Kind(("name", "question", "right", *_WRONG[:1]), _WRONG[1:]),
    "implication": _Kind(_LABELS, ("question", "right", *_WRONG[:5], "explanation")),
}


class _CellPlaces(Places):
    """Row and column of each value in a table's facts."""

    def __init__(self, name: str) -> None:
        self.lines: dict[Path_, int] = {}
        self.columns: dict[Path_, str] = {}
        super().__init__(name, self.lines, DataError)

    def called(self, path: Path_, key: str) -> str:
        """Return the name of a value's column, or the value's key if it is part of a cell with JSON."""
        while path and path not in self.columns:
            path = path[:-1]
        return f"column {self.columns[path]!r}" if path else f"key {key!r}"

    def cell(self, line: int, column: str, value: str, why: str) -> DataError:
        """Return the error for a mistake in a cell."""
        self_line = f"{self._name}: line {line}"
        return DataError(f"{self_line}: column {column!r}: {shown(value)} is not valid: {why}")

    def row(self, line: int, why: str) -> DataError:
        """Return the error for a mistake in a row."""
        return DataError(f"{self._name}: line {line}: {why}")


class _Row(NamedTuple):
    line: int
    cells: Mapping[str, str]
    """The nonempty cells of a row, by column."""


class FactsTable(NamedTuple):
    """A table's facts as plain values.

    Args:
        document: The values in the form of a YAML file.
        places: Line and column of each value.
        mistakes: Mistakes in cells; `facts_in` adds those in facts.
    """

    document: dict[str, Any]
    places: Places
    mistakes: Mistakes


def read_facts_table(lines: Iterable[TableLine], name: str) -> FactsTable:
    """Return the facts of a table, with rows in any order; rows of one picture keep their order.

    A number may have a decimal comma, as is usual in tables separated by semicolons.

    Args:
        lines: Rows of the table (`files.tables`).
        name: Name of the file for messages.

    Raises:
        DataError: The lines are not a table of facts.
    """
    at = _CellPlaces(name)
    mistakes = Mistakes(at)
    images: dict[str, dict[str, Any]] = {}
    for row in _rows(lines, at, mistakes):
        picture, states = row.cells.get("picture"), row.cells.get("states")
        if picture is None or states is None:
            empty = "picture" if picture is None else "states"
            mistakes.add(at.row(row.line, f"column {empty!r} is empty; every row needs a picture and its kind"))
            continue
        if states not in _KINDS:
            near = get_close_matches(states, _KINDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"a row states {', '.join(_KINDS)}"
            mistakes.add(at.cell(row.line, "states", states, hint))
            continue
        if _fits(row, states, at, mistakes):
            _add(images, row, states, at, mistakes)
    at.lines[("images",)] = 1
    return FactsTable({"format": "benchwright-facts", "version": 1, "images": images}, at, mistakes)


def _rows(lines: Iterable[TableLine], at: _CellPlaces, mistakes: Mistakes) -> Iterator[_Row]:
    """Yield the rows below the header; rows with too many cells are mistakes."""
    header: list[str] | None = None
    for line in lines:
        if line.problem:
            raise at.row(line.first, line.problem)
        values = [_restored(cell.strip()) for cell in line.cells]
        if header is None:
            if (version := _VERSION.match(line.cells[0])) and version[1] != "1":
                raise at.row(line.first, f"the table has version {version[1]}; this Benchwright reads version 1")
            if not values[0].startswith("#"):
                header = _header(values, line.first, at)
        elif isinstance(cells := by_column(header, values, may_be_short=True), str):
            mistakes.add(at.row(line.first, f"{cells}; put quotes around texts"))
        else:
            yield _Row(line.first, {column: value for column, value in cells.items() if value})
    if header is None:
        raise at.row(1, f"the header row is missing; it begins with the columns {', '.join(list(COLUMNS)[:4])}")


def _header(values: Sequence[str], line: int, at: _CellPlaces) -> list[str]:
    names = header_names([value.casefold() for value in values])
    wrong = [name for name in names if name and name not in COLUMNS]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    missing = [name for name in ("picture", "states") if name not in names]
    problems = [f"{missing[0]!r} is missing"] if missing else []
    problems += [f"{name!r} stands twice" for name in twice]
    for name in wrong:
        near = get_close_matches(name, COLUMNS, n=1)
        problems.append(f"unknown column {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    if problems:
        raise at.row(line, f"{'; '.join(problems)}; a table of facts has the columns {', '.join(COLUMNS)}")
    return names


def _fits(row: _Row, states: str, at: _CellPlaces, mistakes: Mistakes) -> bool:
    """Return whether a row fills exactly the columns required for its kind, and record mistakes."""
    kind = _KINDS[states]
    article = "an" if states[0] in "aeiou" else "a"
    empty = [column for column in kind.required if column not in row.cells]
    surplus = row.cells.keys() - {"picture", "states", *kind.required, *kind.optional}
    if states == "implication" and surplus.isdisjoint(_WRONG) and row.cells.keys() & {"question", "right", *_WRONG}:
        empty += [column for column in ("question", "right", *_WRONG[:5]) if column not in row.cells]
    for column in empty:
        mistakes.add(at.row(row.line, f"column {column!r} is empty; {article} {states} needs it"))
    for column in (column for column in COLUMNS if column in surplus):
        why = f"{article} {states} does not use this column; leave it empty, or correct the column `states`"
        mistakes.add(at.cell(row.line, column, row.cells[column], why))
    return not empty and not surplus


def _add(images: dict[str, dict[str, Any]], row: _Row, states: str, at: _CellPlaces, mistakes: Mistakes) -> None:
    """Add the statement in a row to the row's picture."""
    picture = row.cells["picture"]
    entry = images.setdefault(picture, {})
    at.lines.setdefault(("images", picture), row.line)
    at.columns.setdefault(("images", picture), "picture")
    path: Path_ = ("images", picture)
    if states in ("subject", "unanswerable", "answerable"):
        listed = entry.setdefault("subjects" if states == "subject" else states, [])
        path = (*path, "subjects" if states == "subject" else states, len(listed))
    elif states == "implication":
        if "implication" in entry:
            mistakes.add(at.row(row.line, f"an earlier row already states an implication of {picture!r}"))
            return
        path = (*path, "implication")
    at.lines.setdefault(path, row.line)
    reader = _Cells(row, path, at, mistakes)
    if states == "picture":
        if entry.keys() & {"size_wh", "background", "also", "source", "pairs"}:
            mistakes.add(at.row(row.line, f"an earlier row already describes the picture {picture!r}"))
        entry.update(reader.picture())
    elif states == "implication":
        entry["implication"] = reader.implication()
    else:
        listed.append(reader.subject() if states == "subject" else reader.question(states))


class _Cells:
    """The cells of a row as values of the facts, with a record of their locations."""

    def __init__(self, row: _Row, path: Path_, at: _CellPlaces, mistakes: Mistakes) -> None:
        self._row, self._path, self._at, self._mistakes = row, path, at, mistakes

    def picture(self) -> dict[str, Any]:
        document: dict[str, Any] = {}
        if "width" in self._row.cells or "height" in self._row.cells:
            for column in ("width", "height"):
                if column not in self._row.cells:
                    self._mistakes.add(self._at.row(self._row.line, f"column {column!r} is empty; give both, or none"))
            sizes = [self._number(column) for column in ("width", "height") if column in self._row.cells]
            document["size_wh"] = [int(size) if size == int(size) else size for size in sizes]
            self._note("width", "size_wh")
            self._note("height", "size_wh", 1)
        document |= self._texts({"background": ("background",)})
        if also := self._list("also", "also"):
            document["also"] = also
        if source := self._texts({column: ("source", column) for column in _SOURCE}):
            document["source"] = source
        if (pairs := self._json("pairs", "pairs")) is not None:
            document["pairs"] = pairs
        return document

    def subject(self) -> dict[str, Any]:
        document: dict[str, Any] = self._texts({"name": ("name",), "phrase": ("phrase",)})
        document["box"] = [self._number(column) for column in _SIDES]
        for number, column in enumerate(_SIDES):
            self._note(column, "box", number)
        self._note("x0", "box")
        cut_out: dict[str, Any] = {}
        for side in ("inside", "outside"):
            if points := self._points(side):
                cut_out[side] = points
        if (mask := self._json("mask", "cut_out", "mask")) is not None:
            cut_out["mask"] = mask
        if onto := self._list("onto", "cut_out", "onto"):
            cut_out["onto"] = onto
        return {**document, "cut_out": cut_out} if cut_out else document

    def question(self, states: str) -> dict[str, Any]:
        texts = {"name": ("name",), "question": ("ask",)}
        texts |= {"why": ("why",)} if states == "unanswerable" else {"right": ("right",)}
        return {**self._texts(texts), "wrong": self._wrong()}

    def implication(self) -> dict[str, Any]:
        document: dict[str, Any] = self._texts({label: (label,) for label in _LABELS})
        if "question" in self._row.cells:
            inner = {"question": ("question", "ask")}
            inner |= {column: ("question", column) for column in ("right", "explanation")}
            document["question"] = {**self._texts(inner), "wrong": self._wrong("question")}
        return document

    def _texts(self, columns: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
        """Return the nonempty texts of columns by the last key of their locations, and record the locations."""
        document: dict[str, Any] = {}
        for column, place in columns.items():
            if column in self._row.cells:
                document[place[-1]] = self._row.cells[column]
                self._note(column, *place)
        return document

    def _wrong(self, *above: str) -> list[str]:
        filled = [column for column in _WRONG if column in self._row.cells]
        for number, column in enumerate(filled):
            self._note(column, *above, "wrong", number)
        self._note("wrong_1", *above, "wrong")
        return [self._row.cells[column] for column in filled]

    def _number(self, column: str) -> float:
        text = self._row.cells[column]
        try:
            return float(text.replace(",", ".") if text.count(",") == 1 else text)
        except ValueError:
            self._wrong_cell(column, "give a number of pixels")
            return 0.0

    def _points(self, column: str) -> list[list[float]]:
        text = self._row.cells.get(column, "")
        points: list[list[float]] = []
        self._note(column, "cut_out", column)
        for number, pair in enumerate(part for part in text.split(";") if part.strip()):
            self._note(column, "cut_out", column, number)
            try:
                x, y = (float(side) for side in pair.split())
            except ValueError:
                self._wrong_cell(column, "give points as `x y`, with ; between them, such as 290 60; 310 80")
                return []
            points.append([x, y])
        return points

    def _list(self, column: str, *place: str) -> list[str]:
        text = self._row.cells.get(column, "")
        self._note(column, *place)
        if text.startswith("["):
            values = self._json(column, *place)
            if not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
                self._wrong_cell(column, "give names with | between them, or a list of texts as JSON")
                return []
        else:
            values = [part.strip() for part in text.split("|") if part.strip()]
        for number in range(len(values)):
            self._note(column, *place, number)
        return list(values)

    def _json(self, column: str, *place: str) -> Any:
        text = self._row.cells.get(column)
        self._note(column, *place)
        try:
            return None if text is None else json.loads(text)
        except (ValueError, RecursionError):
            self._wrong_cell(column, "this is not JSON")
            return None

    def _note(self, column: str, *place: str | int) -> None:
        path = (*self._path, *place)
        self._at.lines.setdefault(path, self._row.line)
        self._at.columns.setdefault(path, column)

    def _wrong_cell(self, column: str, why: str) -> None:
        self._mistakes.add(self._at.cell(self._row.line, column, self._row.cells[column], why))


_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def _harmless(value: str) -> str:
    """Return a cell's text so that a spreadsheet shows it without running it as a formula; `_restored` undoes this."""
    return f"'{value}" if _FORMULA.match(value) and not _is_number(value) else value


def _restored(value: str) -> str:
    return value[1:] if value.startswith("'") and _FORMULA.match(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def facts_table(pictures: Mapping[str, PictureFacts], *, explained: bool = True) -> str:
    """Return facts as a table that `read_facts_table` reads.

    Args:
        pictures: Facts, by the pictures' keys.
        explained: Whether lines above the table explain each column.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_FIRST_LINE])
    if explained:
        writer.writerows([f"# {column}: {meaning}"] for column, meaning in COLUMNS.items() if column not in _WRONG[1:])
    writer.writerow(COLUMNS)
    for key, picture in pictures.items():
        for row in _table_rows(picture):
            cells = {"picture": key, **row}
            writer.writerow([_harmless(str(cells.get(column, ""))) for column in COLUMNS])
    return out.getvalue()


def _table_rows(picture: PictureFacts) -> Iterator[dict[str, Any]]:
    source = {} if picture.source is None else picture.source.model_dump(exclude_none=True)
    width, height = picture.size_wh or ("", "")
    yield {
        "states": "picture", "background": picture.background or "", "width": width, "height": height,
        "also": _listed(picture.also), **source,
        "pairs": "" if picture.pairs is None else picture.pairs.model_dump_json(exclude_defaults=True),
    }  # fmt: skip
    for subject in picture.subjects:
        cut: dict[str, Any] = {}
        if subject.cut_out is not None:
            cut = {side: _pairs(getattr(subject.cut_out, side)) for side in ("inside", "outside")}
            cut["onto"] = _listed(subject.cut_out.onto)
            cut["mask"] = "" if subject.cut_out.mask is None else subject.cut_out.mask.model_dump_json()
        sides = {column: _plain(side) for column, side in zip(_SIDES, subject.box, strict=True)}
        yield {"states": "subject", "name": subject.name, "phrase": subject.phrase, **sides, **cut}
    for unanswerable in picture.unanswerable:
        asked = {"name": unanswerable.name, "why": unanswerable.why, "question": unanswerable.ask}
        yield {"states": "unanswerable", **asked, **_options(unanswerable.wrong)}
    for answerable in picture.answerable:
        asked = {"name": answerable.name, "question": answerable.ask, "right": answerable.right}
        yield {"states": "answerable", **asked, **_options(answerable.wrong)}
    if (implication := picture.implication) is not None:
        labels = {label: getattr(implication, label) for label in _LABELS}
        asked = {}
        if (question := implication.question) is not None:
            asked = {"question": question.ask, "right": question.right, **_options(question.wrong)}
            asked["explanation"] = question.explanation or ""
        yield {"states": "implication", **labels, **asked}


def _options(wrong: Sequence[str]) -> dict[str, str]:
    return dict(zip(_WRONG, wrong, strict=False))


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


def _pairs(points: Sequence[tuple[float, float]]) -> str:
    return "; ".join(f"{_plain(x)} {_plain(y)}" for x, y in points)


def _listed(names: Sequence[str]) -> str:
    if any("|" in name or name.startswith("[") or name != name.strip() for name in names):
        return json.dumps(list(names), ensure_ascii=False)
    return " | ".join(names)
