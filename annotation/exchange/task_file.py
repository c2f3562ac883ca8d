"""Write open tasks to a CSV file or spreadsheet, which annotators fill in instead of using the app."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import write_rows
from benchwright.files.spreadsheets import is_spreadsheet, write_sheet
from benchwright.questions.own_ids import OWN_ID
from benchwright.records import Choice, ItemImage
from benchwright.workspace.written_once import written_once

from ..forms.drafted_values import drafts_field, drafts_in_words
from ..forms.fields.field_types import DraftsField, FormField, Lines, OneOf, Repeated
from ..forms.fields.field_words import takes_in_words, when_in_words
from ..forms.fields.form import Form
from ..forms.fields.numbered_fields import cells_of, name_of, numbered_fields, with_numbered_fields
from ..forms.kinds import shows_key
from ..forms.payloads import beside_in, own_id_in, previous_in, proposals_in
from ..forms.task_content import TaskContent, content_in
from ..store.campaigns.revision_requests import writers_asked
from ..store.database.records import Campaign, Task
from ..store.review_store import ReviewStore
from ..store.submissions.pre_key_answers import voted_on
from ..workflow.gold import gold_tasks, takes_gold_elsewhere
from .drafted_cells import DRAFTS, drafted_cells
from .edit_columns import NEW_EXPLANATION, VERSION, edit_columns_of, version_of
from .review_rows import answer_of, voters_of

_FILLED_IN = ("annotator", "decision", "reason", "note")
PICTURES = "pictures"
"""Column with the pictures' names for readers; `images` has their paths."""
SHOWN = ("task", "question", "choices", "answer", PICTURES, "images", "marks")
BESIDE = "beside"
"""Column with the texts next to an item, in campaigns with a typed form."""
TAKES = "takes"
"""Column with the values that the columns to fill in accept."""
_REVISE = "revise"
_EDIT_WORDS = {
    "new_question": "new text of the question",
    "new_choices": "changed choices, as `B: a red cup | D: a blue one`",
    "new_right": "letter of the new right choice",
    NEW_EXPLANATION: "new text of the explanation",
}


def columns_of(form: Form | None) -> tuple[str, ...]:
    """Return the columns to fill in after `item_id`: the fields of a typed form."""
    if form is None:
        return _FILLED_IN
    fields = (field for field in with_numbered_fields(form).fields if not isinstance(field, DraftsField))
    return ("annotator", *(field.name for field in fields))


def _filled_in_form(settings: Campaign, *, votes: bool) -> Form | None:
    """Return the typed form whose fields are columns of a campaign's table; None if the table asks for a decision.

    Args:
        settings: The campaign.
        votes: Whether this is the table of a review's votes; the other table accepts answers, as decisions.
    """
    if settings.form.blind_first:
        return voted_on(settings.form) if votes else None
    return settings.form.typed


def columns_to_fill_in(settings: Campaign, *, votes: bool = False) -> tuple[str, ...]:
    """Return all columns to fill in after `item_id`; for the arguments, see `_filled_in_form`."""
    if settings.form.blind_first and not votes:
        return ("annotator", "decision", VERSION)
    return (*columns_of(_filled_in_form(settings, votes=votes)), *edit_columns_of(settings))


def words_by_column(settings: Campaign, *, votes: bool = False) -> dict[str, str]:
    """Return a description of the values that each column to fill in accepts, in column order."""
    form, words = _filled_in_form(settings, votes=votes), {"annotator": "name of the annotator"}
    if settings.form.blind_first and not votes:
        return words | {"decision": "letter of one of the choices"}
    if form is not None:
        fields = [field for field in form.fields if not isinstance(field, DraftsField)]
        words |= {column: text for field in fields for column, text in _words_of_field(field).items()}
        return words | _edit_words(settings)
    by_choice = settings.form.takes_choices
    words["decision"] = "letter of one of the choices" if by_choice else ", ".join(settings.form.decisions)
    if reasons := settings.form.reasons:
        words["reason"] = f"{', '.join(reasons)}; separate several by semicolons"
    return words | {"note": "text"} | _edit_words(settings)


def _offered_by_column(settings: Campaign, *, votes: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the options of each column in which every row has the same closed set of values."""
    form = _filled_in_form(settings, votes=votes)
    if form is not None:
        fields = with_numbered_fields(form).fields
        return {
            field.name: tuple(option.code for option in field.options) for field in fields if isinstance(field, OneOf)
        }
    is_closed = not settings.form.blind_first and not settings.form.takes_choices
    return {"decision": tuple(settings.form.decisions)} if is_closed else {}


def _edit_words(settings: Campaign) -> dict[str, str]:
    words = {name: _EDIT_WORDS[name] for name in edit_columns_of(settings) if name != VERSION}
    if _REVISE in settings.form.decisions and "new_question" in words:
        words["new_question"] += f", with `{_REVISE}`"
    return words


def _words_of_field(field: FormField) -> dict[str, str]:
    """Return descriptions of what each column of a field accepts; a group's later entries refer to the first."""
    if not isinstance(field, Repeated) or not field.in_columns:
        return {field.name: takes_in_words(field)}
    words = {}
    for place, column in enumerate(numbered_fields(field)):
        part = field.fields[place % len(field.fields)]
        if place >= len(field.fields):
            words[column.name] = f"as {name_of(part.name, 1)}"
            continue
        parted = " or separated by ` | `" if isinstance(part, Lines) else ""
        condition = column.only_if if part.only_if is not None else None
        within = part.model_copy(update={"only_if": condition})
        words[column.name] = takes_in_words(part) + parted + when_in_words(within)
    return words


def export_tasks(
    store: ReviewStore,
    campaign: str,
    out: Path,
    *,
    image_name: Callable[[ItemImage], str],
    called: Callable[[str], str] = str,
    votes: bool = False,
    gold: bool = False,
) -> int:
    """Write a campaign's open tasks, one per row, with empty cells to be filled in.

    If steps made drafts for the campaign, the cells to fill in contain the drafts, and the column `drafts` names their
    authors; in a spreadsheet such cells are in italics. The first cell to fill in stays empty: an annotator who fills
    it in accepts the row's contents.

    A spreadsheet (`.xlsx`) shows the accepted values of its columns next to the header, and offers lists for columns
    with a closed set of values.

    A review has two tables: one without keys, for the answers; and one with keys, for the votes, with a row for each
    annotator who still has to vote on a fully answered item.

    Args:
        store: Review store.
        campaign: Name of the campaign.
        out: CSV or XLSX file to write.
        image_name: Function that returns the path of an item's image for readers.
        called: Function that returns an image's name for readers, by its id; default the id.
        votes: Whether to write the table of a review's votes; default False.
        gold: Whether to include gold items, to check annotators who fill in tables; default False.

    Returns:
        Number of rows.

    Raises:
        BenchwrightError: The file exists with other content, its folder is missing, or the campaign accepts no votes.
        PrerequisiteError: A spreadsheet is requested, and openpyxl is not installed.
    """
    if not out.parent.is_dir():
        raise BenchwrightError(
            f"{out} cannot be written: the folder {out.parent} does not exist; make it, or give another --out"
        )
    settings = store.campaign(campaign)
    if votes and not settings.form.blind_first:
        raise BenchwrightError(f"campaign {campaign!r} takes no votes after an answer; leave out --votes")
    if gold and not takes_gold_elsewhere(settings):
        raise BenchwrightError(f"--gold is for tables of decisions; campaign {campaign!r} collects something else")
    rows = _vote_rows(store, campaign) if votes else _rows(store, settings)
    if gold:
        rows = sorted([*rows, *((task, "") for task in gold_tasks(store, settings))], key=lambda row: row[0].item_id)
    beside = (BESIDE,) if any(_has_texts_beside(settings, task, votes=votes) for task, _ in rows) else ()
    form = _filled_in_form(settings, votes=votes)
    takes_drafts = form is not None and drafts_field(form) is not None
    drafted = (DRAFTS,) if takes_drafts else ()
    own = (OWN_ID,) if any(own_id_in(task.payload) is not None for task, _ in rows) else ()
    columns = ("item_id", *own, *columns_to_fill_in(settings, votes=votes), *drafted, *SHOWN, *beside, TAKES)
    words = words_by_column(settings, votes=votes)
    takes = " | ".join(f"{column}: {text}" for column, text in words.items())
    cells = (
        {
            **_row(store, settings, task, annotator, image_name, votes=votes),
            **({OWN_ID: own_id_in(task.payload) or ""} if own else {}),
            PICTURES: " | ".join(called(image.image_id) for image in content_in(task.payload).images),
            TAKES: takes,
        }
        for task, annotator in rows
    )
    otherwise = "it may hold decisions: import them first, or give another --out"
    with written_once(out, otherwise=otherwise, private=True) as draft:
        if is_spreadsheet(out):
            with draft.open("wb") as sheet:
                offered = _offered_by_column(settings, votes=votes)
                write_sheet(sheet, columns, cells, words=words, offered=offered, italic=_drafted_in(form, rows))
        else:
            write_rows(draft, columns, cells)
    return len(rows)


def _drafted_in(form: Form | None, rows: Sequence[tuple[Task, str]]) -> Callable[[Mapping[str, str]], Collection[str]]:
    """Return a function that finds the columns in which a row's cells contain a draft."""
    drafted = {task.item_id: drafted_cells(form, task) for task, _ in rows if not previous_in(task.payload)}
    return lambda cells: drafted.get(cells["item_id"], {}).keys()


def _row(
    store: ReviewStore,
    settings: Campaign,
    task: Task,
    annotator: str,
    image_name: Callable[[ItemImage], str],
    *,
    votes: bool,
) -> dict[str, str]:
    """Return the prefilled cells of a task, by column."""
    is_review = settings.form.blind_first
    cells = _shown(
        content_in(task.payload), image_name, shows_key=shows_key(settings.kind) and (votes or not is_review)
    )
    if _has_texts_beside(settings, task, votes=votes):
        beside = [*beside_in(task.payload), *(_beside_votes(store, task, annotator) if votes else ())]
        beside += _explanation(task) if settings.form.explained else ()
        cells[BESIDE] = "\n\n".join(f"{text['label']}: {text['text']}" for text in beside)
    if VERSION in columns_to_fill_in(settings, votes=votes):
        cells[VERSION] = version_of(task.content_hash)
    return {"item_id": task.item_id, **cells, **_filled_in(settings, task, votes=votes), "annotator": annotator}


def _filled_in(settings: Campaign, task: Task, *, votes: bool) -> dict[str, str]:
    """Return the contents of the cells to fill in: the writer's own text if the task came back, or else the drafts."""
    form = _filled_in_form(settings, votes=votes)
    if form is None:
        return {}
    whose = {} if drafts_field(form) is None else {DRAFTS: drafts_in_words(form, proposals_in(task.payload))}
    written = list(previous_in(task.payload).values())
    cells = drafted_cells(form, task) if len(written) != 1 else cells_of(form, written[0])
    return {**cells, **whose}


def _has_texts_beside(settings: Campaign, task: Task, *, votes: bool) -> bool:
    """Return whether to show the texts next to a task; they could reveal the key of a task that is answered blind."""
    if settings.form.blind_first and not votes:
        return False
    is_told = _filled_in_form(settings, votes=votes) is not None or settings.form.explained
    return is_told or bool(beside_in(task.payload))


def _vote_rows(store: ReviewStore, campaign: str) -> list[tuple[Task, str]]:
    voters = voters_of(store, campaign)
    return [(task, annotator) for task in store.tasks(campaign) for annotator in voters.get(task.id, ())]


def _rows(store: ReviewStore, settings: Campaign) -> list[tuple[Task, str]]:
    """Return the open tasks, with the annotator for each task that came back to its writer."""
    with store.reading() as connection:
        writers = writers_asked(connection, settings)
    return [(task, writer) for task in store.tasks(settings.name) for writer in writers.get(task.id, ("",))]


def _beside_votes(store: ReviewStore, task: Task, annotator: str) -> list[dict[str, str]]:
    return [{"label": "You answered", "text": answer_of(store, task.id, annotator)}, *_explanation(task)]


def _explanation(task: Task) -> list[dict[str, str]]:
    explanation = content_in(task.payload).explanation
    return [] if explanation is None else [{"label": "Explanation", "text": explanation}]


def _shown(item: TaskContent, image_name: Callable[[ItemImage], str], *, shows_key: bool) -> dict[str, str]:
    places = {image.image_id: place for place, image in enumerate(item.images, 1)}

    def text(choice: Choice) -> str:
        return f"<image {places[choice.image_id]}>" if choice.image_id else str(choice.text)

    marks = [
        f"image {place}: {prompt.kind} {prompt.label or ''} at {_coordinates(prompt.points)}".replace("  ", " ")
        for place, image in enumerate(item.images, 1)
        for prompt in image.prompts
    ]
    return {
        "task": item.task,
        "question": item.question,
        "choices": " | ".join(f"{choice.key}: {text(choice)}" for choice in item.choices),
        "answer": (item.answer or item.refusal or "") if shows_key else "",
        "images": " | ".join(_image_words(item, place, image_name) for place in range(len(item.images))),
        "marks": " | ".join(marks),
    }


def _image_words(item: TaskContent, place: int, image_name: Callable[[ItemImage], str]) -> str:
    """Return the file name of an image, with its size if annotators mark regions on the image."""
    name = image_name(item.images[place])
    if not item.sizes_wh:
        return name
    width, height = item.sizes_wh[place]
    return f"{name} ({width} x {height})"


def _coordinates(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"({x:.0f}, {y:.0f})" for x, y in points)
