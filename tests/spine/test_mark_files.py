"""Files of marks: written marks are read back, as far as each format can represent them; real layouts are read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from benchwright.drawing.masks import mask_of
from benchwright.errors import DataError
from benchwright.regions import Region, RegionShape, grid_of, mask_of_outline
from benchwright.regions.formats.mark_files import MarkFormat, read_marks, write_marks
from benchwright.regions.formats.picture_marks import PictureMarks, RefusedMark, known_name
from benchwright.regions.masks import mask_iou

SIZE_WH = (640, 425)
ROUND_TRIP = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def box(x0: float, y0: float, x1: float, y1: float, label: str = "dog") -> Region:
    return Region(shape="box", points=((x0, y0), (x1, y1)), label=label)


def ring_mask() -> Region:
    y, x = np.mgrid[: SIZE_WH[1], : SIZE_WH[0]]
    away = (x - 200) ** 2 + (y - 150) ** 2
    return Region(shape="mask", mask=mask_of((away < 90**2) & (away > 40**2)), label="wheel")


POLYGON = Region(shape="polygon", points=((10.25, 20.5), (200.125, 30), (150, 300.75), (20, 210)), label="sail")
LINE = Region(shape="points", points=((1.5, 2.5), (300.25, 100), (639, 424.5)), label="pole")
POINT = Region(shape="point", points=((33.3, 44.4),), label="eye")
PAIR = Region(shape="correspondence", points=((1, 2), (3, 4)), label="eye")


def read(
    path: Path,
    format: MarkFormat = "coco",
    shape: RegionShape | None = None,
    sizes: dict[str, tuple[int, int]] | None = None,
) -> tuple[list[PictureMarks], list[str]]:
    """Return the pictures, and all that was refused as (entry: reason)."""
    pictures: list[PictureMarks] = []
    refused: list[RefusedMark] = []
    for entry in read_marks(path, format, shape=shape, sizes_wh=sizes):
        if isinstance(entry, RefusedMark):
            refused.append(entry)
        else:
            pictures.append(entry)
            refused += entry.refused
    return pictures, [f"{mark.entry}: {mark.reason}" for mark in refused]


def coco_file(path: Path, annotations: Sequence[object], **more: object) -> Path:
    document = {
        "images": [{"id": 7, "file_name": "a.jpg", "width": 640, "height": 425}],
        "annotations": annotations,
        "categories": [{"id": 1, "name": "dog"}, {"id": 90, "name": "cat", "keypoints": ["eye", "ear"]}],
        **more,
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def annotation(number: int, **more: object) -> dict[str, object]:
    return {"id": number, "image_id": 7, "category_id": 1, **more}


# COCO: all shapes


def test_coco_returns_all_that_was_written(tmp_path: Path) -> None:
    regions = (box(0.1, 0.2, 639.97, 424.99), POLYGON, ring_mask(), LINE, POINT, box(1, 1, 2, 2, ""))
    pictures = [
        PictureMarks("b/two.png", SIZE_WH, regions, fields=("x",) * 5 + ("y",)),
        PictureMarks("one.jpg", (300, 200), (), ()),
    ]
    written = write_marks(tmp_path / "out.json", "coco", pictures)
    assert (written.pictures, written.regions, written.skipped) == (2, 6, [])
    back, refused = read(tmp_path / "out.json")
    assert refused == []
    assert [(picture.name, picture.size_wh) for picture in back] == [("b/two.png", SIZE_WH), ("one.jpg", (300, 200))]
    assert back[0].fields == pictures[0].fields
    for before, after in zip(regions, back[0].regions, strict=True):
        assert (after.shape, after.label, after.mask) == (before.shape, before.label, before.mask)
        assert np.allclose(after.points, before.points, atol=1e-9)


@ROUND_TRIP
@given(
    st.lists(st.floats(0, 600), min_size=4, max_size=4),
    st.lists(st.tuples(st.floats(0, 640), st.floats(0, 425)), min_size=1, max_size=9),
)
def test_coco_returns_boxes_and_points_to_a_hundredth_of_a_pixel(
    tmp_path: Path, edges: list[float], points: list[tuple[float, float]]
) -> None:
    x0, x1, y0, y1 = edges[0], edges[0] + 0.02 + edges[1] / 20, edges[2] / 2, edges[2] / 2 + 0.02 + edges[3] / 6
    regions = (box(x0, y0, x1, y1), Region(shape="points", points=tuple(points), label="p"))
    write_marks(tmp_path / "out.json", "coco", [PictureMarks("a.jpg", SIZE_WH, regions)])
    [picture], refused = read(tmp_path / "out.json")
    assert refused == []
    for before, after in zip(regions, picture.regions, strict=True):
        assert np.abs(np.array(after.points) - before.points).max() < 0.01


@ROUND_TRIP
@given(st.binary(min_size=6, max_size=6), st.integers(1, 12), st.integers(1, 9))
def test_coco_returns_masks_to_the_pixel(tmp_path: Path, data: bytes, rows: int, columns: int) -> None:
    cells = np.resize(np.unpackbits(np.frombuffer(data, np.uint8)), (rows, columns)).astype(bool)
    cells[0, 0] = True
    region = Region(shape="mask", mask=mask_of(cells), label="m")
    write_marks(tmp_path / "out.json", "coco", [PictureMarks("a.jpg", (columns, rows), (region,))])
    [picture], _ = read(tmp_path / "out.json")
    assert picture.regions == (region,)


def test_the_same_marks_are_the_same_bytes(tmp_path: Path) -> None:
    pictures = [PictureMarks("a.jpg", SIZE_WH, (POLYGON, ring_mask(), box(1, 2, 3, 4)))]
    for name in ("one.json", "two.json"):
        write_marks(tmp_path / name, "coco", pictures)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_correspondence_is_left_out_of_every_format_with_the_reason(tmp_path: Path) -> None:
    for name in ("coco", "voc", "yolo"):
        written = write_marks(tmp_path / name, name, [PictureMarks("a.jpg", SIZE_WH, (PAIR,))])  # type: ignore[arg-type]
        assert [(row.picture, row.place) for row in written.skipped] == [("a.jpg", 0)]
        assert "correspondence" in written.skipped[0].reason


# COCO and LVIS as others write them


def test_files_of_coco_are_read_as_their_tools_write_them(tmp_path: Path) -> None:
    runs = [3 * 425 + 10, 20, 425 - 20, 20, 425 * 636 - 30]
    path = coco_file(
        tmp_path / "instances.json",
        [
            annotation(1, bbox=[12.08, 245.03, 32.49, 37.45], area=959.73, segmentation=[], iscrowd=0),
            annotation(2, bbox=[1, 1, 9, 9], segmentation=[[1, 1, 10, 1, 10, 10, 1, 1]], iscrowd=0),
            annotation(3, bbox=[1, 1, 9, 9], segmentation=[[1, 1, 5, 1, 5, 5, 1, 5], [7, 7, 10, 7, 10, 10, 7, 10]]),
            annotation(4, bbox=[3, 10, 2, 20], segmentation={"size": [425, 640], "counts": runs}),
            annotation(5, bbox=[0, 0, 9, 9], segmentation={"size": [425, 640], "counts": runs}, iscrowd=1),
            annotation(6, category_id=90, bbox=[0, 0, 50, 50], keypoints=[10, 10, 2, 40, 45.5, 1], num_keypoints=2),
            annotation(7, category_id=90, bbox=[0, 0, 50, 50], keypoints=[0, 0, 0, 40, 45, 2], num_keypoints=1),
            annotation(8, category_id=90, bbox=[0, 0, 50, 50], keypoints=[0] * 6, num_keypoints=0),
        ],
    )
    [picture], refused = read(path)
    one, two, three, four, six, eight = picture.regions
    assert one == box(12.08, 245.03, 12.08 + 32.49, 245.03 + 37.45)
    assert (two.shape, two.points) == ("polygon", ((1, 1), (10, 1), (10, 10)))
    assert three.mask is not None
    assert int(grid_of(three.mask).sum()) == 16 + 9
    assert four.mask is not None
    assert np.argwhere(grid_of(four.mask)).tolist() == [[row, column] for row in range(10, 30) for column in (3, 4)]
    assert (six.shape, six.points, six.label) == ("points", ((10, 10), (40, 45.5)), "cat")
    assert eight == box(0, 0, 50, 50, "cat")
    assert refused == [
        "annotation 5: a.jpg: it covers a crowd (iscrowd), not one object",
        "annotation 7: a.jpg: keypoint 1 ('eye') is not labeled, and ordered points have no gaps",
    ]


def test_a_shape_can_be_asked_for(tmp_path: Path) -> None:
    triangle = annotation(1, bbox=[1, 1, 9, 9], segmentation=[[1, 1, 10, 1, 10, 10]])
    path = coco_file(tmp_path / "a.json", [triangle, annotation(2, bbox=[0, 0, 20, 10])])
    [boxes], _ = read(path, shape="box")
    assert boxes.regions == (box(1, 1, 10, 10), box(0, 0, 20, 10))
    [masks], _ = read(path, shape="mask")
    assert [region.mask for region in masks.regions] == [
        mask_of_outline([(1, 1), (10, 1), (10, 10)], SIZE_WH),
        mask_of_outline([(0, 0), (20, 0), (20, 10), (0, 10)], SIZE_WH),
    ]
    [polygons], _ = read(path, shape="polygon")
    assert [len(region.points) for region in polygons.regions] == [3, 4]
    [points], refused = read(path, shape="points")
    assert points.regions == ()
    assert [line.partition(": ")[0] for line in refused] == ["annotation 1", "annotation 2"]


def test_a_mask_is_no_polygon(tmp_path: Path) -> None:
    write_marks(tmp_path / "a.json", "coco", [PictureMarks("a.jpg", SIZE_WH, (ring_mask(),))])
    [picture], [refused] = read(tmp_path / "a.json", shape="polygon")
    assert picture.regions == ()
    assert refused == "annotation 1: a.jpg: a region of shape 'mask' cannot be read as 'polygon'"


def test_lvis_names_pictures_by_their_address(tmp_path: Path) -> None:
    path = tmp_path / "lvis.json"
    path.write_text(json.dumps({
        "info": {"year": 2020, "version": "1.0"},
        "annotations": [{"id": 1, "image_id": 266409, "category_id": 1, "bbox": [12.08, 245.03, 32.49, 37.45], "area": 959.73,
                         "segmentation": [[12.67, 249.44, 35.21, 246.69, 44.57, 245.03]]}],
        "images": [{"id": 266409, "width": 640, "height": 480,
                    "coco_url": "http://images.cocodataset.org/val2017/000000266409.jpg", "neg_category_ids": [284]}],
        "categories": [{"id": 1, "name": "acorn", "synset": "acorn.n.01", "frequency": "r"}],
    }), encoding="utf-8")  # fmt: skip
    [picture], refused = read(path, "lvis", sizes={"000000266409.jpg": (640, 480)})
    assert (picture.name, refused) == ("val2017/000000266409.jpg", [])
    assert picture.regions[0].label == "acorn"
    assert picture.regions[0].points[0] == (12.67, 249.44)


def test_a_byte_order_mark_and_names_in_any_script_are_read(tmp_path: Path) -> None:
    path = coco_file(tmp_path / "a.json", [annotation(1, bbox=[0, 0, 5, 5])])
    text = path.read_text(encoding="utf-8").replace('"dog"', '"الكلب 犬"')
    path.write_text("\ufeff" + text, encoding="utf-8")
    [picture], _ = read(path)
    assert picture.regions[0].label == "الكلب 犬"


READ_ALL = """
import sys
from pathlib import Path
from benchwright.regions import read_marks
regions = sum(len(picture.regions) for picture in read_marks(Path(sys.argv[1]), "coco", shape="box"))
[peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(regions, int(peak) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_large_files_are_read_in_memory_that_holds_no_annotations(tmp_path: Path) -> None:
    """`json.load` takes five times the size of this file."""
    outline = json.dumps([[round(number / 7, 4) for number in range(3_000)]])
    peaks = []
    for many in (1, 700):
        path = coco_file(tmp_path / f"{many}.json", [{"rows": "here"}])
        rows = (
            f'{{"id":{number},"image_id":7,"category_id":1,"bbox":[1,2,3,4],"segmentation":{outline}}}'
            for number in range(many)
        )
        path.write_text(path.read_text("utf-8").replace('{"rows": "here"}', ",".join(rows)), encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", READ_ALL, path], capture_output=True, text=True, check=True)
        regions, peak_mb = map(int, done.stdout.split())
        assert regions == many
        peaks.append(peak_mb)
    assert path.stat().st_size > 16e6
    assert peaks[1] - peaks[0] < 14


# Pascal VOC: boxes in whole pixels


VOC = """<annotation>
  <folder>VOC2012</folder><filename>2007_000027.jpg</filename>
  <size><width>486</width><height>500</height><depth>3</depth></size><segmented>0</segmented>
  <object><name>person</name><pose>Unspecified</pose><truncated>0</truncated><difficult>0</difficult>
    <bndbox><xmin>174</xmin><ymin>101</ymin><xmax>349</xmax><ymax>351</ymax></bndbox>
    <part><name>head</name><bndbox><xmin>169</xmin><ymin>104</ymin><xmax>209</xmax><ymax>146</ymax></bndbox></part>
  </object>
</annotation>
"""


def test_voc_counts_pixels_from_one_and_its_last_pixel_belongs_to_the_box(tmp_path: Path) -> None:
    (tmp_path / "2007_000027.xml").write_text(VOC, encoding="utf-8")
    [picture], refused = read(tmp_path, "voc")
    assert (picture.name, picture.size_wh, refused) == ("2007_000027.jpg", (486, 500), [])
    assert picture.regions == (box(173, 100, 349, 351, "person"),)


@ROUND_TRIP
@given(st.integers(0, 639), st.integers(0, 424), st.integers(1, 300), st.integers(1, 300))
def test_voc_returns_boxes_of_whole_pixels(tmp_path: Path, x: int, y: int, width: int, height: int) -> None:
    region = box(x, y, min(x + width, 640), min(y + height, 425), "a <b> & c")
    write_marks(tmp_path, "voc", [PictureMarks("sub/a.jpg", SIZE_WH, (region,))])
    [picture], refused = read(tmp_path, "voc", sizes={"sub/a.jpg": SIZE_WH})
    assert (picture.name, picture.regions, refused) == ("sub/a.jpg", (region,), [])


def test_voc_rounds_to_whole_pixels_and_takes_the_bounds_of_areas(tmp_path: Path) -> None:
    regions = (box(10.4, 20.6, 30.4, 40.6), box(639.8, 0, 640, 0.2), POLYGON, ring_mask(), LINE)
    written = write_marks(tmp_path, "voc", [PictureMarks("a.jpg", SIZE_WH, regions)])
    [picture], _ = read(tmp_path, "voc")
    assert picture.regions[0] == box(10, 21, 30, 41)
    assert picture.regions[1] == box(639, 0, 640, 1)
    assert [region.label for region in picture.regions] == ["dog", "dog", "sail", "wheel"]
    assert [(row.place, row.reason) for row in written.skipped] == [(4, "Pascal VOC has no 'points', only boxes")]


# YOLO: fractions, one kind of thing a dataset


def test_yolo_returns_boxes_polygons_and_poses(tmp_path: Path) -> None:
    for name, regions in {
        "detect": (box(0.1, 0.2, 639.97, 424.99), box(3, 4, 5, 6, "cat")),
        "segment": (POLYGON,),
        "pose": (LINE, Region(shape="points", points=((5, 6), (7, 8)), label="pole")),
    }.items():
        folder = tmp_path / name
        written = write_marks(
            folder, "yolo", [PictureMarks("a.jpg", SIZE_WH, regions), PictureMarks("n.jpg", (9, 5), ())]
        )
        assert written.skipped == []
        pictures, refused = read(folder, "yolo", sizes={"a.jpg": SIZE_WH, "n.jpg": (9, 5)})
        assert refused == []
        assert pictures[1].regions == ()
        for before, after in zip(regions, pictures[0].regions, strict=True):
            assert (after.shape, after.label) == (before.shape, before.label)
            assert np.abs(np.array(after.points) - before.points).max() < 1e-5


def test_yolo_says_what_it_cannot_hold(tmp_path: Path) -> None:
    written = write_marks(tmp_path, "yolo", [PictureMarks("a.jpg", SIZE_WH, (POLYGON, POLYGON, ring_mask(), POINT))])
    assert [row.place for row in written.skipped] == [2, 3]
    assert "simplify the mask to a polygon first" in written.skipped[0].reason


def test_yolo_takes_sizes_from_the_pictures_beside_it_upright(tmp_path: Path) -> None:
    (tmp_path / "images/train").mkdir(parents=True)
    (tmp_path / "labels/train").mkdir(parents=True)
    exif = Image.Exif()
    exif[0x0112] = 6  # stored 60 x 40, upright 40 x 60
    Image.new("RGB", (60, 40)).save(tmp_path / "images/train/a.jpg", exif=exif)
    (tmp_path / "labels/train/a.txt").write_text("1 0.5 0.5 0.5 0.5\n\n0 0 0 1 0 1 1\n", encoding="utf-8")
    (tmp_path / "data.yaml").write_text("path: .\ntrain: images/train\nnames: [cup, dog]\n", encoding="utf-8")
    for path in (tmp_path, tmp_path / "data.yaml"):
        [picture], refused = read(path, "yolo")
        assert (picture.name, picture.size_wh, refused) == ("train/a.jpg", (40, 60), [])
        assert picture.regions[0] == box(10, 15, 30, 45)
        assert picture.regions[1].label == "cup"


def test_lvis_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="write them as 'coco'"):
        write_marks(tmp_path / "a.json", "lvis", [])


def test_masks_of_polygons_are_near_what_coco_draws(tmp_path: Path) -> None:
    """Written as a polygon and read as a mask, a region covers the pixels whose centers lie inside."""
    write_marks(tmp_path / "a.json", "coco", [PictureMarks("a.jpg", SIZE_WH, (POLYGON,))])
    [picture], _ = read(tmp_path / "a.json", shape="mask")
    expected = mask_of_outline(POLYGON.points, SIZE_WH)
    assert expected is not None
    assert picture.regions[0].mask is not None
    assert mask_iou(picture.regions[0].mask, expected) == 1


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("a.jpg", "a.jpg"),
        ("val/a.jpg", "val/a.jpg"),
        ("data/val/a.jpg", "val/a.jpg"),
        ("data\\val\\a.jpg", "val/a.jpg"),
        ("./b/a.jpg", "a.jpg"),
        ("a.png", None),
        ("", None),
    ],
)
def test_a_picture_is_known_by_as_much_of_its_path_as_there_is(name: str, known: str | None) -> None:
    assert known_name(name, {"a.jpg", "val/a.jpg"}) == known


def test_refusals_say_whether_the_picture_is_missing_or_has_another_size(tmp_path: Path) -> None:
    document = {
        "images": [
            {"id": number, "file_name": name, "width": 40, "height": 30}
            for number, name in enumerate(("a.jpg", "gone.jpg", "turned.jpg"))
        ],
        "categories": [{"id": 1, "name": "dog"}],
        "annotations": [annotation(number, image_id=number) for number in range(3)],
    }
    path = tmp_path / "marks.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    entries = list(read_marks(path, "coco", sizes_wh={"a.jpg": (40, 30), "turned.jpg": (30, 40)}))
    refused = [(entry.entry, entry.code) for entry in entries if isinstance(entry, RefusedMark)]
    assert refused == [
        ("image 1", "no_picture"), ("image 2", "other_size"),
        ("annotation 1", "no_picture"), ("annotation 2", "other_size"),
    ]  # fmt: skip
