"""Visual Genome: three files next to the list of pictures, with the names of two versions."""

from __future__ import annotations

import json
from pathlib import Path

from dataset_fixtures.genome_files import write_genome
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import Captions, LabelledBoxes, VisualQuestion
from benchwright.construction.readers.visual_genome import VisualGenome


def test_questions_things_and_phrases_of_both_versions_are_read(tmp_path: Path) -> None:
    write_genome(tmp_path)
    records, refused = read_all(VisualGenome(), tmp_path)
    assert (len(records), refused) == (36, [])
    question, thing, phrases = (records[place].truths[0] for place in (0, 12, 24))
    assert isinstance(question, VisualQuestion)
    assert (question.answer, question.original) == ("Black", {"answer": "Black."})
    assert isinstance(thing, LabelledBoxes)
    assert [(box.label, box.box) for box in thing.boxes] == [("clock", (21, 9, 40, 39))]
    assert thing.is_federated
    assert [box.label for box in records[13].truths[0].boxes] == ["cup", "mug"]
    assert isinstance(phrases, Captions)
    assert phrases.texts == ("A brown, sleek horse with a bridle 0",)
    assert [picture.canonical_id for record in records[:2] for picture in record.pictures] == ["coco:248774", "vg:1"]
    assert [picture.path for record in records[:2] for picture in record.pictures] == [
        "VG_100K/61512.jpg", "VG_100K_2/1.jpg",
    ]  # fmt: skip
    assert checked(VisualGenome(), tmp_path)["truths"] == {"boxes": 12, "captions": 12, "visual_questions": 12}


def test_what_a_folder_gives_is_told_by_its_files(tmp_path: Path) -> None:
    write_genome(tmp_path)
    (tmp_path / "objects.json").unlink()
    assert checked(VisualGenome(), tmp_path)["truths"] == {"captions": 12, "visual_questions": 12}
    assert len(read_all(VisualGenome(files=("region_descriptions",)), tmp_path)[0]) == 12


def test_wrong_entries_are_refused_one_by_one(tmp_path: Path) -> None:
    lists = write_genome(tmp_path)
    lists["question_answers"][1]["qas"].append({"qa_id": 5, "question": "What?"})
    lists["question_answers"][2]["id"] = 999
    lists["objects"][3]["objects"][0]["w"] = 0
    lists["region_descriptions"][4]["regions"][0]["phrase"] = ""
    lists["image_data"][5]["url"] = "https://example.org/../../etc/passwd"
    for name, document in lists.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    _, refused = read_all(VisualGenome(), tmp_path)
    assert reasons(refused) == [
        ("question_answers.json", "entry 2, question 2", "bad_row"), ("question_answers.json", "entry 3", "bad_row"),
        ("objects.json", "entry 4, object 1", "bad_row"), ("region_descriptions.json", "entry 5, region 1", "bad_row"),
    ]  # fmt: skip
    assert "picture 999 is not in image_data.json" in refused[1].detail
