"""Invisible characters in the texts of a benchmark: found by the audit, with the texts spelled out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from audited_benches import clean_rows, write_rows

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.item_faults import HiddenCharacters
from benchwright.audit.findings.report import AuditReport

CHANGES = {
    2: {"question": "Which one is \u202eder\u202c?"},
    3: {"A": "the red\u200b cup"},
    4: {"B": "a\x1b[8mb"},
    5: {"question": "کدام را می\u200cبینید؟", "A": "👩\u200d🚀 می\u200cخواهم", "B": "שלום\u200f (1)"},
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    folder = tmp_path_factory.mktemp("hidden")
    rows = [row | CHANGES.get(number, {}) for number, row in enumerate(clean_rows(7))]
    file = write_rows(folder / "questions.csv", rows)
    return audit(file, folder / "out", AuditSettings(workers=1), checks=[HiddenCharacters()])


def test_the_page_draws_formulas_beside_hidden_characters_and_nothing_else(tmp_path: Path) -> None:
    rows = clean_rows(3)
    rows[1] |= {"question": "Is \u202e $x^2$ <i>more</i> than $5 and $10?", "A": r"$\frac{1}{2}$"}
    audit(
        write_rows(tmp_path / "questions.csv", rows),
        tmp_path / "out",
        AuditSettings(workers=1),
        checks=[HiddenCharacters()],
    )
    page = (tmp_path / "out" / "audit.html").read_text(encoding="utf-8")
    [shown] = re.findall(r'<p class="question" dir="auto">(.*?)</p>', page)
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in shown
    assert "&lt;i&gt;more&lt;/i&gt; than $5 and $10?" in shown
    assert "\\u202e" in shown
    assert "<mfrac>" in page


def test_hidden_characters_are_findings_of_their_kind_and_those_of_scripts_and_emoji_are_not(
    report: AuditReport,
) -> None:
    found = {finding.kind: (finding.severity, finding.certainty, finding.items) for finding in report.findings}
    assert found == {
        "bidirectional_control": ("medium", "certain", ("q2",)),
        "control_character": ("medium", "certain", ("q4",)),
        "zero_width_character": ("low", "certain", ("q3",)),
    }
    texts = {key: text for finding in report.findings for key, text in finding.evidence["texts"].items()}
    assert texts["q2, question"] == "Which one is \\u202eder\\u202c?"
    assert texts["q3, option A"] == "the red\\u200b cup"
