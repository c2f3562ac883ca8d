"""Drafts of questions in the campaign `write`: as proposals in its tasks, and what became of them.

Drafts are made by steps `draft_questions` before the campaign, as values of the images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.errors import StepError
from benchwright.questions.drafts import QuestionDrafts, author_of_draft
from benchwright.questions.settings import QuestionSettings
from benchwright.steps import CampaignContext

from ..forms.fields.form import Form
from ..forms.kind_forms.writing import DRAFTS, GROUP, HEADLINE, WRITTEN, entry_of_draft
from ..forms.payloads import DraftNote, Proposals, proposals_in
from ..store import Annotation, open_store
from ..workflow.submitted_answers import fields_in

_OPTIONS = ("right", "wrong", "tempting", "declining")


class ImageDrafts:
    """The drafts of a campaign's images, as proposals for its form.

    Args:
        drafts: For each entry that drafts, its values by image id.
        settings: Shape of the questions, as the campaign has it.
        form: Form of the campaign.
    """

    def __init__(self, drafts: Mapping[str, Mapping[str, Any]], settings: QuestionSettings, form: Form) -> None:
        self._drafts, self._settings, self._form = drafts, settings, form
        self._fitting = self._unfit = 0
        self._first_mistake = ""

    def of(self, image_id: str) -> Proposals | None:
        """Return what was drafted about an image, or why nothing was; None where nobody was asked."""
        texts = [text for values in self._drafts.values() if (text := values.get(image_id)) is not None]
        if not texts:
            return None
        entries: list[dict[str, Any]] = []
        notes: dict[str, DraftNote] = {}
        failed: list[str] = []
        authors: list[str] = []
        for drafts in map(QuestionDrafts.model_validate_json, texts):
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
        why = None if entries else (failed or ["all_broken: a second model broke every draft"])[0]
        return Proposals(model=" + ".join(dict.fromkeys(authors)), fields=fields, failed=why, notes=notes)

    def check_fit(self, stage: str) -> None:
        """Check that drafts have the shape of the campaign's form; parts that only lack are left for people.

        Raises:
            StepError: No draft has it.
        """
        if self._unfit and not self._fitting:
            raise StepError(
                f"step {stage!r}: none of {self._unfit} drafts has the shape of its form, such as "
                f"{self._first_mistake}; give `questions`, `options`, `refusal`, `explanation`, `labels` and "
                "`max_chars` as the step `draft_questions` has them"
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
    """Return who wrote the texts of an entry that came from a draft, as `WrittenQuestion.authors` has it.

    Args:
        decision: What an annotator handed in.
        place: Place of the entry, such as `questions/2`.
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


class _Prompt(NamedTuple):
    by: str
    prompt: str


def draft_counts(
    ctx: CampaignContext, drafts: Mapping[str, Mapping[str, Any]], decisions: Iterable[Annotation]
) -> dict[str, Any]:
    """Return what became of drafts, by author and prompt, and for which reasons images have fewer.

    Args:
        ctx: Context of the campaign.
        drafts: For each entry that drafts, its values by image id.
        decisions: What people handed in.
    """
    with open_store(ctx.store_url) as store:
        known = {task.item_id: proposals_in(task.payload) for task in store.tasks(ctx.stage, states=("open", "done"))}
    drafted, broken, failed = Counter[_Prompt](), Counter[_Prompt](), Counter[str]()
    for values in drafts.values():
        for image_id in known:
            if values.get(image_id) is None:
                continue
            stated = QuestionDrafts.model_validate_json(values[image_id])
            drafted.update(_Prompt(stated.by, question.prompt) for question in (*stated.questions, *stated.broken))
            broken.update(_Prompt(stated.by, question.prompt) for question in stated.broken)
            failed.update(reason.partition(":")[0] for reason in stated.failed.values())
    shown, accepted, edited = Counter[_Prompt](), Counter[_Prompt](), Counter[_Prompt]()
    for decision in decisions:
        proposals = known.get(decision.item_id)
        shown.update(_Prompt(note.by, note.prompt) for note in (proposals.notes.values() if proposals else ()))
        for origin in (fields_in(decision).get(DRAFTS) or {}).values():
            counter = edited if origin["changed"] else accepted
            counter[_Prompt(origin["by"], origin["prompt"])] += 1
    rows = [
        {
            "by": each.by,
            "prompt": each.prompt,
            "drafted": drafted[each],
            "broken": broken[each],
            "shown": shown[each],
            "accepted": accepted[each],
            "edited": edited[each],
            "discarded": shown[each] - accepted[each] - edited[each],
        }
        for each in sorted({*drafted, *shown})
    ]
    return {"prompts": rows, "failed": dict(sorted(failed.items()))}
