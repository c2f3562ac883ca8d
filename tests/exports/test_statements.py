"""A release's card contains curators' statements in their own words; the rest of the card is derived from facts."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from photograph_bench import PhotographBench
from pydantic import ValidationError
from small_bench import BenchView, reseal

from benchwright.errors import DataError
from benchwright.exports.freezing.step import Freeze, freeze
from benchwright.images import decode_rgb, encode_png
from benchwright.release import Release, verify_release
from benchwright.release.format.statements import Statements, read_statements

pytestmark = pytest.mark.slow

STATED = {
    "authors": ["Ada X", "Bo Y"],
    "url": "https://example.org/quiz",
    "languages": ["en", "ar"],
    "consent": "All signed a form.\n## Items\nnone",
    "pay": "15 EUR an hour.",
    "access_terms": "For research only: <b>no training</b>.",
    "access_fields": ["Name", "Affiliation"],
    "datasheet": {"purpose": "To see who sees.", "maintenance": "Ada X answers mail."},
}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return frozen(tmp_path_factory.mktemp("stated"), **STATED)


def frozen(folder: Path, **stated: Any) -> Release:
    bench = PhotographBench(folder / "p")
    for number, licence in enumerate(("CC BY 4.0", "cc-by-4.0", None)):
        source = {"licence": licence, "author": "=HYPERLINK(1)"}
        bench.ask(bench.photograph(f"{number}.jpg", number, source=source))
    settings = {"name": "quiz", "version": "1.0", "licence": "cc-by-4.0", "statements": stated}
    return freeze(
        Freeze.model_validate(settings), BenchView(bench, None), workspace=folder, seed=17, recipe={"name": "quiz"}
    )


def card_of(release: Release) -> str:
    return (release.path / "README.md").read_text()


def test_what_is_stated_is_on_the_card_and_the_release_verifies(release: Release) -> None:
    head = yaml.safe_load(card_of(release).split("---")[1])
    assert head["language"] == ["en", "ar"]
    assert head["extra_gated_prompt"] == STATED["access_terms"]
    assert head["extra_gated_fields"] == {"Name": "text", "Affiliation": "text"}
    text = card_of(release)
    for words in ("How annotators were paid: 15 EUR an hour.", "## Access", "To see who sees.", "Ada X answers mail."):
        assert words in text
    assert "\n## Items\nnone" not in text, "words of curators are no headings"
    verification = verify_release(release.path)
    assert verification.problems == []


def test_licences_stand_in_sum_on_the_card_and_by_image_beside_it(release: Release) -> None:
    assert "In total: CC-BY-4.0 2, not stated 1." in card_of(release)
    with (release.path / "image_sources.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert sorted((row["file"], row["licence"]) for row in rows) == [
        ("0.jpg", "CC BY 4.0"), ("1.jpg", "cc-by-4.0"), ("2.jpg", ""),
    ]  # fmt: skip
    assert {row["author"] for row in rows} == {"'=HYPERLINK(1)"}


def test_the_citation_has_what_the_format_demands(release: Release) -> None:
    cited = yaml.safe_load((release.path / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited["authors"] == [{"name": "Ada X"}, {"name": "Bo Y"}]
    assert (cited["license"], cited["version"], cited["type"]) == ("CC-BY-4.0", "1.0", "dataset")
    assert cited["identifiers"][0]["value"] == f"benchwright:{release.content_id}"
    assert "author = {{Ada X} and {Bo Y}}" in card_of(release)


def test_an_item_with_marks_is_shown_as_models_see_it(tmp_path: Path) -> None:
    bench = PhotographBench(tmp_path / "p")
    for number in range(4):
        bench.ask(bench.photograph(f"{number}.jpg", number), marked=number == 2, question=f"Is *this* number {number}?")
    settings = Freeze.model_validate({"name": "quiz", "version": "1.0"})
    release = freeze(settings, BenchView(bench, None), workspace=tmp_path, seed=17, recipe={"name": "quiz"})
    text = card_of(release)
    assert "![The pictures of this item, as models see them](example.png)\n\nIs \\*this\\* number 2?" in text
    marked = next(released for released in release.items() if released.item.images[0].prompts)
    assert marked.drawn[0] is not None
    shown = decode_rgb((release.path / "example.png").read_bytes())
    assert np.array_equal(shown, decode_rgb(marked.drawn[0]))
    assert verify_release(release.path).problems == []
    (release.path / "example.png").write_bytes(encode_png(255 - shown))
    reseal(release.path)
    assert verify_release(release.path).problems == ["example.png: does not show the pictures of the card's example"]


def test_what_nobody_stated_is_left_open_in_words(tmp_path: Path) -> None:
    release = frozen(tmp_path)
    assert release.manifest.statements is None
    text = card_of(release)
    assert "**Who funded the creation of the dataset?** *Not answered by the curators.*" in text
    assert "**Are there recommended data splits?** test (3)." in text
    assert "## Access" not in text
    assert yaml.safe_load((release.path / "CITATION.cff").read_text())["authors"] == [{"name": "The curators of quiz"}]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("CITATION.cff", "Ada X", "Eve Z"),
        ("image_sources.csv", "CC BY 4.0", "CC0-1.0"),
        ("README.md", "15 EUR an hour", "50 EUR an hour"),
        ("README.md", "In total: CC-BY-4.0 2", "In total: CC0-1.0 2"),
    ],
)
def test_what_was_changed_is_found(tmp_path: Path, name: str, old: str, new: str) -> None:
    release = frozen(tmp_path, **STATED)
    path = release.path / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    reseal(release.path)
    assert any(line.startswith(name) for line in verify_release(release.path).problems)


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"pays": "x"}, "pays"),
        ({"languages": ["English!"]}, "languages"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"datasheet": {"why": "x"}}, "no question has the key 'why'"),
    ],
)
def test_what_cannot_be_stated_is_refused_by_name(tmp_path: Path, stated: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Statements.model_validate(stated)
    path = tmp_path / "stated.yaml"
    path.write_text(json.dumps(stated))
    with pytest.raises(DataError, match=r"stated\.yaml"):
        read_statements(path)
