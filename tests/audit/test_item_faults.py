"""The audit names items with faults that rules find: in words, in names and metadata of files, in gray pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from audited_benches import clean_rows, write_rows
from PIL import Image, PngImagePlugin

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.item_faults import (
    AnswersGivenAway,
    NamedPictures,
    Options,
    PersonalData,
    UnfinishedTexts,
)
from benchwright.audit.findings.finding import Finding
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.setting_right.annotator_questions import questions_of
from benchwright.diagnostics.item_faults.rules import RULES

CHECKS = (Options(), AnswersGivenAway(), NamedPictures(), UnfinishedTexts(), PersonalData())
ANIMALS = {"A": "fox", "B": "hen", "C": "owl", "D": "bee"}


def _noise(number: int, *, grey: bool = False) -> Image.Image:
    pixels = np.random.default_rng(number).integers(0, 256, (48, 64, 1 if grey else 3), np.uint8)
    return Image.fromarray(np.repeat(pixels, 3, axis=2) if grey else pixels)


def _with_exif(text: str) -> bytes:
    exif = Image.Exif()
    exif[0x010E] = text
    return exif.tobytes()


XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li>An owl at night</rdf:li>'
    "</rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    folder = tmp_path_factory.mktemp("faults")
    question = "Which animal is this?"
    rows: dict[str, dict[str, Any]] = {
        "exif": {"image": "1.jpg", "answer": "A"},
        "xmp": {"image": "2.jpg", "answer": "C"},
        "png": {"image": "3.png", "answer": "B"},
        "name": {"image": "bee_004.png", "answer": "D"},
        "grey": {
            "image": "5.png",
            "answer": "A",
            "question": "What color is it?",
            "A": "red",
            "B": "blue",
            "C": "tan",
            "D": "pink",
        },
        "color": {
            "image": "6.png",
            "answer": "B",
            "question": "What color is it?",
            "A": "red",
            "B": "blue",
            "C": "tan",
            "D": "pink",
        },
        "second": {"image": "7.png", "answer": "C", "question": "What does the second picture show?"},
        "letters": {"image": "8.png", "answer": "D", "A": "both B and C"},
        "phone": {"image": "9.png", "answer": "A", "question": "Whose number is +49 30 901820?"},
        "field": {"image": "10.png", "answer": "B", "question": "Which {animal} is this?"},
        "sound": {"image": "11.png", "answer": "C"},
    }
    _noise(1).save(folder / "1.jpg", exif=_with_exif("A fox in the snow"))
    _noise(2).save(folder / "2.jpg", xmp=XMP.encode())
    told = PngImagePlugin.PngInfo()
    told.add_text("Description", "hen, farm")
    told.add_text("Software", "fox 3.1")
    _noise(3).save(folder / "3.png", pnginfo=told)
    for number, row in enumerate(rows.values(), start=1):
        if number > 3:
            _noise(number, grey=number == 5).save(folder / row["image"])
    source = folder / "quiz.jsonl"
    lines = (json.dumps({"id": name, "question": question, **ANIMALS, **row}) for name, row in rows.items())
    source.write_text("\n".join(lines), encoding="utf-8")
    return audit(source, folder / "out", AuditSettings(workers=1), checks=CHECKS)


def test_each_faulty_item_is_named_by_one_finding_and_the_sound_ones_by_none(report: AuditReport) -> None:
    assert [run.state for run in report.checks] == ["done"] * len(CHECKS)
    found = {(finding.kind, finding.severity, finding.items) for finding in report.findings}
    assert found == {
        ("metadata_name_answer", "medium", ("exif",)),
        ("metadata_name_answer", "medium", ("xmp",)),
        ("metadata_name_answer", "medium", ("png",)),
        ("file_name_names_answer", "medium", ("name",)),
        ("color_of_grey_picture", "medium", ("grey",)),
        ("named_picture_not_there", "medium", ("second",)),
        ("option_points_at_others", "medium", ("letters",)),
        ("personal_data", "medium", ("phone",)),
        ("template_field", "medium", ("field",)),
    }


def test_the_evidence_stands_in_words(report: AuditReport) -> None:
    words = {finding.items[0]: finding.summary for finding in report.findings}
    assert words["exif"] == "EXIF ImageDescription of 1.jpg names the right option, 'fox', and no wrong one."
    assert words["xmp"].startswith("XMP title of 2.jpg names the right option, 'owl'")
    assert words["png"].startswith("PNG Description of 3.png names the right option, 'hen'")


def test_people_are_asked_about_faults_of_words(report: AuditReport) -> None:
    assert {"letters", "second", "phone", "field", "grey"} <= questions_of(report).items.keys()


def _found(folder: Path, rows: list[dict[str, str]], changes: Mapping[str, str]) -> list[Finding]:
    for row in rows:
        row[row["answer"]] += changes.get(row["answer"], "")
    report = audit(write_rows(folder / "q.csv", rows), folder / "out", AuditSettings(workers=1), checks=CHECKS)
    return [finding for finding in report.findings if finding.severity != "low"]


def test_a_blank_at_the_end_of_right_options_of_a_table_is_seen(tmp_path: Path) -> None:
    [finding] = _found(tmp_path, clean_rows(40), dict.fromkeys("ABCD", " "))
    assert (finding.kind, finding.severity, len(finding.items)) == ("mark_of_right_options", "high", 40)


def test_a_clean_set_of_words_has_no_such_fault(tmp_path: Path) -> None:
    assert _found(tmp_path, clean_rows(40), {}) == []


def test_every_rule_stands_on_the_page_of_the_audit() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "audit-kinds.md").read_text(encoding="utf-8")
    rows = [f"| `{rule.kind}` | {rule.severity} | {rule.what} |" for rule in RULES]
    assert [row for row in rows if row not in page] == []


@pytest.mark.parametrize("own_ids", [False, True], ids=["made by the layout", "stated by the source"])
def test_only_ids_that_the_source_states_can_give_keys_away(own_ids: bool, tmp_path: Path) -> None:
    entries = [
        {"id": number, "image_0": f"{number}a.jpg", "image_1": f"{number}b.jpg",
         "caption_0": f"person {number} kisses a dog", "caption_1": f"a dog kisses person {number}"}
        for number in range(8)
    ]  # fmt: skip
    rows = [
        {"id": f"{entry['id']}-image_{place}", "question": "Which caption fits?", "image": entry[f"image_{place}"],
         "options": [entry["caption_0"], entry["caption_1"]], "answer": "AB"[place]}
        for entry in entries for place in (0, 1)
    ]  # fmt: skip
    lines = [json.dumps(line) for line in (rows if own_ids else entries)]
    (tmp_path / "q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = audit(tmp_path / "q.jsonl", tmp_path / "out", AuditSettings(workers=1), checks=(AnswersGivenAway(),))
    assert ("ids_tell_keys" in {finding.kind for finding in found.findings}) is own_ids
