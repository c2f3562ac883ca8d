"""The campaign `mark`: annotators mark regions of each picture, or of each pair of pictures, and agree on them.

Several annotators mark a picture without seeing each other's marks. Regions that the required number of annotators
marked alike become the value `regions` of the picture, which the step `facts` and tasks that need locations read.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.canonical import bytes_digest, digest
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify
from benchwright.images.regular_files import read_file
from benchwright.records import ImageRecord, ItemImage
from benchwright.regions import SizeWH
from benchwright.steps import FOLDER, CampaignContext, Outcome, Stream, Verdicts

from ...agreement.region_matching import RegionTolerance
from ...forms.campaign_form import CampaignForm
from ...forms.campaign_helpers import ALWAYS, HELPERS, PROPOSE, CampaignHelpers, campaign_helpers
from ...forms.kind_forms.marking import HEADLINE, NOTE, MarkField, marking_form
from ...forms.kinds import KINDS, MARK
from ...forms.payloads import TaskInput
from ...forms.starting_files import MOST_FILES, START_FROM, StartAuthor, StartFile, authors_of, check_files
from ...forms.task_content import TaskContent
from ...simulated.annotators import NOW, check_enough
from ...simulated.markers import TRUTH, SimulatedMarkers
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.starting_marks import count_starting_marks, starting_report
from ...store.campaigns.tasks import find_campaign
from ...store.database.records import Campaign
from ...store.review_store import ReviewStore, open_store
from ...workflow.gold import with_gold
from ...workflow.gold_regions import REGIONS, known_regions
from ...workflow.image_files import ImageFiles, brought_pictures
from ...workflow.settlement.marked_regions import AGREEMENT
from ...workflow.settlement.revisions import by_version
from ...workflow.settlement.rounds import NOBODY
from ...workflow.settlement.rules import RuleSetting, parse_rule
from ...workflow.settlement.settle import WAITS
from ..running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign, waiting_line
from .mark_proposals import proposal_figures
from .mark_truth import true_regions
from .mark_verdicts import MarkedPicture, gold_mark_outcome, mark_verdicts, marked_picture
from .marked_pairs import NamedPair, pair_id, pairs_of_table, pairs_of_value, read_pairs
from .starting_marks import StartPicture, StartSources, digest_of_start, keep_no_start, start_line, start_summary

_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_VALUE = re.compile(r"[a-z0-9_.]+\.[a-z0-9_]+")
_IMAGE_ID = re.compile(r"[0-9a-f]{64}")
_TABLE = ".csv"
_TAKEN = frozenset({HEADLINE, NOTE, "annotator", "item_id", "task"})


class ExamplePicture(NamedTuple):
    """An example picture that shows how to mark a field's regions.

    Args:
        image_id: SHA-256 of its file.
        path: Path of the file in a recipe; None if the recipe states only the image id.
    """

    image_id: str
    path: Path | None = None


class Mark(AssignedCampaign):
    """Let annotators mark points, boxes, outlines or masks on each image, or on pairs of images, and agree on them.

    The step belongs among the filters of images, before any step that reads the regions. The run stops here, in state
    `waiting`, until every image is marked. Regions that enough annotators marked alike become the value `regions`, with
    the distance between them. For boxes, this is the median of each edge; for masks and outlines, the pixels that most
    of them cover; for points, the mean. Changing a mark recomputes everything based on it.

    Attributes:
        fields: The marks to make, in order, each a list of regions of one shape: `name`, `label`, `shape` (`point`,
            `points` in order, `box`, `polygon`, `mask`, or `correspondence` of a pair), `options` (labels, each `code`
            and `words`), `free_label`, `min_count`, `max_count`, `instructions`, `example` (a picture file next to the
            recipe, or an image id) and `example_words` (a description of it, for annotators who cannot see it).
        over: `images`, one at a time, or `pairs` of images shown side by side. A correspondence joins a point of the
            first to one of the second; all other regions lie on the first, which gets the value.
        pairs: The images that make pairs: a CSV file with the columns `first` and `second` (paths below the image
            folder, or file names), or a value of an earlier step that names each image's partner, as `<entry>.<value>`.
        question: The question to annotators.
        rule: `single`, `unanimous(N)`, `majority(N)` or `at_least(K, of=N)`: the number of annotators of an image, and
            the number who must agree. In `adjudicated(RULE)` an adjudicator, who sees all marks at once, decides
            disputed ones.
        agreement: Required similarity of two annotators' regions: `box_iou`, `polygon_iou`, `mask_iou`, `distance` of
            points as a share of the length that `relative_to` names (`object` or `picture`), and `counts` (`exact`, or
            `majority`, which leaves out regions that only a minority marked).
        when_nothing: Whether images with nothing to mark stay (`keep`) or go (`drop`).
        guidelines: Instructions for annotators, in Markdown; by default those of the kind.
        helpers: Programs that propose regions during marking, by name, or with settings: `{name: sam, weights:
            sam_vit_b_01ec64.pth}`. GrabCut by default; `[]` for none.
        propose: Names of the helpers whose proposals are ready when a task opens, such as `text_boxes`.
        start_from: Files of marks that lie on the pictures as proposals when a task opens, for annotators to accept,
            change or reject: COCO, LVIS, Pascal VOC or YOLO, each a path, or `{path, format, labels, fields}`. `labels`
            gives the form's label for one of the file (null leaves it out), and `fields` names the fields that accept
            its marks. Marks are matched to pictures by path or file name, and to fields by label and shape.
        handout: Assignment of images to annotators, including gold ones. `close_decided` is refused: every mark counts.
        simulate: Let simulated annotators mark instead of people; all results state this.

    Reasons:
        nothing_to_mark (drop): Enough annotators found nothing to mark, and the recipe drops such images.
        cannot_tell (ask): Enough annotators could not tell.
        disputed (ask): Annotators did not agree; regions they agree on count, the rest is in the evidence.
    """

    name: ClassVar[str] = MARK
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"regions": "string"}
    """The regions that count, as canonical JSON."""

    fields: tuple[MarkField, ...] = Field(min_length=1, max_length=20)
    over: Literal["images", "pairs"] = "images"
    pairs: str | None = Field(None, min_length=1)
    question: str = Field("Mark everything that is asked for.", min_length=1, max_length=1000)
    rule: RuleSetting = "single"
    agreement: RegionTolerance = RegionTolerance()
    when_nothing: Literal["keep", "drop"] = "keep"
    guidelines: str | None = None
    helpers: tuple[Any, ...] = ALWAYS
    propose: tuple[str, ...] = ()
    start_from: tuple[StartFile, ...] = Field((), max_length=MOST_FILES)
    simulate: SimulatedMarkers | None = None
    _folder: Path = PrivateAttr(Path())
    _authors: list[StartAuthor] = PrivateAttr(default_factory=list)
    _pairs: tuple[NamedPair, ...] = PrivateAttr(())
    _helpers: CampaignHelpers = PrivateAttr(CampaignHelpers())
    _examples: dict[str, ExamplePicture] = PrivateAttr(default_factory=dict)

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values that name partners and the values that simulated annotators regard as true."""
        truth = None if self.simulate is None or self._is_start_true else self.simulate.truth
        partner = self.pairs if self._is_of_value else None
        return tuple(name for name in (partner, truth) if name is not None)

    @property
    def _is_of_value(self) -> bool:
        return self.pairs is not None and not self.pairs.endswith(_TABLE) and not _BY_DIGEST.fullmatch(self.pairs)

    @property
    def _is_start_true(self) -> bool:
        """Return whether simulated annotators regard the marks in the files as true."""
        return self.simulate is not None and self.simulate.truth == START_FROM

    @field_validator("fields")
    @classmethod
    def _have_distinct_names(cls, value: tuple[MarkField, ...]) -> tuple[MarkField, ...]:
        names = Counter(field.name for field in value)
        if twice := [name for name, n in names.items() if n > 1]:
            raise ValueError(f"two fields are called {twice[0]!r}; give each its own name")
        if taken := sorted(_TAKEN & set(names)):
            raise ValueError(f"no field can be called {taken[0]!r}, which tables use already; give it another name")
        return value

    @field_validator(START_FROM)
    @classmethod
    def _can_be_started_from(cls, value: tuple[StartFile, ...], info: ValidationInfo) -> tuple[StartFile, ...]:
        fields: tuple[MarkField, ...] = info.data.get("fields", ())
        names = [field.name for field in fields]
        codes = {option.code for field in fields for option in field.options}
        is_free = any(field.free_label or not field.options for field in fields)
        for file in value if fields else ():
            if unknown := [name for name in file.fields if name not in names]:
                raise ValueError(f"{file.path}: no field is called {unknown[0]!r}; the fields are {', '.join(names)}")
            strange = sorted({label for label in file.labels.values() if label is not None} - codes)
            if strange and not is_free:
                known = ", ".join(sorted(codes))
                raise ValueError(f"{file.path}: no field has the label {strange[0]!r}; there are {known}")
        folder = (info.context or {}).get(FOLDER)
        if folder is not None:
            try:
                check_files(value, folder)
            except DataError as error:
                raise ValueError(str(error)) from None
        return value

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedMarkers | None, info: ValidationInfo) -> SimulatedMarkers | None:
        if value is not None and "rule" in info.data:
            check_enough(value, parse_rule(info.data["rule"]))
        return value

    @model_validator(mode="after")
    def _has_its_examples(self, info: ValidationInfo) -> Mark:
        folder: Path | None = (info.context or {}).get(FOLDER)
        for field in self.fields:
            if field.example is not None and not self._examples.get(field.name):
                self._examples[field.name] = _example_picture(field.name, field.example, folder)
        return self

    @model_validator(mode="after")
    def _has_its_helpers(self, info: ValidationInfo) -> Mark:
        folder = (info.context or {}).get(FOLDER)
        try:
            self._helpers = campaign_helpers(self.helpers, self.propose, folder)
        except BenchwrightError as error:
            raise ValueError(str(error)) from None
        return self

    @model_validator(mode="after")
    def _has_its_start(self, info: ValidationInfo) -> Mark:
        if self._is_start_true and not self.start_from:
            raise ValueError(
                f"simulated annotators take the marks of `{START_FROM}` as true, but it names no file; name one"
            )
        folder = (info.context or {}).get(FOLDER)
        if folder is not None:  # read once: settings are validated again later, in a context without a folder
            self._folder = folder
        return self

    @model_validator(mode="after")
    def _has_its_pictures(self, info: ValidationInfo) -> Mark:
        if (self.pairs is not None) != (self.over == "pairs"):
            raise ValueError("`pairs` and `over: pairs` need each other; give both or neither")
        if self.over == "images" and any(field.shape == "correspondence" for field in self.fields):
            raise ValueError("a correspondence joins two images; set `over: pairs`, and name the `pairs`")
        if self.pairs is None or _BY_DIGEST.fullmatch(self.pairs) or self._pairs:
            return self
        if self.pairs.endswith(_TABLE):
            self._pairs = read_pairs((info.context or {}).get(FOLDER, Path()) / self.pairs)
        elif not _VALUE.fullmatch(self.pairs):
            raise ValueError(f"`pairs` must be a table ({_TABLE}), or a value such as `near_duplicates.kept.like`")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result; tables of pairs and examples count only by their content."""
        settings = super().parameters()
        for name in (HELPERS, PROPOSE, START_FROM):  # helpers do not affect results; regions record their proposals
            settings.pop(name)
        if self._is_start_true:
            settings[START_FROM] = f"sha256:{digest(digest_of_start(self.start_from, self._own_authors()))}"
        if self._pairs:
            settings["pairs"] = f"sha256:{digest([list(pair) for pair in self._pairs])}"
        for field in settings["fields"]:
            if field["name"] in self._examples:
                field["example"] = self._examples[field["name"]].image_id
        return settings

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these images; return the agreed regions once all images are marked."""
        images = list(records)
        guidelines = self.guidelines if self.guidelines is not None else KINDS[MARK].guidelines
        rule, form = parse_rule(self.rule), marking_form(self.fields, self._kept_examples(ctx))
        request = CampaignRequest(
            kind=MARK,
            rule=str(rule),
            slots=rule.slots,
            form=CampaignForm(fields=form.fields, guidelines=guidelines),
            group=self.simulate,
            handout=self.handout,
            settings=self._settings(),
        )
        shown = list(self._shown(images, ctx))
        start = self._start(shown, request)
        with open_store(ctx.store_url) as store:
            if start is not None and not start.is_kept(store, ctx.stage):
                _ = start.marks  # read before locking the store, since that may take minutes
        request = replace(request, prepare=keep_no_start if start is None else start.keep)
        true = start.proposed() if start is not None and self._is_start_true else {}
        state = run_campaign(request, (self._work(pictures, ctx, true) for pictures in shown), ctx)
        if state.waiting is not None:
            return Verdicts("; ".join([state.waiting, *_start_lines(ctx)]))
        with open_store(ctx.store_url) as store:
            campaign = store.campaign(ctx.stage)
            pictures = _marked(store, campaign, shown, frozenset(state.gold))
            waits = sum(picture.outcome == WAITS for picture in pictures)
            if waits:
                status = store.status(ctx.stage, now=NOW)
                return Verdicts(waiting_line(status, ctx, adjudicator=waits))
            with store.reading() as connection:
                offered = count_starting_marks(connection, campaign)
                reports = starting_report(connection, campaign)
        drops = self.when_nothing == "drop"
        verdicts = mark_verdicts(
            campaign, pictures, drops_nothing=drops, simulated=self.simulate is not None, seed=ctx.seed
        )
        figures = proposal_figures(campaign, pictures, offered)
        verdicts = replace(verdicts, summary={**verdicts.summary, "proposals": figures, **start_summary(reports)})
        known = {
            shown_pictures[0].image_id: gold_mark_outcome(
                state.gold[task_id], self._known(task_id, shown_pictures, request), shown_pictures, drops_nothing=drops
            )
            for shown_pictures in shown
            if (task_id := _task_id(shown_pictures)) in state.gold
        }
        decided = self.noted(with_gold(verdicts, known), ctx)
        rest = {image.image_id: Outcome() for image in images if image.image_id not in decided.outcomes}
        return replace(decided, outcomes={**decided.outcomes, **rest})

    def _kept_examples(self, ctx: CampaignContext) -> dict[str, str]:
        """Return the image ids of the example pictures by field, after storing their files in the workspace.

        Raises:
            DataError: A file is unreadable, or has changed since the recipe was read.
            PrerequisiteError: The workspace has no picture with one of the ids.
        """
        for name, example in self._examples.items():
            if example.path is not None:
                try:
                    data = read_file(example.path, limits=Limits())
                except UnreadableImage as error:
                    raise DataError(f"{example.path} cannot be read: {error.detail}") from error
                if bytes_digest(data) != example.image_id:
                    raise DataError(f"{example.path} has changed since the recipe was read; run it again")
                brought_pictures(ctx.workspace).put(data)
            elif not ImageFiles(ctx.workspace).path(example.image_id).exists():
                raise PrerequisiteError(
                    f"step {ctx.stage!r}: the example of field {name!r} is not a picture of this workspace "
                    f"({example.image_id[:12]}); name its file"
                )
        return {name: example.image_id for name, example in self._examples.items()}

    def _settings(self) -> dict[str, Any]:
        """Return the settings to store; helpers are included only if they differ from the default."""
        settings: dict[str, Any] = {AGREEMENT: self.agreement.model_dump(mode="json")}
        if self.start_from and (self.simulate is None or self._is_start_true):
            settings[START_FROM] = [author.model_dump(mode="json") for author in self._own_authors()]
        if self.helpers != ALWAYS and self.simulate is None:
            settings |= self._helpers.to_json()
        return settings

    def _known(
        self, task_id: str, pictures: tuple[ImageRecord, ...], request: CampaignRequest
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the right regions on a gold picture, by field; none if only the decision is known."""
        label = self.handout.known_label(task_id)
        payload = {"sizes_wh": _sizes(pictures)}
        known = None if label is None else known_regions(label, payload, request.form, request.settings)
        return {} if known is None else json.loads(known)[REGIONS]

    def _shown(self, images: Sequence[ImageRecord], ctx: CampaignContext) -> Iterator[tuple[ImageRecord, ...]]:
        """Yield the picture or the two pictures of each task."""
        if self.over == "images":
            yield from ((image,) for image in images)
            return
        assert self.pairs is not None, "checked when the recipe is read"
        if self._is_of_value:
            yield from pairs_of_value(ctx.values[self.pairs], images)
            return
        if not self._pairs:
            raise PrerequisiteError(f"step {ctx.stage!r}: pairs {self.pairs} are known by digest only; give the file")
        yield from pairs_of_table(self._pairs, images, ctx.stage)

    def _own_authors(self) -> list[StartAuthor]:
        """Return the files to start from as authors; the files' content is read only once."""
        if not self._authors:
            self._authors = authors_of(self.start_from, self._folder)
        return self._authors

    def _start(self, shown: Sequence[tuple[ImageRecord, ...]], request: CampaignRequest) -> StartSources | None:
        """Return the marks from which annotators start; simulated annotators see none, but may regard them as true."""
        if not self.start_from or not (self.simulate is None or self._is_start_true):
            return None
        pictures = [StartPicture(_task_id(together), together[0], _sizes(together)) for together in shown]
        return StartSources(self.start_from, self._own_authors(), self._folder, request.form.region_fields, pictures)

    def _work(
        self, pictures: tuple[ImageRecord, ...], ctx: CampaignContext, start: Mapping[str, Mapping[str, Any]]
    ) -> TaskInput:
        role = "reference" if len(pictures) == 1 else "pair"
        content = TaskContent(
            task=MARK,
            question=self.question,
            images=tuple(ItemImage(image_id=picture.image_id, role=role) for picture in pictures),
            sizes_wh=_sizes(pictures),
        )
        payload: dict[str, Any] = content.model_dump(mode="json")
        task_id = _task_id(pictures)
        if self._is_start_true:
            payload = {"item": payload, "beside": [], "about": {}, TRUTH: start.get(task_id, {})}
        elif self.simulate is not None and self.simulate.truth is not None:
            value = ctx.values[self.simulate.truth].get(pictures[0].image_id)
            payload = {"item": payload, "beside": [], "about": {}, TRUTH: true_regions(value, self.fields)}
        return TaskInput(task_id, task_id, payload)


def _start_lines(ctx: CampaignContext) -> list[str]:
    """Return one line about the starting marks, or no line if the recipe names no files."""
    with open_store(ctx.store_url) as store, store.reading() as connection:
        reports = starting_report(connection, find_campaign(connection, ctx.stage))
    where = f"--workspace {shlex.quote(str(ctx.workspace))} --campaign {shlex.quote(ctx.stage)}"
    return [start_line(reports, f"benchwright review marks unused {where}")] if reports else []


def _example_picture(name: str, example: str, folder: Path | None) -> ExamplePicture:
    """Return the example picture that a recipe names.

    Raises:
        ValueError: The recipe's folder has no such picture.
    """
    if _IMAGE_ID.fullmatch(example):
        return ExamplePicture(example)
    if folder is None:
        raise ValueError(
            f"the example of field {name!r} is a file; give its image id, or use a recipe in the same folder"
        )
    try:
        image_id = identify(folder / example, root=folder).image_id
    except UnreadableImage as error:
        raise ValueError(f"the example of field {name!r} is not a picture in the recipe's folder: {error}") from None
    return ExamplePicture(image_id, (folder / example).absolute())


def _task_id(pictures: tuple[ImageRecord, ...]) -> str:
    """Return the id of a task, which is the id of its picture or pair."""
    return pictures[0].image_id if len(pictures) == 1 else pair_id(*pictures)


def _sizes(pictures: tuple[ImageRecord, ...]) -> tuple[SizeWH, ...]:
    return tuple((picture.width, picture.height) for picture in pictures)


def _marked(
    store: ReviewStore, campaign: Campaign, shown: Sequence[tuple[ImageRecord, ...]], gold: frozenset[str]
) -> list[MarkedPicture]:
    """Return the pictures of a campaign with all decisions on them, except gold pictures."""
    decisions = by_version(store.decisions(campaign.name))
    with store.reading() as connection:
        adjudicated = list_adjudicated(connection, campaign)
    return [
        marked_picture(
            campaign,
            pictures[0].image_id,
            _sizes(pictures),
            decisions.get((task_id, task_id), ()),
            adjudicated.get((task_id, task_id), NOBODY),
            other=pictures[1].image_id if len(pictures) > 1 else None,
        )
        for pictures in shown
        if (task_id := _task_id(pictures)) not in gold
    ]
