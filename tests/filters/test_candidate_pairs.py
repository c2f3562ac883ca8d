"""Neighbourhoods: clusters, counts and nearest partners, as comparing everything to everything finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.diagnostics.copies import candidate_pairs
from benchwright.diagnostics.copies.candidate_pairs import Neighbourhood
from benchwright.diagnostics.features.hamming import iter_pairs


def neighbourhood(hashes: list[int], *, distance: int, most: int) -> Neighbourhood:
    codes, code_of = np.unique(np.array(hashes, np.uint64), return_inverse=True)
    return Neighbourhood.of(code_of, iter_pairs(codes, distance=distance), most=most)


def partners(hashes: list[int], image: int, distance: int) -> list[int]:
    bits = [(hashes[image] ^ other).bit_count() for other in hashes]
    return sorted(bits[other] for other in range(len(hashes)) if other != image and bits[other] <= distance)


HASHES = st.lists(st.integers(0, 255), min_size=1, max_size=40)


@given(hashes=HASHES, distance=st.integers(0, 3), most=st.integers(1, 5), bulk=st.integers(1, 50))
def test_every_image_has_its_nearest_partners_and_their_number(
    hashes: list[int], distance: int, most: int, bulk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidate_pairs, "_BULK", bulk)
        near = neighbourhood(hashes, distance=distance, most=most)
    for image in range(len(hashes)):
        expected = partners(hashes, image, distance)
        found = near.nearest(image)
        assert near.partners[image] == len(expected)
        assert [partner.bits for partner in found] == expected[:most]
        assert len({partner.image for partner in found} - {image}) == len(found)
        assert all((hashes[image] ^ hashes[partner.image]).bit_count() == partner.bits for partner in found)


@given(hashes=HASHES, bulk=st.integers(1, 50))
def test_the_bulk_in_which_pairs_are_folded_changes_no_cluster(hashes: list[int], bulk: int) -> None:
    whole = neighbourhood(hashes, distance=2, most=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidate_pairs, "_BULK", bulk)
        assert neighbourhood(hashes, distance=2, most=4).cluster.tolist() == whole.cluster.tolist()


def test_images_of_one_chain_share_a_cluster_and_strangers_do_not() -> None:
    near = neighbourhood([0b0, 0b11, 0b1111, 2**40 - 1, 0b1], distance=2, most=3)
    first, second, third, stranger, fourth = near.cluster.tolist()
    assert first == second == third == fourth != stranger
