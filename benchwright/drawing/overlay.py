"""Drawing of the prompts in a JSON file on an image file; the result is a PNG file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from benchwright.canonical import bytes_digest
from benchwright.drawing import Drawing, PromptError, check_prompt, draw
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import read_file
from benchwright.records import MaskRuns, PromptStyle, VisualPrompt
from benchwright.workspace.atomic import write_bytes

_MOST_BYTES = 16 << 20
_MOST_PROMPTS = 1000
_MOST_MISTAKES = 20
_INSIDE: Mapping[str, type[BaseModel]] = {"style": PromptStyle, "mask": MaskRuns}


def overlay_file(image: Path, spec: Path, out: Path, *, force: bool = False) -> Drawing:
    """Draw the prompts of a JSON file on the upright picture of an image file and write a PNG.

    Args:
        image: Image file of any format that Benchwright reads.
        spec: JSON file with a list of visual prompts; `image_id` is optional.
        out: PNG file to write.
        force: Whether to replace `out` if it exists; picture and list are never replaced.

    Raises:
        BenchwrightError: `out` exists or cannot be written.
        DataError: The picture is unreadable, or the list has mistakes; the message names all of them.
    """
    _check_out(out, inputs=(image, spec), force=force)
    try:
        data = read_file(image, limits=Limits())
        pixels = decode_rgb(data)
    except UnreadableImage as error:
        raise UnreadableImage(error.reason, f"{image}: {error.detail}") from None
    prompts = _read_prompts(spec, image_id=bytes_digest(data), width=pixels.shape[1], height=pixels.shape[0])
    try:
        drawing = draw(pixels, prompts)
    except PromptError as error:
        raise DataError(f"{spec}: [{error.number}].{error.key}: {error}") from error
    try:
        write_bytes(out, encode_png(drawing.pixels))
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error
    return drawing


def _read_prompts(spec: Path, *, image_id: str, width: int, height: int) -> list[VisualPrompt]:
    """Return the prompts in a JSON file, after checking that each can be drawn on an image of the given size.

    Raises:
        DataError: The file is unreadable, or prompts have mistakes; the message gives the file, location and value of
            each.
    """
    prompts: list[VisualPrompt] = []
    mistakes: list[str] = []
    for number, raw in enumerate(_list(spec)):
        if not isinstance(raw, dict):
            mistakes.append(f"[{number}]: expected an object with the keys kind and points, not {_shown(raw)}")
            continue
        try:
            prompt = VisualPrompt.model_validate({"image_id": image_id, **raw})
            if prompt.image_id != image_id:
                raise PromptError("image_id", f"{prompt.image_id!r} is another image; this one is {image_id}")
            check_prompt(prompt, width=width, height=height)
            prompts.append(prompt)
        except PromptError as error:
            mistakes.append(f"[{number}].{error.key}: {error}")
        except ValidationError as error:
            mistakes += [f"[{number}]{_mistake(detail)}" for detail in error.errors(include_url=False)]
    if mistakes:
        more = [f"and {len(mistakes) - _MOST_MISTAKES} more"] if len(mistakes) > _MOST_MISTAKES else []
        raise DataError(f"{spec}: {'; '.join(mistakes[:_MOST_MISTAKES] + more)}")
    return prompts


def _check_out(out: Path, *, inputs: Sequence[Path], force: bool) -> None:
    if out.suffix.lower() != ".png":
        raise BenchwrightError(f"{out} does not end in .png; name a .png file")
    if not out.exists():
        return
    if any(input_path.exists() and out.samefile(input_path) for input_path in inputs):
        raise BenchwrightError(f"{out} is an input file; give another file to write to")
    if not force:
        raise BenchwrightError(f"{out} already exists; give another name, or --force to replace it")


def _list(spec: Path) -> list[Any]:
    try:
        data = read_file(spec, limits=Limits(max_bytes=_MOST_BYTES))
    except UnreadableImage as error:
        raise DataError(f"{spec} cannot be read: {error.detail}") from None
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_no_repeats)
    except UnicodeDecodeError as error:
        raise DataError(f"{spec} is not UTF-8 text (byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{spec} is not valid JSON: {str(error)[:200]}") from error
    if not isinstance(document, list):
        raise DataError(f"{spec}: expected a list of visual prompts, not {_shown(document)}")
    if len(document) > _MOST_PROMPTS:
        raise DataError(f"{spec}: {len(document):,} visual prompts; a picture takes at most {_MOST_PROMPTS:,}")
    return document


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number in JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} occurs twice in the same object")
    return document


def _mistake(error: Mapping[str, Any]) -> str:
    """Return the location of a mistake in a prompt, the value found and the value expected."""
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    if error["type"] == "missing":
        return f"{where}: this key is missing"
    if error["type"] == "extra_forbidden":
        *path, key = error["loc"]
        known = sorted((_INSIDE[path[0]] if path and path[0] in _INSIDE else VisualPrompt).model_fields)
        near = get_close_matches(str(key), known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
        return f"{where}: unknown key (value {_shown(error['input'])}); {hint}"
    return f"{where}: {_shown(error['input'])} is not valid: {error['msg']}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
