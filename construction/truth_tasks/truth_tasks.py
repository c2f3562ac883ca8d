"""The shared base of steps that make items from ground truth.

Such a step has two parts. The part `selection` examines all records at once: it plans an item from each, refuses those
without exactly one right answer, chooses records so that pictures do not repeat and answers are balanced, and assigns
positions to the right options. The part with the task's own name then makes the items, one picture at a time.

A task declares the kinds of truth it reads, plans an item from one record (`planned`), and words it (`worded`).
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import RecipeError
from benchwright.facts import REGIONS
from benchwright.questions.written import QUESTIONS
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, VisualPrompt
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.seeds import generator_for
from benchwright.steps import (
    Context,
    ForecastContext,
    GatherContext,
    Gathered,
    GatherStep,
    ItemForecast,
    MapStep,
    Outcome,
    PictureFidelity,
    Step,
    Stream,
)

from ..datasets.lacking import lacking_before
from ..ground_truth.truths import GroundTruth
from ..ground_truth.values import DATASET, RecordTruth, read_truths
from ..item_parts.marks.picture_views import PictureView, drawn_view, view_of
from ..item_parts.marks.rings import Point, SizeWH, ring, with_clear_marks
from ..item_parts.options.choices import twin_keys
from ..item_parts.options.modes import Hardening, Mode
from ..item_parts.options.selection import Candidate, balanced_letters, select
from ..item_parts.pictures.scaling import shrink, size_within
from ..item_parts.wording.wordings import WordingsInUse
from ..stated_facts.marked_truths import marked_truths
from .made_pictures import MadePictures
from .truth_plans import (
    ChosenOfImage,
    ChosenRecord,
    ItemPlan,
    ItemWording,
    LeftOut,
    TruthPictures,
    UnusedTruth,
    main_reason,
)

if TYPE_CHECKING:
    import pyarrow as pa

_NOTHING_STATED, USED_ALREADY, _ENOUGH, TOO_SMALL = "nothing_stated", "used_already", "enough", "too_small"
_PICTURE_MISSING = "picture_missing"
LETTERING = "lettering"
TWIN = "twin"
"""Key in `original` for the name of the two records from which twins are made."""
PROMPT = "prompt"
"""Value of collected photographs that holds the prompt for which people collected them."""


class TruthTask(MapStep):
    """A step that makes items from ground truth.

    Args:
        dataset: Entry of the step `dataset`, or of a step that estimates truths, to read; null for the entry `dataset`,
            or for none if `marked_by` is given.
        marked_by: Entry of an earlier `mark` campaign whose marks are used, in addition to a dataset that `dataset`
            names. The guide to source datasets lists the names for the campaign's fields; tasks that cannot use marks
            refuse this setting.
        uses: Largest number of items of this task that may show the same picture; null for any number.
        apart_from: Entries of earlier tasks of this kind whose pictures are not shown again.
        items: Largest number of items, chosen by the seed; null for as many as possible.
        max_side_px: Longer side of pictures as shown; larger ones are scaled down.
        min_side_px: Shorter side of pictures as shown; records with a smaller one make no item.
        mode: How items are drawn; this task has only the paper's rule.
        wordings: Wordings of the question: `all`, from which each item's seed draws one, or `1`, for only the first.
            Items record theirs in the attribute `wording`. Tasks with questions by other authors offer no such choice.

    Reasons:
        nothing_stated (drop): No ground truth of this kind is known for the image, or the image is only a further
            picture of another image's record.
        picture_missing (drop): A picture of the record has left the run.
        too_small (drop): A picture has a shorter side than `min_side_px`.
        used_already (drop): Each record of the image shares a picture with an item chosen earlier, of this task or of
            one that `apart_from` names.
        enough (drop): The task has `items` items without it.
    """

    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    reads: ClassVar[tuple[str, ...]] = ("selection.chosen", "selection.left_out")
    kinds: ClassVar[tuple[type[GroundTruth], ...]]
    """Kinds of truth that the task reads."""
    hardening: ClassVar[Hardening | None] = None
    """What mode `hardened` requires of pictures; None for a task with only the paper's rule."""
    items_need_pixels: ClassVar[bool] = False
    """Whether pictures must be opened to decide whether a chosen record makes an item."""
    mirrors: ClassVar[bool] = False
    """Whether mode `hardened` may mirror pictures; pictures with lettering then yield no item, with the reason
    `lettering`.
    """
    is_marked: ClassVar[bool] = False
    """Whether people can mark its input."""
    has_wordings: ClassVar[bool] = True
    """Whether the task words its questions itself, in several ways; otherwise, other authors wrote them."""

    dataset: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    marked_by: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    uses: int | None = Field(1, ge=1)
    apart_from: tuple[str, ...] = ()
    items: int | None = Field(None, ge=1)
    max_side_px: int = Field(1024, ge=64, le=8192)
    min_side_px: int = Field(128, ge=16)
    mode: Mode = "paper"
    wordings: WordingsInUse = "all"
    _part: str | None = PrivateAttr(None)
    """Part of the entry `dataset` that supplies the truths, if the entry has several parts."""

    @model_validator(mode="after")
    def _has_the_mode(self) -> Self:
        if self.mode == "hardened" and self._usual_mode() == "paper":
            raise ValueError(f"{self.name} has the paper's rule only: leave out mode")
        if not self.has_wordings and "wordings" in self.model_fields_set:
            raise ValueError(f"{self.name} asks questions that others wrote: leave out wordings")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, including wordings only if there are several."""
        without = set() if self.has_wordings else {"wordings"}
        return {name: value for name, value in super().parameters().items() if name not in without}

    @property
    def identity(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the settings that distinguish the step's items from those of another entry with the same truths."""
        truths = tuple(name for name in ("dataset", "marked_by") if getattr(self, name) not in (None, DATASET))
        return truths if self.mode == self._usual_mode() else (*truths, "mode")

    @classmethod
    def _usual_mode(cls) -> Mode:
        """Return the task's default mode, which is `hardened` if the task has this mode."""
        mode: Mode = cls.model_fields["mode"].default
        return mode

    @property
    def items_of_each(self) -> int:
        """Return how many items the task makes from each chosen record: two for twins."""
        return 1

    @property
    def truth_columns(self) -> tuple[str, ...]:
        """Return the values that hold the task's truths."""
        dataset = self.dataset if self.dataset or self.marked_by else DATASET
        giver = dataset if self._part is None else f"{dataset}.{self._part}"
        stated = () if dataset is None else tuple(f"{giver}.{kind.kind}" for kind in self.kinds)
        return stated if self.marked_by is None else (*stated, f"{self.marked_by}.{REGIONS}")

    @property
    def other_selections(self) -> tuple[str, ...]:
        """Return the values that hold the choices of tasks whose pictures are not shown again."""
        return tuple(f"{entry}.selection.chosen" for entry in self.apart_from)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step connected to the values of its truths, after checking that these values come before the step.

        Raises:
            RecipeError: No earlier step supplies such truths, the task cannot use marks, or `apart_from` names an entry
                that is not such a task.
        """
        if self.marked_by is not None and not self.is_marked:
            raise RecipeError(f"step {self.name!r} does not use marks; leave out `marked_by`")
        for entry in self.apart_from:
            if f"{entry}.selection" not in given:
                raise RecipeError(
                    f"step {self.name!r} must stay apart from {entry!r}, which is not an earlier task of ground "
                    f"truth; earlier ones: {', '.join(given)}"
                )
        placed = self
        if (part := self._giving_part(given)) is not None:
            placed = self.model_copy()
            placed._part = part
        for column in placed.truth_columns:
            entry, _, value = column.rpartition(".")
            if value not in given.get(entry, {}):
                wanted, setting = {
                    REGIONS: ("a campaign `mark`", "marked_by"),
                    PROMPT: ("a campaign `collect`", "collected_by"),
                    QUESTIONS: ("a campaign `write`", "written_by"),
                }.get(value, ("a step `dataset`", "dataset"))
                raise RecipeError(
                    f"step {self.name!r} takes its ground truth from {entry!r}, which is not an earlier entry of "
                    f"{wanted}; name one under {setting}; earlier ones: {', '.join(given) or 'nothing'}"
                )
        return placed

    def _giving_part(self, given: Mapping[str, Mapping[str, str]]) -> str | None:
        """Return the part of the entry `dataset` that supplies the truths; None if the entry has a single stage."""
        kinds = {kind.kind for kind in self.kinds}
        givers = [stage.rpartition(".") for stage, values in given.items() if kinds <= values.keys()]
        return next((part for entry, dot, part in givers if dot and entry == self.dataset), None)

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a message, with the remedy, if no earlier step supplies truths of the task's kinds, otherwise None."""
        return lacking_before(before, self.truth_columns, [kind.kind for kind in self.kinds])

    def advice(self, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return the reason why mode `hardened` made few items, and the remedy."""
        return None if self.hardening is None else self.hardening.advice(self.mode, made, dropped)

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return how many items the task will make from an earlier dataset, in each mode."""
        from .forecasts import forecast_of_truths

        return forecast_of_truths(self, ctx)

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: the selection over all records, then this step."""
        return (Selection.of(self), self)

    def truths_in(self, column: str, image_id: str, text: str) -> Iterable[RecordTruth[Any]]:
        """Return the truths in a value that comes from neither a dataset nor marks; tasks with such values override
        this.
        """
        raise NotImplementedError(f"step {self.name!r} cannot read {column!r} of {image_id}: {text[:60]!r}")

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterable[RecordTruth[Any] | UnusedTruth]:
        """Return the input for planning: the records themselves, unless a task joins several of them or chooses among
        them. Truths that are left out have a reason.

        Args:
            truths: All truths, sorted by record.
            sizes_wh: Size of every picture in the run.
            seed: The run's seed.
        """
        del sizes_wh, seed
        return truths

    def pictures_of(self, truth: RecordTruth[Any], sizes_wh: Mapping[str, SizeWH]) -> TruthPictures:
        """Return the pictures of a record, with the sizes at which items show them."""
        sizes = tuple(sizes_wh[image_id] for image_id in truth.image_ids)
        shown = tuple(size_within(*size_wh, max_side_px=self.max_side_px) for size_wh in sizes)
        return TruthPictures(sizes, shown)

    @abstractmethod
    def planned(self, truth: RecordTruth[Any], pictures: TruthPictures, rng: np.random.Generator) -> ItemPlan | str:
        """Return the plan of one record, or the reason why it makes no item."""

    def refused(self, plan: ItemPlan, pictures: TruthPictures) -> str | None:
        """Return the reason why a planned item cannot be drawn, or None if it can; called only for records considered
        for selection.
        """
        del plan, pictures
        return None

    def placed_beside(
        self, candidates: Sequence[Candidate], letters: Sequence[int], seed: int
    ) -> Sequence[Mapping[str, Any]]:
        """Return the positions of further options for each chosen candidate's plan; by default, there are none.

        Args:
            candidates: The candidates that become items.
            letters: Position of each candidate's right option, from 0.
            seed: The run's seed.
        """
        del letters, seed
        return [{}] * len(candidates)

    @abstractmethod
    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Return the item's own part.

        Args:
            chosen: The record, with the plan and the position of the right option.
            shown: Its pictures as shown.
        """

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of the records chosen for this image."""
        made = partial(self._made_with_clear_marks, record, ctx)
        return self.outcome(self.chosen_of(record, ctx), made)

    def _made_with_clear_marks(
        self, record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: MadePictures
    ) -> list[Item] | LeftOut | str:
        """Return the items of one record, with marks in visible colors, or the reason why there are none."""
        made = self.made_of_record(record, ctx, entry, pictures)
        if isinstance(made, LeftOut | str):
            return made
        # Unmirrored pictures are checked as well: otherwise lettering would reveal how they are shown.
        if self.mirrors and self.mode == "hardened" and _has_lettering(pictures.kept):
            return LETTERING
        twin = self.twin_of(entry)
        if twin is not None:
            others = self.made_of_record(record, ctx, twin, pictures)
            if isinstance(others, LeftOut | str):
                return others
            made = [
                item.model_copy(update={"item_id": item_id, "group_keys": twin_keys(item.group_keys, first.item_id)})
                for first, second in zip(made, others, strict=True)
                for item, item_id in (
                    (first, first.item_id),
                    (second, ctx.item_id(record.image_id, first.item_id, "twin")),
                )
            ]
        pixels_of = partial(pictures.pixels_of, ctx)
        return [self.with_clear_marks(item, pixels_of, () if twin is None else made) for item in made]

    def twin_of(self, entry: ChosenRecord) -> ChosenRecord | None:
        """Return the record of the twin, whose item differs only in its key, or None if there is none."""
        del entry
        return None

    def with_clear_marks(
        self, item: Item, pixels_of: Callable[[str], NDArray[np.uint8]], twins: Sequence[Item] = ()
    ) -> Item:
        """Return an item and its twins with marks in colors that are visible on their pictures."""
        del twins
        return with_clear_marks(item, pixels_of)

    def made_of_record(
        self, record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: MadePictures
    ) -> list[Item] | LeftOut | str:
        """Return the items of one record, or the reason why there are none; add pictures made for the items to
        `pictures`.

        Pictures are shown whole, unless the plan names views of them or a task shows parts of them in another way.
        """
        shown = [
            self._shown(record, ctx.image(image_id), ctx, pictures, view_of(entry.plan, number))
            for number, image_id in enumerate(entry.image_ids)
        ]
        return self.made(record, ctx, entry, shown, pictures)

    def chosen_of(self, record: ImageRecord, ctx: Context) -> ChosenOfImage:
        """Return the records chosen for an image, and the reasons why the remaining records were not chosen."""
        chosen = ctx.value(record.image_id, "selection.chosen")
        entries = [
            ChosenRecord(**{**document, "image_ids": tuple(document["image_ids"])})
            for document in json.loads(chosen or "[]")
        ]
        return ChosenOfImage(entries, json.loads(ctx.value(record.image_id, "selection.left_out") or "{}"))

    def outcome(
        self,
        chosen: ChosenOfImage,
        made: Callable[[ChosenRecord, MadePictures], list[Item] | LeftOut | str],
    ) -> Outcome:
        """Return the outcome of an image, which consists of the items of all records chosen for the image.

        Args:
            chosen: The records.
            made: Function that returns the items of one record, or why there are none, and adds pictures that it makes
                to the mapping.
        """
        left_out = Counter(chosen.left_out)
        images: dict[str, ImageRecord] = {}
        items: list[Item] = []
        by_record: dict[str, Any] = {}
        for entry in chosen.entries:
            pictures = MadePictures()
            result = made(entry, pictures)
            if isinstance(result, LeftOut):
                if result.may_pass:
                    return Outcome("failed", result.reason, evidence=dict(result.evidence))
                left_out[result.reason] += 1
                by_record[entry.record] = dict(result.evidence)
            elif isinstance(result, str):
                left_out[result] += 1
            else:
                images |= pictures
                items += result
        evidence: dict[str, Any] = {"left_out": dict(left_out)} if left_out else {}
        evidence |= {"records": by_record} if by_record else {}
        if not items:
            reasons = left_out or Counter({_NOTHING_STATED: 1})
            return Outcome("drop", main_reason(reasons), evidence=evidence)
        return Outcome(evidence=evidence, images=tuple(images.values()), items=tuple(items))

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | LeftOut | str:
        """Return the items of one record, or the reason why there are none, alone or with evidence; pictures that a
        task makes are added to `made`.
        """
        del made
        return [self.item(record, ctx, chosen, shown, self.worded(chosen, shown))]

    def item(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        wording: ItemWording,
        *,
        ordinal: int = 0,
        group_keys: Iterable[str] = (),
    ) -> Item:
        """Return an item of a chosen record."""
        images = tuple(
            ItemImage(image_id=shown[number].image_id, role=role, prompts=_rings(shown[number], rings))
            for number, role, rings in wording.images
        )
        choices = tuple(
            Choice(key=key, text=option)
            if isinstance(option, str)
            else Choice(key=key, image_id=shown[option].image_id)
            for key, option in zip(LETTERS, wording.options, strict=False)
        )
        roots = {f"image:{ctx.image(image_id).root_image_id}" for image_id in chosen.image_ids}
        estimated = {key: str(model) for key, model in chosen.original.items() if key == ESTIMATED_BY}
        mode: dict[str, str] = {"mode": self.mode} if self._usual_mode() == "hardened" else {}
        question, attributes = self._asked(ctx, chosen, wording)
        by = {"question": wording.written_by}
        if any(isinstance(option, str) for option in wording.options):
            by["choices"] = wording.choices_by
        if wording.explanation is not None:
            by["explanation"] = wording.written_by
        return Item(
            item_id=ctx.item_id(record.image_id, chosen.record, ordinal=ordinal),
            task=self.name,
            kind=wording.kind,
            images=images,
            question=question,
            choices=choices,
            answer=chosen.answer if wording.is_answerable else None,
            refusal=wording.refusal,
            group_keys=twin_keys({*roots, *group_keys}, chosen.original.get(TWIN)),
            level=wording.level,
            category=wording.category,
            attributes={**attributes, **mode, **estimated},
            explanation=wording.explanation,
            written_by=by,
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence={
                "record": chosen.record,
                "image_ids": list(chosen.image_ids),
                **({"original": dict(chosen.original)} if chosen.original else {}),
                **wording.evidence,
            },
        )

    def _asked(self, ctx: Context, chosen: ChosenRecord, wording: ItemWording) -> tuple[str, Mapping[str, str]]:
        """Return the question of an item and its attributes, with the wording if there are several."""
        if isinstance(wording.question, str):
            return wording.question, wording.attributes
        # Twins share the name, so that they differ only in their key.
        name = chosen.original.get(TWIN, chosen.record)
        drawn = wording.question.drawn(self.wordings, ctx.rng(name, "wording"))
        return drawn.template, {**wording.attributes, **drawn.attributes}

    def _shown(
        self,
        record: ImageRecord,
        picture: ImageRecord,
        ctx: Context,
        made: MadePictures,
        view: PictureView | None = None,
    ) -> ImageRecord:
        """Return a picture as items show it: a view of the picture if the plan has one, otherwise the picture itself if
        its file can be shown unchanged, otherwise a smaller, upright version.
        """
        size_wh = size_within(picture.width, picture.height, max_side_px=self.max_side_px)
        if view is None and size_wh == (picture.width, picture.height) and not picture.notes:
            return picture
        parents = [record] if picture.image_id == record.image_id else [record, picture]
        pixels = ctx.images.rgb(picture)
        return made.stored(ctx, shrink(pixels, size_wh) if view is None else drawn_view(pixels, view), parents)


class Selection(GatherStep):
    """Choose the records from which a task makes items; drops nothing."""

    name: ClassVar[str] = "selection"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"chosen": "string", "left_out": "string"}
    imports: ClassVar[tuple[str, ...]] = ()

    _task: TruthTask = PrivateAttr()

    @classmethod
    def of(cls, task: TruthTask) -> Selection:
        """Return the selection of a task."""
        selection = cls()
        selection._task = task
        return selection

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the columns that the task needs, and the values that hold the truths."""
        return ("image_id", "width", "height", *self._task.truth_columns, *self._task.other_selections)

    def parameters(self) -> dict[str, Any]:
        """Return the task's name and settings."""
        return {"task": self._task.name, **self._task.parameters()}

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Plan items, choose records and position right options; each result is a value of its record's first
        picture.
        """
        task = self._task
        rows = {image_id: row for row, image_id in enumerate(columns["image_id"].to_pylist())}
        sides = zip(columns["width"].to_pylist(), columns["height"].to_pylist(), strict=True)
        sizes_wh: dict[str, SizeWH] = dict(zip(rows, sides, strict=True))
        truths, without = self._truths(columns, list(rows), sizes_wh)
        planned: list[tuple[RecordTruth[Any], ItemPlan, TruthPictures]] = []
        candidates: list[Candidate] = []
        left_out: dict[str, Counter[str]] = {}
        for truth, reason in without:
            left_out.setdefault(truth.image_ids[0], Counter())[reason] += 1
        for chosen_truth in task.combined(truths, sizes_wh, ctx.seed):
            if isinstance(chosen_truth, UnusedTruth):
                left_out.setdefault(chosen_truth.truth.image_ids[0], Counter())[chosen_truth.reason] += 1
                continue
            truth = chosen_truth
            pictures = task.pictures_of(truth, sizes_wh)
            plan = self._plan(truth, pictures, ctx.seed)
            if isinstance(plan, ItemPlan):
                shown = tuple(truth.image_ids[number] for number in plan.pictures) or truth.image_ids
                reserved = tuple(truth.image_ids[number] for number in plan.reserved)
                planned.append((truth._replace(image_ids=shown), plan, pictures.only(plan.pictures)))
                candidates.append(Candidate(truth.record, (*shown, *reserved), plan.letters, plan.answer))
            else:
                left_out.setdefault(truth.image_ids[0], Counter())[plan] += 1
        used_elsewhere = {
            image_id
            for column in task.other_selections
            for text in columns[column].to_pylist()
            for entry in json.loads(text or "[]")
            for image_id in entry["image_ids"]
        }
        selected = select(
            candidates,
            seed=ctx.seed,
            task=task.name,
            uses=task.uses,
            items=task.items,
            refusal=lambda number: (
                USED_ALREADY
                if not used_elsewhere.isdisjoint(candidates[number].image_ids)
                else task.refused(planned[number][1], planned[number][2])
            ),
        )
        of_chosen = [candidates[number] for number in selected.chosen]
        letters = balanced_letters(of_chosen, seed=ctx.seed, task=task.name)
        further = task.placed_beside(of_chosen, letters, ctx.seed)
        chosen: dict[str, list[dict[str, Any]]] = {}
        placed = zip(selected.chosen, letters, further, strict=True)
        for number, letter, beside in sorted(placed, key=lambda row: row[0]):
            truth, plan, _ = planned[number]
            document = {**plan.document, **beside}
            entry = ChosenRecord(truth.record, truth.image_ids, letter, document, truth.truth.original)
            chosen.setdefault(truth.image_ids[0], []).append(entry._asdict())
        is_enough = task.items is not None and len(selected.chosen) == task.items
        taken = frozenset(selected.chosen)
        for number, candidate in enumerate(candidates):
            if number not in taken:
                reason = selected.refused.get(number, _ENOUGH if is_enough else USED_ALREADY)
                left_out.setdefault(candidate.image_ids[0], Counter())[reason] += 1
        named = sorted({*chosen, *left_out}, key=rows.__getitem__)
        return Gathered(
            rows=np.array([rows[image_id] for image_id in named], np.int64),
            values={
                "chosen": [canonical_json(chosen[name]) if name in chosen else None for name in named],
                "left_out": [canonical_json(left_out[name]) if name in left_out else None for name in named],
            },
        )

    def _truths(
        self, columns: pa.Table, image_ids: Sequence[str], sizes_wh: Mapping[str, SizeWH]
    ) -> tuple[list[RecordTruth[Any]], list[tuple[RecordTruth[Any], str]]]:
        """Return the truths whose pictures all exist and are large enough, sorted by record, and the remaining truths
        with the reason.
        """
        usable: list[RecordTruth[Any]] = []
        without: list[tuple[RecordTruth[Any], str]] = []
        for column in self._task.truth_columns:
            kinds = [kind for kind in self._task.kinds if column.endswith(f".{kind.kind}")]
            for image_id, text in zip(image_ids, columns[column].to_pylist(), strict=True):
                if text is None:
                    continue
                stated: Iterable[RecordTruth[Any]]
                if kinds:
                    stated = _numbered(read_truths(text, kinds[0]))
                elif column.endswith(f".{REGIONS}"):
                    stated = marked_truths(text, image_id, self._task.kinds, campaign=column.rpartition(".")[0])
                else:
                    stated = self._task.truths_in(column, image_id, text)
                for truth in stated:
                    reason = self._reason_against(truth, sizes_wh)
                    if reason is None:
                        usable.append(truth)
                    else:
                        without.append((truth, reason))
        return sorted(usable, key=lambda truth: truth.record), without

    def _reason_against(self, truth: RecordTruth[Any], sizes_wh: Mapping[str, SizeWH]) -> str | None:
        if any(image_id not in sizes_wh for image_id in truth.image_ids):
            return _PICTURE_MISSING
        shown = self._task.pictures_of(truth, sizes_wh).shown_wh
        return TOO_SMALL if min(min(size_wh) for size_wh in shown) < self._task.min_side_px else None

    def _plan(self, truth: RecordTruth[Any], pictures: TruthPictures, seed: int) -> ItemPlan | str:
        return self._task.planned(truth, pictures, generator_for(seed, self._task.name, truth.record, "plan"))


def _has_lettering(pictures: Iterable[NDArray[np.uint8]]) -> bool:
    from ..item_parts.pictures.inner_pictures import lines_of_lettering

    return any(map(lines_of_lettering, pictures))


def _numbered(truths: Sequence[RecordTruth[Any]]) -> Iterable[RecordTruth[Any]]:
    """Yield truths with unique names: the record's name, with a number appended if the record has several truths."""
    counts = Counter(truth.record for truth in truths)
    numbers: Counter[str] = Counter()
    for truth in truths:
        numbers[truth.record] += 1
        several = counts[truth.record] > 1
        yield truth._replace(record=f"{truth.record}#{numbers[truth.record]}") if several else truth


def _rings(picture: ImageRecord, rings: Sequence[tuple[Point, str]]) -> tuple[VisualPrompt, ...]:
    return tuple(ring(picture.image_id, picture.height, point, label) for point, label in rings)
