"""What `benchwright doctor` says of OCR."""

from __future__ import annotations

import sys

import pytest

from benchwright.doctor import Check, examine


def _ocr() -> Check:
    return next(check for check in examine() if check.name == "text in images (OCR)")


def test_ocr_that_is_installed_is_named_with_its_version() -> None:
    assert _ocr() == Check("text in images (OCR)", True, "rapidocr 3.10.0")


def test_ocr_that_is_missing_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    check = _ocr()
    assert not check.ok
    assert "pip install 'benchwright[filters]'" in str(check.fix)
