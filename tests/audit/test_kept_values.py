"""Values that an audit keeps by the thousand in one entry, and picture files that it does not read again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from audited_benches import HIGH, WIDE, clean_rows, picture, plant_faults, write_pictures, write_rows
from PIL import Image

from benchwright.audit import AuditSettings, audit, kept_faults
from benchwright.audit.checks.item_faults import UnfinishedTexts
from benchwright.audit.findings.finding import Finding
from benchwright.audit.source.kept_values import KeptValues, KnownPictures
from benchwright.diagnostics.item_faults import rules
from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify
from benchwright.machine.versions import code_digest
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


def test_rules_of_single_items_are_tried_on_new_items_and_by_new_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    find = rules.faults_of_item
    monkeypatch.setattr(rules, "faults_of_item", lambda facts, of: tried.append(facts.own_id) or find(facts, of))
    rows = [{**row, "image": "", "question": f"{row['question']} TODO"} for row in clean_rows(24)]
    file = write_rows(tmp_path / "quiz.csv", rows)

    def found() -> list[Finding]:
        tried.clear()
        report = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=[UnfinishedTexts()])
        return list(report.findings)

    first = found()
    assert len(first) == len(tried) == len(rows)
    assert found() == first
    assert tried == []
    rows[3]["question"] = rows[3]["question"].replace("TODO", "FIXME")
    write_rows(file, rows)
    assert len(found()) == len(rows)
    assert tried == [rows[3]["id"]]
    monkeypatch.setattr(kept_faults, "code_digest", lambda: "another")
    found()
    assert len(tried) == len(rows)


def test_the_code_s_digest_changes_with_any_file_of_the_package_but_not_of_linked_rooms(tmp_path: Path) -> None:
    package, room = tmp_path / "package", tmp_path / "room"
    for folder in (package / "part", room):
        folder.mkdir(parents=True)
        (folder / "rule.py").write_text("LEAST = 3\n", encoding="utf-8")
    (package / "room").symlink_to(room, target_is_directory=True)
    before = code_digest.__wrapped__(package)
    (room / "rule.py").write_text("LEAST = 4\n", encoding="utf-8")
    assert code_digest.__wrapped__(package) == before
    (package / "part" / "rule.py").write_text("LEAST = 4\n", encoding="utf-8")
    assert code_digest.__wrapped__(package) != before


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
