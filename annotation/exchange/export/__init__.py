"""The full export: all annotation data of a review store, as tables for other programs."""

from .exporting import FORMATS, Exported, export_everything

__all__ = ["FORMATS", "Exported", "export_everything"]
