"""Similar pictures: one finding for all that pairs connect, with the pairs for annotators."""

from __future__ import annotations

from benchwright.audit.checks.copies import _series
from benchwright.diagnostics.copies.pair_looks import LookedAt


def test_a_series_is_one_finding_that_asks_about_each_picture_beside_the_likeliest() -> None:
    looks = [
        LookedAt("a", "b", "unsure", 0.9),
        LookedAt("a", "c", "unsure", 0.8),
        LookedAt("b", "c", "unsure", 0.95),
        LookedAt("x", "y", "unsure", 0.7),
    ]
    named = [[(look.first, look.second) for look in series] for series in _series(looks)]
    assert named == [[("b", "c"), ("a", "b")], [("x", "y")]]
