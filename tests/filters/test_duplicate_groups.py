"""Groups of duplicates as `filter duplicates` reports them: who is kept, who is what to whom."""

from __future__ import annotations

from itertools import permutations

from benchwright.filters.duplicate_groups import DuplicateGroup, Member, Picture, group_pictures


def picture(*paths: str, pixels: int = 100, phash: int = 0, cluster: str | None = None) -> Picture:
    return Picture(tuple(paths), pixels, phash, cluster)


def test_files_of_one_picture_are_exact_duplicates_of_the_first() -> None:
    assert group_pictures([picture("a", "b", "c")]) == [
        DuplicateGroup("a", (Member("b", "exact", 1.0), Member("c", "exact", 1.0)))
    ]


def test_a_picture_of_one_file_alone_is_no_group() -> None:
    assert group_pictures([picture("a"), picture("b", cluster="x")]) == []


def test_a_near_duplicate_is_asked_about_with_its_share_of_equal_bits() -> None:
    [group] = group_pictures([picture("a", phash=0b1111, cluster="x"), picture("b", cluster="x")])
    assert group == DuplicateGroup("a", (Member("b", "ask", 1 - 4 / 64),))


def test_the_larger_picture_is_kept() -> None:
    [group] = group_pictures([picture("a", pixels=10, cluster="x"), picture("b", pixels=20, cluster="x")])
    assert group.keep == "b"


def test_a_picture_that_several_files_hold_is_kept_before_a_larger_one() -> None:
    [group] = group_pictures([picture("a", pixels=900, phash=1, cluster="x"), picture("b", "c", cluster="x")])
    assert group == DuplicateGroup("b", (Member("c", "exact", 1.0), Member("a", "ask", 1 - 1 / 64)))


def test_a_copy_of_a_near_duplicate_is_exact_to_the_member_before_it() -> None:
    pictures = [picture("a", "b", "c", cluster="x"), picture("d", "e", phash=3, cluster="x")]
    assert [member.kind for member in group_pictures(pictures)[0].members] == [
        "exact",
        "exact",
        "ask",
        "exact",
    ]


def test_members_of_a_chain_are_scored_against_the_kept_one() -> None:
    chain = [
        picture("a", pixels=900, cluster="x"),
        picture("b", phash=0xFF, cluster="x"),
        picture("c", phash=0xFFFF, cluster="x"),
    ]
    [group] = group_pictures(chain)
    assert group.members == (Member("b", "ask", 1 - 8 / 64), Member("c", "ask", 1 - 16 / 64))


def test_the_order_of_pictures_changes_nothing() -> None:
    pictures = [
        picture("d", "a"),
        picture("c", phash=1, cluster="x"),
        picture("b", phash=2, cluster="x"),
        picture("e"),
    ]
    assert len({tuple(group_pictures(order)) for order in permutations(pictures)}) == 1
