"""Documents that contain their own digest, and data with a checksum: no flipped bit is accepted as the written
value.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.canonical import bytes_digest
from benchwright.errors import DamagedError
from benchwright.pipeline.seen_files import checked_line, text_of
from benchwright.workspace.atomic import write_json
from benchwright.workspace.checked_files import CheckedFiles, checked_files
from benchwright.workspace.sealed import SEAL, read_sealed, write_sealed

DOCUMENT = {"format": "some/thing", "version": 1, "split": "test", "sha256": "ab" * 32, "rows": 12, "none": None}


def _flips(data: bytes) -> list[bytes]:
    return [
        data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
        for place in range(len(data))
        for bit in range(8)
    ]


def test_no_flipped_bit_of_a_sealed_document_gives_another_value(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    write_sealed(path, DOCUMENT)
    assert read_sealed(path) == DOCUMENT
    refused = 0
    for data in _flips(path.read_bytes()):
        path.write_bytes(data)
        try:
            assert read_sealed(path) == DOCUMENT
        except DamagedError:
            refused += 1
    assert refused > 1500


def test_a_document_of_an_older_program_is_read_as_it_is(tmp_path: Path) -> None:
    write_json(tmp_path / "document.json", DOCUMENT)
    assert read_sealed(tmp_path / "document.json") == DOCUMENT


def test_what_is_damaged_says_which_file_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    write_json(path, {**DOCUMENT, SEAL: "0" * 64})
    with pytest.raises(DamagedError, match=r"document\.json is damaged: .*; `benchwright check WORKSPACE --repair`"):
        read_sealed(path)
    path.write_text("[1]")
    with pytest.raises(DamagedError, match="is not a JSON object"):
        read_sealed(path)


def test_no_flipped_bit_of_a_line_gives_another_text() -> None:
    text = json.dumps({"uri": "cup.png", "seen": {"width": 640}})
    assert text_of(checked_line(text)) == text
    for data in _flips(checked_line(text).encode()):
        with pytest.raises(ValueError, match="damaged"):
            text_of(data.decode("utf-8", "replace"))


def test_an_unchanged_file_is_not_read_again_and_a_changed_one_is(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    path = tmp_path / "table"
    path.write_bytes(b"rows")
    sha256 = bytes_digest(b"rows")
    checked = CheckedFiles(tmp_path)
    assert checked.wrong(path, sha256) is None
    checked.save(tmp=tmp_path)
    path.chmod(0)  # its change time is another one: it is read again
    path.chmod(0o644)
    again = CheckedFiles(tmp_path)
    assert again.wrong(path, sha256) is None
    path.write_bytes(b"rowt")
    assert "is damaged" in str(again.wrong(path, sha256))
    assert again.wrong(tmp_path / "gone", sha256) == "is missing"
    with pytest.raises(DamagedError, match="table is damaged"):
        again.require(path, sha256)
    assert checked_files(tmp_path) is checked_files(tmp_path / ".")


def test_a_file_that_a_run_hashed_counts_as_checked_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, checked = tmp_path / "table", CheckedFiles(tmp_path)
    path.write_bytes(b"rows")
    sha256 = checked.digest(path)
    assert sha256 == bytes_digest(b"rows")
    monkeypatch.setattr("hashlib.file_digest", None)
    assert checked.wrong(path, sha256) is None
    monkeypatch.undo()
    path.write_bytes(b"more rows")
    assert "is damaged" in str(checked.wrong(path, sha256))
