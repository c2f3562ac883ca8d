"""Images that are mostly text.

II-Bench removes pictures with a large share of text (arXiv 2406.05862, section 3.2) but states neither a threshold nor
a text detector; both are settings here. The share is the area of the union of all text boxes, clipped to the picture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.diagnostics.picture_text.area import union_ratio
from benchwright.diagnostics.picture_text.base import CONFIDENCE, RegionRules, TextEngine
from benchwright.diagnostics.picture_text.regions import TextBox, TextFinder
from benchwright.errors import PrerequisiteError
from benchwright.records import ImageRecord
from benchwright.steps import FOLDER, Context, Filter, Measured, OpenContext, Outcome, Resources, Stream

_REASON = "too_much_text"
Backend = Literal["rapidocr", "paddleocr"]
_DECIMALS = 6
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class TextRatio(Filter):
    """Drop images if text covers more than a given proportion of them.

    The evidence contains every box that the detector proposed, the boxes that count under `regions` and the others
    under `left_out`, each with its corners, its confidence and, if it was read, its text.

    The proportion is the area of the union of all boxes, clipped to the picture, so that overlaps count once and
    slanted boxes count with their true area. The detector mistakes many drawings and logos for one giant word, and is
    equally uncertain about letters in speech bubbles and about eyes. Giant and uncertain boxes are therefore read, and
    count only if they are legible, that is, contain at least two different letters or digits, or three letters or
    digits. This misses words drawn as a picture, as in some logos. The reader knows Latin, Greek, Chinese and Japanese
    letters; a giant line in others, such as Cyrillic or Arabic ones, counts unread if the detector is sure of it and it
    is 3 times as long as high. Changing any setting other than `max_ratio` and `python`, or the models, triggers a new
    measurement. rapidocr needs the extra `filters`; its models ship in its wheel, and it runs offline, on one thread
    per worker.

    Args:
        max_ratio: Largest proportion of the picture, 0-1, that text may cover.
        confidence: Smallest confidence of the detector, 0-1, for a box to be considered.
        sure: Confidence, 0-1, below which a box is read and counts only if it is legible.
        giant_box: Share of the picture, 0-1, above which a box is also read, and counts if it is legible, or if the
            detector is sure of it and it is shaped like a line.
        legible: Smallest confidence of the reader, 0-1, for a reading to count.
        side_px: Longer side, in pixels, to which pictures are shrunk for the detector; long pictures are cut into
            windows.
        backend: OCR engine; the rules and the records are the same for both engines.
        python: For `paddleocr`: Python interpreter of the environment in which it is installed, relative to the
            recipe's folder; by default the one in BENCHWRIGHT_PADDLE_PYTHON, otherwise this one. Does not affect the
            result.
        models: For `paddleocr`: `bundled` for the models of rapidocr's wheel, `package` for PP-OCRv6 small as paddleocr
            fetches it, or a folder with `det` and `rec`, relative to the recipe's folder. A run records the digest of
            its content instead.

    Reasons:
        too_much_text (drop): Text covers more than `max_ratio` of the picture.
    """

    name: ClassVar[str] = "text_ratio"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "ratio": "float64",
        "boxes": "int64",
        "largest": "float64",
        "engine": "string",
    }
    thresholds: ClassVar[frozenset[str]] = frozenset({"max_ratio"})
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=1024)

    max_ratio: float = Field(0.4, ge=0, le=1)
    confidence: float = Field(CONFIDENCE, ge=0, le=1)
    sure: float = Field(RegionRules().sure, ge=0, le=1)
    giant_box: float = Field(RegionRules().giant_box, ge=0, le=1)
    legible: float = Field(RegionRules().legible, ge=0, le=1)
    side_px: int = Field(RegionRules().side_px, ge=64, le=4096)

    backend: Backend = "rapidocr"
    python: str | None = Field(None, min_length=1)
    models: str = Field("bundled", min_length=1)
    _folder: Path = PrivateAttr(Path())

    @model_validator(mode="after")
    def _settle(self, info: ValidationInfo) -> TextRatio:
        self._folder = (info.context or {}).get(FOLDER, Path())
        if self.backend == "rapidocr" and (self.python is not None or self.models != "bundled"):
            raise ValueError("`python` and `models` are settings of `backend: paddleocr`")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the digest of a folder of models and without the interpreter's path."""
        settings = self.model_dump(mode="json", exclude={"python"})
        if self.models not in {"bundled", "package"} and not _BY_DIGEST.fullmatch(self.models):
            settings["models"] = f"sha256:{self.weights_hash()}"
        return settings

    def weights_hash(self) -> str:
        """Return the digest of the detector and the reader; other models trigger a new measurement of every image."""
        if self.backend == "rapidocr":
            from benchwright.diagnostics.picture_text.rapid import models_hash

            return models_hash()
        from benchwright.diagnostics.picture_text.paddle_models import paddle_models_hash

        return paddle_models_hash(self._named_models(), beside=self._folder)

    def open(self, ctx: OpenContext) -> TextFinder:
        """Load both models."""
        return TextFinder(RegionRules(self.sure, self.giant_box, self.legible, self.side_px), self._engine(ctx))

    def _engine(self, ctx: OpenContext) -> TextEngine:
        if self.backend == "rapidocr":
            from benchwright.diagnostics.picture_text.rapid import RapidText

            return RapidText(confidence=self.confidence)
        from benchwright.diagnostics.picture_text.paddle import PaddleText, paddle_python
        from benchwright.diagnostics.picture_text.paddle_models import paddle_models

        models = paddle_models(self._named_models(), beside=self._folder, cache=ctx.cache_dir)
        python = paddle_python(self.python, beside=self._folder)
        return PaddleText(models, confidence=self.confidence, python=python)

    def _named_models(self) -> str:
        if _BY_DIGEST.fullmatch(self.models):
            raise PrerequisiteError(f"step text_ratio: models {self.models} are known by digest only; give the folder")
        return self.models

    def measure(self, record: ImageRecord, ctx: Context) -> Measured:
        """Find the text of one image."""
        pixels = ctx.images.rgb(record)
        proposed = ctx.opened.find(pixels)
        regions = [region for region in proposed if region.is_text]
        height, width = pixels.shape[:2]
        shares = [union_ratio([region.polygon], width=width, height=height) for region in regions]
        evidence = {
            "regions": [_evidence(region) for region in regions],
            "left_out": [_evidence(region) for region in proposed if not region.is_text],
        }
        return Measured(
            {
                "ratio": round(
                    union_ratio([region.polygon for region in regions], width=width, height=height), _DECIMALS
                ),
                "boxes": len(regions),
                "largest": round(max(shares, default=0.0), _DECIMALS),
                "engine": ctx.opened.engine.name,
            },
            {name: boxes for name, boxes in evidence.items() if boxes},
        )

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare the proportion of text with the threshold."""
        if measured["ratio"] > self.max_ratio:
            return Outcome("drop", _REASON, evidence={"ratio": measured["ratio"], "max_ratio": self.max_ratio})
        return Outcome()


def _evidence(region: TextBox) -> dict[str, Any]:
    evidence: dict[str, Any] = {
        "polygon": [[round(x, 1), round(y, 1)] for x, y in region.polygon],
        "confidence": round(region.confidence, 3),
    }
    if region.text is not None and region.legibility is not None:
        evidence |= {"text": region.text, "legibility": round(region.legibility, 3)}
    if region.is_unread:
        evidence["unread"] = True
    return evidence
