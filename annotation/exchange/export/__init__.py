"""The whole export: everything that a review store holds of people's work, as tables for other programs."""

from .exporting import FORMATS, Exported, export_everything

__all__ = ["FORMATS", "Exported", "export_everything"]
