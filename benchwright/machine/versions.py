"""Installed versions of the libraries that results may depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

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


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries that results may depend on."""
    versions = {"python": platform.python_version()}
    for name in _WATCHED:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
