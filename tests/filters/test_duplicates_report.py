"""Groups of duplicates as reported by `filter duplicates`: the kept file and the relation of the others to it."""

from __future__ import annotations

from itertools import permutations

from benchwright.filters.duplicates.report import DuplicateGroup, Member, PictureFiles, group_pictures


def test_files_of_one_picture_are_exact_duplicates_of_the_first() -> None:
    assert group_pictures([PictureFiles(("a", "b", "c"))]) == [
        DuplicateGroup("a", (Member("b", "exact", 1.0), Member("c", "exact", 1.0)))
    ]


def test_a_picture_of_one_file_alone_is_no_group() -> None:
    assert group_pictures([PictureFiles(("a",)), PictureFiles(("b",))]) == []


def test_a_confirmed_copy_is_near_to_the_one_it_was_dropped_for() -> None:
    assert group_pictures([PictureFiles(("a",)), PictureFiles(("b",), of="a", scores={"a": 0.97})]) == [
        DuplicateGroup("a", (Member("b", "near", 0.97),))
    ]


def test_who_is_asked_about_stands_under_each_that_it_may_be_a_copy_of() -> None:
    pictures = [
        PictureFiles(("a",)),
        PictureFiles(("b",)),
        PictureFiles(("c",), like=("a", "b"), scores={"a": 0.8, "b": 0.7}),
    ]
    assert group_pictures(pictures) == [
        DuplicateGroup("a", (Member("c", "ask", 0.8),)),
        DuplicateGroup("b", (Member("c", "ask", 0.7),)),
    ]


def test_exact_copies_of_a_near_duplicate_are_a_group_of_their_own() -> None:
    pictures = [PictureFiles(("a", "b")), PictureFiles(("c", "d"), of="a", scores={"a": 0.9})]
    assert group_pictures(pictures) == [
        DuplicateGroup("a", (Member("b", "exact", 1.0), Member("c", "near", 0.9))),
        DuplicateGroup("c", (Member("d", "exact", 1.0),)),
    ]


def test_the_order_of_pictures_changes_nothing() -> None:
    pictures = [
        PictureFiles(("a", "d")),
        PictureFiles(("c",), of="a", scores={"a": 0.9}),
        PictureFiles(("b",), like=("a",), scores={"a": 0.9}),
        PictureFiles(("e",)),
    ]
    assert len({tuple(group_pictures(order)) for order in permutations(pictures)}) == 1
