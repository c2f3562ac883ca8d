"""Copies in other places, such as splits: for each picture, the likeliest copy in each place that does not contain
it.
"""

from __future__ import annotations

from benchwright.diagnostics.copies.pair_looks import LookedAt, likeliest
from benchwright.diagnostics.copies.picture_copies import PictureCopies

Row = tuple[str, str, str, str, str, str, float]


def across(looks: list[LookedAt], places: dict[str, str], equal: dict[str, str] | None = None) -> list[Row]:
    """Return the copies across places: `places` names those of each picture by letters."""
    same_as = {image_id: image_id for image_id in places} | (equal or {})
    return [tuple(copy) for copy in PictureCopies(same_as, tuple(looks)).across(places)]


def test_a_file_at_two_places_is_its_own_copy() -> None:
    assert across([], {"a": "tv", "b": "t"}) == [
        ("a", "t", "a", "v", "confirmed", "file", 1.0),
        ("a", "v", "a", "t", "confirmed", "file", 1.0),
    ]


def test_what_shows_equal_pixels_shares_the_pairs_of_the_picture_that_stands_for_it() -> None:
    looks = [LookedAt("a", "c", "unsure", 0.8)]
    assert across(looks, {"a": "t", "b": "t", "c": "v"}, {"b": "a"}) == [
        ("a", "t", "c", "v", "unsure", "look", 0.8),
        ("b", "t", "c", "v", "unsure", "look", 0.8),
        ("c", "v", "a", "t", "unsure", "look", 0.8),
    ]


def test_a_confirmed_copy_comes_before_a_more_alike_one_that_is_unsure() -> None:
    looks = [LookedAt("a", "b", "unsure", 0.9), LookedAt("a", "c", "confirmed", 0.86)]
    assert across(looks, {"a": "t", "b": "v", "c": "v"})[0] == ("a", "t", "c", "v", "confirmed", "look", 0.86)


def test_a_copy_through_a_copy_counts_with_the_least_likeness_on_the_way() -> None:
    looks = [LookedAt("a", "b", "confirmed", 0.95), LookedAt("b", "c", "confirmed", 0.9)]
    assert ("a", "t", "c", "v", "confirmed", "look", 0.9) in across(looks, {"a": "t", "b": "t", "c": "v"})


def test_pictures_that_are_different_or_could_not_be_compared_are_no_copies() -> None:
    looks = [LookedAt("a", "b", "different", 0.4), LookedAt("a", "c", "unreadable", 0.0)]
    assert across(looks, {"a": "t", "b": "v", "c": "v"}) == []


def test_the_likeliest_of_another_collection_is_a_copy_before_a_view_of_the_scene() -> None:
    looks = [LookedAt("a", "x", "scene", 0.9), LookedAt("a", "y", "unsure", 0.7), LookedAt("b", "x", "different", 0.2)]
    assert likeliest(looks) == {"a": looks[1]}
