"""Near-duplicates: hashes and local features propose pairs, a comparison of pixels confirms them, and the best copy is
kept.

A hash alone proves nothing: on the 1,222 distinct images of II-Bench, two thirds of the pairs within 8 bits are
different pictures. Confirmed copies are dropped, uncertain pairs are asked about, and connected images, including views
of one scene, share a group key, so that they stay in one split.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.diagnostics.copies.pairing import DISTANCE, ChainedPairs, ProposedPairs
from benchwright.diagnostics.copies.picture_hashes import PerceptualHashes
from benchwright.diagnostics.copies.verification import ChainLooks, SecondLooks
from benchwright.diagnostics.features.embeddings import Embeddings
from benchwright.diagnostics.features.hamming import MAX_DISTANCE
from benchwright.diagnostics.features.visual_words import FeatureWords
from benchwright.steps import SCENES, Step, Stream

from .kept_copies import CRITERIA, Criterion, KeptOfCopies


class NearDuplicates(Step):
    """Drop copies of a picture that are not equal pixel for pixel, and ask about pairs that may be copies.

    Copies are resized, compressed, cropped, captioned, watermarked, mirrored or turned. Hashes (ImageHash's 64-bit
    pHash and dHash) and local features only propose pairs; each pair is then registered and compared block by block. A
    confirmed copy is dropped in favor of the kept one, an uncertain pair is asked about, and a merely similar picture
    is kept: on a plain background, for instance, different words make a different picture. Connected pictures,
    including views of one scene, get a common group key, so that no split separates them. Pictures of one record of a
    source dataset, such as the frames of a video, are intended views of one scene: none is dropped for another or asked
    about, however similar.

    Args:
        distance: Largest number of differing bits of 64, 0-16, between two pHashes or two dHashes of a pair to compare.
            Of the six true pairs among the 1,222 distinct images of II-Bench, 6 bits of pHash propose one, 8 bits four
            and 10 bits five; the comparison of pixels separates them from the other pairs.
        keep: Criteria that determine which copy to keep, most important first.
        protected: Patterns of source paths to keep before others and never to drop.
        licences: Licenses in order of preference.
        quality: Value of an earlier step, as `<entry>.<value>`, of which larger is better; bytes per pixel if None.
        groups: Pictures that resemble each other by design: a table (such as CSV) with the columns path and group,
            relative to the recipe's folder, or a value of an earlier step, as `<entry>.<value>`. Images of one group
            are neither dropped for one another nor asked about.
        embeddings: Folder of a vision model whose embeddings also propose pairs, relative to the recipe's; none if
            None.
        cosine: Smallest cosine, 0-1, at which embeddings propose a pair.

    Reasons:
        near_duplicate (drop): A confirmed copy of a kept image (evidence `of`).
        near_duplicate (ask): It may be a copy of a kept image (evidence `like`); it stays, and shares its split.
    """  # phrase: allowed

    name: ClassVar[str] = "near_duplicates"
    version: ClassVar[int] = 6
    consumes: ClassVar[Stream] = "images"

    distance: int = Field(DISTANCE, ge=0, le=MAX_DISTANCE)
    keep: tuple[Criterion, ...] = CRITERIA
    protected: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    quality: str | None = Field(None, pattern=r"^[a-z0-9_.]+\.[a-z0-9_]+$")
    groups: str | None = Field(None, min_length=1)
    embeddings: str | None = Field(None, min_length=1)
    cosine: float = Field(0.85, ge=0, le=1)
    _kept: KeptOfCopies | None = PrivateAttr(None)
    _embeddings: Embeddings | None = PrivateAttr(None)

    @field_validator("keep")
    @classmethod
    def _each_once(cls, value: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        if len(set(value)) != len(value):
            raise ValueError(f"keep names a criterion twice: {', '.join(value)}")
        return value

    @model_validator(mode="after")
    def _prepare(self, info: ValidationInfo) -> NearDuplicates:
        settings = {name: getattr(self, name) for name in KeptOfCopies.model_fields}
        self._kept = KeptOfCopies.model_validate(settings, context=info.context)
        if self.embeddings is not None:
            self._embeddings = Embeddings.model_validate({"model": self.embeddings}, context=info.context)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings with digests in place of the names of files and folders."""
        assert self._kept is not None
        model = self._embeddings.parameters()["model"] if self._embeddings is not None else None
        kept = self._kept.parameters()
        stated = {name: kept[name] for name in ("groups", SCENES) if name in kept}
        return self.model_dump(mode="json") | stated | {"embeddings": model}

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> NearDuplicates:
        """Return the step with the values of all steps that name intended views of one scene."""
        scenes = tuple(f"{stage}.{SCENES}" for stage, values in given.items() if SCENES in values)
        if not scenes:
            return self
        assert self._kept is not None
        placed = self.model_copy()
        placed._kept = self._kept.with_scenes(scenes)
        return placed

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: hash and describe pictures, propose pairs, compare the pairs, compare along chains, decide.

        No image is decoded again after a change to the settings that determine which copy is kept.
        """
        assert self._kept is not None
        embedded = () if self._embeddings is None else (self._embeddings,)
        pairs = ProposedPairs(distance=self.distance, cosine=self.cosine if embedded else None)
        looks = (SecondLooks(), ChainedPairs(), ChainLooks())
        return (PerceptualHashes(), FeatureWords(), *embedded, pairs, *looks, self._kept)
