"""Counts the work of every process that starts with this folder on PYTHONPATH, including workers; the product has no
hook.

Python imports this module at the start of each process. A line is added to the file that `COUNTED_WORK` names for each
picture that a decoder or an encoder gets, each file below `COUNTED_FOLDER` that Python opens, each whole file that is
hashed, each reading of rows of a Parquet file, and, as a process ends, each module that it imported. Pictures have the
digest of what is decoded or encoded as their name, so that the same work done twice is seen.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

_LOG = os.open(os.environ["COUNTED_WORK"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
_FOLDER = os.path.join(os.path.realpath(os.environ["COUNTED_FOLDER"]), "")
_SMALLEST_PX = 16
"""Side below which a picture is none, such as the one whose tables tell what a quality means."""


def _note(kind: str, *values: object) -> None:
    os.write(_LOG, ("\t".join(map(str, (os.getpid(), kind, *values))) + "\n").encode())


def _name(data: bytes | memoryview) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _pillow_decodes(module: ModuleType) -> None:
    load = module.ImageFile.load

    def counted(self: Any) -> Any:
        if self.tile and min(self.size) >= _SMALLEST_PX:
            source = self.fp.getbuffer() if hasattr(self.fp, "getbuffer") else str(self.filename).encode()
            _note("decode", self.format, _name(source))
        return load(self)

    module.ImageFile.load = counted


def _pillow_encodes(module: ModuleType) -> None:
    save = module.Image.save

    def counted(self: Any, fp: Any, format: str | None = None, **params: Any) -> Any:
        if min(self.size) >= _SMALLEST_PX:
            lossless = " lossless" if params.get("lossless") else ""  # a file of another kind, for other readers
            _note("encode", f"{format or fp}{lossless}", _name(self.tobytes()))
        return save(self, fp, format, **params)

    module.Image.save = counted


def _opencv(module: ModuleType) -> None:
    def counted(kind: str, function: Callable[..., Any], place: int) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            _note(kind, "OpenCV", _name(repr(arguments[place]).encode()))
            return function(*arguments, **more)

        return call

    for name, kind, place in (
        ("imdecode", "decode", 0), ("imread", "decode", 0), ("imencode", "encode", 1), ("imwrite", "encode", 1)
    ):  # fmt: skip
        setattr(module, name, counted(kind, getattr(module, name), place))


def _parquet(module: ModuleType) -> None:
    def batches(self: Any, *arguments: Any, **more: Any) -> Iterator[Any]:
        for batch in iter_batches(self, *arguments, **more):
            _note("rows", _kind(batch), batch.num_rows)
            yield batch

    def whole(function: Callable[..., Any]) -> Callable[..., Any]:
        def read(*arguments: Any, **more: Any) -> Any:
            table = function(*arguments, **more)
            _note("rows", _kind(table), table.num_rows)
            return table

        return read

    iter_batches = module.ParquetFile.iter_batches
    module.ParquetFile.iter_batches = batches
    for name in ("read", "read_row_group", "read_row_groups"):
        setattr(module.ParquetFile, name, whole(getattr(module.ParquetFile, name)))


def _kind(table: Any) -> str:
    has_pictures = "images" in table.schema.names and "bytes" in str(table.schema.field("images").type)
    return "with pictures" if has_pictures else "without"


_COUNTED = {
    "PIL.ImageFile": _pillow_decodes,
    "PIL.Image": _pillow_encodes,
    "cv2": _opencv,
    "pyarrow.parquet.core": _parquet,
}


class _Counting(importlib.abc.MetaPathFinder):
    """Finds the modules that do the work and wraps their functions once they are loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in _COUNTED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        wrap = _COUNTED.pop(name)  # cv2 loads itself a second time, by the spec of its binary
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            wrap(sys.modules[name])

        spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


def _ended() -> None:
    for name in sorted(sys.modules):
        _note("module", name)


def _opened(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], str | bytes):
        return
    path = os.path.abspath(os.fsdecode(arguments[0]))
    if path.startswith(_FOLDER):
        _note("write" if arguments[2] & (os.O_WRONLY | os.O_RDWR) else "read", path)


def _file_digest(function: Callable[..., Any]) -> Callable[..., Any]:
    def counted(fileobj: Any, *arguments: Any, **more: Any) -> Any:
        _note("hash", os.fstat(fileobj.fileno()).st_size)
        return function(fileobj, *arguments, **more)

    return counted


hashlib.file_digest = _file_digest(hashlib.file_digest)
sys.meta_path.insert(0, _Counting())
sys.addaudithook(_opened)
atexit.register(_ended)
