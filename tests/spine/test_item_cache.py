"""Cached values of single items equal recomputed ones; damage costs time, but never causes a wrong result."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.workspace.item_cache import ItemCache


class Maker:
    """Makes some bytes and counts how often it had to."""

    def __init__(self, data: bytes) -> None:
        self.data, self.times = data, 0

    def __call__(self) -> bytes:
        self.times += 1
        return self.data


def test_what_was_made_is_made_once_for_all_openings_of_the_file(tmp_path: Path) -> None:
    maker = Maker(b"small picture")
    for _ in range(3):
        with ItemCache(tmp_path / "cache" / "items.sqlite") as cache:
            assert cache.get_or_make("preview 1", ["aa", 384], maker) == b"small picture"
    assert maker.times == 1


@pytest.mark.parametrize(
    ("kind", "depends_on"), [("preview 2", ["aa", 384]), ("preview 1", ["ab", 384]), ("preview 1", ["aa", 385])]
)
def test_another_version_picture_or_setting_is_another_entry(
    tmp_path: Path, kind: str, depends_on: list[object]
) -> None:
    with ItemCache(tmp_path / "items.sqlite") as cache:
        cache.get_or_make("preview 1", ["aa", 384], lambda: b"of aa")
        assert cache.get_or_make(kind, depends_on, lambda: b"another") == b"another"
        assert cache.get_or_make("preview 1", ["aa", 384], lambda: b"again") == b"of aa"


def test_another_version_of_a_library_makes_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchwright.workspace import item_cache

    with ItemCache(tmp_path / "items.sqlite") as cache:
        cache.get_or_make("preview 1", "aa", lambda: b"by the old Pillow")
        versions = {**item_cache.library_versions(), "pillow": "1.2.3"}
        monkeypatch.setattr(item_cache, "library_versions", lambda: versions)
        item_cache._program.cache_clear()
        try:
            assert cache.get_or_make("preview 1", "aa", lambda: b"by the new one") == b"by the new one"
        finally:
            item_cache._program.cache_clear()


def test_an_error_is_never_kept(tmp_path: Path) -> None:
    def fails() -> bytes:
        raise ValueError("no reply")

    with ItemCache(tmp_path / "items.sqlite") as cache:
        with pytest.raises(ValueError, match="no reply"):
            cache.get_or_make("reply 1", "q", fails)
        assert cache.get_or_make("reply 1", "q", lambda: b"(A)") == b"(A)"


def _flip(database: sqlite3.Connection) -> None:
    database.execute("UPDATE entry SET data = ?", (b"(B)",))


def _swap(database: sqlite3.Connection) -> None:
    """Put what is kept of another question, digest and all, in this one's place."""
    [(sha256, data)] = database.execute("SELECT sha256, data FROM entry WHERE data = ?", (b"(C)",)).fetchall()
    database.execute("UPDATE entry SET sha256 = ?, data = ?", (sha256, data))


@pytest.mark.parametrize("damage", [_flip, _swap])
def test_an_entry_that_is_not_what_was_kept_there_is_made_again(
    tmp_path: Path, damage: Callable[[sqlite3.Connection], None]
) -> None:
    path = tmp_path / "items.sqlite"
    with ItemCache(path) as cache:
        cache.get_or_make("reply 1", "q", lambda: b"(A)")
        cache.get_or_make("reply 1", "other", lambda: b"(C)")
    database = sqlite3.connect(path)
    damage(database)
    database.commit()
    database.close()
    maker = Maker(b"(A)")
    for _ in range(2):
        with ItemCache(path) as cache:
            assert cache.get_or_make("reply 1", "q", maker) == b"(A)"
    assert maker.times == 1


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 500)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def _zeros(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(bytes(data))


def _newer(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()


@pytest.mark.parametrize("damage", [_garbage, _cut, _zeros, _newer, Path.unlink])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "items.sqlite"
    with ItemCache(path) as cache:
        for number in range(40):
            cache.get_or_make("preview 1", number, lambda: b"x" * 1000)
    damage(path)
    maker = Maker(b"y")
    for _ in range(3):
        with ItemCache(path) as cache:
            assert cache.get_or_make("preview 1", "new", maker) == b"y"
            assert cache.get_or_make("preview 1", 3, lambda: b"x" * 1000) == b"x" * 1000
    assert maker.times <= 2  # where the damage shows late, what was kept meanwhile may go with it


def test_without_a_place_to_write_to_everything_is_made(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder would be")
    maker = Maker(b"(A)")
    for path in (None, tmp_path / "cache" / "items.sqlite"):
        with ItemCache(path) as cache:
            assert cache.get_or_make("reply 1", "q", maker) == b"(A)"
            assert cache.unused_since(0, remove=True) == (0, 0)
    assert maker.times == 2


def test_what_was_not_used_for_longest_goes_when_there_is_no_more_room(tmp_path: Path) -> None:
    path = tmp_path / "items.sqlite"
    for day, name in ((100, "old"), (101, "older use, used again"), (102, "new")):
        with ItemCache(path, max_bytes=4000, today=day) as cache:
            cache.get_or_make("preview 1", name, lambda: b"x" * 1200)
    again, gone = Maker(b""), Maker(b"x" * 1200)
    with ItemCache(path, max_bytes=4000, today=103) as cache:
        cache.get_or_make("preview 1", "older use, used again", again)
        cache.get_or_make("preview 1", "one more", lambda: b"x" * 1200)
    with ItemCache(path, max_bytes=4000, today=103) as cache:
        cache.get_or_make("preview 1", "older use, used again", again)
        cache.get_or_make("preview 1", "old", gone)
    assert (again.times, gone.times) == (0, 1)
    database = sqlite3.connect(path)
    assert database.execute("SELECT sum(size) <= 4000 FROM entry").fetchone() == (1,)


def test_one_thing_that_is_too_large_puts_nothing_else_out(tmp_path: Path) -> None:
    kept = Maker(b"")
    with ItemCache(tmp_path / "items.sqlite", max_bytes=4000) as cache:
        cache.get_or_make("preview 1", "small", lambda: b"x")
        assert len(cache.get_or_make("preview 1", "large", lambda: b"x" * 5000)) == 5000
        assert cache.get_or_make("preview 1", "small", kept) == b"x"


def test_entries_that_nothing_used_lately_are_counted_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "items.sqlite"
    with ItemCache(path, today=100) as cache:
        cache.get_or_make("preview 1", "old", lambda: b"x" * 70_000)
        cache.get_or_make("preview 1", "used", lambda: b"x" * 30)
    with ItemCache(path, today=110) as cache:
        cache.get_or_make("preview 1", "used", lambda: b"")
        assert cache.unused_since(7, remove=False) == (1, 70_000)
        before = path.stat().st_size
        assert cache.unused_since(7, remove=True) == (1, 70_000)
        assert cache.unused_since(7, remove=True) == (0, 0)
    assert path.stat().st_size < before - 60_000
