"""The evaluation report: one HTML page with scores, plots and items, made of a folder of results and its release."""

from __future__ import annotations

from .packages import missing_packages, require_packages
from .writing import REPORT_FILE, WrittenReport, write_report

__all__ = ["REPORT_FILE", "WrittenReport", "missing_packages", "require_packages", "write_report"]
