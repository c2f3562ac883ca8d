"""Ground truth from the marks that people made in a `mark` campaign, for tasks without a dataset.

| truth | fields of the campaign |
|---|---|
| `depth` | points `closer` and `farther` |
| `reflectance` | points `darker` and `lighter`; `same`, two points of one label |
| `counts` | boxes with labels, every instance of a label |
| `keypoints` | correspondences of a campaign over pairs |

Points with the same label belong together; if there are no labels, all points of a picture do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from benchwright.facts import FieldRegion, PictureRegions, read_marked

from ..ground_truth.truths import (
    MARKED_BY,
    CountQuestion,
    DepthComparison,
    GroundTruth,
    KeypointPair,
    Point,
    ReflectanceComparison,
)
from ..ground_truth.values import RecordTruth
from ..item_parts.wording.english_words import count_question, without_article

_CLOSER, _FARTHER, _DARKER, _LIGHTER, _SAME = "closer", "farther", "darker", "lighter", "same"


def marked_truths(
    text: str, image_id: str, kinds: Sequence[type[GroundTruth]], *, campaign: str
) -> Iterator[RecordTruth[GroundTruth]]:
    """Yield the truths of the requested kinds that the marks on a picture state.

    Args:
        text: Value `regions` of the campaign.
        image_id: The picture that has the value.
        kinds: Requested kinds of truth.
        campaign: Name of the campaign, which is part of the record names.
    """
    marked = read_marked(text)
    original = {MARKED_BY: campaign} | ({"simulated": True} if marked.is_simulated else {})
    for kind, read in _READERS.items():
        if kind not in kinds:
            continue
        for name, truth in read(marked):
            image_ids = (image_id,) if not isinstance(truth, KeypointPair) else (image_id, marked.other or image_id)
            stated = truth.model_copy(update={"original": original})
            yield RecordTruth(f"{campaign}:{image_id[:16]}:{name}", image_ids, stated)


def _depth(marked: PictureRegions) -> Iterator[tuple[str, DepthComparison]]:
    for label, (closer, farther) in _pairs(marked, _CLOSER, _FARTHER):
        yield f"depth/{label}", DepthComparison(first=closer, second=farther, closer="first")


def _reflectance(marked: PictureRegions) -> Iterator[tuple[str, ReflectanceComparison]]:
    for label, (darker, lighter) in _pairs(marked, _DARKER, _LIGHTER):
        yield f"reflectance/{label}", ReflectanceComparison(first=darker, second=lighter, darker="first", weight=1)
    for label, points in _points(marked, _SAME).items():
        if len(points) == 2:
            yield (
                f"reflectance/same/{label}",
                ReflectanceComparison(first=points[0], second=points[1], darker="equal", weight=1),
            )


def _counts(marked: PictureRegions) -> Iterator[tuple[str, CountQuestion]]:
    """Yield one question per label; outlines and masks are counted like boxes."""
    counts: dict[str, int] = defaultdict(int)
    for region in marked.regions:
        if region.region.shape in ("box", "polygon", "mask"):
            counts[without_article(_label(region) or region.field)] += 1
    for label, count in sorted(counts.items()):
        yield f"counts/{label}", CountQuestion(question=count_question(label), count=count)


def _keypoints(marked: PictureRegions) -> Iterator[tuple[str, KeypointPair]]:
    """Yield one pair with all correspondences in a field, which concern one kind of object, named by the field."""
    if marked.other is None:
        return
    fields: dict[str, list[FieldRegion]] = defaultdict(list)
    for region in marked.regions:
        if region.region.shape == "correspondence":
            fields[region.field].append(region)
    for field, regions in sorted(fields.items()):
        yield (
            f"keypoints/{field}",
            KeypointPair(
                category=without_article(field),
                first=tuple(region.region.points[0] for region in regions),
                second=tuple(region.region.points[1] for region in regions),
                names=tuple(str(number) for number in range(len(regions))),
            ),
        )


_READERS: dict[type[GroundTruth], Callable[[PictureRegions], Iterator[tuple[str, GroundTruth]]]] = {
    DepthComparison: _depth,
    ReflectanceComparison: _reflectance,
    CountQuestion: _counts,
    KeypointPair: _keypoints,
}
_MARKED_KINDS: tuple[type[GroundTruth], ...] = tuple(_READERS)


def _label(region: FieldRegion) -> str:
    return region.region.label.strip()


def _points(marked: PictureRegions, field: str) -> dict[str, list[Point]]:
    """Return the points of a field by label."""
    points: dict[str, list[Point]] = defaultdict(list)
    for region in marked.regions:
        if region.field == field and region.region.shape in ("point", "points"):
            points[_label(region)] += region.region.points
    return points


def _pairs(marked: PictureRegions, first: str, second: str) -> Iterator[tuple[str, tuple[Point, Point]]]:
    """Yield the label and the points of each label that has exactly one point in each of the two fields."""
    firsts, seconds = _points(marked, first), _points(marked, second)
    for label in sorted(firsts):
        if len(firsts[label]) == len(seconds.get(label, ())) == 1:
            yield label or "1", (firsts[label][0], seconds[label][0])
