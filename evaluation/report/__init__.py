"""The evaluation report: one HTML page with scores, plots and items, made of a folder of results and its release.

Names below load on first use: a recipe that is checked only asks whether the packages of a report are installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .packages import missing_packages, require_packages

__all__ = ["REPORT_FILE", "WrittenReport", "missing_packages", "require_packages", "write_report"]

if TYPE_CHECKING:
    from .writing import REPORT_FILE, WrittenReport, write_report


def __getattr__(name: str) -> Any:
    if name in {"REPORT_FILE", "WrittenReport", "write_report"}:
        return getattr(import_module(f"{__name__}.writing"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
