"""Facts as tables, skeletons and text: CSV and YAML of equal content are equal; all mistakes are reported at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT
from facts_samples import GOOD
from PIL import Image

from benchwright.cli.main import invoke
from benchwright.errors import DataError
from benchwright.facts import facts_table, facts_yaml, read_facts
from benchwright.facts.facts_file import parse_facts
from benchwright.facts.facts_table import COLUMNS
from benchwright.recipe import load_recipe

RECIPES = sorted((ROOT / "benchwright" / "recipes").glob("*.facts.yaml"))
TABLE = """\
# benchwright-facts 1: one row for each picture, box or question
picture,states,name,phrase,x0,y0,x1,y1,inside,onto,why,question,right,wrong_1,wrong_2,wrong_3,wrong_4,wrong_5,background,width,height,image_type,domain,emotion
cup.png,picture,,,,,,,,,,,,,,,,,a table,60,40,,,
cup.png,subject,cup,the cup,5,6,30,35,10 12,lake.png,,,,,,,,,,,,,,
cup.png,unanswerable,taste,,,,,,,,other_modality,How does it taste?,,Bitter,Sweet,,,,,,,,,
cup.png,implication,,,,,,,,,,What does it say?,Rest.,One,Two,Three,Four,Five,,,,photograph,life,positive
lake.png,answerable,shore,,,,,,,,,What is the shore like,Flat,Steep,Rocky,,,,,,,,,
lake.png,picture,,,,,,,,,,,,,,,,,a lake,50,70,,,
lake.png,answerable,water,,,,,,,,,What is the water like,Calm,Rough,Frozen,,,,,,,,,
"""


def test_a_table_and_a_yaml_file_of_the_same_content_give_equal_facts() -> None:
    assert parse_facts(TABLE, "facts.csv").sha256 == parse_facts(GOOD, "facts.yaml").sha256


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_facts_come_back_from_their_table_and_from_their_text(path: Path) -> None:
    facts = read_facts(path)
    assert parse_facts(facts_table(facts.images), "facts.csv").sha256 == facts.sha256
    assert parse_facts(facts_yaml(facts.images, comment="two\nlines"), "facts.yaml").sha256 == facts.sha256


def test_texts_that_a_spreadsheet_or_yaml_would_take_for_something_else_come_back() -> None:
    odd = ["=SUM(A1)", "'-1", "on", "12:30", "a|b", "[x]", "# no", "1e3", "ü \u2028 ß", 'say "x", y; z']
    pictures = {f"p{number}.png": {"also": [f"{text} {number}"], "background": text} for number, text in enumerate(odd)}
    document = {"format": "benchwright-facts", "version": 1, "images": pictures}
    facts = parse_facts(json.dumps(document, ensure_ascii=True), "facts.yaml")
    assert parse_facts(facts_table(facts.images), "facts.csv").sha256 == facts.sha256
    assert parse_facts(facts_yaml(facts.images), "facts.yaml").sha256 == facts.sha256


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_a_byte_order_mark_and_decimal_commas_are_read(tmp_path: Path, delimiter: str) -> None:
    text = TABLE.replace(",5,6,30,35,", ",5.5,6,30,35,").replace(",", delimiter).replace("5.5", "5,5")
    (tmp_path / "f.csv").write_text(text, encoding="utf-8-sig", newline="\r\n")
    assert read_facts(tmp_path / "f.csv").images["cup.png"].subjects[0].box == (5.5, 6, 30, 35)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(",5,6,30,", ",5,6,x,", r"line 4: column 'x1': 'x' is not valid: give a number", id="no-number"),
        pytest.param(",5,6,30,", ",5,6,61,", r"line 4: column 'x0': \[5.0, 6.0, 61.0, 35.0\] .*60 x 40", id="outside"),
        pytest.param(",5,6,30,", ",5,6,,", r"line 4: column 'x1' is empty; a subject needs it", id="empty"),
        pytest.param("10 12", "10", r"line 4: column 'inside': '10' .*such as 290 60", id="half-a-point"),
        pytest.param(
            "10 12", "10 41", r"line 4: column 'inside': \[10.0, 41.0\] .*outside the picture", id="point-outside"
        ),
        pytest.param("other_modality", "smell", r"line 5: column 'why': 'smell' is not valid", id="why"),
        pytest.param(",Bitter,Sweet", ",Sweet,Sweet", r"line 5: column 'wrong_2': 'Sweet' .*twice", id="twice"),
        pytest.param(
            "unanswerable,taste", "unanswerabel,taste", r"line 5: column 'states': .*'unanswerable'", id="kind"
        ),
        pytest.param("cup.png,unanswerable", ",unanswerable", r"line 5: column 'picture' is empty", id="no-picture"),
        pytest.param("cup,the cup", "Cup,the cup", r"line 4: column 'name': 'Cup' is not valid", id="name"),
        pytest.param("lake.png,,", "sea.png,,", r"line 4: column 'onto': 'sea.png' .*not the key", id="onto"),
        pytest.param("a lake,50", "a lake,0", r"line 8: column 'width': 0 is not valid", id="size"),
        pytest.param("a lake,50,70", "a lake,50,", r"line 8: column 'height' is empty", id="half-a-size"),
        pytest.param(
            "lake.png,picture",
            "cup.png,picture",
            r"line 8: an earlier row already describes the picture 'cup.png'",
            id="again",
        ),
        pytest.param(
            "Steep,Rocky,",
            "Steep,Rocky,,,,,,,,,,,,x,",
            r"line 7: 3[0-9] cells where there are 24 columns",
            id="too-long",
        ),
        pytest.param(
            "question,right", "qestion,right", r"line 2: unknown column 'qestion'; did you mean 'question'", id="header"
        ),
        pytest.param("facts 1:", "facts 2:", r"line 1: the table has version 2", id="version"),
        pytest.param("a table", '"a table', r"line 3: no CSV", id="quotes"),
        pytest.param("photograph,life", "photo,life", r"line 6: column 'image_type': 'photo'", id="type"),
        pytest.param(",Four,Five", ",Four,", r"line 6: column 'wrong_5'|line 6: column 'wrong_1'", id="four"),
    ],
)
def test_a_mistake_in_a_table_is_named_with_line_column_and_value(old: str, new: str, words: str) -> None:
    assert old in TABLE
    with pytest.raises(DataError, match=words):
        parse_facts(TABLE.replace(old, new), "facts.csv")


def test_all_mistakes_of_a_table_are_told_at_once() -> None:
    text = (
        TABLE.replace(",5,6,30,", ",5,6,61,")
        .replace("other_modality", "smell")
        .replace("lake.png,picture", "lake.png,pictur")
    )
    with pytest.raises(DataError) as caught:
        parse_facts(text, "facts.csv")
    assert [line.split(": ")[1] for line in caught.value.mistakes] == ["line 4", "line 4", "line 5", "line 8"]


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    (folder / "below").mkdir(parents=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (60, 40), (9, 20, 90)).save(folder / "turned.jpg", exif=exif)
    for name in ("cup.png", "below/copy: of cup.png", "=lake.png"):
        Image.new("RGB", (50, 70), (len(name) if "lake" in name else 7, 1, 2)).save(folder / name)
    (folder / "notes.txt").write_text("no picture", encoding="utf-8")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return folder


class Done(NamedTuple):
    exit_code: int
    stdout: str
    output: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def run(*arguments: object) -> Done:
        code = invoke([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return Done(code, streams.out, streams.out + streams.err)

    return run


@pytest.mark.parametrize("table", [False, True], ids=["yaml", "csv"])
def test_a_skeleton_has_the_pictures_of_the_folder_upright_and_names_what_is_none(
    images: Path, tmp_path: Path, command: Callable[..., Done], table: bool
) -> None:
    out = tmp_path / ("own.csv" if table else "own.yaml")
    done = command("facts", "new", "--images", images, "--out", out, "--json", *(["--csv"] if table else []))
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["pictures"], document["same_bytes"]) == (3, 1)
    assert [entry["path"] for entry in document["unreadable"]] == ["broken.png", "notes.txt"]
    facts = read_facts(out).images
    assert {key: picture.size_wh for key, picture in facts.items()} == {
        "=lake.png": (50, 70), "below/copy: of cup.png": (50, 70), "turned.jpg": (40, 60),
    }  # fmt: skip
    assert facts["below/copy: of cup.png"].also == ("cup.png",)
    text = out.read_text(encoding="utf-8")
    keys = (
        COLUMNS if table else ("size_wh", "background", "box", "inside", "outside", "onto", "why", "wrong", "emotion")
    )
    assert [key for key in keys if key not in text] == []
    said = command("facts", "check", out)
    assert (said.exit_code, "3 of the pictures have no facts" in said.stdout) == (0, True)


def test_a_skeleton_overwrites_nothing_and_does_not_lie_among_the_images(
    images: Path, tmp_path: Path, command: Callable[..., Done]
) -> None:
    (tmp_path / "own.yaml").write_text("mine", encoding="utf-8")
    again = command("facts", "new", "--images", images, "--out", tmp_path / "own.yaml")
    assert (again.exit_code, "not overwritten" in again.output) == (2, True)
    assert (tmp_path / "own.yaml").read_text(encoding="utf-8") == "mine"
    inside = command("facts", "new", "--images", images, "--out", images / "facts.yaml")
    assert (inside.exit_code, "among the images" in inside.output) == (2, True)
    assert command("facts", "new", "--images", images, "--out", tmp_path / "own.csv").exit_code == 2


def test_a_skeleton_for_pairs_leads_from_outlines_in_the_app_to_pairs(
    images: Path, tmp_path: Path, command: Callable[..., Done]
) -> None:
    out = tmp_path / "pairs.facts.yaml"
    assert command("facts", "new", "--pairs", "--images", images, "--out", out).exit_code == 0
    for key, picture in read_facts(out).images.items():
        assert picture.size_wh is not None, key
        assert picture.subjects[0].box == (0, 0, *picture.size_wh)
        assert picture.pairs is not None
        assert (picture.pairs.caption, picture.pairs.subject) == ("?", "subject")
    text = out.read_text(encoding="utf-8")
    stated = text.partition("# 1. Outline in the app")[2].partition("benchwright run")[0]
    lines = [line.removeprefix("#        ") for line in stated.splitlines() if line.startswith("#        ")]
    (tmp_path / "pairs.yaml").write_text("\n".join(lines).replace("THIS FILE", out.name), encoding="utf-8")
    steps = [step.name for _, step in load_recipe(tmp_path / "pairs.yaml").steps]
    assert steps == ["mark", "facts", "ideas", "manipulate", "pair_items", "pair_gates"]
    both = command("facts", "new", "--pairs", "--csv", "--images", images, "--out", tmp_path / "x.csv")
    assert (both.exit_code, "exclude each other" in both.output) == (2, True)


def test_mistakes_of_several_files_are_told_at_once(tmp_path: Path, command: Callable[..., Done]) -> None:
    (tmp_path / "a.csv").write_text(
        TABLE.replace("other_modality", "smell").replace("cup,the", "Cup,the"), encoding="utf-8"
    )
    (tmp_path / "b.yaml").write_text("format: benchwright-facts\nversion: 2\nimages: {a.png: {x: 1}}", encoding="utf-8")
    (tmp_path / "c.csv").write_text(TABLE, encoding="utf-8")
    done = command(
        "facts", "check", tmp_path / "a.csv", tmp_path / "b.yaml", tmp_path / "c.csv", tmp_path / "d.yaml", "--json"
    )
    files = json.loads(done.stdout)["files"]
    assert (done.exit_code, [len(file["mistakes"]) for file in files]) == (1, [2, 2, 0, 1])
    assert (files[2]["subjects"], files[2]["answerable"], files[2]["implications"]) == (1, 2, 1)


def test_mistakes_of_two_facts_files_are_told_with_the_recipes_own(tmp_path: Path) -> None:
    from benchwright.errors import RecipeError
    from benchwright.recipe import parse_recipe

    (tmp_path / "a.csv").write_text(TABLE.replace("other_modality", "smell"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text("format: benchwright-facts\nversion: 2\nimages: {}", encoding="utf-8")
    text = "name: t\nshards: 2\nsteps:\n  - {step: facts, file: a.csv}\n  - {step: facts, as: b, file: b.yaml}\n  - {step: jigsaw, x: 1}"
    with pytest.raises(RecipeError) as caught:
        parse_recipe(text, "t.yaml", tmp_path)
    said = "\n".join(caught.value.mistakes)
    assert [part in said for part in ("a.csv: line 5: column 'why'", "b.yaml: line 2", "unknown key 'x'")] == [True] * 3


def test_mistakes_that_only_the_whole_file_shows_are_told_beside_those_of_single_values() -> None:
    text = GOOD.replace("wrong: [Steep, Rocky]", "wrong: []").replace("[5, 6, 30, 35]", "[5, 6, 300, 35]")
    with pytest.raises(DataError) as caught:
        parse_facts(text, "facts.yaml")
    assert [line.split(": ")[1] for line in caught.value.mistakes] == ["line 10", "line 31"]
