"""The form of the campaign `collect`: a photograph that fits a prompt, with its source, author and license."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..fields.field_types import OneOf, OnlyIf, Option, PhotographField, TextField
from ..fields.form import Form

WEB, OWN, NONE = "web", "own", "none"
LICENCE = "licence"
"""Name of the license field, whose options are the licenses that a recipe names."""
_FOUND = OnlyIf(field="found", codes=(WEB, OWN))
_MAX_LINE = 1000


def licence_code(licence: str) -> str:
    """Return the code of a license, such as `cc_by_4_0`."""
    code = re.sub(r"[^a-z0-9]+", "_", licence.casefold()).strip("_")
    return code if code[:1].isalpha() else f"licence_{code}"


def collect_form(licences: Sequence[str], *, max_bytes: int, max_pixels: int, min_side_px: int) -> Form:
    """Return the form with these licenses and limits on photographs."""
    options = tuple(Option(code=licence_code(licence), words=licence) for licence in licences)
    line = {"is_line": True, "max_chars": _MAX_LINE}
    return Form(
        fields=(
            OneOf(
                name="found",
                label="Photograph for this prompt",
                options=(
                    Option(code=WEB, words="From the web"),
                    Option(code=OWN, words="My own"),
                    Option(code=NONE, words="None to be found"),
                ),
            ),
            OneOf(name=LICENCE, label="Licence", only_if=_FOUND, options=options),
            PhotographField(
                name="photograph",
                label="Photograph",
                only_if=_FOUND,
                max_bytes=max_bytes,
                max_pixels=max_pixels,
                min_side_px=min_side_px,
            ),
            TextField(
                name="source",
                label="Address of its page",
                only_if=OnlyIf(field="found", codes=(WEB,)),
                hint="https://… with its license (N)",
                is_address=True,
                **line,
            ),
            TextField(name="author", label="Author", only_if=_FOUND, hint="As the license requires", **line),
        )
    )
