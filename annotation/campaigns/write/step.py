"""The campaign `write`: annotators write questions about each image, with options, an explanation and labels.

Their texts become the value `questions` of the image (`benchwright.questions.written`). The steps `written_questions`
and `iq_test` make items from it. Each question records where it was written, so that the store never assigns the item
to its author.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field, model_validator

from benchwright.canonical import canonical_json
from benchwright.questions.implication import WrittenIn
from benchwright.questions.settings import QuestionSettings
from benchwright.questions.written import QUESTIONS, TASK_NAME, WrittenQuestion, WrittenQuestions
from benchwright.records import ImageRecord, ItemImage
from benchwright.steps import CampaignContext, Outcome, Step, Stream, Verdicts

from ...forms.campaign_form import CampaignForm
from ...forms.kind_forms.writing import GROUP, HEADLINE, WRITTEN, writing_form, written_entry
from ...forms.kinds import KINDS, WRITE
from ...forms.payloads import TaskInput, payload_with_drafts
from ...forms.task_content import TaskContent, task_input
from ...simulated.annotators import check_enough
from ...simulated.writers import SimulatedWriters
from ...store.database.records import Annotation
from ...workflow.gold import with_gold
from ...workflow.settlement.rules import Rule
from ...workflow.submitted_answers import fields_in
from ..running.drafts_before import DraftedBy, check_drafts_before, columns_with_drafts, draft_counts, each_once
from ..running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from ..running.verdicts import pseudonyms
from .question_proposals import ImageDrafts, authors_of


class Write(QuestionSettings, AssignedCampaign):
    """Let annotators write questions about each image, with their own options; drop nothing.

    Settings determine the number of questions and options, whether one option declines to answer, whether the right one
    is explained, and the labels of each question. If the picture shows the options, as in a puzzle, annotators name the
    right one (`drawn_options`). The form refuses a question that names nothing visible, an option that reads the same
    as another, and a text that is too long.

    Steps `draft_questions` before it may draft questions (`drafted_by`): writers see them as drafts, and accept, edit
    or discard each. Items state for each text whether a person wrote it, or which draft it comes from.

    The run stops here, in state `waiting`, until all annotators have written about every image, or found nothing to
    ask; `written_questions`, or for puzzles `iq_test`, then makes the items. Writers never judge items made from their
    questions in any campaign, so you need annotators besides those who write.

    Attributes:
        task: Task of the items, such as `table_manners`.
        annotators: Annotators who write about each image, independently.
        drafted_by: Entries of steps `draft_questions` before it whose drafts writers see; none by default. Simulated
            annotators get no drafts.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind.
        handout: Assignment of images to annotators; the only known decision on gold ones is that there is nothing to
            ask (`nothing`). `close_decided` is refused: every answer counts.
        simulate: Let simulated annotators write instead of people. Their texts say so in words, and items have
            `simulated` in `written_by` where people's have `person`.
    """

    name: ClassVar[str] = WRITE
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {QUESTIONS: "string"}
    """As in `benchwright.questions.written.WrittenQuestions`."""

    task: str = Field(pattern=TASK_NAME)
    annotators: int = Field(1, ge=1, le=50)
    drafted_by: DraftedBy = ()
    guidelines: str | None = None
    simulate: SimulatedWriters | None = None

    @model_validator(mode="after")
    def _has_enough_writers(self) -> Write:
        if self.simulate is not None:
            check_enough(self.simulate, Rule(self.annotators, self.annotators))
        each_once(self.drafted_by)
        return self

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values with drafts."""
        return columns_with_drafts(self.drafted_by)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step itself, if all entries that make drafts for it come before it.

        Raises:
            RecipeError: An entry is not before this step, or drafts no questions.
        """
        check_drafts_before(self.name, self.drafted_by, given)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, with the drafting entries only if there are any."""
        return {name: value for name, value in super().parameters().items() if name != "drafted_by" or value}

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these images; return the questions once every image is done."""
        guidelines = self.guidelines if self.guidelines is not None else KINDS[WRITE].guidelines
        form = writing_form(self, drafts=bool(self.drafted_by))
        request = CampaignRequest(
            kind=WRITE,
            rule="single" if self.annotators == 1 else f"answers({self.annotators})",
            slots=self.annotators,
            form=CampaignForm(fields=form.fields, guidelines=guidelines),
            group=self.simulate,
            handout=self.handout,
        )
        live = list(records)
        drafts = {} if self.simulate is not None else {name: ctx.values[name] for name in self.reads}
        proposed = ImageDrafts(drafts, self, form)
        work = _work(live, proposed)
        proposed.check_fit(ctx.stage)
        state = run_campaign(request, work, ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        written: dict[str, list[WrittenQuestion]] = {}
        for decision in state.decisions:
            written.setdefault(decision.item_id, []).extend(_questions_in(decision, self, ctx.stage))
        simulated = self.simulate is not None
        evidence = {"simulated": True} if simulated else {}
        outcomes = {image_id: self._outcome(questions, evidence) for image_id, questions in sorted(written.items())}
        summary = self._summary(written, state.decisions, request.rule)
        if drafts:
            summary["drafts"] = draft_counts(ctx, drafts, state.decisions)
        verdicts = Verdicts(None, outcomes, summary)
        known = {image_id: Outcome(evidence={"gold": decision}) for image_id, decision in state.gold.items()}
        return with_gold(verdicts, known)

    def _outcome(self, questions: Sequence[WrittenQuestion], evidence: Mapping[str, Any]) -> Outcome:
        if not questions:
            return Outcome(evidence=evidence)
        stated = WrittenQuestions(task=self.task, questions=tuple(questions), drawn_options=self.drawn_options)
        return Outcome(values={QUESTIONS: canonical_json(stated.model_dump(mode="json"))}, evidence=evidence)

    def _summary(
        self, written: Mapping[str, Sequence[WrittenQuestion]], decisions: Sequence[Annotation], rule: str
    ) -> dict[str, Any]:
        """Return counts of images, questions and labels, without times or names."""
        questions = [question for of_image in written.values() for question in of_image]
        names = pseudonyms(decisions)
        labels = {
            name: Counter(word for question in questions for word in question.labels.get(name, "").split("+") if word)
            for name in self.labels
        }
        return {
            "kind": WRITE,
            "rule": rule,
            "simulated": self.simulate is not None,
            "total": len(written),
            "kept": len(written),
            "rejected": 0,
            "asked_about": sum(bool(of_image) for of_image in written.values()),
            "questions": len(questions),
            "unanswerable": sum(question.right is None for question in questions),
            "explained": sum(question.explanation is not None for question in questions),
            "labels": {name: {word: labels[name][word] for word in self.labels[name].values} for name in self.labels},
            "annotators": {
                name: {"images": n}
                for name, n in sorted(Counter(names[decision.annotator] for decision in decisions).items())
            },
        }


def _work(records: Iterable[ImageRecord], proposed: ImageDrafts) -> list[TaskInput]:
    inputs = []
    for record in records:
        shown = (ItemImage(image_id=record.image_id, role="reference"),)
        content = TaskContent(task=WRITE, question="What could be asked about this picture?", images=shown)
        task = task_input(record.image_id, record.image_id, content)
        drafts = proposed.of(record.image_id)
        inputs.append(task if drafts is None else task._replace(payload=payload_with_drafts(task.payload, drafts)))
    return inputs


def _questions_in(annotation: Annotation, settings: QuestionSettings, campaign: str) -> list[WrittenQuestion]:
    """Return the questions that an annotator wrote about an image; none if the annotator found nothing to ask."""
    fields = fields_in(annotation)
    if fields[HEADLINE] != WRITTEN:
        return []
    simulated = annotation.annotator_kind == "simulated"
    written_in = WrittenIn(campaign=campaign, record_id=annotation.item_id, slot=annotation.slot, simulated=simulated)
    return [
        WrittenQuestion.model_validate(
            {
                **written_entry(entry, settings),
                "written_in": written_in,
                "authors": authors_of(annotation, f"{GROUP}/{number}"),
            }
        )
        for number, entry in enumerate(fields[GROUP], 1)
    ]
