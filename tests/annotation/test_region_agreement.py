"""Agreement on regions: each figure by hand, alpha on a published example, intervals over pictures."""

from __future__ import annotations

import pytest

from benchwright.annotation.agreement.coefficients import agreement_of
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.agreement.region_agreement import PictureAgreement, picture_agreement, region_agreement
from benchwright.annotation.agreement.region_matching import RegionTolerance
from benchwright.regions import Region

SIZE_WH = (400, 300)
PUBLISHED = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Four observers, twelve units: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section D."""


def box(x0: float, y0: float, x1: float, y1: float, label: str = "") -> Region:
    return Region(shape="box", points=((x0, y0), (x1, y1)), label=label)


def picture(name: str, marks: dict[str, list[Region]], group: str | None = None) -> PictureAgreement:
    by_field = {annotator: {"field": regions} for annotator, regions in marks.items()}
    return picture_agreement(name, by_field, sizes_wh=[SIZE_WH], group=group)


def test_figures_are_sums_over_pairs_of_annotators_and_pictures() -> None:
    first = picture("1", {
        "ann": [box(0, 0, 10, 10), box(50, 0, 60, 10)],
        "bob": [box(0, 0, 10, 8)],
        "cat": [box(0, 0, 10, 10), box(50, 0, 60, 5)],
    })  # fmt: skip
    second = picture("2", {"ann": [box(0, 0, 10, 10)], "bob": [box(100, 0, 110, 10)]})
    agreement = region_agreement([first, second])
    # Matched: ann-bob 0.8; ann-cat 1 and 0.5; bob-cat 0.8; none in the second picture.
    assert (agreement.regions, agreement.matched) == ((2 + 1) + (2 + 2) + (1 + 2) + (1 + 1), 4)
    assert agreement.figures["mean_iou"] == pytest.approx((0.8 + 1 + 0.5 + 0.8) / 4)
    assert agreement.figures["share_matched"] == pytest.approx(8 / 12)
    assert agreement.figures["count_agreement"] == pytest.approx(2 / 4)  # ann-cat in the first, ann-bob in the second
    assert agreement.figures["mean_distance"] is None
    assert agreement.figures["label_alpha"] is None
    assert first.share_matched == pytest.approx(8 / 10)


def test_points_have_a_mean_distance() -> None:
    points = [Region(shape="point", points=((x, 50.0),)) for x in (10, 20, 30)]
    agreement = region_agreement([picture("1", {"ann": points[:1], "bob": points[1:2], "cat": points[2:]})])
    assert agreement.figures["mean_distance"] == pytest.approx((10 + 10 + 20) / 3 / 500)


def test_the_alpha_of_counts_is_that_of_a_published_example() -> None:
    rows = [line.split() for line in PUBLISHED.strip().splitlines()]
    pictures = []
    for unit in range(12):
        counts = {name: int(row[unit]) for name, row in zip("abcd", rows, strict=True) if row[unit] != "."}
        marks = {name: [box(20 * n, 0, 20 * n + 9, 9) for n in range(many)] for name, many in counts.items()}
        pictures.append(picture(f"{unit:02}", marks))
    agreement = region_agreement(pictures)
    assert agreement.figures["count_alpha"] == pytest.approx(0.797, abs=0.0005)
    assert (agreement.pictures, agreement.compared, agreement.annotators) == (12, 11, 4)


def test_the_alpha_of_labels_is_over_regions_in_one_place_whatever_their_label() -> None:
    named = ["cat cat", "cat dog", "dog dog", "dog dog", "cup cup", "cup cat"]
    pictures, ratings = [], []
    for number, pair in enumerate(named):
        marks = {name: [box(0, 0, 10, 10, label)] for name, label in zip(("ann", "bob"), pair.split(), strict=True)}
        marks["ann"].append(box(200, 200, 220, 210, "cup"))  # only one has it: no pair of labels
        pictures.append(picture(str(number), marks))
        ratings += [Rating(str(number), name, regions[0].label) for name, regions in marks.items()]
    agreement = region_agreement(pictures)
    assert agreement.figures["label_alpha"] == pytest.approx(agreement_of(ratings, resamples=0).krippendorff_alpha)
    assert agreement.matched == 4  # with their labels only four pairs mean the same


def many_pictures(groups: int) -> list[PictureAgreement]:
    return [
        picture(f"{n:02}", {"ann": [box(0, 0, 10, 10, "ab"[n % 2])], "bob": [box(0, 0, 10, 5 + n % 6, "a")]},
                group=str(n % groups))
        for n in range(40)
    ]  # fmt: skip


def test_intervals_hold_the_figures_and_come_again_with_the_seed() -> None:
    agreement = region_agreement(many_pictures(40), seed=3)
    for name in ("mean_iou", "share_matched"):
        bounds, value = agreement.ci[name], agreement.figures[name]
        assert bounds is not None
        assert value is not None
        assert bounds[0] < value < bounds[1]
    assert agreement.ci["mean_distance"] is None
    assert agreement.to_json() == region_agreement(reversed(many_pictures(40)), seed=3).to_json()
    assert agreement.ci != region_agreement(many_pictures(40), seed=4).ci


def test_pictures_that_belong_together_are_drawn_together() -> None:
    """Forty pictures in eight groups are too few groups for an interval; in twenty of two, the interval is another."""
    assert set(region_agreement(many_pictures(8)).ci.values()) == {None}
    apart, together = (region_agreement(many_pictures(groups)).ci["mean_iou"] for groups in (40, 20))
    assert apart != together


def test_each_field_has_its_own_figures() -> None:
    marks = {
        "ann": {"eyes": [box(0, 0, 10, 10)], "ears": [box(0, 0, 10, 10)]},
        "bob": {"eyes": [box(0, 0, 10, 10)]},
    }
    agreement = region_agreement([picture_agreement("1", marks, sizes_wh=[SIZE_WH])])
    assert {name: part.figures["share_matched"] for name, part in agreement.by_field.items()} == {
        "eyes": 1.0,
        "ears": 0,
    }
    assert agreement.figures["share_matched"] == pytest.approx(2 / 3)
    assert agreement.figures["count_agreement"] == 0.5
    assert list(agreement.to_json()["by_field"]) == ["ears", "eyes"]


def test_without_pictures_or_pairs_nothing_is_defined() -> None:
    for pictures in ([], [picture("1", {"ann": [box(0, 0, 1, 1)]})]):
        agreement = region_agreement(pictures)
        assert set(agreement.figures.values()) == {None}
        assert set(agreement.ci.values()) == {None}


def test_annotators_who_both_find_nothing_agree_on_the_count() -> None:
    agreement = region_agreement([picture("1", {"ann": [], "bob": []})])
    assert agreement.figures["count_agreement"] == 1.0
    assert agreement.figures["share_matched"] is None


def test_a_stricter_tolerance_matches_less() -> None:
    marks = {"ann": {"f": [box(0, 0, 10, 10)]}, "bob": {"f": [box(0, 0, 10, 7)]}}
    strict = picture_agreement("1", marks, sizes_wh=[SIZE_WH], tolerance=RegionTolerance(box_iou=0.75))
    assert (strict.share_matched, picture_agreement("1", marks, sizes_wh=[SIZE_WH]).share_matched) == (0.0, 1.0)
