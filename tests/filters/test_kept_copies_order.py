"""Which copy is kept: protected source, license, resolution, quality, id; each can be moved or left out."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.filters.duplicates.kept_copies import CRITERIA, Criterion, KeepOrder, quality_of


def row(image_id: str = "a", **changes: Any) -> dict[str, Any]:
    return {
        "image_id": image_id, "source_uri": f"{image_id}.png", "licence": None, "width": 30, "height": 20,
        "size_bytes": 900, **changes,
    }  # fmt: skip


def best(order: KeepOrder, *rows: dict[str, Any]) -> str:
    kept = min(rows, key=order.key)
    assert kept is min(reversed(rows), key=order.key)
    return str(kept["image_id"])


def test_the_larger_is_kept_then_the_less_compressed_then_the_smaller_id() -> None:
    order = KeepOrder()
    assert best(order, row("a"), row("b", width=31, size_bytes=1)) == "b"
    assert best(order, row("a"), row("b", size_bytes=901)) == "b"
    assert best(order, row("b"), row("a")) == "a"


def test_a_preferred_licence_comes_before_resolution_and_an_unstated_one_last() -> None:
    order = KeepOrder(licences=("CC0", "CC-BY"))
    assert best(order, row("a", licence="CC-BY", width=99), row("b", licence="CC0")) == "b"
    assert best(order, row("a", width=99), row("b", licence="other")) == "b"


def test_a_protected_source_comes_first() -> None:
    order = KeepOrder(protected=("mine/*",), licences=("CC0",))
    assert best(order, row("a", licence="CC0", width=99), row("b", source_uri="mine/deep/b.png")) == "b"
    assert not order.is_protected(row("c", source_uri=None))


@pytest.mark.parametrize(("criteria", "kept"), [(("resolution",), "b"), (("quality",), "c"), (("id",), "a")])
def test_the_criteria_are_settable(criteria: tuple[Criterion, ...], kept: str) -> None:
    rows = (row("a"), row("b", width=60), row("c", size_bytes=2000))
    assert best(KeepOrder(criteria), *rows) == kept


def test_a_measured_quality_stands_in_for_bytes_a_pixel() -> None:
    assert best(KeepOrder(), row("a", quality=0.2), row("b", quality=0.3, size_bytes=1)) == "b"
    assert quality_of(row("a")) == 1.5


def test_no_two_images_are_equal() -> None:
    assert KeepOrder(()).key(row("a")) != KeepOrder(()).key(row("b"))
    assert len(CRITERIA) == 5
