"""The picture viewer: an item's pictures side by side, under a slider or in turn, all with the same zoom."""

from ..wording.viewer_texts import TEXTS
from .viewer import ViewerPicture, show_pictures

__all__ = ["TEXTS", "ViewerPicture", "show_pictures"]
