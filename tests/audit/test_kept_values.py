"""What an audit keeps by the thousand: values that one entry holds, and picture files that are not read again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from audited_benches import HIGH, WIDE, clean_rows, picture, plant_faults, write_pictures, write_rows
from PIL import Image

from benchwright.audit import AuditSettings, audit
from benchwright.audit.source.kept_values import KeptValues, KnownPictures
from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify
from benchwright.workspace.item_cache import ItemCache


def test_values_are_there_again_and_those_that_nobody_asked_for_are_dropped(tmp_path: Path) -> None:
    with ItemCache(tmp_path / "cache.sqlite") as cache:
        values = KeptValues(cache, "test 1")
        values.set("first", [1, None])
        assert values.get_or_make("second", lambda: {"a": []}) == {"a": []}
        values.save()
        again = KeptValues(cache, "test 1")
        assert again.get("first") == [1, None]
        again.save()
        last = KeptValues(cache, "test 1")
        assert last.get("first") == [1, None]
        assert last.get("second") is None
        assert KeptValues(cache, "test 2").get("first") is None


def test_a_picture_that_did_not_change_is_not_opened_again(tmp_path: Path) -> None:
    file = tmp_path / "one.jpg"
    picture(1).save(file)
    with ItemCache(tmp_path / "cache.sqlite") as cache:
        first = _known(cache)
        expected = identify(file, root=tmp_path)
        assert first.identify(file, root=tmp_path) == expected
        assert first.embedded_sources(expected.image_id, file, "image/jpeg", limits=Limits()) == {}
        first.save()
        status = file.stat()
        with file.open("r+b") as handle:  # other bytes under the stamp that it had: only who reads it would notice
            handle.write(b"\0" * 100)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        changed = file.stat()
        known = KeptValues(cache, "files")
        stamp, identity = known.get(str(file))
        known.set(str(file), [[*stamp[:3], changed.st_ctime_ns, stamp[4]], identity])
        known.save()
        assert _known(cache).identify(file, root=tmp_path) == expected


@pytest.mark.parametrize("keeps_times", [False, True], ids=["written anew", "put in place with the old times"])
def test_a_picture_that_changed_is_read_again(tmp_path: Path, keeps_times: bool) -> None:
    file, other = tmp_path / "one.bmp", tmp_path / "other.bmp"  # BMP: pictures of one size have files of one size
    picture(1).save(file)
    picture(2).save(other)
    with ItemCache(tmp_path / "cache.sqlite") as cache:
        known = _known(cache)
        before = known.identify(file, root=tmp_path)
        known.save()
        status = file.stat()
        shutil.copyfile(other, file)
        if keeps_times:
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        after = _known(cache).identify(file, root=tmp_path)
        assert after == identify(file, root=tmp_path)
        assert after.image_id != before.image_id


def test_a_file_that_is_refused_is_refused_again_until_it_is_mended(tmp_path: Path) -> None:
    file = tmp_path / "one.jpg"
    file.write_bytes(b"no picture")
    with ItemCache(tmp_path / "cache.sqlite") as cache:
        for _ in range(2):
            known = _known(cache)
            with pytest.raises(UnreadableImage, match=r"one\.jpg"):
                known.identify(file, root=tmp_path)
            known.save()
        picture(1).save(file)
        assert _known(cache).identify(file, root=tmp_path).media_type == "image/jpeg"


def _known(cache: ItemCache) -> KnownPictures:
    return KnownPictures(KeptValues(cache, "files"), KeptValues(cache, "origins"))


@pytest.mark.slow
def test_an_audit_of_a_changed_set_says_what_a_new_one_says(tmp_path: Path) -> None:
    rows = clean_rows(24)
    write_pictures(tmp_path, rows)
    file = write_rows(tmp_path / "quiz.csv", plant_faults(tmp_path, rows))
    kept = tmp_path / "kept"
    audit(file, kept, AuditSettings(workers=1))
    with Image.open(tmp_path / rows[20]["image"]) as image:  # a copy comes, another goes, and words change
        image.resize((WIDE * 3 // 4, HIGH * 3 // 4)).save(tmp_path / rows[21]["image"], quality=75)
    picture(99).save(tmp_path / rows[0]["image"], quality=92)
    rows[22]["question"] = "Which thing standz before the umbrella?"
    write_rows(file, rows)
    again, anew = (audit(file, folder, AuditSettings(workers=1)) for folder in (kept, tmp_path / "new"))
    assert {**again.to_json(), "page": None} == {**anew.to_json(), "page": None}
    assert (kept / "audit.html").read_bytes() == (tmp_path / "new" / "audit.html").read_bytes()
    assert any({"q20", "q21"} <= set(finding.items) for finding in again.findings if "duplicate" in finding.kind)
