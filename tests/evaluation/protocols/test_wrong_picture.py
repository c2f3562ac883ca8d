"""The item that lends its pictures is the one that an exhaustive search would find, found in far fewer steps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright.evaluation.protocols.wrong_picture import ImageDonor, donors_of

KEYS = st.frozensets(st.sampled_from(["pair", "scene", "image", "rare"]), max_size=3)


def places(ties: list[tuple[str, frozenset[str]]]) -> list[ImageDonor]:
    return [ImageDonor(str(k), "f", 0, k, (task, ()), held) for k, (task, held) in enumerate(ties)]


@given(st.lists(st.tuples(st.sampled_from("ab"), KEYS), max_size=14))
def test_the_donor_is_the_next_of_the_shape_that_shares_nothing(ties: list[tuple[str, frozenset[str]]]) -> None:
    given_places = places(ties)
    expected: dict[str, str] = {}
    for number, place in enumerate(given_places):
        turned = given_places[number + 1 :] + given_places[:number]
        fitting = [donor.item_id for donor in turned if donor.shape == place.shape and not donor.ties & place.ties]
        expected |= {place.item_id: fitting[0]} if fitting else {}
    assert {item_id: donor.item_id for item_id, donor in donors_of(given_places).items()} == expected


class _Counted(frozenset[str]):
    looked = 0

    def __and__(self, keys: object) -> frozenset[str]:
        _Counted.looked += 1
        return frozenset.__and__(self, keys)  # type: ignore[operator]


def test_a_key_that_nearly_all_share_costs_no_look_at_each_pair() -> None:
    count = 2000
    held = [("a", _Counted([*(["all"] if k < count - 3 else []), f"own{k}"])) for k in range(count)]
    _Counted.looked = 0
    donors = donors_of(places([(task, ties) for task, ties in held]))
    assert donors["0"].item_id == str(count - 3)
    assert _Counted.looked < 12 * count
