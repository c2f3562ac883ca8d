"""Forensic detection, as in BLINK (section 3.2): which of four pictures is a real photograph?

BLINK makes pictures with SDXL of COCO's captions; so does this step, of captions that a dataset states or of what
people collected photographs for.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.errors import PrerequisiteError
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_on_this_machine
from benchwright.records import ImageRecord, Item
from benchwright.steps import FOLDER, Context, CueFamily, OpenContext, Outcome, PictureFidelity, Resources, Step

from ..ground_truth.truths import Captions, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.scaling import middle_square
from ..manipulation.editors.base import Edit, Painted, Painter
from ..manipulation.editors.presets import PRESETS, names_of
from ..manipulation.manipulation_settings import Hardware
from ..manipulation.models.weights import BY_DIGEST, Weights, find_weights
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures
from ..truth_tasks.truth_tasks import PROMPT, TOO_SMALL, TruthTask

QUESTION = (
    "One of the four images is a real photograph. The other three were made by a computer program. Which one is the "
    "real photograph?"
)
Pixels = NDArray[np.uint8]


class _Generated(NamedTuple):
    """The pictures that a model made for one record, or the reason why there is none, with their seeds."""

    pictures: tuple[Pixels | str, ...]
    seeds: tuple[int, ...]

    @property
    def reason(self) -> str | None:
        return next((picture for picture in self.pictures if isinstance(picture, str)), None)


class ForensicDetection(TruthTask):
    """Make items that ask which of four pictures is a real photograph; three are made by a text-to-image model.

    BLINK's forensic detection. The model gets the photograph's caption, one of several as the seed chooses. All four
    pictures become squares of one size by the same means: the largest square in their middle, scaled down by averaging
    areas, and once through JPEG of one quality with halved colour. The photograph is scaled down by `min_reduction` at
    least, so that its own earlier compression is no cue.

    Questions are worth what the model is: those made with tiny or random weights prove only that the path works, and
    even pictures of good weights have to be looked at by people before they count.

    Args:
        collected_by: Entry of a campaign `collect` before it, whose photographs it takes, with the prompts as captions,
            besides a dataset that `dataset` names.
        preset: Preset of the model that makes pictures.
        weights: Folder of its weights in the layout of diffusers, relative to the recipe's folder; null for those that
            this machine has (`$BENCHWRIGHT_MODELS`, or the hub's cache).
        steps: Denoising steps; null for the preset's.
        guidance: Guidance; null for the preset's.
        model_side_px: Side of the squares that the model makes; null for the preset's.
        side_px: Side of all four pictures as shown.
        min_reduction: Smallest factor by which the photograph is scaled down.
        quality: Quality of the JPEG through which all four pictures go.
        hardware: Device that the model runs on.

    Reasons:
        too_small (drop): The photograph's largest square is smaller than `side_px` times `min_reduction`.
        same_picture (drop): Two of the four pictures came out the same.
        unsafe (drop): The weights' own safety checker refused a picture.
        out_of_memory (drop): Memory did not suffice for a picture alone.
    """

    name: ClassVar[str] = "forensic_detection"
    picture_fidelity: ClassVar[PictureFidelity] = "exact"
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset({"pixels", "reference_pixels"})
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (Captions,)
    costly: ClassVar[bool] = True

    collected_by: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    preset: str = "sdxl"
    weights: str | None = Field(None, min_length=1)
    steps: int | None = Field(None, ge=1, le=1000)
    guidance: float | None = Field(None, ge=0)
    model_side_px: int | None = Field(None, ge=64, le=2048)
    side_px: int = Field(384, ge=32, le=2048)
    min_reduction: float = Field(1.25, ge=1)
    quality: int = Field(90, ge=30, le=100)
    hardware: Hardware = Hardware()
    _folder: Path = PrivateAttr(Path())

    @field_validator("preset")
    @classmethod
    def _makes_pictures_of_text(cls, value: str) -> str:
        if value not in names_of("text"):
            raise ValueError(
                f"no preset {value!r} that makes pictures of text; there are {', '.join(names_of('text'))}"
            )
        return value

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> ForensicDetection:
        self._folder = (info.context or {}).get(FOLDER, Path())
        model_side = self.model_side_px or PRESETS[self.preset].side_px
        if model_side < self.side_px:
            raise ValueError(
                f"the model makes pictures of {model_side} pixels, which cannot be shown at {self.side_px}"
            )
        return self

    @property
    def truth_columns(self) -> tuple[str, ...]:
        """Return the captions of a dataset, the prompts of a campaign, or both."""
        if self.collected_by is None:
            return super().truth_columns
        stated = () if self.dataset is None else (f"{self.dataset}.{Captions.kind}",)
        return (*stated, f"{self.collected_by}.{PROMPT}")

    def truths_in(self, column: str, image_id: str, text: str) -> Iterable[RecordTruth[Any]]:
        """Return the prompt of a collected photograph as its caption."""
        campaign = column.rpartition(".")[0]
        yield RecordTruth(
            f"{campaign}:{image_id}", (image_id,), Captions(texts=(text,), original={"campaign": campaign})
        )

    def found_weights(self) -> Weights:
        """Return the weights.

        Raises:
            PrerequisiteError: There are none; says which to fetch and how.
        """
        hub = PRESETS[self.preset].hub
        fetch = f"hf download {hub} --local-dir FOLDER"
        if self.weights is not None and (known := BY_DIGEST.fullmatch(self.weights)):
            return Weights(Path(), known[1], None)
        path = weights_on_this_machine(hub) if self.weights is None else self._folder / self.weights
        if path is None:
            raise PrerequisiteError(
                f"step {self.name!r} needs the weights of {hub}, which this machine does not have: fetch them with "
                f"`{fetch}` and name that folder as `weights`"
            )
        return find_weights(path, purpose=f"pictures by {self.preset!r}", fetch=fetch, needs="model_index.json")

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return that nothing before it gives captions, or that the weights are not on this machine."""
        if (why := super().lacks(before)) is not None or self.weights is not None:
            return why
        try:
            self.found_weights()
        except PrerequisiteError as error:
            return str(error)
        return None

    def weights_hash(self) -> str | None:
        """Return the digest of the weights."""
        return self.found_weights().sha256

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide pictures: the digest in place of the weights' place."""
        own = {"weights": f"sha256:{self.found_weights().sha256}", "hardware": {"dtype": self.hardware.dtype}}
        return {**super().parameters(), **own}

    def needs(self) -> Resources:
        """Return the memory and the GPUs that a worker needs."""
        return Resources(self.hardware.gpus, 8192, self.hardware.gpu_memory_mb([self.found_weights()]))

    def together(self) -> int:
        """Return how many photographs are taken together."""
        return self.hardware.images_together

    def open(self, ctx: OpenContext) -> Painter:
        """Load the model."""
        from ..manipulation.editors.diffusion import Diffusion

        del ctx
        weights, hardware = self.found_weights(), self.hardware
        if not weights.path.name:
            raise PrerequisiteError("weights are known by digest only; run the recipe with their place")
        return Diffusion(
            self.preset,
            weights,
            find_device(hardware.device, hardware.dtype),
            hardware.running(),
            steps=self.steps,
            guidance=self.guidance,
            side_px=self.model_side_px,
        )

    def planned(
        self, truth: RecordTruth[Captions], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Choose a caption, and check the photograph's size."""
        if min(pictures.sizes_wh[0]) < self.side_px * self.min_reduction:
            return TOO_SMALL
        texts = truth.truth.texts
        return ItemPlan((0, 1, 2, 3), "picture", {"caption": texts[int(rng.integers(len(texts)))]})

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of one photograph."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        """Make the items of several photographs; the model's pictures are batched over all of them."""
        chosen = [self.chosen_of(record, ctx) for record in records]
        waiting = [entry for of_image in chosen for entry in of_image.entries]
        painted = dict(zip((entry.record for entry in waiting), self._painted(waiting, ctx), strict=True))
        return [
            self.outcome(of_image, partial(self._made_of_painted, record, ctx, painted))
            for record, of_image in zip(records, chosen, strict=True)
        ]

    def _painted(self, entries: Sequence[ChosenRecord], ctx: Context) -> list[_Generated]:
        painter: Painter = ctx.opened
        width, height = painter.size_for((self.side_px, self.side_px))
        blank = np.zeros((height, width, 3), np.uint8)
        seeds = [
            tuple(int(ctx.rng(entry.record, "picture", number).integers(2**62)) for number in range(3))
            for entry in entries
        ]
        edits = [
            Edit(blank, None, entry.plan["caption"], seed)
            for entry, own in zip(entries, seeds, strict=True)
            for seed in own
        ]
        results = [result.pixels if isinstance(result, Painted) else result.reason for result in painter.paint(edits)]
        return [_Generated(tuple(results[3 * place : 3 * place + 3]), own) for place, own in enumerate(seeds)]

    def _made_of_painted(
        self,
        record: ImageRecord,
        ctx: Context,
        painted: Mapping[str, _Generated],
        entry: ChosenRecord,
        pictures: dict[str, ImageRecord],
    ) -> list[Item] | str:
        """Return the item of a record, all four pictures treated alike, or why it makes none."""
        generated = painted[entry.record]
        if generated.reason is not None:
            return generated.reason
        sources = (
            ctx.images.rgb(record),
            *(picture for picture in generated.pictures if not isinstance(picture, str)),
        )
        shown = [ctx.store_image(self.treated(pixels), parents=[record]) for pixels in sources]
        pictures |= {picture.image_id: picture for picture in shown}
        if len(pictures) < len(shown):
            return "same_picture"
        return [self.item(record, ctx, entry, shown, self._wording(entry, generated, ctx.opened))]

    def treated(self, pixels: Pixels) -> Pixels:
        """Return a picture as all four are shown: its middle square, scaled down, and once through JPEG."""
        from PIL import Image

        buffer = io.BytesIO()
        Image.fromarray(middle_square(pixels, self.side_px)).save(
            buffer, "JPEG", quality=self.quality, subsampling="4:2:0"
        )
        return np.asarray(Image.open(buffer).convert("RGB"), np.uint8)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the photograph in its place among the others."""
        del shown
        order = [1, 2, 3]
        order.insert(chosen.letter, 0)
        return ItemWording(QUESTION, tuple(order), tuple((number, "choice", ()) for number in order))

    def _wording(self, chosen: ChosenRecord, generated: _Generated, painter: Painter) -> ItemWording:
        evidence = {
            "caption": chosen.plan["caption"],
            "seeds": list(generated.seeds),
            "model": dict(painter.made_with),
            "treatment": {"side_px": self.side_px, "quality": self.quality, "subsampling": "4:2:0"},
        }
        return self.worded(chosen, ())._replace(evidence=evidence)
