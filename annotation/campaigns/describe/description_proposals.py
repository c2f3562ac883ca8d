"""Drafts in the campaign `describe`: proposals in its tasks, and the resulting authorship of the description.

Steps `draft_descriptions` before the campaign make the drafts, as values of the images.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.questions.drafts import QuestionDrafts, author_of_draft
from benchwright.questions.implication import MOST_QUESTIONS

from ...forms.fields.form import Form
from ...forms.kind_forms.description import DRAFTS, HEADLINE, LABELS, fields_of_description
from ...forms.payloads import DraftNote, Proposals
from ..running.drafts_before import NO_DRAFT, drafts_about

_DESCRIPTION = "description"
"""Name of the draft of labels and explanation; drafts of questions are named by number."""
_PARTS = ("ask", "right", "wrong")


def proposed_description(
    image_id: str, drafts: Mapping[str, Mapping[str, Any]], form: Form, *, several_types: bool
) -> Proposals | None:
    """Return the drafts for an image as proposals for the form, or None if no step made a draft for the image.

    With several entries, the first description and the first three questions are used.

    Args:
        image_id: Id of the image.
        drafts: For each entry that drafts, its values by image id.
        form: Form of the campaign; drafts that do not fit it are left to annotators.
        several_types: Whether the form accepts several types of an image.
    """
    drafted_by = drafts_about(image_id, drafts)
    if not drafted_by:
        return None
    described = next((each for each in drafted_by if each.description is not None), None)
    description = None if described is None else described.description
    questions = [(each, question) for each in drafted_by for question in each.questions if question.right is not None][
        :MOST_QUESTIONS
    ]
    implication = None if description is None else description.implication
    fields = form.comparable(
        fields_of_description(implication, [question for _, question in questions], several_types=several_types)
    )
    notes: dict[str, DraftNote] = {}
    for place in fields:
        if place == HEADLINE:
            continue
        part, _, number = place.partition("_")
        if part in _PARTS and number.isdigit():
            author, question = questions[int(number) - 1]
            attacks = question.attacks if part == "ask" else ()
            notes[place] = DraftNote(by=author.by, prompt=question.prompt, attacks=attacks)
        elif described is not None and description is not None:
            notes[place] = DraftNote(by=described.by, prompt=description.prompt)
    failed = [reason for each in drafted_by for reason in each.failed.values()]
    return Proposals(
        model=_authors_in_words(drafted_by),
        fields=fields if notes else {},
        failed=None if notes else (failed or [NO_DRAFT])[0],
        notes=notes,
    )


def _authors_in_words(drafted_by: list[QuestionDrafts]) -> str:
    return " + ".join(dict.fromkeys(each.by.removeprefix("model:") for each in drafted_by))


def draft_at(place: str) -> str:
    """Return the draft to which a path in the form belongs: the description, or a question's number."""
    part, _, number = place.partition("_")
    return number if part in _PARTS else _DESCRIPTION


def authors_of_description(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the authors of the texts that an annotator took from a draft; keys: `explanation` and `labels`.

    Args:
        fields: Values that an annotator submitted.
    """
    return _authors(fields, {"explanation": ("explanation",), "labels": LABELS})


def authors_of_question(fields: Mapping[str, Any], number: int) -> dict[str, str]:
    """Return the authors of the texts that an annotator took from a question's draft; keys: `question` and `choices`.

    Args:
        fields: Values that an annotator submitted.
        number: Number of the question, from 1.
    """
    return _authors(fields, {"question": (f"ask_{number}",), "choices": (f"right_{number}", f"wrong_{number}")})


def _authors(fields: Mapping[str, Any], parts: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    origins = fields.get(DRAFTS) or {}
    authors = {}
    for text, names in parts.items():
        taken = [origins[name] for name in names if name in origins]
        if taken:
            is_edited = len(taken) < len(names) or any(origin["edited"] for origin in taken)
            authors[text] = author_of_draft(taken[0]["by"], is_edited=is_edited)
    return authors
