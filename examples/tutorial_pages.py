"""Read a tutorial in `docs/tutorials/` as a sequence of steps.

A page is prose, of which `follow_tutorials.py` follows these parts:

- a block of `sh`: run as printed; one that serves the review app continues in the background until the page ends;
- a block of `text`: the output of the block of `sh` above it. A line of dots represents omitted lines, and dots within
  a line represent any text; in a table with a column `seconds`, numbers may differ;
- a block with a title, such as `yaml title="my.yaml"`: a file that the reader saves under that name;
- a table `| Who | Where | What they do |`: what people do in the browser;
- a picture below `images/tutorials/`: what the person in the row above sees at this point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PEOPLE_TABLE = "| Who | Where | What they do |"
_PART = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<block>.*?)^```$"
    r"|^(?P<header>\|[^\n]*\|)\n\|[-|: ]+\|\n(?P<rows>(?:\|[^\n]*\|\n)+)"
    r"|!\[[^\]]*\]\([./]*images/tutorials/(?P<picture>[\w.-]+)\)",
    re.M | re.S,
)


class Command(NamedTuple):
    """Lines for the shell."""

    script: str

    @property
    def serves(self) -> bool:
        """Whether it starts a server, which runs until the page ends."""
        return "review serve" in self.script


class Printed(NamedTuple):
    """The output of the command before it."""

    text: str


class SavedFile(NamedTuple):
    """A file that the reader writes."""

    name: str
    text: str


class Row(NamedTuple):
    """An act of people in the browser.

    Args:
        people: Names of the people who do it, one after another.
        where: Place of the act: a page of the app, an address, a link or a file; empty to stay.
        acts: Clauses of the act, see `tutorial_people.py`.
    """

    people: tuple[str, ...]
    where: str
    acts: str


class Picture(NamedTuple):
    """A picture of the screen at this place of the page."""

    name: str


Part = Command | Printed | SavedFile | Row | Picture


def parts_of(page: Path) -> list[Part]:
    """Return the steps of a page, in order."""
    return list(_parts(page.read_text(encoding="utf-8")))


def _parts(text: str) -> Iterator[Part]:
    for match in _PART.finditer(text):
        if match["picture"]:
            yield Picture(match["picture"])
        elif match["header"]:
            if match["header"] == PEOPLE_TABLE:
                yield from map(_row, match["rows"].strip().split("\n"))
        elif match["title"]:
            yield SavedFile(match["title"], match["block"])
        elif match["language"] == "sh":
            yield Command(match["block"])
        elif match["language"] == "text":
            yield Printed(match["block"])


def _row(line: str) -> Row:
    who, where, acts = (cell.strip() for cell in line.strip("|").split("|"))
    return Row(tuple(name.strip() for name in who.split(",")), where, acts)


def differences(shown: str, real: str) -> list[str]:
    """Return the lines of a page that a command did not print in this order; empty if it printed all.

    Args:
        shown: Text of the page.
        real: Text that the command printed.
    """
    lines = [_plain(line) for line in real.split("\n")]
    has_times = re.search(r"\bseconds\b", real) is not None
    missing = []
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() in {"", "..."}:
            continue
        pattern = re.escape(_plain(line)).replace(re.escape("..."), ".*")
        if has_times:
            pattern = re.sub(r"(?<=\\ )\d+\\\.\d\d(?=\\ |$)", r"\\d+\\.\\d+", pattern)
        place = next((n for n, candidate in enumerate(lines) if re.fullmatch(pattern, candidate)), None)
        if place is None:
            missing.append(line)
        else:
            del lines[: place + 1]
    return missing


def _plain(line: str) -> str:
    return " ".join(line.split())
