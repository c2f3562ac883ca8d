"""Drafts of questions in the campaign `write`: proposals in its tasks, and the resulting authorship of questions.

Steps `draft_questions` before the campaign make the drafts, as values of the images.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.errors import StepError
from benchwright.questions.drafts import author_of_draft
from benchwright.questions.settings import QuestionSettings
from benchwright.texts.normalization import counted

from ...forms.fields.form import Form
from ...forms.kind_forms.writing import DRAFTS, GROUP, HEADLINE, WRITTEN, entry_of_draft
from ...forms.payloads import DraftNote, Proposals
from ...store.database.records import Annotation
from ...workflow.submitted_answers import fields_in
from ..running.drafts_before import NO_DRAFT, drafts_about

_OPTIONS = ("right", "wrong", "tempting", "declining")


class ImageDrafts:
    """The drafts of a campaign's images, as proposals for its form.

    Args:
        drafts: For each entry that drafts, its values by image id.
        settings: Structure of the questions, as the campaign defines it.
        form: Form of the campaign.
    """

    def __init__(self, drafts: Mapping[str, Mapping[str, Any]], settings: QuestionSettings, form: Form) -> None:
        self._drafts, self._settings, self._form = drafts, settings, form
        self._fitting = self._unfit = 0
        self._first_mistake = ""

    def of(self, image_id: str) -> Proposals | None:
        """Return the drafts for an image or the reason why there are none; None if no step drafted for the image."""
        drafted_by = drafts_about(image_id, self._drafts)
        if not drafted_by:
            return None
        entries: list[dict[str, Any]] = []
        notes: dict[str, DraftNote] = {}
        failed: list[str] = []
        authors: list[str] = []
        for drafts in drafted_by:
            authors.append(drafts.by.removeprefix("model:"))
            failed += drafts.failed.values()
            for drafted in drafts.questions:
                entry = entry_of_draft(drafted, self._settings)
                if not self._fits(entry):
                    continue
                entries.append(entry)
                note = DraftNote(by=drafts.by, prompt=drafted.prompt, attacks=drafted.attacks)
                notes[f"{GROUP}/{len(entries)}"] = note
        fields = {HEADLINE: WRITTEN, GROUP: entries} if entries else {}
        why = None if entries else (failed or [NO_DRAFT])[0]
        return Proposals(model=" + ".join(dict.fromkeys(authors)), fields=fields, failed=why, notes=notes)

    def check_fit(self, stage: str) -> None:
        """Check that drafts have the structure of the campaign's form; annotators fill in missing parts.

        Raises:
            StepError: No draft has this structure.
        """
        if self._unfit and not self._fitting:
            raise StepError(
                f"step {stage!r}: none of {counted(self._unfit, 'draft')} fits the form of this step; the first "
                "problem: "
                f"{self._first_mistake}; give `questions`, `options`, `refusal`, `explanation`, `labels` and "
                "`max_chars` as in the step `draft_questions`"
            )

    def _fits(self, entry: Mapping[str, Any]) -> bool:
        mistakes = self._form.wrong_so_far({HEADLINE: WRITTEN, GROUP: [entry]})
        lacks = [name for name in ("wrong", "tempting") if name in entry and self._has_too_few(name, entry[name])]
        if not mistakes and not lacks:
            self._fitting += 1
            return True
        self._unfit += 1
        self._first_mistake = self._first_mistake or (mistakes[0].words if mistakes else f"too few options: {entry}")
        return False

    def _has_too_few(self, name: str, options: Sequence[str]) -> bool:
        least = self._settings.options.at_least
        return len(options) < (least if name == "tempting" else least - 1)


def authors_of(decision: Annotation, place: str) -> dict[str, str]:
    """Return the authors of the texts of an entry that came from a draft, as in `WrittenQuestion.authors`.

    Args:
        decision: Submission of an annotator.
        place: Path of the entry, such as `questions/2`.
    """
    origin = (fields_in(decision).get(DRAFTS) or {}).get(place)
    if origin is None:
        return {}
    changed, added = set(origin["changed"]), set(origin["added"])
    entry = fields_in(decision)[GROUP][int(place.partition("/")[2]) - 1]
    labels = {*entry} - {"ask", "explanation", *_OPTIONS}
    parts = {"question": {"ask"}, "choices": {*_OPTIONS}, "explanation": {"explanation"}, "labels": labels}
    authors: dict[str, str] = {}
    for text, names in parts.items():
        drafted = (names & {*entry}) - added
        if drafted or names & changed:
            authors[text] = author_of_draft(origin["by"], is_edited=bool(names & (changed | added)))
    return authors
