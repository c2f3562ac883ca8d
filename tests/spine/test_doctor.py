"""The report of `benchwright doctor` on optional features."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

from benchwright.cli.doctor import Check, examine


def _check(name: str) -> Check:
    return next(check for check in examine() if check.name == name)


def _ocr() -> Check:
    return _check("text in images (OCR)")


def test_ocr_that_is_installed_is_named_with_its_version() -> None:
    assert _ocr() == Check("text in images (OCR)", True, "rapidocr 3.10.0")


def test_ocr_that_is_missing_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    check = _ocr()
    assert not check.ok
    assert "pip install 'benchwright[filters]'" in str(check.fix)


def test_the_review_app_is_named_with_its_version() -> None:
    assert _check("review app") == Check("review app", True, "streamlit 1.67.0")


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("review app", "streamlit", "app"),
        ("passwords of the review app", "argon2", "app"),
    ],
)
def test_what_is_missing_is_named_with_the_extra_that_brings_it(
    name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    check = _check(name)
    assert not check.ok
    assert f"pip install 'benchwright[{extra}]'" in str(check.fix)


@pytest.mark.slow
def test_everything_that_an_extra_brings_for_users_is_looked_for() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for_users = set(extras) - {"all", "dev", "docs", "ocr-paddle"}  # PaddleOCR has an environment of its own
    told = " ".join(f"{check.found} {check.fix}" for check in _examined_without_extras())
    assert {extra for extra in for_users if f"benchwright[{extra}]" not in told} == set()
    for package in ("label-studio-sdk", "segment-anything", "diffusers", "paddleocr", "streamlit", "torch"):
        assert re.search(rf"\b{package}\b", f"{told} {[check.name for check in examine()]}", re.I), package


def _examined_without_extras() -> list[Check]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchwright.cli.doctor.find_spec", lambda name: None)
        return examine()


def test_nothing_is_said_to_come_later_and_commands_that_are_named_exist() -> None:
    told = "\n".join(f"{check.found} {check.fix or ''}" for check in examine())
    assert not re.search(r"\byet\b|later version|no step uses", told)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"\bmake ([a-z-]+)", told)
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.M)] == []


def test_without_a_browser_the_tests_that_need_one_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    check = _check("Chromium for tests")
    assert (check.ok, check.needed) == (False, False)
    assert "make browser" in str(check.fix)


def test_paddleocr_is_told_where_an_environment_of_its_own_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "text in images (PaddleOCR)"
    monkeypatch.setitem(sys.modules, "paddleocr", None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BENCHWRIGHT_PADDLE_PYTHON", raising=False)
    assert "make paddle" in str(_check(name).fix)
    monkeypatch.setenv("BENCHWRIGHT_PADDLE_PYTHON", str(tmp_path / "gone"))
    assert "which is not a file" in _check(name).found
    monkeypatch.setenv("BENCHWRIGHT_PADDLE_PYTHON", sys.executable)
    assert _check(name).found == f"{sys.executable} has no paddleocr"
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 3.7.0\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("BENCHWRIGHT_PADDLE_PYTHON", str(program))
    assert _check(name) == Check(name, True, f"paddleocr 3.7.0 in {program}")
