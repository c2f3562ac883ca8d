"""Files of marks that are wrong, truncated or malicious are refused with a message, and all others are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.errors import DataError
from benchwright.regions.formats.mark_files import MarkFormat, read_marks, write_marks
from benchwright.regions.formats.picture_marks import PictureMarks, RefusedMark

SIZE_WH = (640, 425)
GOOD = {"id": 1000, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4]}


def read(
    path: Path, format: MarkFormat = "coco", sizes: dict[str, tuple[int, int]] | None = None
) -> tuple[int, list[str]]:
    """Return the number of regions, and what was refused."""
    regions, refused = 0, []
    for entry in read_marks(path, format, sizes_wh=sizes):
        if isinstance(entry, RefusedMark):
            refused.append(entry)
        else:
            regions += len(entry.regions)
            refused += entry.refused
    assert all(mark.file.startswith(str(path.parent)) for mark in refused)
    return regions, [f"{mark.entry}: {mark.reason}" for mark in refused]


def coco(path: Path, **more: object) -> Path:
    document = {
        "images": [{"id": 7, "file_name": "a.jpg", "width": 640, "height": 425}],
        "annotations": [GOOD],
        "categories": [{"id": 1, "name": "dog"}],
        **more,
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        pytest.param({"bbox": [float("nan"), 2, 3, 4]}, "must be a finite number, not nan", id="nan"),
        pytest.param({"bbox": [1, 2, float("inf"), 4]}, "must be a finite number, not inf", id="infinite"),
        pytest.param({"bbox": [1, 2, 10**400, 4]}, "must be a finite number, not 1000", id="huge"),
        pytest.param({"bbox": [1, 2, "3", 4]}, "must be a number, not '3'", id="text"),
        pytest.param({"bbox": [1, 2, True, 4]}, "must be a number, not True", id="truth"),
        pytest.param({"bbox": [1, 2, 3]}, "bbox must be x, y, width and height", id="three"),
        pytest.param({"bbox": "1 2 3 4"}, "bbox must be a list of numbers", id="no-list"),
        pytest.param({"bbox": [1, 2, 0, 4]}, "a width of 0 and a height of 4", id="flat"),
        pytest.param({"bbox": [1, 2, -5, 4]}, "both must be above 0", id="negative"),
        pytest.param({"bbox": [600, 2, 50, 4]}, "(650, 6) lies outside the picture of 640 x 425", id="outside"),
        pytest.param({"segmentation": [[0, 0, 10, 10, 10, 0, 0, 10]]}, "crosses or touches itself", id="crossing"),
        pytest.param({"segmentation": [[0, 0, 5, 5, 9, 9]]}, "crosses or touches itself", id="no-area"),
        pytest.param({"segmentation": [[0, 0, 5, 5, 9]]}, "x and y of three or more corners", id="odd"),
        pytest.param({"segmentation": [[1.0] * 200_000]}, "200,000 numbers", id="100000-points"),
        pytest.param({"segmentation": [[2, 2] * 40]}, "1 distinct corners", id="one-corner"),
        pytest.param({"segmentation": {"size": [425, 640], "counts": "P\\]1"}}, "counts", id="rle-short"),
        pytest.param(
            {"segmentation": {"size": [425, 640], "counts": [272000]}}, "without any set cell", id="rle-empty"
        ),
        pytest.param({"segmentation": {"size": [425, 640], "counts": [1, 2]}}, "add up to 3 cells", id="rle-lies"),
        pytest.param({"segmentation": {"size": [425, 640], "counts": [-1, 272001]}}, "not -1", id="rle-negative"),
        pytest.param({"segmentation": {"size": [425, 640], "counts": [2**70, 1]}}, "a run length", id="rle-overflow"),
        pytest.param({"segmentation": {"size": [425, 640], "counts": [1.5, 271998.5]}}, "not 1.5", id="rle-fraction"),
        pytest.param(
            {"segmentation": {"size": [640, 425], "counts": [0, 272000]}}, "425 high and 640 wide", id="rle-turned"
        ),
        pytest.param({"segmentation": {"size": [425, 640], "counts": "é" * 300}}, "unlike any of", id="rle-letters"),
        pytest.param({"segmentation": {"size": [425, 640], "counts": "0" * 1_000_001}}, "1000000", id="rle-long"),
        pytest.param({"segmentation": {"size": [425, 640], "counts": None}}, "counts must be a text", id="rle-nothing"),
        pytest.param({"segmentation": 5}, "must be outlines or run lengths", id="segmentation-number"),
        pytest.param({"keypoints": [1, 2, 2, 3]}, "visibility", id="keypoints-odd"),
        pytest.param({}, "nothing readable", id="nothing"),
        pytest.param({"bbox": [1, 2, 3, 4], "category_id": 5}, "category 5 is missing", id="category"),
        pytest.param({"bbox": [1, 2, 3, 4], "category_id": [1]}, "category_id must be a number or text", id="id-list"),
        pytest.param({"bbox": [1, 2, 3, 4], "image_id": 8}, "picture 8 is missing from images", id="picture"),
        pytest.param({"bbox": [1, 2, 3, 4], "image_id": {}}, "image_id must be a number or text", id="picture-object"),
        pytest.param({"bbox": [1, 2, 3, 4], "id": 1000}, "id 1000 occurs twice", id="id-twice"),
    ],
)
def test_one_bad_annotation_is_one_refusal_and_the_rest_is_read(
    tmp_path: Path, annotation: dict[str, object], reason: str
) -> None:
    after = {**GOOD, "id": 1001}
    path = coco(
        tmp_path / "a.json", annotations=[GOOD, {"id": 5, "image_id": 7, "category_id": 1, **annotation}, after]
    )
    regions, refused = read(path)
    assert regions == 2
    assert len(refused) == 1
    assert refused[0].startswith(f"annotation {annotation.get('id', 5)}: ")
    assert reason in refused[0]


@pytest.mark.parametrize("annotation", [5, None, [], "text", [[[]]]])
def test_what_is_no_annotation_is_refused_by_its_place(tmp_path: Path, annotation: object) -> None:
    regions, refused = read(coco(tmp_path / "a.json", annotations=[GOOD, annotation]))
    assert regions == 1
    assert refused[0].startswith("annotation in place 2: it must be an object")


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        pytest.param({"id": 7, "file_name": "b.jpg", "width": 5, "height": 5}, "id 7 occurs twice", id="id"),
        pytest.param({"id": 8, "file_name": "a.jpg", "width": 5, "height": 5}, "'a.jpg' occurs twice", id="name"),
        pytest.param({"id": 8, "file_name": "b.jpg", "width": 0, "height": 5}, "width must be a whole", id="no-width"),
        pytest.param({"id": 8, "file_name": "b.jpg", "width": 1e9, "height": 5}, "width must be a whole", id="float"),
        pytest.param({"id": 8, "file_name": "b.jpg", "width": 10**9, "height": 5}, "1 to 65,535", id="huge"),
        pytest.param({"id": 8, "width": 5, "height": 5}, "no file_name", id="no-name"),
        pytest.param({"id": None, "file_name": "b.jpg"}, "id must be a number or text", id="no-id"),
        pytest.param([], "must be an object", id="list"),
    ],
)
def test_a_bad_picture_is_refused_with_its_id(tmp_path: Path, image: object, reason: str) -> None:
    first = {"id": 7, "file_name": "a.jpg", "width": 640, "height": 425}
    regions, refused = read(coco(tmp_path / "a.json", images=[first, image]))
    assert regions == 1
    assert [reason in line and line.startswith("image") for line in refused] == [True]


def test_pictures_that_are_not_there_or_have_another_size_are_refused(tmp_path: Path) -> None:
    path = coco(tmp_path / "a.json")
    assert read(path, sizes={"a.jpg": SIZE_WH}) == (1, [])
    regions, refused = read(path, sizes={"a.jpg": (425, 640)})
    assert regions == 0
    assert refused[0].startswith(
        "image 7: the file states 640 x 425 pixels, but the picture 'a.jpg' has 425 x 640 (upright); perhaps the marks"
    )
    assert "its picture 7 is missing from images, or was refused" in refused[1]
    assert read(path, sizes={})[1][0] == "image 7: the picture 'a.jpg' is missing"


def test_a_category_that_stands_twice_keeps_its_first_name(tmp_path: Path) -> None:
    names = [{"id": 1, "name": "dog"}, {"id": 1, "name": "cat"}]
    assert read(coco(tmp_path / "a.json", categories=names)) == (
        1, ["category 1: id 1 occurs twice; the first, 'dog', is kept"]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "ends before the JSON does|JSON object", id="empty"),
        pytest.param("[1, 2]", "expected a JSON object", id="list"),
        pytest.param('{"images": [], "annotations": []} x', "something follows", id="more"),
        pytest.param('{"images": [{"id": 1}, xyz]}', "this is not JSON", id="words"),
        pytest.param('{"images": [], "annotations": []}', "categories is missing", id="no-categories"),
        pytest.param('{"info": 5}', "images is missing", id="nothing"),
        pytest.param('{"images": ' + "[" * 200_000, "ends before|cannot be read", id="deep"),
        pytest.param('{"images": [' + "9" * 5_000 + "]}", "cannot be read", id="long-number"),
        pytest.param('{"images" []}', "a colon", id="no-colon"),
        pytest.param('{"images": [1 2]}', "a comma", id="no-comma"),
        pytest.param('{"images": [1,]}', "this is not JSON", id="comma-too-many"),
    ],
)
def test_what_is_no_coco_file_is_refused_with_the_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=words) as raised:
        read(path)
    assert str(path) in str(raised.value)


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = coco(tmp_path / "a.json", info={"text": 'quote " é \\ end', "numbers": [1.5e3, -2, True, None]})
    data = path.read_bytes()
    assert read(path)[0] == 1
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(DataError):
            read(path)


def test_what_is_no_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"images": [{"file_name": "\xff\xfe"}]}')
    with pytest.raises(DataError, match="not UTF-8"):
        read(path)


def test_elements_across_chunks_are_read_whole(tmp_path: Path) -> None:
    """Entries of many lengths, with letters of several bytes, so that chunks end at every kind of place."""
    rows = [{**GOOD, "id": number, "note": "é犬" * (number * 97 % 900)} for number in range(2_500)]
    path = coco(tmp_path / "a.json", annotations=rows)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), ensure_ascii=False, indent=1), encoding="utf-8")
    assert path.stat().st_size > 3 << 20
    assert read(path) == (2_500, [])


# XML


GOOD_XML = """<annotation><filename>a.jpg</filename><size><width>640</width><height>425</height></size>
<object><name>dog</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object>{}</annotation>"""


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        pytest.param('<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>', "document type", id="entity"),
        pytest.param('<!DOCTYPE a SYSTEM "file:///etc/passwd"><annotation/>', "document type", id="external"),
        pytest.param("<annotation>", "not XML", id="cut"),
        pytest.param("<annotation>&b;</annotation>", "not XML", id="unknown-entity"),
        pytest.param("<a/>", "must be <annotation>, not <a>", id="other"),
        pytest.param("<annotation><filename>a.jpg</filename></annotation>", "no <size>", id="no-size"),
        pytest.param("<annotation>" + "<a>" * 500, "more than 20 levels deep", id="deep"),
        pytest.param("", "not XML", id="empty"),
        pytest.param(
            "<annotation><size><width>nan</width><height>5</height></size></annotation>", "finite number", id="nan"
        ),
        pytest.param(
            "<annotation><size><width>1.5</width><height>5</height></size></annotation>", "whole number", id="fraction"
        ),
    ],
)
def test_xml_that_is_wrong_or_made_to_harm_is_one_refusal(tmp_path: Path, xml: str, words: str) -> None:
    (tmp_path / "bad.xml").write_text(xml, encoding="utf-8")
    (tmp_path / "good.xml").write_text(GOOD_XML.format(""), encoding="utf-8")
    regions, refused = read(tmp_path, "voc")
    assert regions == 1
    assert len(refused) == 1
    assert words in refused[0]


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        pytest.param((9, 1, 5, 5), "must not lie beyond", id="turned"),
        pytest.param((1, 1, 700, 5), "outside the picture", id="outside"),
        pytest.param(("nan", 1, 5, 5), "finite", id="nan"),
        pytest.param(("", 1, 5, 5), "finite", id="missing"),
        pytest.param(("1e999", 1, 5, 5), "finite", id="infinite"),
    ],
)
def test_one_bad_object_is_one_refusal(tmp_path: Path, bounds: tuple[object, ...], words: str) -> None:
    keys = ("xmin", "ymin", "xmax", "ymax")
    inner = "".join(f"<{key}>{value}</{key}>" for key, value in zip(keys, bounds, strict=True))
    more = f"<object><name>cat</name><bndbox>{inner}</bndbox></object><object><name>no box</name></object>"
    (tmp_path / "a.xml").write_text(GOOD_XML.format(more), encoding="utf-8")
    regions, refused = read(tmp_path, "voc")
    assert regions == 1
    assert refused[0].startswith("object 2: a.jpg: ")
    assert words in refused[0]
    assert refused[1] == "object 3: a.jpg: it has no <bndbox>"


def test_a_folder_without_xml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no XML file found"):
        read(tmp_path, "voc")


# YOLO


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("0 0.5 0.5 nan 0.5", "finite number", id="nan"),
        pytest.param("0 320 200 50 50", "320 is not a fraction of the picture", id="pixels"),
        pytest.param("0 0.5 0.5 0 0.5", "above 0", id="flat"),
        pytest.param("0 0.5 0.5 0.5", "neither a box (4) nor an outline", id="three"),
        pytest.param("0 0.1 0.1 0.9 0.9 0.9 0.1 0.1 0.9", "crosses or touches", id="crossing"),
        pytest.param("5 0.5 0.5 0.5 0.5", "class 5 has no name", id="class"),
        pytest.param("dog 0.5 0.5 0.5 0.5", "must be a whole number, not 'dog'", id="name"),
        pytest.param("-1 0.5 0.5 0.5 0.5", "must be a whole number", id="negative"),
        pytest.param("0 a b c d", "number 1 is not a number: 'a'", id="words"),
        pytest.param("0 " + "0.5 " * 100_000, "numbers; the limit is", id="100000-points"),
        pytest.param("0 0.95 0.5 0.5 0.5", "outside the picture", id="outside"),
    ],
)
def test_one_bad_line_is_one_refusal(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "labels").mkdir()
    (tmp_path / "classes.txt").write_text("dog\ncat\n", encoding="utf-8")
    (tmp_path / "labels/a.txt").write_text(f"0 0.5 0.5 0.2 0.2\n{line}\n1 0.5 0.5 0.1 0.1\n", encoding="utf-8")
    regions, refused = read(tmp_path, "yolo", sizes={"a.jpg": SIZE_WH})
    assert regions == 2
    assert refused[0].startswith("line 2: a.jpg: ")
    assert words in refused[0]


def test_labels_without_a_picture_are_refused(tmp_path: Path) -> None:
    (tmp_path / "classes.txt").write_text("dog\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("0 0.5 0.5 0.2 0.2\n", encoding="utf-8")
    assert "the picture 'a' is missing" in read(tmp_path, "yolo")[1][0]
    assert "there is no picture named 'a'" in read(tmp_path, "yolo", sizes={"b.jpg": SIZE_WH})[1][0]
    assert (
        "there are several pictures named 'a'"
        in read(tmp_path, "yolo", sizes={"a.jpg": SIZE_WH, "a.png": SIZE_WH})[1][0]
    )
    (tmp_path / "a.jpg").write_bytes(b"no picture")
    assert "its picture cannot be read" in read(tmp_path, "yolo")[1][0]


@pytest.mark.parametrize(
    ("yaml", "words"),
    [
        pytest.param("names: 5", "names must list the classes", id="number"),
        pytest.param("names: {0: a, 2: b}", "names must list the classes", id="gap"),
        pytest.param("names: [a", "is not YAML", id="cut"),
        pytest.param("!!python/object/apply:os.system ['true']", "is not YAML", id="code"),
        pytest.param("names: [a]\nkpt_shape: [17, 9]", "kpt_shape must be", id="kpt-shape"),
        pytest.param("names: [a]\nkpt_shape: [100000, 2]", "kpt_shape must be", id="many"),
        pytest.param("[]", "names must list", id="list"),
    ],
)
def test_a_data_file_that_names_no_classes_is_refused(tmp_path: Path, yaml: str, words: str) -> None:
    (tmp_path / "data.yaml").write_text(yaml, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        read(tmp_path, "yolo")


def test_a_picture_whose_name_leads_elsewhere_is_not_written(tmp_path: Path) -> None:
    for name in ("../a.jpg", "/etc/a.jpg", "b/../../a.jpg", ""):
        for format in ("voc", "yolo"):
            with pytest.raises(DataError, match="cannot be written below"):
                write_marks(tmp_path / "out", format, [PictureMarks(name, SIZE_WH, ())])  # type: ignore[arg-type]
    assert list(tmp_path.rglob("*.xml")) == []


def test_pictures_that_would_share_a_file_are_refused(tmp_path: Path) -> None:
    pictures = [PictureMarks(name, SIZE_WH, ()) for name in ("a.jpg", "a.png")]
    for format in ("voc", "yolo"):
        with pytest.raises(DataError, match="would share the file"):
            write_marks(tmp_path / format, format, pictures)  # type: ignore[arg-type]
