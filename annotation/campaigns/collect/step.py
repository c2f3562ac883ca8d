"""The campaign `collect`: annotators add photographs to prompts, with source and license, as in BLINK's forensic task.

A submitted photograph is one of the images of the next run, as if it were in the image folder. The step itself drops
nothing; it waits until every prompt has its photographs, or annotators found none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from benchwright.canonical import digest
from benchwright.records import ImageRecord
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts
from benchwright.workspace.run_results import files_of
from benchwright.workspace.workspace import Workspace

from ...forms.campaign_form import CampaignForm
from ...forms.kind_forms.collect import collect_form, licence_code
from ...forms.kinds import COLLECT, KINDS
from ...forms.payloads import TaskInput
from ...forms.task_content import TaskContent, task_input
from ...simulated.writers import SimulatedCollectors
from ...store.database.records import Annotation
from ...store.review_store import open_store
from ..running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from ..running.verdicts import pseudonyms
from .collected_photographs import CollectedPhoto, photographs_of

_RULE = "single"
_Prompt = Annotated[str, Field(min_length=1, max_length=600, pattern=r"^\S(.*\S)?$")]
_Licence = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^\S(.*\S)?$")]


class Collect(AssignedCampaign):
    """Let annotators add photographs to prompts; the next run takes them in with source, author and license.

    It drops nothing. A submitted photograph joins the images of the next run as if it were in the image folder, and
    passes through every filter from the start, so put the step first. The run stops here, in state `waiting`, until
    every prompt has its photographs, or annotators found none. If the last ones arrived during a run, another run
    follows automatically. Submitted photographs get the value `prompt`.

    The app decodes an uploaded file, turns it upright and re-encodes it as PNG, keeping nothing of the file but its
    pixels, or refuses it. The workspace keeps it in the folder `collected`, named by its hash, and overwrites nothing.
    In tables and the release it has `dataset` (the step's name), `canonical_id` (the address of its page), `licence`
    and `author`.

    Attributes:
        prompts: Descriptions of the wanted photographs, each once.
        per_prompt: Photographs for each prompt, each a separate task.
        licences: Accepted licenses of photographs, as the tables and the release name them; no other can be submitted.
        max_bytes: Largest size of an uploaded file, in bytes.
        max_pixels: Largest number of pixels of a photograph, width times height.
        min_side_px: Smallest width and height of a photograph.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind.
        handout: Assignment of prompts to annotators; `priorities` may name prompts. None is gold, since no photograph
            of a prompt is known in advance, and `close_decided` is refused: every answer counts.
        simulate: Let simulated annotators submit pictures that they draw, with the word SIMULATED across them. In
            tables and the release their `dataset` ends in ` (simulated)`, and the card states that no human annotators
            took part. Without this setting, the next run excludes them from its images.
    """  # phrase: allowed

    name: ClassVar[str] = COLLECT
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"prompt": "string"}
    """The prompt of each submitted photograph."""

    prompts: tuple[_Prompt, ...] = Field(min_length=1, max_length=10_000)
    per_prompt: int = Field(1, ge=1, le=100)
    licences: tuple[_Licence, ...] = Field(("cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0"), min_length=2, max_length=20)
    max_bytes: int = Field(20_000_000, ge=1, le=128_000_000)
    max_pixels: int = Field(24_000_000, ge=1, le=100_000_000)
    min_side_px: int = Field(256, ge=1)
    guidelines: str | None = None
    simulate: SimulatedCollectors | None = None

    @field_validator("prompts")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if twice := sorted(prompt for prompt, n in Counter(value).items() if n > 1):
            raise ValueError(
                f"prompt {twice[0]!r} appears twice; `per_prompt` sets the number of photographs for each prompt"
            )
        return value

    @field_validator("licences")
    @classmethod
    def _licences_differ(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        codes = Counter(licence_code(licence) for licence in value)
        if twice := sorted(licence for licence in value if codes[licence_code(licence)] > 1):
            raise ValueError(
                f"`licences` contains {twice[0]!r} and {twice[1]!r}, which read the same; give each license once"
            )
        return value

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with the prompts; return each image's prompt once all prompts are answered."""
        images = [record.image_id for record in records]
        form = collect_form(
            self.licences, max_bytes=self.max_bytes, max_pixels=self.max_pixels, min_side_px=self.min_side_px
        )
        guidelines = self.guidelines if self.guidelines is not None else KINDS[COLLECT].guidelines
        request = CampaignRequest(
            kind=COLLECT,
            rule=_RULE,
            slots=1,
            form=CampaignForm(fields=form.fields, guidelines=guidelines),
            group=self.simulate,
            handout=self.handout,
        )
        state = run_campaign(request, self._work(), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        with open_store(ctx.store_url) as store:
            photos = photographs_of(store, store.campaign(ctx.stage))
        if missing := _not_taken_in(photos, ctx):
            return Verdicts(
                f"campaign {ctx.stage!r} is done, and {missing} of its photographs arrived during this run; run the "
                "same command again to include them",
                rerun=True,
            )
        prompts = {photo.image_id: photo.prompt for photo in photos}
        evidence = {"simulated": True} if self.simulate is not None else {}
        outcomes = {
            image: Outcome(values={"prompt": prompts[image]}, evidence=evidence) if image in prompts else Outcome()
            for image in images
        }
        return Verdicts(None, outcomes, _summary(state.decisions, photos, simulated=self.simulate is not None))

    def _work(self) -> Iterator[TaskInput]:
        for prompt in self.prompts:
            for number in range(self.per_prompt):
                task_id = digest([COLLECT, prompt, number])
                yield task_input(task_id, task_id, TaskContent(task=COLLECT, question=prompt))


def _not_taken_in(photos: Iterable[CollectedPhoto], ctx: CampaignContext) -> int:
    """Return the number of photographs that are missing from the images of this run."""
    known = {row["uri"] for row in files_of(Workspace(ctx.workspace))}
    return sum(photo.source.uri not in known for photo in photos)


def _summary(decisions: Iterable[Annotation], photos: Iterable[CollectedPhoto], *, simulated: bool) -> dict[str, Any]:
    """Return the numbers of tasks and of photographs by license, without times or names."""
    annotations = list(decisions)
    names = pseudonyms(annotations)
    photographs = list(photos)
    by_annotator = Counter(names[annotation.annotator] for annotation in annotations)
    return {
        "kind": COLLECT,
        "rule": _RULE,
        "simulated": simulated,
        "total": len(annotations),
        "found": dict(sorted(Counter(annotation.decision for annotation in annotations).items())),
        "photographs": len({photograph.image_id for photograph in photographs}),
        "licences": dict(sorted(Counter(str(photograph.source.licence) for photograph in photographs).items())),
        "annotators": {name: {"tasks": n} for name, n in sorted(by_annotator.items())},
    }
