"""Agreement on sets of labels: MASI's distance, and Krippendorff's alpha over it."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from benchwright.annotation.agreement.coefficients import agreement_of
from benchwright.annotation.agreement.label_sets import joined, masi, members_of
from benchwright.annotation.agreement.ratings import Rating


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("a|b", "b|a", 0.0),
        ("a", "a|b", 1 - 1 / 2 * 2 / 3),
        ("a|b", "b|c", 1 - 1 / 3 * 1 / 3),
        ("a|b|c", "a|b", 1 - 2 / 3 * 2 / 3),
        ("a", "b", 1.0),
        ("", "", 0.0),
        ("", "a", 1.0),
    ],
)
def test_masi_is_jaccard_times_the_kind_of_overlap(one: str, other: str, distance: float) -> None:
    assert masi(members_of(one), members_of(other)) == pytest.approx(distance)
    assert masi(members_of(other), members_of(one)) == pytest.approx(distance)


def test_a_label_names_each_member_once_and_sorted() -> None:
    assert joined(members_of(" crop|blur | crop|")) == "blur|crop"


def test_alpha_over_sets_equals_its_definition_written_out() -> None:
    rng = np.random.default_rng(2)
    names = ["blur", "crop", "dark", "other"]
    rows = [
        Rating(f"u{unit}", f"r{rater}", joined([name for name in names if rng.random() < 0.4] or ["none"]))
        for unit in range(30)
        for rater in range(4)
        if rng.random() < 0.8
    ]
    units: dict[str, list[str]] = {}
    for row in rows:
        units.setdefault(row.unit, []).append(row.label)
    paired = [labels for labels in units.values() if len(labels) > 1]

    def apart(one: str, other: str) -> float:
        return masi(members_of(one), members_of(other))

    total = sum(map(len, paired))
    observed = sum(
        sum(apart(one, other) for one, other in itertools.permutations(labels, 2)) / (len(labels) - 1)
        for labels in paired
    )
    used = Counter(label for labels in paired for label in labels)
    expected = sum(used[one] * used[other] * apart(one, other) for one in used for other in used) / (total - 1)
    found = agreement_of(rows, metric="masi", resamples=0)
    assert found.krippendorff_alpha == pytest.approx(1 - observed / expected)


def test_sets_that_share_something_agree_more_than_names_alone_would() -> None:
    rows = [
        Rating(f"u{unit}", rater, label)
        for unit, pair in enumerate([("a|b", "a"), ("c", "c|d"), ("a", "a"), ("d", "d"), ("b|c", "c")])
        for rater, label in zip(("x", "y"), pair, strict=True)
    ]
    as_sets, as_names = (agreement_of(rows, metric=metric).krippendorff_alpha for metric in ("masi", "nominal"))
    assert as_sets is not None
    assert as_names is not None
    assert as_sets > as_names


def test_the_order_inside_a_set_is_no_disagreement() -> None:
    rows = [Rating("u1", "x", "b|a"), Rating("u1", "y", "a|b"), Rating("u2", "x", "c"), Rating("u2", "y", "c")]
    found = agreement_of(rows, metric="masi", resamples=0)
    assert (found.percent, found.krippendorff_alpha) == (1.0, 1.0)


def test_one_set_alone_leaves_alpha_undefined() -> None:
    rows = [Rating(unit, rater, "a|b") for unit in ("u1", "u2") for rater in ("x", "y")]
    assert agreement_of(rows, metric="masi").krippendorff_alpha is None
