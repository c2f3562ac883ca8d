"""Facts as text: whole files, and skeletons for curators to fill in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchwright.errors import UnreadableImage

from .facts_table import facts_table
from .picture_facts import PictureFacts
from .picture_names import can_be_a_key

_HEAD = "format: benchwright-facts\nversion: 1\nimages:\n"
_EMPTY: Mapping[str, Any] = {
    "background": None, "subjects": [], "unanswerable": [], "answerable": [], "implication": None,
}  # fmt: skip
"""Keys that a skeleton leaves empty for the curator."""
_EXPLAINED = """\
# Facts about pictures, for the step `facts`. Fill in what you know; empty keys state nothing. For example:
#
#   coffee.png:                    # file name, path below the image folder, or the file's SHA-256
#     also: [coffee-copy.bmp]      # further names of the same picture
#     size_wh: [600, 400]          # width and height, upright; optional, must match the file
#     background: a wooden table   # what lies behind the subjects
#     subjects:                    # for object_localization; and for background_substitution with `cut_out`
#       - name: cup                # part of the items' ids: lower-case letters, digits, underscores
#         phrase: the cup          # as a question calls it
#         box: [173, 17, 408, 308] # x0, y0, x1, y1 in pixels, from the top left corner
#         cut_out:                 # may be left out
#           inside: [[290, 60]]    # points that surely belong to it
#           outside: [[20, 200]]   # points that surely do not
#           onto: [lake.jpg]       # other pictures here, each with a background, to put it in front of
#     unanswerable:                # questions that the picture does not answer, for beyond_the_image
#       - name: taste
#         why: other_modality      # or nonexistent_object, background_information, temporal_unpredictability,
#                                  # missing_visual_information, intractable_quantity
#         ask: How does the coffee taste?
#         wrong: [Bitter, Sour, Very sweet]
#     answerable:                  # questions that it plainly answers, with as many options
#       - name: table
#         ask: What does the cup stand on?
#         right: A table
#         wrong: [A chair, A tray]
#     implication:                 # for image_implication
#       image_type: photograph     # or illustration, painting, poster, meme, logo, single-panel comic,
#                                  # multi-panel comic
#       domain: life               # or art, society, psychology, environment, others
#       emotion: positive          # or neutral, negative
#       question:                  # may be left out
#         ask: What feeling does this picture suggest?
#         right: Comfort.
#         wrong: [Stress, Waste, Sadness, Danger, Pride]
#         explanation: Warm colors and a fresh espresso speak of a quiet moment.
#
# `benchwright facts check FILE` names every mistake with its line.
"""
_PAIRS: Mapping[str, Any] = {
    "caption": "?", "subject": "?", "people": 0,
    "seen": {}, "suggests": {}, "backgrounds": {}, "swaps": [], "looks": {},
}  # fmt: skip
_EXPLAINED_PAIRS = """\
# Facts for pairs of pictures, for the steps `facts`, `ideas` and `manipulate`. Outlines come first:
# outline all parts to paste or keep exactly, and check this on the picture before making anything.
#
# 1. Outline in the app. This recipe requests the outlines; GrabCut proposes them from a box, clicks and strokes:
#
#        name: pairs
#        steps:
#          - step: mark
#            question: Outline each thing to cut out or replace, and name it in one or two words.
#            fields:
#              - {name: outlines, label: Outlines, shape: mask, free_label: true, max_count: 4}
#            helpers: [grabcut]
#            rule: single
#          - step: facts
#            stated_by: [mark]
#            file: THIS FILE
#          - {step: ideas, people_only: false}
#          - step: manipulate
#          - step: pair_items
#          - step: pair_gates
#
#        benchwright run pairs.yaml --images FOLDER               # stops at `mark`
#        benchwright review serve --workspace workspaces/pairs    # outline, see it, accept it
#        benchwright run pairs.yaml --images FOLDER               # goes on
#
#    A label in the app is a subject's name here: `flower pot` is flower_pot. Or state `cut_out` points here in place of
#    the app, and look at the outlines with `benchwright construct outlines THIS FILE --images FOLDER --out outlines`.
#
# 2. State what the pictures show. Replace each `?`. For pictures that only lend a background, keep only `suggests`.
#
#   cup.jpg:
#     background: a wooden table         # what lies behind the subject
#     subjects:
#       - name: cup                      # the label of its outline
#         phrase: the cup
#         box: [173, 17, 408, 308]       # an outline from the app brings its own box
#     pairs:
#       caption: A cup stands on a wooden table.
#       subject: cup
#       people: 0
#       seen: {scenario: a scene on a table}
#       backgrounds: {S1: [lake.jpg]}    # B1, R1 or S1: pictures here that state a background and what it suggests
#       looks: {pencil_sketch: null}     # at most a fifth of all pairs
#       swaps:                           # a part, a screen, a sign: replaced by another picture or a subject of it
#         - category: B4
#           target: print                # a subject, outlined
#           by: lake.jpg                 # shown within the outline; with `of: NAME`, that subject is set in its place
#           aspect: what the print on the cup shows
#           low: {value: a lake, ask: Does the cup show a lake?}
#           low_natural: {value: a logo, ask: Does the cup show a logo?}
#           high: {value: a love of nature, ask: "Does the cup tell of a love of nature?", tempting: [x, y, z]}
#           high_natural: {value: advertising, ask: Does the cup advertise a company?}
#           caption: A cup with a lake on it stands on a wooden table.
#         - category: I1
#           target: cup                  # a thing in one strong hue, outlined
#           color: blue                  # or red, orange, yellow, green, purple, pink
#           low: {value: a blue glaze}
#           low_natural: {value: a red glaze}
#           caption: A blue cup stands on a wooden table.
#   lake.jpg:
#     background: a lakeside
#     subjects: [{name: lake, phrase: the lake, box: [0, 200, 640, 427]}]
#     pairs:
#       caption: A lake lies between hills.
#       subject: lake
#       ground: 0.7                      # ground to stand on begins at 70 % of the height; without it, none
#       suggests:
#         scenario: {value: a scene at a lake, tempting: [a scene at the sea, a scene at a pool, a scene on ice]}
#
# `benchwright facts check FILE` names every mistake with its line.
"""


class _Dumper(yaml.SafeDumper):
    """A YAML writer whose output `compose` reads: no aliases, and lists indented below their key."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values in full each time instead of as aliases."""
        del data
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the entries of lists."""
        del indentless
        super().increase_indent(flow, indentless=False)


def facts_yaml(pictures: Mapping[str, PictureFacts], *, comment: str = "") -> str:
    """Return facts as a facts file; reading it gives facts with the same digest.

    Args:
        pictures: Facts, by the pictures' keys.
        comment: Lines for the top of the file.
    """
    lines = "".join(f"# {line}\n" for line in comment.splitlines())
    entries = {key: picture.model_dump(mode="json", exclude_defaults=True) for key, picture in pictures.items()}
    return lines + _HEAD.removesuffix("\n") + (" {}\n" if not entries else "\n" + _entries(entries))


def _entries(entries: Mapping[str, Any]) -> str:
    text = yaml.dump(
        dict(entries), Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110
    )
    return "".join(f"  {line}\n" for line in text.splitlines())


def _size(picture: PictureFacts) -> tuple[int, int]:
    assert picture.size_wh is not None, "a skeleton states each picture's size"
    return picture.size_wh


class Skeleton(NamedTuple):
    """The pictures of a folder, for a facts file that a curator fills in.

    Args:
        pictures: Sizes, and further names of equal files, by the pictures' keys.
        unreadable: Reasons why files are not pictures, by path.
    """

    pictures: Mapping[str, PictureFacts]
    unreadable: Mapping[str, str]

    def yaml(self) -> str:
        """Return the facts file, with comments that explain each key."""
        entries = {
            key: {**picture.model_dump(mode="json", exclude_defaults=True), **_EMPTY}
            for key, picture in self.pictures.items()
        }
        return _EXPLAINED + "\n" + _HEAD + _entries(entries)

    def pairs_yaml(self) -> str:
        """Return the facts file for pairs of pictures, with comments on the workflow and each key."""
        entries = {
            key: {
                **picture.model_dump(mode="json", exclude_defaults=True),
                "background": None,
                "subjects": [{"name": "subject", "phrase": "the subject", "box": [0, 0, *_size(picture)]}],
                "pairs": {**_PAIRS, "subject": "subject"},
            }
            for key, picture in self.pictures.items()
        }
        return _EXPLAINED_PAIRS + "\n" + _HEAD + _entries(entries)

    def table(self) -> str:
        """Return the facts table, with lines that explain each column."""
        return facts_table(self.pictures)


def skeleton_of(folder: Path, uris: Iterable[str]) -> Skeleton:
    """Return the pictures of a folder with their upright sizes.

    Files with equal bytes are one picture, which takes the first one's name. The file's SHA-256 replaces a name that a
    facts file cannot hold.

    Args:
        folder: Image folder.
        uris: URIs of its files, sorted, as a run has them.
    """
    from benchwright.canonical import file_digest
    from benchwright.images.formats.walking import Limits
    from benchwright.images.identify import identify, path_for

    pictures: dict[str, PictureFacts] = {}
    key_of: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for uri in uris:
        path = path_for(uri)
        try:
            identified = identify(folder / path, root=folder, limits=Limits())
            digest = file_digest(folder / path)
        except UnreadableImage as error:
            unreadable[uri] = error.reason
            continue
        name = path.as_posix()
        if digest in key_of:
            picture = pictures[key_of[digest]]
            if can_be_a_key(name):
                pictures[key_of[digest]] = picture.model_copy(update={"also": (*picture.also, name)})
            continue
        key_of[digest] = name if can_be_a_key(name) else digest
        pictures[key_of[digest]] = PictureFacts(size_wh=(identified.width, identified.height))
    return Skeleton(pictures, unreadable)
