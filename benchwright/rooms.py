"""Rooms, through which the command line and recipes look up steps, commands, formats, backends and others by name.

A room is a package that declares one light ``Room`` of ``"module:Name"`` strings under the entry-point group
``benchwright.rooms``. Benchwright finds its own and third-party rooms in the same way, and imports a string's module
only when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal, NamedTuple, get_args

from benchwright.errors import BenchwrightError

GROUP = "benchwright.rooms"
Kind = Literal[
    "steps",
    "commands",
    "formats",
    "backends",
    "protocols",
    "metrics",
    "region_helpers",
    "dataset_readers",
    "item_readers",
    "overrides",
    "photographs",
    "unused_photographs",
    "checks",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Entry(NamedTuple):
    """One name that a room registers: location of its code, and one line of help."""

    target: str
    help: str


@dataclass(frozen=True)
class Room:
    """The names that a package registers.

    Args:
        name: The room's name, such as ``filters``.
        steps: Names that recipes use.
        commands: Names on the command line; a space puts one into a group (``"filter duplicates"``).
        formats: Names for ``release export --format`` (`benchwright.exports.ExportFormat`).
        backends: Names for ``evaluate run --model``, before the colon.
        protocols: Names for ``evaluate run --protocol``, before the colon.
        metrics: Names that a report shows.
        region_helpers: Names for a campaign's ``helpers``: settings of programs that propose regions
            (`benchwright.regions.HelperSettings`).
        dataset_readers: Names for the step ``dataset``: readers of source datasets
            (`benchwright.construction.readers.reader.DatasetReader`).
        item_readers: Functions that yield the items of files of questions
            (`benchwright.source_files.item_files.ItemFiles`); called by commands that examine items without a run.
        overrides: Functions that return curators' overrides of step verdicts for a workspace folder; called by a run.
        photographs: Functions that return the photographs uploaded to a workspace folder; called by a run.
        unused_photographs: Functions that return the unreferenced photographs of a workspace folder, and remove the old
            ones; called by `gc`.
        checks: Functions that return problems (`benchwright.pipeline.mending.check.Problem`) of the room's files in a
            workspace folder; called by `check`.
    """

    name: str
    steps: Mapping[str, Entry] = field(default_factory=dict)
    commands: Mapping[str, Entry] = field(default_factory=dict)
    formats: Mapping[str, Entry] = field(default_factory=dict)
    backends: Mapping[str, Entry] = field(default_factory=dict)
    protocols: Mapping[str, Entry] = field(default_factory=dict)
    metrics: Mapping[str, Entry] = field(default_factory=dict)
    region_helpers: Mapping[str, Entry] = field(default_factory=dict)
    dataset_readers: Mapping[str, Entry] = field(default_factory=dict)
    item_readers: Mapping[str, Entry] = field(default_factory=dict)
    overrides: Mapping[str, Entry] = field(default_factory=dict)
    photographs: Mapping[str, Entry] = field(default_factory=dict)
    unused_photographs: Mapping[str, Entry] = field(default_factory=dict)
    checks: Mapping[str, Entry] = field(default_factory=dict)


class RoomEntry(NamedTuple):
    """An entry together with the name of the room that registers it."""

    room: str
    name: str
    entry: Entry

    def load(self) -> Any:
        """Import the module and return the object that the entry names."""
        module, _, attribute = self.entry.target.partition(":")
        return getattr(import_module(module), attribute)


@cache
def rooms() -> tuple[Room, ...]:
    """Return every installed room, sorted by name.

    Raises:
        BenchwrightError: A room cannot be loaded.
    """
    installed: list[Room] = []
    for point in entry_points(group=GROUP):
        try:
            room = point.load()
        except Exception as error:
            raise BenchwrightError(
                f"room {point.name!r} ({point.value}) cannot be loaded: {type(error).__name__}: {error}; "
                f"fix or uninstall the package {point.dist.name if point.dist else 'that contains it'}"
            ) from error
        if not isinstance(room, Room):
            raise BenchwrightError(
                f"room {point.name!r} ({point.value}) is a {type(room).__name__}, not a Room; fix it there"
            )
        installed.append(room)
    return tuple(sorted(installed, key=lambda room: room.name))


@cache
def catalogue(kind: Kind) -> Mapping[str, RoomEntry]:
    """Return all names of one kind, sorted.

    Raises:
        BenchwrightError: Two rooms register the same name.
    """
    names: dict[str, RoomEntry] = {}
    for room in rooms():
        for name, entry in getattr(room, kind).items():
            if name in names:
                raise BenchwrightError(
                    f"{kind[:-1]} {name!r} is registered by two rooms, {names[name].room!r} and {room.name!r}; "
                    "uninstall one of the two packages or rename it there"
                )
            names[name] = RoomEntry(room.name, name, Entry(*entry))
    return dict(sorted(names.items()))


def find(kind: Kind, name: str) -> RoomEntry:
    """Return the entry with the given name.

    Raises:
        BenchwrightError: No room registers it; the message lists the most similar names.
    """
    names = catalogue(kind)
    if name in names:
        return names[name]
    near = get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else f"known: {', '.join(names) or 'none'}"
    raise BenchwrightError(f"there is no {kind[:-1]} named {name!r}; {hint}")
