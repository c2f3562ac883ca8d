"""Guidelines from a curator: a Markdown file with pictures next to it, or the next version written in the app."""

from __future__ import annotations

import re
from pathlib import Path

from benchwright.drawing.previews import preview
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify
from benchwright.images.regular_files import read_file

from ..forms.fields.texts import can_be_kept
from ..store.campaigns.guidelines import GuidelinePicture, Guidelines
from ..store.database.records import RefusedError
from ..store.review_store import ReviewStore

MAX_TEXT = 64 * 1024
_MAX_PICTURES = 40
_MAX_SIDE_PX = 1600
_LOSSLESS_PX = 1_000_000
_PICTURE = re.compile(r"!\[([^\]\n]*)\]\(\s*([^)\s]+)\s*\)")
_KEPT_PICTURE = re.compile(r"picture:(\d{1,3})")


def read_guidelines(path: Path) -> tuple[str, list[GuidelinePicture]]:
    """Return the text of a file, in which numbers refer to pictures, and the pictures, re-encoded for browsers.

    The file refers to pictures by relative paths, in its own folder or below. Each picture needs a text that describes
    it.

    Raises:
        DataError: The file is unreadable, too long, or not text.
        BenchwrightError: A picture is outside the folder, cannot be read as a picture, or has no text.
    """
    text = _text_of(path)
    places: dict[str, int] = {}

    def placed(match: re.Match[str]) -> str:
        words, name = match.groups()
        if not words.strip():
            raise BenchwrightError(
                f"{path}: the picture {name} has no alternative text; write ![what it shows]({name})"
            )
        return f"![{words}](picture:{places.setdefault(name, len(places))})"

    marked = _PICTURE.sub(placed, text)
    if len(places) > _MAX_PICTURES:
        raise BenchwrightError(f"{path} shows {len(places)} pictures, expected at most {_MAX_PICTURES}")
    return marked, [_picture(path, name) for name in places]


def revise_guidelines(store: ReviewStore, campaign: str, text: str, *, based_on: int, by: str) -> int:
    """Write a curator's next version of a campaign's guidelines, and return its number.

    The new version may show, move and omit pictures of the version in force, as `picture:0`, `picture:1`, ....

    Args:
        store: The review store.
        campaign: Name of the campaign.
        text: Text in Markdown.
        based_on: Number of the version that the curator edited; 0 if there was none.
        by: Name of the curator.

    Raises:
        StaleError: Another version was written in the meantime.
        RefusedError: The text is empty, too long, or shows a picture that the version in force lacks.
    """
    if not text.strip() or len(text.encode()) > MAX_TEXT or not can_be_kept(text):
        raise RefusedError(f"guidelines must be a text of 1 byte to {MAX_TEXT // 1024} kB without nulls")
    places: dict[int, int] = {}

    def placed(match: re.Match[str]) -> str:
        words, name = match.groups()
        number = _KEPT_PICTURE.fullmatch(name)
        if number is None or not words.strip():
            raise RefusedError(
                f"write pictures as ![what it shows](picture:0), found {match[0][:100]!r}; add new pictures "
                "with `benchwright review guidelines --set FILE`"
            )
        return f"![{words}](picture:{places.setdefault(int(number[1]), len(places))})"

    marked = _PICTURE.sub(placed, text)
    return Guidelines(store).revise(campaign, marked, list(places), based_on=based_on, by=by)


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            data = handle.read(MAX_TEXT + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise DataError(f"{path} cannot be read as Markdown in UTF-8: {error}") from error
    if len(data) > MAX_TEXT or not text.strip() or not can_be_kept(text):
        raise DataError(
            f"{path} contains {len(data)} bytes; expected a text of up to {MAX_TEXT // 1024} kB without nulls"
        )
    return text


def _picture(path: Path, name: str) -> GuidelinePicture:
    if ":" in name or name.startswith(("/", "\\")):
        raise BenchwrightError(
            f"{path}: pictures must be in the file's folder or below it; found {name[:200]!r}; copy it there"
        )
    folder = path.resolve().parent
    try:
        identify(folder / name, root=folder)
        shown = preview(
            read_file((folder / name).resolve(), limits=Limits()),
            max_side_px=_MAX_SIDE_PX,
            lossless_up_to_px=_LOSSLESS_PX,
        )
    except UnreadableImage as error:
        raise BenchwrightError(f"{path}: the picture {name[:200]!r} cannot be shown: {error}") from error
    return GuidelinePicture(shown.data, shown.media_type)
