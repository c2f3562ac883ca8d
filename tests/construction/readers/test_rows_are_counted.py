"""Every row of a source dataset is used, refused as wrong, or left out by a rule, and is counted once.

Rows are records and the annotations from which they are made. For each reader, a small dataset is damaged in several
ways, and the rows of its files are counted without the reader. A wrong cell never affects more than the annotation that
needs it. The counts appear in the output of `construct check` and `construct survey`, in the workspace, and in the
run's log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.coco_files import write_coco, write_lvis
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.folder_files import write_folder
from dataset_fixtures.funkpoint_files import write_funkpoint
from dataset_fixtures.genome_files import write_genome
from dataset_fixtures.hpatches_files import write_hpatches
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.pictures import save
from dataset_fixtures.spair_files import write_spair
from dataset_fixtures.tally_files import write_tally
from dataset_fixtures.tara_files import articles, write_tara
from dataset_fixtures.vqa_files import write_vqa, write_vqa_documents
from dataset_fixtures.vsr_files import vsr_rows, write_vsr
from dataset_fixtures.wikiart_files import write_wikiart
from dataset_fixtures.wild6d_files import FRAMES, write_wild6d
from dataset_reading import checked, write_lines

from benchwright.cli.main import invoke
from benchwright.construction.datasets.dataset_check import check_dataset
from benchwright.construction.datasets.survey import survey_folder, survey_text
from benchwright.construction.readers.listing import make_reader
from benchwright.recipe import Recipe, step
from benchwright.rooms import catalogue


@dataclass(frozen=True)
class Damaged:
    """What a damaged dataset states, and what has to be said of it."""

    rows: int
    records: int
    refused: dict[str, int]
    left_out: dict[str, int] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def replace(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def edit(path: Path, change: Callable[[Any], None]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def vsr(root: Path) -> Damaged:
    rows = vsr_rows(6)
    rows[1] |= {"subj": "at"}
    rows[2] |= {"label": 3}
    write_vsr(root, rows)
    (root / "images" / rows[5]["image"]).unlink()
    return Damaged(6, 3, {"damaged_text": 1, "bad_row": 1, "missing_picture": 1})


def nights(root: Path) -> Damaged:
    write_nights(root, 6)  # the votes of the fifth, with 5, are too few
    replace(root / "nights" / "data.csv", ("\n2,0,1,", "\n2,1,1,"))
    (root / "nights" / "distort" / "000" / "003_1.png").unlink()
    return Damaged(6, 3, {"bad_row": 1, "missing_picture": 1}, {"few_votes": 1})


def tallyqa(root: Path) -> Damaged:
    write_tally(root, 6)
    edit(root / "tallyqa" / "test.json", lambda rows: rows[4].update(answer="4"))
    rule = {"simple_question": 4}
    return Damaged(6, 1, {"bad_row": 1}, rule, {"complex_only": True})


def tara(root: Path) -> Damaged:
    write_tara(root, 4)
    lines = [*articles(4), articles(4)[1], {"image_url": "no address"}, "{"]
    write_lines(root / "nyt_preprocessed" / "input" / "train.jsonl", lines)
    (root / "nyt_preprocessed" / "input" / "gold_dev.jsonl").unlink()
    return Damaged(7, 4, {"bad_row": 2, "repeated": 1})


def wikiart(root: Path) -> Damaged:
    write_wikiart(root, 6)
    replace(root / "wikiart_csv" / "style_train.csv", ("orne.jpg,12", "orne.jpg,3"))
    (root / "wikiart" / "Abstract_Expressionism" / "gene-davis_untitled-1979(3).jpg").write_bytes(b"no picture")
    return Damaged(6, 4, {"bad_row": 1, "picture_not_an_image": 1})


def funkpoint(root: Path) -> Damaged:
    write_funkpoint(root, 5)
    replace(root / "FunKPoint" / "labels.csv", ("Brush/Dust", "Fly"), ("medium", "middling"))
    return Damaged(5, 3, {"bad_row": 2})


def diw(root: Path) -> Damaged:
    write_diw(root, 5)
    path = root / "DIW_Annotations" / "DIW_test.csv"
    replace(path, ("118,70,257,291,>", "118,70,257,291,="), ("1,91,60,2,>,91,60\n", ""), ("1,92,60,3", "1,192,60,3"))
    return Damaged(5, 2, {"bad_row": 3})


def vqa(root: Path) -> Damaged:
    questions, annotations = write_vqa(root, 6)
    annotations[0]["answers"][2]["answer"] = None  # one of ten
    annotations[1]["image_id"] = 77  # the question and its ten answers
    questions[3]["question"] = ""  # the question, and the answers of none
    write_vqa_documents(root, questions, annotations)
    (root / "val2014" / f"COCO_val2014_{2:012}.jpg").unlink()
    refused = {"bad_row": 1 + 11 + 1, "no_question": 10, "missing_picture": 11}
    return Damaged(6 * 11, 1, refused, {"low_agreement": 22}, {"min_agreement": 0.75})


def iiw(root: Path) -> Damaged:
    photos = write_iiw(root, 4)

    def wrong(document: Any) -> None:
        document["intrinsic_points"][1]["x"] = 1.5  # needed by two comparisons that would count, or would not
        document["intrinsic_comparisons"][2]["darker_score"] = "much"

    edit(root / "data" / "2.json", wrong)
    edit(root / "data" / "3.json", lambda document: document.update(aspect_ratio=2.0))
    rows = sum(1 + len(photo["intrinsic_comparisons"]) for photo in photos)
    rules = {"no_weight": 2 + 2 + 1, "not_opaque": 3}
    return Damaged(rows, 3, {"bad_row": 3, "other_size": 1 + 3}, rules)


def hpatches(root: Path) -> Damaged:
    write_hpatches(root, 4)
    folder = root / "hpatches-sequences-release"
    (folder / "v_tiny0" / "H_1_4").write_text("1 0 0 x", encoding="ascii")
    (folder / "v_tiny2" / "3.ppm").unlink()
    (folder / "v_tiny2" / "5.ppm").write_bytes(b"no picture")
    wrong = {"bad_row": 1, "missing_picture": 1, "picture_not_an_image": 1}
    return Damaged(4 * 6, 2, wrong, {"other_change": 12}, {"change": "viewpoint"})


def coco(root: Path) -> Damaged:
    documents = write_coco(root, 5)

    def wrong(document: Any) -> None:
        document["annotations"][2].update(bbox=[5, 5, 0, 3])
        document["annotations"][3].update(image_id=999)

    edit(root / "annotations" / "instances_val2014.json", wrong)
    edit(root / "annotations" / "captions_val2014.json", lambda document: document["annotations"][1].update(caption=""))
    (root / "val2014" / f"COCO_val2014_{3:012}.jpg").unlink()  # one box and two captions are about it
    rows = sum(len(document["images"]) + len(document["annotations"]) for document in documents.values())
    return Damaged(rows, 8, {"bad_annotation": 2, "bad_row": 1, "missing_picture": 2 + 3})


def lvis(root: Path) -> Damaged:
    document = write_lvis(root, 5)
    path = root / "annotations" / "lvis_v1_val.json"
    edit(path, lambda document: document["annotations"][1].update(bbox=[3, 4, 0, 0]))
    edit(path, lambda document: document["images"][3].update(height=400))  # one box is on it
    rows = len(document["images"]) + len(document["annotations"])
    return Damaged(rows, 4, {"bad_annotation": 1, "other_size": 2})


def spair71k(root: Path) -> Damaged:
    pairs = write_spair(root, 4)
    base = root / "SPair-71k" / "PairAnnotation" / "trn"

    def wrong(document: Any) -> None:
        document["src_kps"][0] = [7, 79]
        document["trg_kps"][1] = [None, 3]

    edit(base / f"{pairs[1]['filename']}.json", wrong)
    (base / f"{pairs[2]['filename']}.json").write_text("{", encoding="utf-8")
    rows = sum(1 + len(pair["kps_ids"]) for pair in pairs) - len(pairs[2]["kps_ids"])  # of which nobody can tell
    return Damaged(rows, 3, {"outside_picture": 1, "bad_row": 2})


def wild6d(root: Path) -> Damaged:
    write_wild6d(root)  # one frame has no mask
    base = root / "Wild6D" / "test_set"
    (base / "bottle" / "0034" / "2021-09-16--18-45-29" / "images" / "3.jpg").unlink()
    with (base / "test_list_mug.txt").open("a", encoding="utf-8") as file:
        file.write("nothing\n")
    rows = 3 * (1 + FRAMES) + 1
    rule = {"more_frames": 3 * (FRAMES - 10) - 2}
    return Damaged(rows, 3, {"missing_mask": 1, "missing_picture": 1, "bad_row": 1}, rule, {"max_frames": 10})


def visual_genome(root: Path) -> Damaged:
    lists = write_genome(root, 5)
    edit(root / "question_answers.json", lambda rows: rows[0]["qas"][0].update(answer=""))
    edit(root / "objects.json", lambda rows: rows[1]["objects"][0].update(names=[]))
    edit(root / "region_descriptions.json", lambda rows: rows[2]["regions"][0].update(phrase=3))
    edit(root / "region_descriptions.json", lambda rows: rows[3].update(id=999))  # a picture that is not there
    objects = sum(1 + len(entry["objects"]) for entry in lists["objects"])
    regions = sum(1 + len(entry["regions"]) for entry in lists["region_descriptions"])
    questions = sum(len(entry["qas"]) for entry in lists["question_answers"])
    return Damaged(questions + objects + regions, 4 + 4 + 4, {"bad_row": 1 + 1 + 1 + 3}, {"nothing_stated": 1})


def folder(root: Path) -> Damaged:
    write_folder(root, "photos/0.jpg,,,,,A cup.,more", "photos/away.jpg,,CC0,,,", "photos/1.jpg,,,,,", count=3)
    return Damaged(6, 3, {"bad_row": 1, "missing_picture": 1, "repeated": 1})


def found(root: Path) -> Damaged:
    for number in range(2):
        save(root / f"{number}.png", number, 60, 40)
    images = [{"id": number, "file_name": f"{number}.png", "width": 60, "height": 40} for number in range(3)]
    boxes = [
        {"id": number, "image_id": image_id, "category_id": category, "bbox": [5 * number + 1, 5, 4, 9]}
        for number, (image_id, category) in enumerate(((0, 1), (0, 7), (1, 1), (2, 1), (9, 1)))
    ]
    marks = {"images": images, "categories": [{"id": 1, "name": "cup"}], "annotations": boxes}
    (root / "marks.json").write_text(json.dumps(marks), encoding="utf-8")
    captions = [{"id": 1, "image_id": 0, "caption": "A cup."}, {"id": 2, "image_id": 1, "caption": ""}]
    text = json.dumps({"images": images[:2], "annotations": captions})
    (root / "captions.json").write_text(text, encoding="utf-8")
    table = {"image": "0.png", "truths": [{"kind": "counts", "question": "How many?", "count": n} for n in (-1, 2)]}
    write_lines(root / "table.jsonl", [table, {"image": "away.png"}])
    wrong = {"bad_annotation": 2 + 1, "missing_picture": 2 + 1, "bad_row": 1}
    return Damaged((3 + 5) + (2 + 2) + (1 + 2 + 1), 2 + 1 + 1, wrong, {"nothing_stated": 1})


DAMAGES: dict[str, Callable[[Path], Damaged]] = {
    damage.__name__: damage
    for damage in (
        vsr, nights, tallyqa, tara, wikiart, funkpoint, diw, vqa, iiw, hpatches, coco, lvis, spair71k, wild6d,
        visual_genome, folder, found,
    )
}  # fmt: skip
SEEN_LATER = {"other_size", "outside_picture", "repeated", "picture_not_an_image"}
"""What is only known once records are taken in, and pictures opened."""
ALONE = {"folder", "found"}
"""Readers that a survey does not name."""


def test_every_reader_is_here() -> None:
    assert DAMAGES.keys() == catalogue("dataset_readers").keys()


@pytest.mark.parametrize("name", sorted(DAMAGES))
def test_what_is_read_is_used_or_left_out_by_reason(tmp_path: Path, name: str) -> None:
    damaged = DAMAGES[name](tmp_path)
    document = checked(make_reader(name, damaged.options), tmp_path)
    rows = document["rows"]
    assert (rows["refused"], rows["left_out"]) == (damaged.refused, damaged.left_out)
    assert rows["read"] == damaged.rows == rows["used"] + sum(rows["refused"].values()) + sum(rows["left_out"].values())
    assert document["records"] == damaged.records
    assert sum(row.get("rows", 1) for row in document["examples"]) == sum(damaged.refused.values())
    if name in ALONE or damaged.options:
        return
    survey = survey_folder(tmp_path, expects_items=False)
    [source] = survey.sources
    assert source.rows is not None
    told = {reason: number for reason, number in damaged.refused.items() if reason not in SEEN_LATER}
    assert (source.rows.read, source.rows.refused, source.rows.left_out) == (damaged.rows, told, damaged.left_out)
    assert str(source.rows) in survey_text(survey)


UNDAMAGED: dict[str, Callable[[Path], Any]] = {
    "coco": lambda root: write_coco(root, 3), "funkpoint": lambda root: write_funkpoint(root, 3), "iiw": lambda root: write_iiw(root, 2),
    "lvis": lambda root: write_lvis(root, 3), "nights": lambda root: write_nights(root, 3),
    "spair71k": lambda root: write_spair(root, 3), "tallyqa": lambda root: write_tally(root, 3),
    "tara": lambda root: write_tara(root, 4), "visual_genome": lambda root: write_genome(root, 3),
    "vqa": lambda root: write_vqa(root, 2), "vsr": lambda root: write_vsr(root, vsr_rows(3)),
}  # fmt: skip
"""Readers whose rows have cells with names."""
NO_VALUE: Any = [[]]
"""A value that no cell has."""
BESIDE = (
    "license", "license.name", "flickr_url", "flickr_id", "flickr_user", "attribution_name", "attribution_url",
    "coco_id", "neg_category_ids", "src_pose", "occlusion", "question_type", "multiple_choice_answer", "caption",
    "answers.answer", "phrase", "darker_score", "bbox",
)  # fmt: skip
"""Cells that cost one row at most."""


def cells(document: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of all cells of a document; of lists, those of the first entry."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield from cells(value, (*place, name))
    elif isinstance(document, list):
        yield from cells(document[0], (*place, 0)) if document else ()
    else:
        yield place


def with_cell(document: Any, place: tuple[str | int, ...], value: Any) -> str:
    changed = json.loads(json.dumps(document))
    holder = changed
    for part in place[:-1]:
        holder = holder[part]
    holder[place[-1]] = value
    return json.dumps(changed)


def damaged_files(root: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield each file of annotations, the name of one of its cells, and its text with that cell damaged."""
    for path in sorted(root.rglob("*")):
        if path.suffix == ".json":
            document = json.loads(path.read_text(encoding="utf-8"))
            for place in cells(document):
                yield path, ".".join(str(part) for part in place if part != 0), with_cell(document, place, NO_VALUE)
        elif path.suffix == ".jsonl" and path.stat().st_size:
            first, *rest = path.read_text(encoding="utf-8").splitlines()
            for place in cells(json.loads(first)):
                yield path, str(place[0]), "\n".join([with_cell(json.loads(first), place, NO_VALUE), *rest])
        elif path.suffix == ".csv" and path.stem in ("data", "labels"):
            head, first, *rest = path.read_text(encoding="utf-8").splitlines()
            for number, name in enumerate(head.split(",")):
                row = [cell if place != number else "\ufffd" for place, cell in enumerate(first.split(","))]
                yield path, name, "\n".join([head, ",".join(row), *rest])


@pytest.mark.parametrize("name", sorted(UNDAMAGED))
def test_one_wrong_cell_hides_no_row_and_costs_no_more_than_what_needs_it(tmp_path: Path, name: str) -> None:
    UNDAMAGED[name](tmp_path)
    reader = make_reader(name, {})

    def rows() -> dict[str, Any]:
        said = check_dataset(reader, tmp_path, images=None, opens_pictures=False, examples=0)["rows"]
        assert isinstance(said, dict)
        return said

    sound, tried = rows(), 0
    for path, cell, text in damaged_files(tmp_path):
        whole = path.read_bytes()
        path.write_text(text, encoding="utf-8")
        said = rows()
        path.write_bytes(whole)
        assert said["read"] == sound["read"], cell
        assert sound["used"] - said["used"] <= 1 or not cell.endswith(BESIDE), cell
        tried += 1
    assert tried >= 5


def test_a_run_tells_them_in_its_log_its_workspace_its_page_and_what_it_prints(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = nights(tmp_path / "data")
    steps = [step("dataset", reader="nights", folder="data", records=2)]
    (tmp_path / "counted.yaml").write_text(Recipe("counted", steps, shards=2).to_yaml(), encoding="utf-8")
    words = ["run", str(tmp_path / "counted.yaml"), "--workspace", str(tmp_path / "w"), "--workers", "1"]
    assert invoke([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    counts = json.loads((tmp_path / "w" / "datasets" / "dataset.counts.json").read_text(encoding="utf-8"))
    left_out = {**damaged.left_out, "not_chosen": damaged.records - 2}
    assert counts == {"read": damaged.rows, "used": 2, "refused": damaged.refused, "left_out": left_out}
    assert printed["rows"] == {"dataset": counts}
    page = Path(printed["funnel"]).read_text(encoding="utf-8")
    assert "Rows of source datasets" in page
    assert "few_votes 1" in page
    assert invoke(words) == 0
    assert "rows of dataset: 6 rows read, 2 used" in capsys.readouterr().out
    assert (
        "of nights: 6 rows read, 2 used; wrong: bad_row 1, missing_picture 1; left out by rule: few_votes 1"
        in caplog.text
    )
