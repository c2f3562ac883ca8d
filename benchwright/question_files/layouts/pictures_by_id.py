"""Pictures that are not named by a picture column but by the figure's id or the question's folder."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.questions.own_ids import ENTRY_ID

from ..mapping.columns import FIELDS, image_columns
from ..mapping.readings import KnownKey
from .layout import NOTHING, Entry, Layout, PlainRow, named

_BY_ID = ("figure_id",)
TEMPLATE = "template"
"""Column with the number of words in a question, which no file states."""


def _named_by(entry: Entry) -> str | None:
    columns = named(entry)
    if any(name in columns for name in FIELDS["image"]) or image_columns(list(entry)):
        return None
    return next((columns[name] for name in _BY_ID if name in columns and entry[columns[name]] not in (None, "")), None)


def _figure_taken(entry: Entry) -> frozenset[str]:
    name = _named_by(entry)
    return NOTHING if name is None else frozenset({f"{name} as the picture"})


def _figure_rows(entry: Entry) -> Iterator[PlainRow]:
    name = _named_by(entry)
    assert name is not None
    if isinstance(answers := entry.get("answers"), list) and isinstance(qids := entry.get("qids"), list):
        rest = {column: value for column, value in entry.items() if column not in ("answers", "qids", "id")}
        for number, (qid, answer) in enumerate(zip(qids, answers, strict=False), start=1):
            row = {
                **rest,
                "id": f"{entry[name]}-{number}",
                ENTRY_ID: str(entry[name]),
                TEMPLATE: qid,
                "answer": answer,
                "image": str(entry[name]),
            }
            yield PlainRow(f", answer {number}", row)
        return
    yield PlainRow("", {**entry, "image": str(entry[name])})


FIGURES = Layout(
    "pictures named by an id",
    "`figure_id` and no column with pictures; with lists `qids` and `answers`",
    "the id is the picture's name; each of several answers is a separate question, without words if the file has none",
    ("CharXiv",),
    _figure_taken,
    _figure_rows,
)


def _drawn_taken(entry: Entry) -> frozenset[str]:
    columns = named(entry)
    is_drawn = all(name in columns for name in ("question_string", "image_index"))
    is_numbered = is_drawn and str(entry[columns["image_index"]]).isdecimal()
    return frozenset({columns["image_index"]}) if is_numbered and "image" not in columns else NOTHING


def _drawn_rows(entry: Entry) -> Iterator[PlainRow]:
    columns = named(entry)
    row = {**entry, "image": f"png/{entry[columns['image_index']]}.png"}
    # Only FigureQA names colors, and it asks only yes and no; elsewhere 1 may be a number as the answer.
    if "color1_name" in columns:
        answer = {"1": "Yes", "0": "No"}.get(str(entry.get("answer")), entry.get("answer"))
        row |= {"options": ["Yes", "No"], "kind": "yes_no", "answer": answer}
    elif entry.get("answer") not in (None, ""):
        row["answer"] = KnownKey(str(entry["answer"]), "text")
    yield PlainRow("", row)


DRAWN_FIGURES = Layout(
    "figures by number",
    "`question_string` and `image_index`; with `color1_name` an answer 1 or 0",
    "the picture is `png/NUMBER.png` next to the file; 1 and 0 are yes and no with `color1_name`",
    ("FigureQA", "PlotQA"),
    _drawn_taken,
    _drawn_rows,
)


def _coco_split(entry: Entry) -> str | None:
    """Return the part of COCO to which a picture's number belongs, if the entry has the form of A-OKVQA."""
    columns = named(entry)
    has_form = all(name in columns for name in ("image_id", "split", "choices", "difficult_direct_answer"))
    is_number = has_form and str(entry[columns["image_id"]]).isdecimal()
    return str(entry[columns["split"]]) if is_number and "image" not in columns else None


def _coco_taken(entry: Entry) -> frozenset[str]:
    return NOTHING if _coco_split(entry) is None else frozenset({"image_id"})


def _coco_rows(entry: Entry) -> Iterator[PlainRow]:
    number = int(entry[named(entry)["image_id"]])
    yield PlainRow("", {**entry, "image": f"{_coco_split(entry)}2017/{number:012d}.jpg"})


COCO_NUMBERS = Layout(
    "pictures of COCO by number",
    "`image_id` with a number, `split`, `choices`, `difficult_direct_answer`",
    "the picture is `SPLIT2017/` with the number in twelve digits",
    ("A-OKVQA",),
    _coco_taken,
    _coco_rows,
)


def _is_in_folder(entry: Entry) -> bool:
    """Return whether the picture is in a folder named by split and id, with the same name for all pictures."""
    columns = named(entry)
    has_form = all(name in columns for name in ("id", "image", "split", "choices", "lecture", "solution"))
    return has_form and entry[columns["image"]] in ("image.png", "image.jpg")


def _folder_taken(entry: Entry) -> frozenset[str]:
    return frozenset({"image"}) if _is_in_folder(entry) else NOTHING


def _folder_rows(entry: Entry) -> Iterator[PlainRow]:
    columns = named(entry)
    own, split, image = (entry[columns[name]] for name in ("id", "split", "image"))
    yield PlainRow("", {**entry, columns["image"]: f"{split}/{own}/{image}"})


FOLDERS = Layout(
    "a folder for each question's picture",
    "an object by id with `split`, and `image`, always `image.png`",
    "the picture is `SPLIT/ID/image.png`",
    ("ScienceQA",),
    _folder_taken,
    _folder_rows,
)
