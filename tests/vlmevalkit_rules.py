"""VLMEvalKit's rules of reading a table, restated: it is not on PyPI, so its code cannot be run here.

After `vlmeval/dataset/image_base.py`, `image_mcq.py` and `smp/` of open-compass/VLMEvalKit, November 2026: the class that
the export ships is put into a package `vlmeval` whose modules `smp` and `dataset.image_mcq` are these.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SMP = """
import os
import pandas as pd

def load(path):
    return pd.read_excel(path) if path.endswith(".xlsx") else pd.read_csv(path, sep="\\t" if path.endswith(".tsv") else ",")

def dump(table, path):
    if path.endswith(".xlsx"):
        table.to_excel(path, index=False)
    else:
        table.to_csv(path, index=False, sep="\\t" if path.endswith(".tsv") else ",")

def LMUDataRoot():
    return os.environ["LMUData"]
"""

IMAGE_MCQ = '''
import ast, base64, io, os, string
import pandas as pd
from PIL import Image
from ..smp import LMUDataRoot


def as_list(cell):
    """One text, or the elements of a text that is a list of Python; anything else is refused."""
    if isinstance(cell, list):
        return [str(value) for value in cell]
    if not isinstance(cell, str):
        raise NotImplementedError
    return [str(value) for value in ast.literal_eval(cell)] if cell[0] == "[" and cell[-1] == "]" else [cell]


def save(encoded, path):
    """Decoded, palettes and transparency as RGB, in the format of the name; a file that is there stays."""
    if not os.path.exists(path):
        image = Image.open(io.BytesIO(base64.b64decode(encoded)))
        if image.mode in ("RGBA", "P", "LA"):
            image = image.convert("RGB")
        image.save(path)
    return path


class ImageMCQDataset:
    """What ImageBaseDataset and ImageMCQDataset make of the table that load_data returns."""

    def __init__(self, dataset):
        self.dataset_name = dataset
        self.img_root = os.path.join(LMUDataRoot(), "images", dataset)
        data = self.load_data(dataset)
        data = data[~pd.isna(data["image"])]
        data = data.copy()
        data["index"] = [str(value) for value in data["index"]]
        data["image"] = [str(value) for value in data["image"]]
        shared = dict(zip(data["index"], data["image"]))
        for index, image in shared.items():
            if len(image) <= 64:
                assert image in shared and len(shared[image]) > 64
                shared[index] = shared[image]
        images = [as_list(shared[index]) for index in data["index"]]
        data["image"] = [one[0] if len(one) == 1 else one for one in images]
        paths = [as_list(value) for value in data["image_path"]]
        data["image_path"] = [one[0] if len(one) == 1 else one for one in paths]
        data["index"] = [int(value) for value in data["index"]]
        self.data = data

    def load_data(self, dataset):
        """As CustomMCQDataset does for a table that no class knows: pandas guesses the types."""
        return pd.read_csv(os.path.join(LMUDataRoot(), f"{dataset}.tsv"), sep="\\t")

    def dump_image(self, line):
        os.makedirs(self.img_root, exist_ok=True)
        images = line["image"] if isinstance(line["image"], list) else [line["image"]]
        names = line["image_path"] if isinstance(line["image_path"], list) else [line["image_path"]]
        return [save(image, os.path.join(self.img_root, name)) for image, name in zip(images, names, strict=True)]

    def build_prompt(self, place):
        line = self.data.iloc[place]
        words = f"Question: {line['question']}\\n"
        options = {key: line[key] for key in string.ascii_uppercase if key in line and not pd.isna(line[key])}
        if options:
            words += "Options:\\n" + "".join(f"{key}. {text}\\n" for key, text in options.items())
            words += "Please select the correct answer from the options above. \\n"
        pictures = [{"type": "image", "value": path} for path in self.dump_image(line)]
        return [*pictures, {"type": "text", "value": words}]
'''


@contextmanager
def vlmeval_with(class_file: Path, data_root: Path) -> Iterator[types.SimpleNamespace]:
    """Yield the shipped class and the one of VLMEvalKit, both over a data folder."""
    import os
    from unittest.mock import patch

    modules: dict[str, Any] = {}
    for name, source in (
        ("vlmeval", ""),
        ("vlmeval.smp", SMP),
        ("vlmeval.dataset", ""),
        ("vlmeval.dataset.image_mcq", IMAGE_MCQ),
        ("vlmeval.dataset.benchwright_dataset", class_file.read_text(encoding="utf-8")),
    ):
        module = types.ModuleType(name)
        module.__package__ = name if name in ("vlmeval", "vlmeval.dataset") else name.rpartition(".")[0]
        module.__path__ = []  # type: ignore[attr-defined]
        module.__file__ = str(class_file)
        with patch.dict(sys.modules, {**modules, name: module}):
            exec(compile(source, name, "exec"), module.__dict__)
        modules[name] = module
    with patch.dict(sys.modules, modules), patch.dict(os.environ, {"LMUData": str(data_root)}):
        yield types.SimpleNamespace(
            shipped=modules["vlmeval.dataset.benchwright_dataset"].BenchwrightDataset,
            plain=modules["vlmeval.dataset.image_mcq"].ImageMCQDataset,
        )
