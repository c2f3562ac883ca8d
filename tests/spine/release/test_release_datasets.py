"""Hugging Face `datasets` reads a release folder as it is: splits as named, pictures as pictures."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
import json, sys
import datasets

found = datasets.load_dataset(sys.argv[1])
told = {}
for split, rows in found.items():
    for row in rows:
        told[row["item_id"]] = {
            "split": split,
            "question": row["question"],
            "answer": row["answer"],
            "choices": row["choices"],
            "images": [[type(i).__module__, *i.size, *i.getpixel((0, 0))] for i in row["images"]],
        }
features = found["val"].features.to_dict()
print(json.dumps({"rows": told, "images": features["images"], "roles": features["image_roles"]}))
"""


def test_load_dataset_gives_every_item_with_decoded_pictures(bench, tmp_path):
    folder = bench.write(tmp_path / "tiny-0+abcdef").path
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        env={**os.environ, **offline}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert document["images"] == {"feature": {"_type": "Image"}, "_type": "List"}
    assert document["roles"] == {"feature": {"dtype": "string", "_type": "Value"}, "_type": "List"}
    assert sorted(document["rows"]) == sorted(item.item_id for item, _ in bench.items)
    for item, split in bench.items:
        row = document["rows"][item.item_id]
        assert (row["split"], row["question"], row["answer"]) == (split, item.question, item.answer)
        assert row["choices"] == [choice.model_dump() for choice in item.choices]
        records = [bench.records[image.image_id] for image in item.images]
        sizes = [image[1:3] for image in row["images"]]
        assert sizes == [[record.width, record.height] for record in records]
        decoders = ["PIL.WebPImagePlugin" if image.prompts else "PIL.PngImagePlugin" for image in item.images]
        assert [image[0] for image in row["images"]] == decoders
        # Stored without compression, the first pixel lies 2 + 5 + 1 bytes into the image data.
        colours = [list(bench.files[record.image_id].partition(b"IDAT")[2][8:11]) for record in records]
        assert [image[3:] for image in row["images"]] == colours
