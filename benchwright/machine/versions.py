"""What results depend on besides their inputs: the versions of libraries and the code of this package."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_WATCHED = (
    "benchwright",
    "imagehash",
    "numpy",
    "onnxruntime",
    "opencv-python-headless",
    "pillow",
    "pyarrow",
    "pydantic",
    "rapidocr",
    "scipy",
)
"""Libraries whose version may change the results of a step."""
_PACKAGE = Path(__file__).resolve().parent.parent


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries on which results may depend."""
    versions = {"python": platform.python_version()}
    for name in _WATCHED:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


@cache
def code_digest(root: Path = _PACKAGE) -> str:
    """Return the SHA-256 of all Python files of this package, excluding rooms that are linked into it.

    Data cached under it is made again after any code change, so that no version number needs manual updates.

    Args:
        root: Folder of the package.
    """
    files = (Path(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".py"))
    made = hashlib.sha256()
    for file in sorted(files):
        made.update(f"{file.relative_to(root).as_posix()} {file.stat().st_size}\n".encode())
        made.update(file.read_bytes())
    return made.hexdigest()
