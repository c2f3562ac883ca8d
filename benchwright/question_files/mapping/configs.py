"""Information in the names of files and folders: the split, and the configuration of a Hugging Face dataset.

A dataset with several configurations (subjects, tasks) has a folder for each, or the head of its `README.md` lists the
files of each configuration and split (`configs:`, as read by `datasets`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import yaml

from benchwright.errors import BenchwrightError
from benchwright.source_files.files import DatasetFiles

_SPLIT = re.compile(r"(?:^|[^a-z])(train|dev|val|validation|test)(?:[^a-z]|$)", re.I)
_NO_CONFIG = frozenset(
    {"", ".", "data", "default", "questions", "annotations", "json", "parquet", "images", "questions_answers_yn"}
)
_MAX_CARD_BYTES = 4 << 20


class FileLabels(NamedTuple):
    """Labels of a file, inferred from names.

    Args:
        split: Split; None if unknown.
        config: Configuration, such as a subject; None if unknown.
    """

    split: str | None = None
    config: str | None = None


def split_of(name: str) -> str | None:
    """Return the split that a name contains as a word, in lower case; None if it contains none."""
    match = _SPLIT.search(name)
    return match and match[1].lower()


def file_labels(files: DatasetFiles, paths: Sequence[str]) -> dict[str, FileLabels]:
    """Return split and configuration of each file of questions.

    Args:
        files: The folder.
        paths: Paths of its question files; a folder is a configuration only if several folders contain such files.
    """
    folders = {path: _folders(path) for path in paths}
    several = len({tuple(parts) for parts in folders.values()}) > 1
    card = list(_card_entries(files))
    labels = {}
    for path in paths:
        stated = next((entry for pattern, entry in card if fnmatchcase(path, pattern)), FileLabels())
        stem = PurePosixPath(path).name.partition(".")[0]
        split = (
            stated.split or split_of(stem) or next(filter(None, map(split_of, reversed(path.split("/")[:-1]))), None)
        )
        config = folders[path][-1] if several and folders[path] else None
        labels[path] = FileLabels(split, stated.config or config)
    return labels


def _folders(path: str) -> list[str]:
    """Return the folders above a file that may name a configuration, excluding splits and `data`."""
    return [part for part in path.split("/")[:-1] if part.lower() not in _NO_CONFIG and split_of(part) is None]


def _card_entries(files: DatasetFiles) -> Iterator[tuple[str, FileLabels]]:
    """Yield the file patterns listed in the dataset's card, with split and configuration."""
    for config in _card(files).get("configs") or ():
        if not isinstance(config, Mapping):
            continue
        name = str(config.get("config_name") or "default")
        shown = None if name.lower() in _NO_CONFIG else name
        data_files = config.get("data_files")
        entries = data_files if isinstance(data_files, list) else [data_files]
        for entry in entries:
            if isinstance(entry, str):
                yield entry, FileLabels(None, shown)
            elif isinstance(entry, Mapping):
                paths = entry.get("path")
                for pattern in paths if isinstance(paths, list) else [paths]:
                    if isinstance(pattern, str):
                        yield pattern, FileLabels(str(entry.get("split") or "") or None, shown)


def _card(files: DatasetFiles) -> Mapping[str, Any]:
    """Return the metadata at the head of the dataset's card; empty if the card is missing or unreadable."""
    if not files.has("README.md"):
        return {}
    try:
        text = files.read("README.md", max_bytes=_MAX_CARD_BYTES).decode("utf-8", "replace")
        head = re.match(r"---\s*\n(.*?)\n---\s*(?:\n|$)", text, re.S)
        # Aliases could make a short text a very large document.
        if head is None or re.search(r"(?:^|[\s:\[,-])[*&]\w", head[1]):
            return {}
        document = yaml.safe_load(head[1])
    except (BenchwrightError, yaml.YAMLError, RecursionError, ValueError):
        return {}
    return document if isinstance(document, Mapping) else {}
