"""Hugging Face `datasets`, which is among the test dependencies, reads exports: archives of WebDataset, tables."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from consumer_runs import documents_of, offline
from exported_releases import expected_items
from nasty_release import nasty_bench, nasty_release

from benchwright.drawing.model_pictures import model_picture
from benchwright.exports import export_release
from benchwright.exports.formats.webdataset import _padding
from benchwright.release import Release

pytestmark = pytest.mark.slow

PRINT = """
import json, sys
from pathlib import Path
import datasets
import numpy as np
from consumer_runs import fingerprint

kind, folder, *splits = sys.argv[1:]
items = []
for split in splits:
    pattern = f"{split}-*.tar" if kind == "webdataset" else f"data/{split}.parquet"
    rows = datasets.load_dataset(kind, data_files={split: str(Path(folder, pattern))}, split=split)
    for row in rows:
        if kind == "webdataset":
            number = row["json"]["n_images"]
            pictures = [row[name] for name in sorted(name for name in row if name[0].isdigit())][:number]
            row = row["json"]
        else:
            pictures = row["images"]
        items.append({
            "item_id": row["item_id"], "split": row["split"], "question": row["question"], "options": row["options"],
            "target": row["target"] or None,
            "pixels": [fingerprint(np.asarray(picture.convert("RGB"))) for picture in pictures],
        })
print(json.dumps(items))
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return nasty_release(tmp_path_factory.mktemp("nasty") / "r")


@pytest.mark.parametrize(("name", "kind"), [("webdataset", "webdataset"), ("lmms-eval", "parquet")])
def test_every_item_equals_the_release(name: str, kind: str, release: Release, tmp_path: Path) -> None:
    export_release(release, name, tmp_path / "export")
    env = {**offline(tmp_path), "HF_HOME": str(tmp_path / "hf"), "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", PRINT, kind, str(tmp_path / "export"), *release.splits],
        env=env, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == documents_of(expected_items(release))


def test_a_release_of_jpeg_files_stays_jpeg(tmp_path: Path) -> None:
    bench = nasty_bench()
    plain = {key for key, record in bench.records.items() if record.media_type == "image/jpeg"}
    turned = next(iter(sorted(key for key in plain if bench.records[key].height > bench.records[key].width)))
    bench.items = [
        (item, split)
        for item, split in bench.items
        if all(image.image_id in plain - {turned} and not image.prompts for image in item.images)
    ]
    first = next(key for key in sorted(plain - {turned}))
    item = nasty_bench().items[0][0]
    image = item.images[0].model_copy(update={"image_id": first})
    bench.items.append((item.model_copy(update={"images": (image,), "root_image_id": first}), "test"))
    release = bench.write(tmp_path / "r")
    done = export_release(release, "webdataset", tmp_path / "export")
    assert done.items == 1
    assert b".0.jpg" in (tmp_path / "export" / "test-000000.tar").read_bytes()
    assert all(loss.what != "bytes of JPEG files" for loss, _ in done.not_carried)


def test_pictures_of_several_formats_are_not_encoded_anew(release: Release, tmp_path: Path) -> None:
    export_release(release, "webdataset", tmp_path / "export")
    of_release: set[bytes] = set()
    for one in release.items():
        for image, drawn in zip(one.item.images, one.drawn, strict=True):
            seen = model_picture(one.images[image.image_id]).data if drawn is None else drawn
            of_release.add(seen)
    exported: set[bytes] = set()
    for path in sorted((tmp_path / "export").glob("*.tar")):
        with tarfile.open(path) as archive:
            for entry in archive:
                handle = archive.extractfile(entry)
                if handle is not None and entry.name.endswith(".png"):
                    exported.add(handle.read())
    assert exported <= of_release | {_padding()}
    assert len({data[:3] for data in exported}) > 1
