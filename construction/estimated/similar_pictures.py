"""Visual similarity of your own photographs: triplets chosen by the cosines of DINOv2 features.

Visual similarity as in BLINK (section 3.2) asks which of two pictures looks more like a third. The cosine of the nearer
picture of a triplet with the reference exceeds that of the farther one by a margin; no two of the three are near
copies.

A picture that is near many others may be the nearer one more often than the farther one. In mode `hardened`, each of
the two candidates therefore has a picture near it, and a random draw decides which of these is the reference.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, model_validator

from benchwright.models.picture_batches import PictureBatches, PictureModel, Pixels, batch_size_on
from benchwright.models.picture_vectors import Preprocessing, Vectors, decode_vectors, embed, encode_vector
from benchwright.records import ImageRecord
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.seeds import generator_for, seed_for
from benchwright.steps import (
    Context,
    GatherContext,
    Gathered,
    GatherStep,
    MapStep,
    OpenContext,
    Outcome,
    Resources,
    Step,
    Stream,
)

from ..ground_truth.truths import OTHER_REFERENCE, SimilarityTriplet
from ..ground_truth.values import RECORDS, RecordPlace, RecordTruth, write_records, write_truths
from ..item_parts.options.modes import Hardening, Mode
from .model_step import BATCH_SIZE, ModelStep, open_model

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

_NO_NEARER, _NO_FARTHER, _NO_PARTNER = "no_nearer", "no_farther", "no_partner"
_HARDENING = Hardening(
    {
        _NO_PARTNER: "each of the two candidates needs a picture near to it and not to the other, so that a triplet "
        "takes four fitting pictures: add photographs of alike things and places, or set a smaller `least`",
    },
    "which picture is near to many others",
)
_MOST_FARTHER = 32
"""Number of a reference's farther pictures for which a partner is sought."""
_FEATURES = "features.features"
_COSINES_AT_ONCE = 1 << 22
"""Number of cosines in one matrix product: 32 MiB."""
_STEPS = 1 << 20
_Features = NDArray[np.float64]
"""Features of pictures as `_exact` returns them, one row per picture, each with a norm of about 1."""


class _RowTriplet(NamedTuple):
    """The rows of three pictures, with the cosines between the reference and each of the other two.

    Args:
        reference: The picture compared with both others.
        nearer: The nearer one.
        farther: The farther one.
        nearer_cosine: Cosine of the reference with the nearer one.
        farther_cosine: Cosine of the reference with the farther one.
        other_reference: The picture near `farther` that the random draw could have made the reference; None if there
            was no such draw.
    """

    reference: int
    nearer: int
    farther: int
    nearer_cosine: float
    farther_cosine: float
    other_reference: int | None = None


class SimilarPictures(ModelStep, GatherStep):
    """Use a vision model to give images triplets in which one picture is clearly nearer to the reference; drops
    nothing.

    `visual_similarity` makes items from them if `dataset` names this entry, with `min_votes: 1`, since a model has one
    vote. The items carry `estimated_by`, and `freeze` accepts them only after a campaign in which people decide on
    them. A picture is in at most one triplet. For a picture without a triplet, the value `left_out` is `no_nearer`,
    `no_farther`, or `no_partner` if no farther picture itself has a near one.

    The step has two parts: `features` computes the features of every picture, in batches; the part with the step's own
    name chooses the triplets. Changing the limits therefore recomputes no features.

    Args:
        mode: `hardened` takes only candidates that each have a picture near it but not near the other, and decides at
            random which of these is the reference, so that nothing in the two candidates reveals which is nearer.
            `paper` takes the nearest picture of each reference as the nearer one; a picture that is near many others
            may then be right more often than wrong. It needs fewer pictures for the same number of triplets.
        side_px: Side of the square that the model sees, in pixels; the whole picture is resized to it.
        copies: Cosine above which two pictures count as near copies, which are never in one triplet.
        least: Smallest cosine of the nearer picture with the reference.
        margin: Smallest difference between the two cosines with the reference.
    """

    name: ClassVar[str] = "similar_pictures"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {RECORDS: "string", SimilarityTriplet.kind: "string", "left_out": "string"}
    columns: ClassVar[tuple[str, ...]] = ("image_id", _FEATURES)
    imports: ClassVar[tuple[str, ...]] = ()
    repository: ClassVar[str] = "facebook/dinov2-small"
    estimator: ClassVar[str] = "dinov2"

    mode: Mode = "hardened"
    side_px: int = Field(224, ge=14, le=1024)
    copies: float = Field(0.9, gt=0, lt=1)
    least: float = Field(0.4, ge=-1, lt=1)
    margin: float = Field(0.2, gt=0, lt=1)

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> SimilarPictures:
        if self.least >= self.copies:
            raise ValueError(
                f"least {self.least:g} must be below copies {self.copies:g}; otherwise no picture is between them"
            )
        return self

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: the features of every picture, then the choice of triplets."""
        return (PictureFeatures.of(self), self)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Choose triplets; each becomes a value of its reference, and all three pictures name its record."""
        ids = columns["image_id"].to_pylist()
        encoded = columns[_FEATURES].to_pylist()
        # Sorted, so that the order of pictures with equal cosines does not depend on the shards.
        rows = sorted((row for row, text in enumerate(encoded) if text is not None), key=ids.__getitem__)
        if not rows:
            return Gathered(rows=np.array([], np.int64), values={name: [] for name in self.values})
        names = [ids[row] for row in rows]
        triplets, left_out = self._triplets(decode_vectors([encoded[row] for row in rows]), names, ctx.seed)
        if (advice := _HARDENING.advice(self.mode, len(triplets), Counter(left_out.values()))) is not None:
            logger.warning("%s: triplets for %s", ctx.stage, advice)
        model = self.estimated_by()
        records: dict[int, str] = {}
        truths: dict[int, str] = {}
        for triplet in triplets:
            record = f"{self.estimator}:{names[triplet.reference][:16]}"
            is_left = bool(generator_for(ctx.seed, self.name, names[triplet.reference], "side").integers(2))
            others = (triplet.nearer, triplet.farther) if is_left else (triplet.farther, triplet.nearer)
            shown = (triplet.reference, *others)
            original = {
                ESTIMATED_BY: model,
                "nearer_cosine": triplet.nearer_cosine,
                "farther_cosine": triplet.farther_cosine,
            }
            if triplet.other_reference is not None:
                original[OTHER_REFERENCE] = names[triplet.other_reference]
            truth = SimilarityTriplet(closer="left" if is_left else "right", votes=1, original=original)
            image_ids = tuple(names[number] for number in shown)
            truths[triplet.reference] = write_truths([RecordTruth(record, image_ids, truth)])
            records |= {number: write_records([RecordPlace(record, place)]) for place, number in enumerate(shown)}
        stated = sorted({*records, *left_out}, key=rows.__getitem__)
        return Gathered(
            rows=np.array([rows[number] for number in stated], np.int64),
            values={
                RECORDS: [records.get(number) for number in stated],
                SimilarityTriplet.kind: [truths.get(number) for number in stated],
                "left_out": [left_out.get(number) for number in stated],
            },
        )

    def _triplets(self, vectors: Vectors, names: Sequence[str], seed: int) -> tuple[list[_RowTriplet], dict[int, str]]:
        """Return the triplets and, for each picture that was tried as a reference without success, what was missing.

        References are tried in an order drawn with the seed. Among pictures not yet in a triplet, the nearest becomes
        the nearer one, and the nearest beyond the margin becomes the farther one.

        Args:
            vectors: Features, one row per picture, each with norm 1.
            names: Ids of the pictures.
            seed: The run's seed.
        """
        features = _exact(vectors)
        turns = [seed_for(seed, self.name, name, "turn") for name in names]
        order = sorted(range(len(names)), key=turns.__getitem__)
        is_free = np.ones(len(names), bool)
        triplets: list[_RowTriplet] = []
        left_out: dict[int, str] = {}
        at_once = max(1, _COSINES_AT_ONCE // len(names))
        for start in range(0, len(order), at_once):
            references = [reference for reference in order[start : start + at_once] if is_free[reference]]
            free = np.flatnonzero(is_free)
            cosines = _cosines(features[references], features[free])
            for reference, row in zip(references, cosines, strict=True):
                if not is_free[reference]:
                    continue
                result = self._with(reference, row, free, features, is_free, names, seed)
                if isinstance(result, str):
                    left_out[reference] = result
                    continue
                is_free[[result.reference, result.nearer, result.farther]] = False
                triplets.append(result)
                for number in result[:3]:
                    left_out.pop(number, None)
        return triplets, left_out

    def _with(
        self,
        reference: int,
        cosines: NDArray[np.float64],
        others: NDArray[np.int64],
        features: _Features,
        is_free: NDArray[np.bool_],
        names: Sequence[str],
        seed: int,
    ) -> _RowTriplet | str:
        """Return a triplet with the given picture as its reference, or what is missing for such a triplet.

        Args:
            reference: Index of the reference.
            cosines: Its cosines with the pictures `others`.
            others: Indices of the pictures that were free when these cosines were computed.
            features: Features of all pictures.
            is_free: Whether each picture is in no triplet.
            names: Ids of the pictures.
            seed: The run's seed.
        """
        usable = is_free[others] & (cosines <= self.copies) & (others != reference)
        nearest = np.where(usable, cosines, -np.inf)
        nearer = int(nearest.argmax())
        if nearest[nearer] < self.least:
            return _NO_NEARER
        farthest = cosines[nearer] - self.margin
        remaining = np.where(np.round(cosines - farthest, 4) <= 0, nearest, -np.inf)
        reason, tried = _NO_FARTHER, 0
        while np.isfinite(remaining[farther := int(remaining.argmax())]) and tried < _MOST_FARTHER:
            first, second = int(others[nearer]), int(others[farther])
            remaining[farther] = -np.inf
            if _cosines(features[[first]], features[[second]]).item() > self.copies:
                continue
            triplet = _RowTriplet(reference, first, second, float(cosines[nearer]), float(cosines[farther]))
            if self.mode == "paper":
                return triplet
            reason, tried = _NO_PARTNER, tried + 1
            turned = self._turned(triplet, others[is_free[others]], features)
            if turned is not None:
                is_turned = generator_for(seed, self.name, names[reference], "turned").integers(2)
                if is_turned:
                    return turned._replace(other_reference=reference)
                return triplet._replace(other_reference=turned.reference)
        return reason

    def _turned(self, triplet: _RowTriplet, others: NDArray[np.int64], features: _Features) -> _RowTriplet | None:
        """Return the triplet of the same candidates in which the farther one is the nearer, or None if there is none.
        Its reference is the suitable picture nearest to that candidate.

        Args:
            triplet: A triplet.
            others: Indices of the free pictures.
            features: Features of all pictures.
        """
        nearer, farther = triplet.farther, triplet.nearer
        cosines = _cosines(features[[nearer, farther]], features[others])
        fits = (
            ~np.isin(others, triplet[:3])
            & (cosines.max(axis=0) <= self.copies)
            & (cosines[0] >= self.least)
            & (np.round(cosines[0] - cosines[1], 4) >= self.margin)
        )
        if not fits.any():
            return None
        place = int(np.where(fits, cosines[0], -np.inf).argmax())
        return _RowTriplet(int(others[place]), nearer, farther, float(cosines[0, place]), float(cosines[1, place]))


class PictureFeatures(MapStep):
    """Compute the features of every picture, in batches; the model sees the whole picture, resized to a square."""

    name: ClassVar[str] = "features"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"features": "string"}
    costly: ClassVar[bool] = True

    _step: SimilarPictures = PrivateAttr()

    @classmethod
    def of(cls, step: SimilarPictures) -> PictureFeatures:
        """Return the part of a step."""
        part = cls()
        part._step = step
        return part

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the features."""
        settings = self._step.parameters()
        return {name: settings[name] for name in ("weights", "side_px")}

    def needs(self) -> Resources:
        """Return the resources that a worker needs."""
        return self._step.needs()

    def weights_hash(self) -> str | None:
        """Return the digest of the model's files."""
        return self._step.weights_hash()

    def shares_model(self) -> bool:
        """Return whether the settings leave the choice of the model's device open."""
        return self._step.device is None

    def open(self, ctx: OpenContext) -> Any:
        """Return the function that computes features of pictures.

        Raises:
            PrerequisiteError: Packages or weights are missing.
        """
        del ctx
        folder = self._step.weights_folder()
        model, _, place = open_model(folder, "AutoModel", model_type="dinov2", device=self._step.device)
        prepare = Preprocessing.of(folder)._replace(side_px=self._step.side_px)

        def features(pictures: Sequence[Pixels]) -> list[str]:
            vectors = embed(model, prepare.batch(pictures, place))
            return [encode_vector(vector) for vector in vectors]

        batch_size = batch_size_on(place, self._step.batch_size, on_cpu=BATCH_SIZE)
        return PictureBatches(features, batch_size=batch_size, least_px=prepare.least_px)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Compute the features of one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Compute features, a batch at a time."""
        opened: PictureModel[str] = ctx.opened
        results = opened.results(records, ctx)
        return [result if isinstance(result, Outcome) else Outcome(values={"features": result}) for result in results]


def _exact(vectors: Vectors) -> _Features:
    """Return features rounded to multiples of 2^-20, so that sums of their products are exact in any order of
    summation.
    """
    return np.asarray(np.rint(vectors.astype(np.float64) * _STEPS) / _STEPS)


def _cosines(features: _Features, others: _Features) -> NDArray[np.float64]:
    """Return the cosine of each picture with every other picture, rounded to four decimals, one row per picture."""
    return np.round(features @ others.T, 4)
