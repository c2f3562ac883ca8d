"""Facts files: valid statements are read, and invalid ones are reported by file, line, key and value."""

from __future__ import annotations

from pathlib import Path

import pytest
from facts_samples import GOOD

from benchwright.errors import DataError
from benchwright.facts import read_facts
from benchwright.facts.facts_file import parse_facts


def test_a_good_file_is_read() -> None:
    facts = parse_facts(GOOD, "facts.yaml")
    assert facts.images["cup.png"].subjects[0].box == (5, 6, 30, 35)
    assert facts.images["lake.png"].subjects == ()


def test_comments_and_layout_do_not_change_the_digest_and_facts_do() -> None:
    plain = parse_facts(GOOD, "facts.yaml").sha256
    assert parse_facts("# a comment\n" + GOOD.replace("[60, 40]", "[ 60,  40 ]"), "other.yaml").sha256 == plain
    assert parse_facts(GOOD.replace("the cup", "the mug"), "facts.yaml").sha256 != plain


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("name: water", "name: shore", ["line 32", "name", "shore", "stands twice"], id="question-twice"),
        pytest.param(
            "right: Calm", "right: rough", ["line 32", "wrong", "rough", "twice"], id="plain-right-among-wrong"
        ),
        pytest.param("[5, 6, 30, 35]", "[5, 6, 61, 35]", ["line 10", "box", "61", "60 x 40"], id="outside"),
        pytest.param("[5, 6, 30, 35]", "[30, 6, 5, 35]", ["line 10", "box", "x0 < x1"], id="turned-round"),
        pytest.param("[5, 6, 30, 35]", "[5, 6, .nan, 35]", ["line 10", "box"], id="not-a-number"),
        pytest.param("[5, 6, 30, 35]", "[5, 6, 30]", ["line 10", "box"], id="three-sides"),
        pytest.param("[[10, 12]]", "[[10, 40]]", ["line 12", "inside.0", "[10.0, 40.0]"], id="point-outside"),
        pytest.param("onto: [lake.png]", "onto: [sea.png]", ["line 13", "onto.0", "'sea.png'"], id="unknown-picture"),
        pytest.param("onto: [lake.png]", "onto: [cup.png]", ["line 13", "onto.0", "'cup.png'"], id="itself"),
        pytest.param("background: a lake", "background: a table", ["line 13", "reads like"], id="equal-backgrounds"),
        pytest.param("    background: a table\n", "", ["own background"], id="no-background"),
        pytest.param("other_modality", "modality", ["line 16", "why", "'modality'"], id="unknown-why"),
        pytest.param("[Bitter, Sweet]", "[Sweet, sweet]", ["line 18", "wrong.1", "'sweet'"], id="answer-twice"),
        pytest.param("Four, Five]", "Four]", ["line 26", "wrong"], id="five-options"),
        pytest.param("Four, Five]", "Four, Rest.]", ["line 26", "'Rest.'", "twice"], id="right-among-wrong"),
        pytest.param("domain: life", "domain: live", ["line 21", "domain", "'live'"], id="unknown-domain"),
        pytest.param("phrase:", "phrse:", ["line 9", "phrse", "'phrase'"], id="misspelled-key"),
        pytest.param("  cup.png:", "  ../cup.png:", ["line 4", "'../cup.png'"], id="path-out-of-the-folder"),
        pytest.param(
            "    size_wh: [50, 70]", "    also: [cup.png]\n    size_wh: [50, 70]", ["line 28"], id="name-twice"
        ),
        pytest.param("version: 1", "version: 2", ["line 2", "version", "2"], id="future-version"),
        pytest.param("a table", "&t a table\n    also: [*t]", ["aliases"], id="alias"),
        pytest.param("a table", "!!python/name:os.system x", ["line 6"], id="tag"),
        pytest.param("the cup", "'  '", ["line 9", "phrase"], id="blank-text"),
    ],
)
def test_a_mistake_is_named_with_file_line_key_and_value(old: str, new: str, said: list[str]) -> None:
    assert old in GOOD
    with pytest.raises(DataError) as error:
        parse_facts(GOOD.replace(old, new), "facts.yaml")
    assert str(error.value).startswith("facts.yaml: line ")
    assert [part for part in said if part not in str(error.value)] == []


MASKED = GOOD.replace("[[10, 12]]\n", "[[10, 12]]\n          mask: {size: [40, 60], counts: 'e<X6Sh1'}\n")


def test_a_cut_out_can_be_a_mask_as_coco_writes_it() -> None:
    cut_out = parse_facts(MASKED, "facts.yaml").images["cup.png"].subjects[0].cut_out
    assert cut_out is not None
    assert cut_out.mask is not None
    assert cut_out.mask.size == (40, 60)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(
            "size: [40, 60]", "size: [60, 40]", "line 13: .*mask.size.* 40 x 60 cells does not fit 60 x 40", id="turned"
        ),
        pytest.param("size: [40, 60]", "size: [40, 61]", "line 13: .*cells", id="does-not-fill"),
        pytest.param("e<X6Sh1", "ä", "line 13: .*'ä' at character 1", id="no-run-lengths"),
    ],
)
def test_a_mask_that_cannot_be_is_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        parse_facts(MASKED.replace(old, new), "facts.yaml")


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words", "images: [" * 3])
def test_what_is_no_facts_file_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"facts\.yaml: line "):
        parse_facts(text, "facts.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.yaml cannot be read: No such file"):
        read_facts(tmp_path / "none.yaml")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "facts.yaml").write_bytes(b"format: \xff\xfe")
    with pytest.raises(DataError, match="not UTF-8"):
        read_facts(tmp_path / "facts.yaml")


def test_all_mistakes_that_the_models_see_are_told_at_once() -> None:
    text = GOOD.replace("size_wh: [60, 40]", "size_wh: [0, 40]").replace("why: other_modality", "why: smell")
    text = text.replace("right: Flat", "write: Flat").replace("emotion: positive", "emotion: glad")
    with pytest.raises(DataError) as caught:
        parse_facts(text, "facts.yaml")
    assert [line.split(": ")[1] for line in caught.value.mistakes] == ["line 5", "line 16", "line 22", "line 31"]
    assert "did you mean 'right'?" in caught.value.mistakes[3]


def test_all_places_and_names_that_lead_nowhere_are_told_at_once() -> None:
    text = GOOD.replace("[5, 6, 30, 35]", "[5, 6, 300, 35]").replace("onto: [lake.png]", "onto: [sea.png]")
    text = text.replace("wrong: [Steep, Rocky]", "wrong: [flat , Rocky]")
    with pytest.raises(DataError) as caught:
        parse_facts(text, "facts.yaml")
    assert [line.split(": ")[1] for line in caught.value.mistakes] == ["line 10", "line 13", "line 31"]
