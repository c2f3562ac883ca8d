"""Pairs whose pictures do not differ in the way their captions do, following InstructPix2Pix (arXiv 2211.09800).

CLIP embeds both pictures and both captions into one space. The difference vector from the natural to the manipulated
picture should point in the same direction as the one between the captions, and the pictures should still be near each
other.

The CLIP model is a folder that is hashed and loaded through transformers. None of its content is unpickled or run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.diagnostics.models.image_classifier import INSTALL
from benchwright.diagnostics.models.model_folder import WithModel
from benchwright.errors import PrerequisiteError, UnreadableImage
from benchwright.models.batching import Batches, OutOfMemory
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_digest
from benchwright.models.picture_vectors import Preprocessing, Vectors, embed, pooled
from benchwright.records import Item
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Resources, Step, Stream

from .paired_pictures import evidence_text, pair_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def clip_hash(folder: Path) -> str:
    """Return the digest of the names and contents of all files that determine a model's output.

    Raises:
        PrerequisiteError: The folder is missing, or contains no such model.
    """
    return weights_digest(folder, _deciding_files(folder))


def _deciding_files(folder: Path) -> list[Path]:
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    missing = [name for name in ("config.json", "tokenizer.json") if name not in names]
    if not any(name.endswith(".safetensors") for name in names):
        missing.append("*.safetensors")
    if missing:
        raise PrerequisiteError(
            f"{folder} holds no CLIP model: {', '.join(missing)} is missing (pickled weights are not loaded); download "
            "one whole, as `hf download ORG/NAME --local-dir FOLDER` does, and name that folder"
        )
    return [folder / name for name in sorted(names) if name.endswith((".safetensors", ".json", ".txt"))]


class Clip(NamedTuple):
    """A loaded model: embeds pictures and texts into one space."""

    model: Any
    tokenizer: Any
    prepare: Preprocessing

    def pictures(self, pixels: Sequence[NDArray[np.uint8]]) -> Vectors:
        """Return a vector of length 1 for each picture, (height, width, 3) RGB."""
        return embed(self.model, np.stack([self.prepare(picture) for picture in pixels]))

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each text; texts longer than the model's limit are truncated."""
        import torch

        inputs = self.tokenizer(
            list(texts), padding="max_length", truncation=True, max_length=self._longest, return_tensors="pt"
        )
        with torch.inference_mode():
            vectors = pooled(self.model.get_text_features(**inputs.to(self.model.device)))
            return np.asarray(torch.nn.functional.normalize(vectors.float(), dim=-1).cpu(), np.float32)

    @property
    def _longest(self) -> int:
        return int(self.model.config.text_config.max_position_embeddings)


def load_clip(folder: Path, *, device: str | None) -> Clip:
    """Load a model from its folder, offline.

    Args:
        folder: Folder of the model, as for `clip_hash`.
        device: Device, such as `cuda:0`; None for the first GPU, otherwise the CPU.

    Raises:
        PrerequisiteError: transformers is not installed, or the folder contains no such model.
    """
    _deciding_files(folder)
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise PrerequisiteError(f"CLIP needs torch and transformers, which are not installed: {INSTALL}")
    import torch
    from transformers import AutoTokenizer, CLIPModel

    where = find_device(device).place
    torch.set_num_threads(1)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model = CLIPModel.from_pretrained(folder, use_safetensors=True, local_files_only=True, dtype=torch.float32)
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder} cannot be loaded as a CLIP model: {first}") from error
    return Clip(model.to(where).eval(), tokenizer, Preprocessing.of(folder))


_OTHER_DIRECTION, _OTHER_PICTURE = "other_direction", "other_picture"
_SMALLEST_STEP = 1e-4
"""Length below which a difference between two vectors of length 1 has no direction."""


class _CaptionedPair(NamedTuple):
    natural: str
    manipulated: str
    natural_caption: str
    manipulated_caption: str


class _OpenClip(NamedTuple):
    clip: Clip
    batches: Batches
    known: dict[_CaptionedPair, Outcome]


class _WithClip(WithModel):
    @staticmethod
    def hash_of(folder: Path) -> str:
        """Return the digest of a CLIP model's files."""
        return clip_hash(folder)


class ClipDirections(_WithClip, MapStep):
    """Measure pairs, a batch at a time, each pair once."""

    name: ClassVar[str] = "directions"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"direction": "float64", "images": "float64"}
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=2048, gpu_memory_mb=3000)

    batch_size: int
    device: str | None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the values, which excludes batch size and device."""
        return {name: value for name, value in super().parameters().items() if name not in {"batch_size", "device"}}

    def open(self, ctx: OpenContext) -> _OpenClip:
        """Load the model."""
        del ctx
        return _OpenClip(load_clip(self.folder(), device=self.device), Batches(self.batch_size), {})

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Measure the pair of one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Item], ctx: Context) -> Sequence[Outcome]:
        """Measure the pairs of items, `batch_size` pairs at a time."""
        opened: _OpenClip = ctx.opened
        wanted = [_captioned_pair(item, ctx) for item in records]
        new = [pair for pair in dict.fromkeys(wanted) if pair is not None and pair not in opened.known]
        outcomes = opened.batches.run(new, lambda some: _directions(opened.clip, some, ctx))
        for pair, outcome in zip(new, outcomes, strict=True):
            opened.known[pair] = Outcome("failed", "out_of_memory") if isinstance(outcome, OutOfMemory) else outcome
        return [Outcome() if pair is None else opened.known[pair] for pair in wanted]


def _captioned_pair(item: Item, ctx: Context) -> _CaptionedPair | None:
    pair = pair_of(item, ctx)
    captions = evidence_text(item, "natural_caption"), evidence_text(item, "manipulated_caption")
    if pair is None or captions[0] is None or captions[1] is None:
        return None
    return _CaptionedPair(pair.natural.image_id, pair.manipulated.image_id, captions[0], captions[1])


def _directions(clip: Clip, some: Sequence[_CaptionedPair], ctx: Context) -> list[Outcome]:
    pixels: dict[str, NDArray[np.uint8]] = {}
    broken: dict[str, UnreadableImage] = {}
    for image_id in dict.fromkeys(picture for pair in some for picture in (pair.natural, pair.manipulated)):
        try:
            pixels[image_id] = ctx.images.rgb(ctx.image(image_id))
        except UnreadableImage as error:  # the other pictures of the batch are still measured
            broken[image_id] = error
    pictures = dict(zip(pixels, clip.pictures(list(pixels.values())), strict=True)) if pixels else {}
    captions = list(dict.fromkeys(text for pair in some for text in (pair.natural_caption, pair.manipulated_caption)))
    texts = dict(zip(captions, clip.texts(captions), strict=True))
    return [_outcome(pair, pictures, texts, broken) for pair in some]


def _outcome(
    pair: _CaptionedPair,
    pictures: Mapping[str, Vectors],
    texts: Mapping[str, Vectors],
    broken: Mapping[str, UnreadableImage],
) -> Outcome:
    for image_id in (pair.natural, pair.manipulated):
        if image_id in broken:
            return Outcome("failed", broken[image_id].reason, evidence={"detail": broken[image_id].detail})
    before, after = pictures[pair.natural], pictures[pair.manipulated]
    between = texts[pair.manipulated_caption] - texts[pair.natural_caption]
    return Outcome(values={"direction": _cosine(after - before, between), "images": round(float(before @ after), 4)})


def _cosine(first: Vectors, second: Vectors) -> float | None:
    """Return the cosine of two difference vectors, or None if one is too short to have a direction."""
    lengths = float(np.linalg.norm(first)), float(np.linalg.norm(second))
    if min(lengths) < _SMALLEST_STEP:
        return None
    return round(float(first @ second) / (lengths[0] * lengths[1]), 4)


class ClipVerdict(MapStep):
    """Compare the values with their bounds."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "items"
    reads: ClassVar[tuple[str, ...]] = ("directions.direction", "directions.images")

    min_direction: float | None
    min_images: float | None
    verdict: Literal["drop", "ask"]

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Return the first value below its bound."""
        direction, images = (ctx.value(record.item_id, name) for name in self.reads)
        if direction is not None and self.min_direction is not None and direction < self.min_direction:
            evidence = {"direction": direction, "bound": self.min_direction}
            return Outcome(self.verdict, _OTHER_DIRECTION, evidence=evidence)
        if images is not None and self.min_images is not None and images < self.min_images:
            return Outcome(self.verdict, _OTHER_PICTURE, evidence={"images": images, "bound": self.min_images})
        return Outcome()


class ClipDirection(_WithClip):
    """Drop items of pairs whose pictures do not change the way their captions do, or ask about them.

    Takes captions from an item's evidence, `natural_caption` and `manipulated_caption`; items without them pass. Needs
    the extra `models`. A new bound does not run the model again.

    Args:
        model: Folder of a CLIP model in the layout of transformers, relative to the recipe's folder. A run writes
            the digest of its files instead.
        min_direction: Smallest cosine, -1 to 1, of the step between the pictures with that between the captions; less
            is `other_direction`.
        min_images: Smallest cosine of the two pictures; less is `other_picture`. Another background alone may increase
            their distance.
        verdict: Verdict on an item: `drop` or `ask`.
        batch_size: Number of pairs in a batch of the model.
        device: Device, such as `cuda:0`; None for the first GPU, otherwise the CPU.

    Reasons:
        other_direction (drop or ask): The pictures of a pair do not change the way their captions do.
        other_picture (drop or ask): They have too little in common.
    """

    name: ClassVar[str] = "clip_direction"
    consumes: ClassVar[Stream] = "items"

    model: str = Field(min_length=1)
    min_direction: float | None = Field(0.2, ge=-1, le=1)
    min_images: float | None = Field(0.7, ge=-1, le=1)
    verdict: Literal["drop", "ask"] = "drop"
    batch_size: int = Field(8, ge=1, le=1024)
    device: str | None = None

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: measure, then judge. Changing a bound does not run the model again."""
        directions = ClipDirections(model=self.model, batch_size=self.batch_size, device=self.device)
        self.share_folder_with(directions)
        judged = ClipVerdict(min_direction=self.min_direction, min_images=self.min_images, verdict=self.verdict)
        return (directions, judged)
