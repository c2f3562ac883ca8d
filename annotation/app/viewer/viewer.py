"""The picture viewer on a Streamlit page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..base.components import component
from ..wording.viewer_texts import TEXTS

FOLDER = Path(__file__).parent
SCRIPTS = (
    "view.js",
    "layout.js",
    "ahead.js",
    "detail.js",
    "pane.js",
    "gestures.js",
    "toolbar.js",
    "divider.js",
    "viewer.js",
)
"""Scripts of the viewer, which other components may include."""
STYLE = "viewer.css"


@dataclass(frozen=True)
class ViewerPicture:
    """One picture to show.

    Args:
        src: Path of the upright picture on this server, such as `/pictures/12/0`.
        coarse: Path of a small version, shown until the picture has arrived over a slow line, or None if there is none.
        marks: Path of a transparent PNG overlay of the same shape; None if there are no marks.
        caption: Caption, such as `Image 1` or `A`.
        alt: Description for screen readers; empty to use the caption.
        width: Width of the upright picture in pixels. The page computes its layout before any picture loads.
        height: Height of the upright picture in pixels.
        letter: Option letter, shown on the picture; empty if the picture is not an option.
        detail: Path of the picture's full-resolution tiles, `COLUMN/ROW`; None if `src` has full resolution.
        detail_px: Side length of such a tile, in pixels.
        can_be_chosen: Whether a click on the picture chooses that option; default False.

    Raises:
        ValueError: A path leads to another server, or a side is not positive.
    """

    src: str
    marks: str | None
    caption: str
    alt: str
    width: int
    height: int
    letter: str = ""
    can_be_chosen: bool = False
    detail: str | None = None
    detail_px: int = 512
    coarse: str | None = None

    def __post_init__(self) -> None:
        for path in (self.src, self.marks, self.detail, self.coarse):
            if path is not None and (not path.startswith("/") or path.startswith(("//", "/\\"))):
                raise ValueError(f"{self.caption!r} is at {path!r}; give a path on this server, such as '/pictures/1'")
        if self.width < 1 or self.height < 1:
            raise ValueError(f"{self.caption!r} is {self.width} x {self.height}; give its size in pixels")


def show_pictures(
    pictures: Sequence[ViewerPicture], *, key: str, texts: Mapping[str, str] | None = None, place: str = "pictures"
) -> None:
    """Show an item's pictures with the same zoom; two pictures can also be shown under a slider or in turn.

    Running the script again with the same arguments leaves the screen unchanged. Another `key` resets the zoom. The
    chosen way to compare and the chosen visibility of marks persist for the browser's session.

    Args:
        pictures: One or more pictures in the order of the question; the first of three or more may be a reference.
        key: Key of the displayed content, such as a task and its round.
        texts: Replacements for some of `TEXTS`, by name; default none.
        place: Name of this viewer, for pages with more than one; default `pictures`.

    Raises:
        ValueError: `pictures` is empty, or `texts` has a name that `TEXTS` lacks.
    """
    if not pictures:
        raise ValueError(f"nothing to show for {key!r}; give at least one picture")
    unknown = sorted(set(texts or ()) - set(TEXTS))
    if unknown:
        raise ValueError(f"unknown texts {', '.join(unknown)}; the viewer has {', '.join(sorted(TEXTS))}")
    # The component keeps its key from item to item, so the page updates it instead of building another.
    component("benchwright_viewer", [FOLDER / name for name in (*SCRIPTS, "mount.js")], [FOLDER / STYLE])(
        key=f"viewer-{place}",
        data={"key": key, "pictures": [asdict(picture) for picture in pictures], "texts": {**TEXTS, **(texts or {})}},
    )
