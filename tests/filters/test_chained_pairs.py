"""Chains of copies: images connected by confirmed pairs that were not compared directly are compared, each pair
once.
"""

from __future__ import annotations

import pyarrow as pa

from benchwright.diagnostics.copies.candidate_pairs import MOST_BY_CHAIN, near_by_chain
from benchwright.diagnostics.copies.pairing import ChainedPairs
from benchwright.steps import GatherContext

CONTEXT = GatherContext(seed=0, stage="near_duplicates.chains")
TEXTS = pa.list_(pa.string())
Partners = dict[str, list[str]]


def chained(
    widths: dict[str, int], *, partners: Partners, confirmed: Partners, mirrored: Partners | None = None
) -> dict[str, tuple[list[str], list[str]]]:
    """Return whom the part `chains` names for each image, and who of these is also looked at mirrored."""
    columns = {
        "image_id": list(widths), "width": list(widths.values()), "height": [7] * len(widths),
        "pairs.partners": pa.array([partners.get(name) for name in widths], TEXTS),
        "pairs.mirrored": pa.array([(mirrored or {}).get(name) for name in widths], TEXTS),
        "looks.confirmed": pa.array([confirmed.get(name) for name in widths], TEXTS),
    }  # fmt: skip
    found = ChainedPairs().gather(pa.table(columns), CONTEXT)
    names = [list(widths)[row] for row in found.rows.tolist()]
    return dict(zip(names, zip(found.values["partners"], found.values["mirrored"], strict=True), strict=True))


def test_the_ends_of_a_chain_are_compared_under_the_smaller_image() -> None:
    links = {"b": ["a"], "c": ["b"]}
    assert chained({"a": 3000, "b": 2000, "c": 1000}, partners=links, confirmed=links) == {"c": (["a"], [])}
    assert chained({"a": 1000, "b": 2000, "c": 3000}, partners=links, confirmed=links) == {"a": (["c"], [])}


def test_what_was_compared_is_not_compared_again() -> None:
    found = chained(
        {"a": 3000, "b": 2000, "c": 1000}, partners={"b": ["a"], "c": ["b", "a"]}, confirmed={"b": ["a"], "c": ["b"]}
    )
    assert found == {}


def test_pairs_that_were_not_confirmed_make_no_chain() -> None:
    links = {"b": ["a"], "c": ["b"]}
    assert chained({"a": 3000, "b": 2000, "c": 1000}, partners=links, confirmed={"b": ["a"]}) == {}


def test_a_chain_with_a_mirrored_image_is_looked_at_mirrored_too() -> None:
    links = {"b": ["a"], "c": ["b"]}
    found = chained({"a": 3000, "b": 2000, "c": 1000}, partners=links, confirmed=links, mirrored={"b": ["a"]})
    assert found == {"c": (["a"], ["a"])}


def test_a_long_chain_is_compared_with_its_largest_images() -> None:
    confirmed = [(image, image + 1) for image in range(99)]
    bonds = near_by_chain(confirmed, confirmed, images=101)
    assert bonds[50] == set(range(MOST_BY_CHAIN))
    assert bonds[3] == {0, 1}
    assert 100 not in bonds


def test_images_without_confirmed_pairs_are_left_alone() -> None:
    assert near_by_chain([], [(0, 1)], images=2) == {}


def test_tiny_pictures_are_not_followed() -> None:
    links = {"b": ["a"], "c": ["b"]}
    assert chained({"a": 300, "b": 48, "c": 32}, partners=links, confirmed=links) == {}
