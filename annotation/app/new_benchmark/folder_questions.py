"""One question about all photographs in a folder; the name of each photograph's subfolder is its answer.

    animals/cat/1.jpg     Which animal is shown?     cat | dog | horse     cat

This turns sorted photographs into a benchmark. The questions are an ordinary table, which the step `items` reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.identify import identify, path_for
from benchwright.pipeline.ingest import list_files

LEAST_CLASSES, MOST_CLASSES = 2, 26
MOST_PHOTOGRAPHS = 20_000


def folder_table(folder: Path, question: str) -> bytes:
    """Return the table of questions about the photographs in a folder, as JSON lines.

    Args:
        folder: Folder whose subfolders are the answers. Photographs outside of subfolders, and files that are not
            photographs, are left out.
        question: The question about each photograph.

    Raises:
        BenchwrightError: There are too few or too many subfolders with photographs, two names differ only in case, or
            there are more than `MOST_PHOTOGRAPHS` photographs.
    """
    by_class = _photographs(folder)
    names = sorted(by_class)
    if not LEAST_CLASSES <= len(names) <= MOST_CLASSES:
        raise BenchwrightError(
            f"folders with photographs in {folder.name}: {len(names)}; sort the photographs into {LEAST_CLASSES} to "
            f"{MOST_CLASSES}, one for each answer"
        )
    words = [words_of(name) for name in names]
    folded = [text.casefold() for text in words]
    for place, text in enumerate(folded):
        if text in folded[:place]:
            first = names[folded.index(text)]
            raise BenchwrightError(f"the folders {first!r} and {names[place]!r} read the same; rename one")
    rows = [
        {"image": path, "question": question, "options": words, "answer": chr(ord("A") + place)}
        for place, name in enumerate(names)
        for path in by_class[name]
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def photographs_table(folder: Path, question: str, options: Sequence[str]) -> bytes:
    """Return a table with the same question and options, without keys, for each photograph in a folder.

    Args:
        folder: Folder of the photographs, including those in subfolders.
        question: The question about each photograph.
        options: Options; none is marked as right.

    Raises:
        BenchwrightError: The folder holds no photograph, or more than `MOST_PHOTOGRAPHS` files.
    """
    files = list_files(folder)
    if len(files) > MOST_PHOTOGRAPHS:
        raise BenchwrightError(
            f"{folder.name} contains more than {MOST_PHOTOGRAPHS:,} files; choose one of its subfolders"
        )
    shown = [path.as_posix() for path in map(path_for, files) if _is_photograph(folder / path, folder)]
    if not shown:
        raise BenchwrightError(f"{folder.name} contains no photograph; name a folder that does")
    rows = [{"image": path, "question": question, "options": list(options)} for path in shown]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def words_of(name: str) -> str:
    """Return the option text for a folder name: `mountain_bike` becomes "mountain bike"."""
    return name.replace("_", " ").strip()


def _photographs(folder: Path) -> dict[str, list[str]]:
    """Return the photographs in each direct subfolder, by the subfolder's name, as paths relative to `folder`."""
    found: dict[str, list[str]] = {}
    for place, path in enumerate(map(path_for, list_files(folder))):
        if place >= MOST_PHOTOGRAPHS:
            raise BenchwrightError(
                f"{folder.name} contains more than {MOST_PHOTOGRAPHS:,} files; choose one of its subfolders"
            )
        if len(parts := path.parts) > 1 and _is_photograph(folder / path, folder):
            found.setdefault(parts[0], []).append(path.as_posix())
    return found


def _is_photograph(path: Path, root: Path) -> bool:
    try:
        identify(path, root=root)
    except (UnreadableImage, OSError):
        return False
    return True
