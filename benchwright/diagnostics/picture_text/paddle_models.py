"""The models of PaddleOCR: those of rapidocr's wheel, the user's folders, or those that the package downloads.

PaddleOCR takes a model as a folder with `inference.yml` and the network. The wheel of rapidocr has the networks of
PP-OCRv6 small as ONNX; this module writes the descriptions that PaddleOCR also needs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import digest, file_digest
from benchwright.errors import PrerequisiteError

from .rapid import model_files, models_hash

_BUNDLED, _PACKAGE = "bundled", "package"
_DETECTOR, _READER = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
_NETWORKS = ("inference.onnx", "inference.json", "inference.pdmodel", "inference.pdiparams")


class PaddleModel(NamedTuple):
    """A model by its name in PaddleOCR, and its folder; None if PaddleOCR downloads it."""

    name: str
    folder: Path | None

    def settings(self) -> dict[str, str | None]:
        """Return the model in the form of `paddle_worker.Paddle`."""
        return {"name": self.name, "folder": None if self.folder is None else str(self.folder)}


class PaddleModels(NamedTuple):
    """A detector and a reader."""

    detector: PaddleModel
    reader: PaddleModel


def paddle_models(choice: str, *, beside: Path, cache: Path) -> PaddleModels:
    """Return the models that a setting names.

    Args:
        choice: `bundled`, `package`, or a folder with the folders `det` and `rec`.
        beside: Base folder of a relative path.
        cache: Folder into which the bundled models may be written.

    Raises:
        PrerequisiteError: The bundled models are not installed, or the folder does not contain models.
    """
    if choice == _PACKAGE:
        return PaddleModels(PaddleModel(_DETECTOR, None), PaddleModel(_READER, None))
    folder = _bundled(cache) if choice == _BUNDLED else beside / Path(choice).expanduser()
    return PaddleModels(*(PaddleModel(_name(folder / part), (folder / part).absolute()) for part in ("det", "rec")))


def paddle_models_hash(choice: str, *, beside: Path) -> str:
    """Return the digest of the models' files, or of their names if the package downloads them.

    Raises:
        PrerequisiteError: As for `paddle_models`.
    """
    if choice == _PACKAGE:
        return digest(["fetched", _DETECTOR, _READER])
    if choice == _BUNDLED:
        return digest(["bundled", models_hash(), _descriptions([])])
    folder = beside / Path(choice).expanduser()
    files = []
    for part in ("det", "rec"):
        _name(folder / part)
        files += [
            (part, name, file_digest(folder / part / name))
            for name in ("inference.yml", *_NETWORKS)
            if (folder / part / name).is_file()
        ]
    return digest(["folder", *files])


def _name(folder: Path) -> str:
    """Return the model's name from the description in its folder."""
    import yaml

    path = folder / "inference.yml"
    try:
        name = yaml.safe_load(path.read_text(encoding="utf-8"))["Global"]["model_name"]
    except FileNotFoundError:
        raise PrerequisiteError(
            f"{path} does not exist; name a folder with det/ and rec/ in `models`, each with inference.yml and the "
            "network"
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError) as error:
        raise PrerequisiteError(f"{path} is not a description of a PaddleOCR model: {type(error).__name__}") from error
    if not isinstance(name, str):
        raise PrerequisiteError(f"{path}: Global.model_name is {name!r}, not a name")
    if not any((folder / network).is_file() for network in _NETWORKS):
        raise PrerequisiteError(f"{folder} contains none of {', '.join(_NETWORKS)}")
    return name


def _bundled(cache: Path) -> Path:
    """Write both folders for the models of rapidocr's wheel, completely or not at all; return their parent folder."""
    folder = cache / f"paddle-{models_hash()[:16]}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    being_made = Path(tempfile.mkdtemp(prefix="paddle-", dir=cache))
    try:
        files = model_files()
        for part, file, description in zip(("det", "rec"), files, _descriptions(_characters(files[1])), strict=True):
            (being_made / part).mkdir()
            shutil.copyfile(file, being_made / part / "inference.onnx")
            (being_made / part / "inference.yml").write_text(_as_yaml(description), encoding="utf-8")
        being_made.rename(folder)
    except OSError:
        if not folder.is_dir():  # another worker was faster
            raise
    finally:
        shutil.rmtree(being_made, ignore_errors=True)
    return folder


def _as_yaml(description: Any) -> str:
    import yaml

    return yaml.safe_dump(description, allow_unicode=True, sort_keys=True)


def _characters(reader: Path) -> list[str]:
    """Return the characters that the reader recognizes, which are stored in its network."""
    import onnxruntime

    session = onnxruntime.InferenceSession(os.fspath(reader), providers=["CPUExecutionProvider"])
    listed: str = session.get_modelmeta().custom_metadata_map["character"]
    return listed.splitlines()


def _descriptions(characters: list[str]) -> list[dict[str, Any]]:
    """Return the descriptions of detector and reader for PaddleOCR: preprocessing and postprocessing."""
    decode = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
    detector = {
        "Global": {"model_name": _DETECTOR},
        "PreProcess": {
            "transform_ops": [
                decode,
                {"DetResizeForTest": None},
                {"NormalizeImage": {"mean": [0.5] * 3, "std": [0.5] * 3, "order": "hwc", "scale": "1./255."}},
                {"ToCHWImage": None},
                {"KeepKeys": {"keep_keys": ["image", "shape", "polys", "ignore_tags"]}},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": 0.3,
            "box_thresh": 0.6,
            "max_candidates": 1000,
            "unclip_ratio": 1.6,
        },
    }
    reader = {
        "Global": {"model_name": _READER},
        "PreProcess": {
            "transform_ops": [
                decode,
                {"RecResizeImg": {"image_shape": [3, 48, 320]}},
                {"KeepKeys": {"keep_keys": ["image"]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": characters},
    }
    return [detector, reader]
