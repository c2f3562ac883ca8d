"""Benchwright: build, vet, freeze and score image-question benchmarks.

Names below load on first use, so that ``import benchwright`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "BenchwrightError": "benchwright.errors",
    "Choice": "benchwright.records",
    "ImageRecord": "benchwright.records",
    "Item": "benchwright.records",
    "Outcome": "benchwright.steps",
    "Release": "benchwright.release",
    "VisualPrompt": "benchwright.records",
    "load_recipe": "benchwright.recipe",
    "run_recipe": "benchwright.pipeline",
}

__all__ = [
    "BenchwrightError",
    "Choice",
    "ImageRecord",
    "Item",
    "Outcome",
    "Release",
    "VisualPrompt",
    "__version__",
    "load_recipe",
    "run_recipe",
]

if TYPE_CHECKING:
    from benchwright.errors import BenchwrightError
    from benchwright.pipeline import run_recipe
    from benchwright.recipe import load_recipe
    from benchwright.records import Choice, ImageRecord, Item, VisualPrompt
    from benchwright.release import Release
    from benchwright.steps import Outcome


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'benchwright' has no attribute {name!r}")
