"""Counts of a release's bytes: pictures kept, turned and drawn, how often, and the resulting sizes."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from small_bench import OPERATION, Bench

from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.errors import DataError, StepError
from benchwright.images import made_pictures
from benchwright.images.decode import decode_rgb, jpeg_coding
from benchwright.images.identify import identify
from benchwright.record_map import LostRecord
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Source, VisualPrompt, item_id_for
from benchwright.release import Release, verify_release
from benchwright.release.format.provenance import TURNED
from benchwright.release.verification.drawings import DrawingComparer
from benchwright.release.writing import file_changes, pictures
from benchwright.release.writing.expected_size import ExpectedSize
from benchwright.release.writing.file_changes import FileChanges
from benchwright.workspace.item_cache import ItemCache, pictures_of


def photograph(number: int, *, size_wh: tuple[int, int] = (96, 72)) -> Image.Image:
    small = np.random.default_rng(number).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    return Image.fromarray(small).resize(size_wh, Image.Resampling.BICUBIC)


def encoded(image: Image.Image, form: str, *, orientation: int = 1, **settings: Any) -> bytes:
    handle, exif = io.BytesIO(), Image.Exif()
    exif[274] = orientation
    image.save(handle, form, **({"exif": exif} if orientation > 1 else {}), **settings)
    return handle.getvalue()


def asked(folder: Path, files: list[bytes], questions: int, *prompts: VisualPrompt) -> Bench:
    """Return a benchmark that asks some questions about each file."""
    bench = Bench()
    for number, data in enumerate(files):
        path = folder / f"{number}.img"
        path.write_bytes(data)
        facts = identify(path, root=folder)._asdict()
        image_id = facts["image_id"]
        bench.files[image_id] = data
        bench.records[image_id] = ImageRecord(**facts, root_image_id=image_id, source=Source(uri=path.name))
        marks = tuple(prompt.model_copy(update={"image_id": image_id}) for prompt in prompts)
        for question in range(questions):
            item = Item(
                item_id=item_id_for("by_hand", 2, {}, (image_id,), question),
                task="photographs",
                kind="multiple_choice",
                question=f"What is it, asked for the {question}. time?",
                images=(ItemImage(image_id=image_id, role="view", prompts=marks),),
                choices=(Choice(key="A", text="a tree"), Choice(key="B", text="a dog")),
                answer="A",
                root_image_id=image_id,
                operation_id=OPERATION.operation_id,
                made_from=image_id,
            )
            bench.items.append((item, "test"))
    return bench


def frozen(
    bench: Bench,
    folder: Path,
    *,
    store: ItemCache | None = None,
    turns: Callable[..., bool] = lambda *_: True,
    **settings: Any,
) -> Release:
    """Freeze as a workspace does: files are changed first, then written."""
    changes = FileChanges(
        bench.records.__getitem__,
        lambda record: bench.files[record.image_id],
        removes_metadata=lambda _: True,
        encodes=lambda _: False,
        turns=turns,
        store=store,
    )
    changes.survey(item for item, _ in bench.items)
    return bench.write(
        folder,
        items=[(changes.item(item), split) for item, split in bench.items],
        image=changes.image,
        image_bytes=changes.image_bytes,
        operations=[OPERATION, *changes.operations()],
        visual={OPERATION.operation_id},
        store=store,
        **settings,
    )


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the pictures that freezing draws and turns."""
    counts: Counter[str] = Counter()

    def counting(module: Any, name: str) -> None:
        make = getattr(module, name)

        def counted(*arguments: Any, **more: Any) -> Any:
            counts[name] += 1
            return make(*arguments, **more)

        monkeypatch.setattr(module, name, counted)

    counting(pictures, "_drawn")
    counting(file_changes, "_made_anew")
    return counts


def size_of(release: Release) -> int:
    return sum(path.stat().st_size for path in (release.path / "data").iterdir())


BOX = VisualPrompt(kind="box", image_id="0" * 64, points=((10.0, 10.0), (40.0, 40.0)))


def test_a_webp_file_stays_as_it_is_and_is_stored_once(tmp_path: Path, work: Counter[str]) -> None:
    files = [encoded(photograph(number, size_wh=(300, 200)), "WEBP", quality=90) for number in range(3)]
    release = frozen(asked(tmp_path, files, 5), tmp_path / "r")
    assert {data for one in release.items() for data in one.images.values()} == set(files)
    assert all(one.drawn == (None,) for one in release.items())
    assert not work
    assert size_of(release) < sum(map(len, files)) + 30_000
    assert verify_release(release.path).problems == []


@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("orientation", [3, 6])
def test_a_turned_jpeg_is_released_made_anew_once_and_does_not_grow(
    tmp_path: Path, work: Counter[str], orientation: int, subsampling: int
) -> None:
    picture = photograph(1, size_wh=(400, 296))
    data = encoded(picture, "JPEG", orientation=orientation, quality=80, subsampling=subsampling)
    with ItemCache(tmp_path / "cache.sqlite") as store:
        release = frozen(asked(tmp_path, [data], 3), tmp_path / "r", store=store)
    assert work == {"_made_anew": 1}
    [released] = {file for one in release.items() for file in one.images.values()}
    assert identify_notes(released) == ()
    assert len(released) < 1.2 * len(data)
    difference = np.abs(decode_rgb(released).astype(int) - decode_rgb(data))
    assert difference.mean() < 2
    assert verify_release(release.path).problems == []
    assert any(getattr(record, "step", None) == TURNED for record in release.provenance())


def identify_notes(data: bytes) -> tuple[str, ...]:
    from benchwright.images.formats import walk
    from benchwright.images.formats.walking import Limits

    return walk(io.BytesIO(data), size=len(data), limits=Limits()).notes


def test_the_tables_of_a_turned_jpeg_are_its_own_and_no_finer_than_those_of_quality_95() -> None:
    fine = jpeg_coding(encoded(photograph(1), "JPEG", quality=100))
    coarse = jpeg_coding(encoded(photograph(1), "JPEG", orientation=6, quality=50))
    upright = jpeg_coding(encoded(photograph(1), "JPEG", quality=50))
    best = jpeg_coding(encoded(photograph(1), "JPEG", quality=made_pictures.JPEG_QUALITY))
    assert fine is not None
    assert coarse is not None
    assert upright is not None
    assert best is not None
    assert fine.no_finer().tables == best.tables
    assert coarse.no_finer() == coarse
    assert coarse == upright.turned()


def test_a_turned_jpeg_that_an_exact_item_shows_stays_as_it_is(tmp_path: Path, work: Counter[str]) -> None:
    bench = asked(tmp_path, [encoded(photograph(1), "JPEG", orientation=6)], 2)
    last = bench.items[-1][0].item_id
    release = frozen(bench, tmp_path / "r", turns=lambda _, item: item.item_id != last)
    [shown] = {image_id for one in release.items() for image_id in one.images}
    assert identify_notes(next(iter(release.items())).images[shown]) == ("exif_orientation:6",)
    assert not any(getattr(record, "step", None) == TURNED for record in release.provenance() if record)


def test_a_picture_with_the_same_marks_is_drawn_once_and_not_again_in_the_next_release(
    tmp_path: Path, work: Counter[str]
) -> None:
    files = [encoded(photograph(number), "WEBP") for number in range(3)]
    with pictures_of(tmp_path / "cache") as store:
        first = frozen(asked(tmp_path, files[:2], 5, BOX), tmp_path / "first", store=store)
        assert work["_drawn"] == 2
        again = frozen(asked(tmp_path, files[:2], 5, BOX), tmp_path / "again", store=store)
        assert work["_drawn"] == 2
        frozen(asked(tmp_path, files, 5, BOX), tmp_path / "more", store=store)
        assert work["_drawn"] == 3
    assert first.release_id == again.release_id
    assert (first.path / "data" / "test-00000.parquet").read_bytes() == (
        again.path / "data" / "test-00000.parquet"
    ).read_bytes()


def test_verification_draws_each_marked_picture_once_and_no_other(tmp_path: Path) -> None:
    marked = asked(tmp_path, [encoded(photograph(1), "WEBP")], 4, BOX)
    plain = asked(tmp_path, [encoded(photograph(2), "WEBP"), encoded(photograph(3), "JPEG")], 4)
    bench = Bench(marked.items + plain.items, marked.files | plain.files, marked.records | plain.records)
    release = frozen(bench, tmp_path / "r")
    comparer = DrawingComparer(release.manifest.drawing_version)
    faults = [fault for _, fault in comparer.compared(release.items())]
    assert faults == [None] * 12
    assert comparer.drawn == 1


@pytest.mark.workers
def test_workers_find_the_same_faults_in_the_same_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright.engines.record_jobs._LEAST_FOR_WORKERS", 1)
    files = [encoded(photograph(number), "JPEG") for number in range(4)]
    items = list(frozen(asked(tmp_path, files, 1, BOX), tmp_path / "r").items())
    changed = items[2].drawn[0]
    assert changed is not None
    wrong = made_pictures.encode_jpeg(255 - decode_rgb(changed))
    items[2] = type(items[2])(items[2].item, items[2].split, items[2].images, (wrong,))
    found = []
    for workers in (1, 2):
        with map_on_this_machine("verify", workers=workers) as record_map:
            compared = DrawingComparer(2, record_map).compared(items)
            found.append([(one.item.item_id, fault) for one, fault in compared])
    assert found[0] == found[1]
    texts = [fault and fault.text for _, fault in found[0]]
    assert texts[:2] + texts[3:] == [None] * 3
    assert texts[2] == f"item {items[2].item.item_id}: image 1 does not match its file and its marks"


def _losing(function: Any, records: Iterable[Any], **_: Any) -> Iterator[LostRecord]:
    """A `RecordMap` whose workers die."""
    return (LostRecord("worker_died", "it ended its worker several times") for _ in records)


def test_a_picture_that_ends_its_worker_ends_freezing_and_is_a_problem_to_verification(tmp_path: Path) -> None:
    bench = asked(tmp_path, [encoded(photograph(1), "JPEG")], 2, BOX)
    image_id = bench.items[0][0].images[0].image_id
    with pytest.raises(StepError, match=f"image {image_id}, drawn for models: it ended its worker"):
        frozen(bench, tmp_path / "r", record_map=_losing)
    assert not (tmp_path / "r").exists()
    release = frozen(bench, tmp_path / "r")
    with pytest.raises(DataError, match="cannot be drawn for comparison: it ended its worker"):
        list(DrawingComparer(2, _losing).compared(release.items()))


def test_items_that_show_one_picture_have_its_bytes_once_in_memory(tmp_path: Path) -> None:
    release = frozen(asked(tmp_path, [encoded(photograph(1), "JPEG")], 3, BOX), tmp_path / "r")
    items = list(release.items())
    assert len({id(data) for one in items for data in one.images.values()}) == 1
    assert len({id(data) for one in items for data in one.drawn}) == 1


def test_the_size_is_said_before_anything_is_drawn_and_comes_true(tmp_path: Path, work: Counter[str]) -> None:
    plain = [encoded(photograph(number, size_wh=(300, 200)), "WEBP", quality=95) for number in range(3)]
    turned = encoded(photograph(4, size_wh=(400, 300)), "JPEG", orientation=8)
    bench, marked = asked(tmp_path, [*plain, turned], 3), asked(tmp_path, [encoded(photograph(5), "JPEG")], 2, BOX)
    bench = Bench(bench.items + marked.items, bench.files | marked.files, bench.records | marked.records)
    said: list[tuple[int, ExpectedSize]] = []
    release = frozen(bench, tmp_path / "r", announce=lambda size: said.append((work["_drawn"], size)))
    [(drawn_before, size)] = said
    assert drawn_before == 0
    assert size.pictures == {"kept": 4, "turned": 1, "drawn": 1}
    files = {image_id: data for one in release.items() for image_id, data in one.images.items()}
    assert size.sizes["kept"] + size.sizes["turned"] == sum(map(len, files.values()))
    assert size.size_bytes == pytest.approx(size_of(release), rel=0.3)
    assert "1 picture turned upright" in size.text()
    card = (release.path / "README.md").read_text(encoding="utf-8")
    assert "1 photograph stored on its side (EXIF) was turned upright and is JPEG" in card
