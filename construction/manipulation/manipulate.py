"""Manipulated images from ideas, as MVP-Bench makes them (section 4.1, step two): by partial component substitution,
overall background substitution and direct alteration, with models or without.

The masks of a picture are found together. Models paint batches by size over several pictures. Each candidate is painted
with its own seed, so that its pixels do not depend on order, workers or engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest
from benchwright.errors import UnreadableImage
from benchwright.facts import CATEGORIES
from benchwright.models.batching import in_background
from benchwright.models.endpoints.image_edits import planned_edits
from benchwright.models.endpoints.usage import RequestPlan
from benchwright.models.picture_batches import PictureBatches, PictureModel
from benchwright.records import ImageRecord
from benchwright.steps import FOLDER, Context, MapStep, OpenContext, Outcome, PictureFidelity, Resources, Stream

from ..item_parts.idea import unpacked
from .edit_jobs import EditJob
from .editors.base import Painter
from .editors.presets import Task
from .making import PictureCandidates
from .manipulated import packed
from .manipulation_settings import ENCODER_MB, TASK_OF, ManipulationSettings
from .masks.base import masks_found
from .models.weights import Weights
from .tools import MASKS, TASKS, Tools, open_encoder, open_tools, used_weights

if TYPE_CHECKING:
    from .masks.sam_encoder import Features

_WITH_MODELS, _WITHOUT = Resources(memory_mb=8192), Resources(memory_mb=1024)
_PLANNED = "ideas.planned"


class Manipulate(ManipulationSettings, MapStep):
    """Make manipulated images of every image that has ideas; other images pass.

    As in MVP-Bench (section 4.1, step two), a part is replaced, the background exchanged, or the whole picture altered;
    with models of diffusers and SAM, with a model behind an endpoint, or without either. The evidence lists each idea
    that cannot be carried out under `left_out`, with one of the reasons below; the others are carried out.

    Args:
        backend: `composite` needs no weights, `diffusion` paints with models, `auto` with the models present,
            `endpoint` with a model behind an endpoint that speaks OpenAI's `images.edit`.
        ways: Ways to use; ideas of other ways are left out.
        candidates: Number of pictures per idea.
        max_side_px: Longer side of both images of a pair; larger sources are scaled down.
        max_enlargement: Largest enlargement of a donor; beyond it the idea is `donor_small`.
        min_visible: Smallest visible share, 0-1, of the feature that identifies a new background (the main subject of
            its own picture); below it the idea is `donor_hidden`.
        max_frame_shift: Largest shift of the frame that is reversed in an altered picture, as a fraction of the longer
            side.
        inpaint: The model for parts and backgrounds.
        instruct: The model for direct alterations.
        editor: The model of backend `endpoint`, for all ways, and its budget.
        masks: Settings of the masks.
        subject: Limits of a subject's move before a new background.
        edges: Settings of the edge between the painted pixels and the rest.
        blend: Settings that fit pixels of another photograph to a picture.
        hardware: Devices that models run on.

    Reasons:
        no_box (left out): The place of the subject or part is not stated.
        box_outside (left out): The stated place lies outside the picture; a box that leaves the picture is cut to it.
        no_target (left out): The part has no place.
        target_off_subject (left out): The part is far from its subject.
        outline_unstated (left out): GrabCut would have only the subject's box to cut it out (`masks.box_alone`).
        mask_empty (left out): The mask is too small.
        mask_everything (left out): The mask is too large.
        mask_off_box (left out): The mask is elsewhere.
        outline_torn (left out): The subject's outline looks more torn than `masks.max_tear`: it cuts through the
            subject or includes its surroundings. State points, or outline the subject in the browser.
        no_donor (left out): Without weights: no picture is available as a donor.
        donor_unreadable (left out): Without weights: the donor cannot be read.
        donor_outline_torn (left out): Without weights: the outline of the donor's subject is torn. The other mask
            reasons also occur with the prefix `donor_`.
        donor_small (left out): Without weights: the donor would need an enlargement beyond `max_enlargement`.
        donor_hidden (left out): Without weights: less than `min_visible` of the feature that identifies the new
            background stays visible.
        no_ground (left out): Without weights: the subject would hover, as the frame does not cut it off below and the
            facts state no ground under it.
        no_color (left out): Without weights: no single hue covers the part that is to get another color.
        same_color (left out): Without weights: the part has the new color already.
        no_effect (left out): Without weights: the alteration is not one of the effects.
        same_as_before (left out): The candidate equals an earlier one; effects have one candidate only.
        unsafe (left out): The safety checker of the weights refused the painted picture, or the endpoint's content
            filter stopped the request.
        changed_outside (left out): The endpoint's model drew another scene outside the mask, or moved it too far.
        endpoint_refused (left out): The endpoint refused the request; the evidence quotes its words.
        endpoint_unusable_reply (left out): The endpoint returned no picture, an unreadable one, or one with a different
            aspect ratio.
        endpoint_timeout (failed): The endpoint did not answer in time; the next run tries again. Left out if other
            ideas of the image were carried out; the same holds for the next two.
        endpoint_busy (failed): The endpoint was busy; the next run tries again.
        endpoint_connection (failed): The endpoint could not be reached; the next run tries again.
        out_of_memory (left out): Memory did not suffice even for this picture alone.
        way_left_out (left out): The settings exclude this way of altering an image.
    """

    name: ClassVar[str] = "manipulate"
    version: ClassVar[int] = 6
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    pixels_compared: ClassVar[bool] = True
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"pairs": "string"}
    reads: ClassVar[tuple[str, ...]] = (_PLANNED,)
    costly: ClassVar[bool] = True

    _folder: Path | None = PrivateAttr(None)
    _weights: dict[str, Weights] | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> Manipulate:
        self._folder = (info.context or {}).get(FOLDER, Path())
        return self

    def weights(self) -> dict[str, Weights]:
        """Return the weights in use, as `used_weights` does."""
        if self._weights is None:
            self._weights = used_weights(self, self._folder)
        return self._weights

    def weights_hash(self) -> str | None:
        """Return the digest of all weights in use, or None if there are none.

        Raises:
            PrerequisiteError: Weights are missing.
        """
        used = {task: weights.sha256 for task, weights in self.weights().items()}
        return digest(used) if used else None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the pictures, with digests in place of weight paths and `auto`
        resolved.
        """
        parameters = super().parameters()
        for task in (MASKS, *TASKS):
            used = self.weights().get(task)
            parameters[task]["weights"] = None if used is None else f"sha256:{used.sha256}"
        parameters["hardware"] = {"dtype": self.hardware.dtype}
        del parameters["editor"]
        if self.editor is not None:
            parameters["editor"] = self.editor.deciding()
        return parameters

    def needs(self) -> Resources:
        """Return a worker's resources: more memory if models run, and the GPUs of the settings."""
        used = _WITH_MODELS if self.weights() else _WITHOUT
        if self.shares_model():
            shared_mb = ENCODER_MB + self.weights()[MASKS].size_mb
            used = used._replace(gpu_memory_mb=self.masks.decoder_mb, shared_gpu_memory_mb=shared_mb)
        else:
            used = used._replace(gpu_memory_mb=self.hardware.gpu_memory_mb(self.weights().values()))
        return used._replace(gpus=self.hardware.gpus)

    def together(self) -> int:
        """Return the number of images processed together."""
        return self.hardware.images_together

    def shares_model(self) -> bool:
        """Return whether SAM is the only model, and the settings do not name its device.

        A model that paints takes most of a worker's time and memory on the GPU, so SAM then stays with it.
        """
        return self.weights().keys() == {MASKS} and self.hardware.device is None

    def open_shared(self, ctx: OpenContext) -> PictureBatches[Features]:
        """Load SAM's image encoder."""
        del ctx
        return open_encoder(self, self.weights()[MASKS])

    def open(self, ctx: OpenContext) -> Tools:
        """Load the models or connect to the endpoint, and restrict OpenCV to the worker's single thread."""
        return self._tools(self.open_shared(ctx) if MASKS in self.weights() else None, ctx)

    def open_with(self, shared: PictureModel[Features], ctx: OpenContext) -> Tools:
        """Load everything except SAM's image encoder."""
        return self._tools(shared, ctx)

    def _tools(self, encoder: PictureModel[Features] | None, ctx: OpenContext) -> Tools:
        import cv2

        cv2.setNumThreads(1)
        return open_tools(self, self.weights(), encoder, None if self.editor is None else ctx.replies)

    def planned_requests(self, images: int) -> Sequence[RequestPlan] | None:
        """Return the largest number of endpoint requests for this many images: an idea per category of `ways`."""
        if self.editor is None:
            return None
        ideas = sum(category.way in self.ways for category in CATEGORIES.values())
        return [planned_edits(self.editor, images * ideas * self.candidates)]

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Carry out the ideas of one image."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        """Carry out the ideas of several images; SAM sees them, and models paint, in batches over all of them."""
        started: list[Outcome | PictureCandidates] = [self._started(record, ctx) for record in records]
        pictures = [candidates for candidates in started if isinstance(candidates, PictureCandidates)]
        masks = masks_found(ctx.opened.masker, [picture.to_find for picture in pictures])
        for picture, found in zip(pictures, masks, strict=True):
            picture.start(found)
        _paint(pictures)
        return [
            candidates.outcome() if isinstance(candidates, PictureCandidates) else candidates for candidates in started
        ]

    def _started(self, record: ImageRecord, ctx: Context) -> Outcome | PictureCandidates:
        planned = ctx.value(record.image_id, _PLANNED)
        if planned is None or not (ideas := unpacked(planned)):
            return Outcome(values={"pairs": packed([])})
        try:
            return PictureCandidates(record, ideas, self, ctx)
        except UnreadableImage as error:  # the others of the batch are not at fault
            return Outcome("failed", error.reason, evidence={"detail": error.detail})


def _paint(pictures: Sequence[PictureCandidates]) -> None:
    """Let each model paint the canvases that wait for it, over all pictures together, and finish painted ones
    meanwhile.
    """
    waiting: dict[Task, list[tuple[PictureCandidates, EditJob, Painter]]] = {}
    for picture in pictures:
        for canvas in picture.waiting:
            painter = picture.painter(canvas)
            assert painter is not None, "only what a model paints waits"
            waiting.setdefault(TASK_OF[canvas.idea.way], []).append((picture, canvas, painter))
    for entries in waiting.values():
        painter = entries[0][2]
        edits = [canvas.edit(painter.size_for(canvas.window.size_wh)) for _, canvas, _ in entries]
        for place, painted in in_background(painter.painting(edits)):
            picture, canvas, _ = entries[place]
            picture.painted(canvas, painted)
