"""The second look: each proposed pair is registered and compared pixel by pixel, under one of its two images."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar

from benchwright.errors import UnreadableImage
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Stream

from .same_picture import DECODED_AT_LEAST_PX, Look, look_again

_KEPT_BYTES = 16 << 20
"""Grey pixels that a worker keeps ready, some 0.2 MB a picture: partners often come again."""


class Looks:
    """Pictures made ready to be compared, the latest few of them."""

    def __init__(self) -> None:
        self._ready: OrderedDict[str, Look] = OrderedDict()
        self._bytes = 0

    def of(self, record: ImageRecord, ctx: Context) -> Look:
        """Return a picture, decoded in reduced size where its format allows.

        Raises:
            UnreadableImage: As `ImageReader.luma`.
        """
        look = self._ready.pop(record.image_id, None)
        if look is None:
            look = Look(ctx.images.luma(record, at_least_px=DECODED_AT_LEAST_PX))
            self._bytes += look.grey.nbytes
        self._ready[record.image_id] = look
        while self._bytes > _KEPT_BYTES:
            _, oldest = self._ready.popitem(last=False)
            self._bytes -= oldest.grey.nbytes
        return look


class SecondLooks(MapStep):
    """Compare an image with the partners that were proposed for it; drops nothing."""

    name: ClassVar[str] = "looks"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "confirmed": "list<string>", "unsure": "list<string>", "scene": "list<string>",
    }  # fmt: skip
    reads: ClassVar[tuple[str, ...]] = ("pairs.partners", "pairs.mirrored")
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> object:
        """Make a place for pictures that are ready."""
        del ctx
        return Looks()

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Compare with each partner. A partner that cannot be read is left to its own row."""
        partners, mirrored = (ctx.value(record.image_id, name) or () for name in self.reads)
        if not partners:
            return Outcome()
        looks: Looks = ctx.opened
        looks.of(record, ctx)  # what is wrong with this image itself is this row's failure
        found: list[dict[str, Any]] = []
        for partner in partners:
            try:
                measured = _looked(record, ctx.image(partner), partner in mirrored, ctx)
            except UnreadableImage as error:
                measured = {"verdict": "unreadable", "reason": error.reason}
            found.append({"image_id": partner, **measured})
        by = {verdict: [one["image_id"] for one in found if one["verdict"] == verdict] for verdict in self.values}
        return Outcome(values={name: ids for name, ids in by.items() if ids}, evidence={"partners": found})


class ChainLooks(SecondLooks):
    """Compare the images of a chain of copies that were not proposed to each other; drops nothing."""

    name: ClassVar[str] = "chain_looks"
    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = ("chains.partners", "chains.mirrored")


def _looked(one: ImageRecord, other: ImageRecord, mirrored: bool, ctx: Context) -> dict[str, Any]:
    # The larger stays as it is, so that the answer does not depend on which of the two bears the pair.
    fixed, moving = sorted((one, other), key=lambda image: (-image.width * image.height, image.image_id))
    looks: Looks = ctx.opened
    return look_again(looks.of(fixed, ctx), looks.of(moving, ctx), mirrored=mirrored).to_json()
