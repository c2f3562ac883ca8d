"""Those of MVP-Bench's thirteen categories for which a folder of photographs can supply pairs, by production method.

The survey distinguishes three methods: without a model (facts state the exchange), with an API that edits pictures, and
with weights on this machine. It reads file names and facts files, opens no picture, and calls no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.facts import CATEGORIES, Facts, IdeaCategory, read_facts
from benchwright.models.local_weights import FOLDER, weights_on_this_machine
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.rows import BadRow
from benchwright.texts.normalization import counted

from ..readers.own_annotations import OwnPictures
from ..readers.recognition import recognised
from ..stated_facts.resolved_facts import IdeaFacts, resolved
from .editors.presets import PRESETS, names_of
from .grounding.scene import Scene
from .ideas.templates import TemplateWriter, TemplateWriting
from .manipulation_settings import TASK_OF

Making = Literal["without_model", "api", "weights"]
MAKINGS: tuple[Making, ...] = ("without_model", "api", "weights")
_IN_WORDS: Mapping[Making, str] = {
    "without_model": "without a model",
    "api": "with an API",
    "weights": "with weights",
}
_WRITER = TemplateWriter(TemplateWriting())
_SAM = ("facebook/sam-vit-base", "facebook/sam-vit-large", "facebook/sam-vit-huge")
_STATED = {
    "background": "`backgrounds` of `pairs`, with the picture's own background",
    "partial": "`swaps` of `pairs`",
    "direct": "`looks` of `pairs`",
}


class WayOfMaking(NamedTuple):
    """The material that a folder offers for a category and one method of making pairs.

    Args:
        pictures: Number of photographs from which pairs can be made.
        ideas: Number of ideas in the facts; None if a model writes them.
        lacks: The missing parts and how to get them; None if pairs can be made.
        note: Further requirements of a run; None if there are none.
    """

    pictures: int
    ideas: int | None
    lacks: str | None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {"fed": self.lacks is None, **self._asdict()}


class SurveyedCategory(NamedTuple):
    """The material that a folder offers for one category."""

    category: IdeaCategory
    ways: Mapping[Making, WayOfMaking]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            "category": self.category.code,
            "title": self.category.title,
            "way": self.category.way,
            **{name: way.to_json() for name, way in self.ways.items()},
        }


class PairSurvey(NamedTuple):
    """The material that a folder offers for pairs.

    Args:
        pictures: Number of photographs of the folder that belong to no source dataset.
        categories: All thirteen, in the paper's order.
        unread: Facts files that cannot be read, each with the reason.
    """

    pictures: int
    categories: tuple[SurveyedCategory, ...]
    unread: tuple[str, ...] = ()

    def fed(self, making: Making) -> tuple[str, ...]:
        """Return the codes of the categories that can be made by a method."""
        return tuple(each.category.code for each in self.categories if each.ways[making].lacks is None)

    def to_json(self) -> dict[str, Any]:
        """Return the survey as JSON values."""
        return {
            "pictures": self.pictures,
            "categories": [each.to_json() for each in self.categories],
            "unread": list(self.unread),
        }


class _StatedPairs(NamedTuple):
    """What facts files state about photographs of a folder.

    Args:
        ideas: Number of ideas by category and photograph.
        outlined: Photographs whose main subject has points or a mask.
        people: Number of people by photograph.
        unread: Facts files that cannot be read.
    """

    ideas: dict[tuple[str, str], int]
    people: dict[str, int]
    outlined: set[str]
    unread: list[str]


def survey_pairs(folder: Path) -> PairSurvey:
    """Return the categories for which a folder can supply pairs, by each method.

    Raises:
        DataError: The folder cannot be read, or contains a damaged archive.
    """
    here = recognised(DatasetFiles(folder))
    own = OwnPictures.of(folder, here)
    stated = _stated([source.path for source in here.sources if source.form == "facts"], own)
    weights = {task: _missing_weights(task) for task in ("inpaint", "instruct")}
    return PairSurvey(
        len(own.paths),
        tuple(
            SurveyedCategory(
                category,
                {
                    "without_model": _without_model(category, stated),
                    "api": _by_model(category, own, stated, None),
                    "weights": _by_model(category, own, stated, weights[TASK_OF[category.way]]),
                },
            )
            for category in CATEGORIES.values()
        ),
        tuple(stated.unread),
    )


def _stated(files: list[str], own: OwnPictures) -> _StatedPairs:
    found = _StatedPairs({}, {}, set(), [])
    for file in files:
        try:
            facts = read_facts(own.root / file)
        except BenchwrightError as error:
            found.unread.append(str(error))
            continue
        for path, known in _known(facts, file, own):
            found.people[path] = known.people
            if known.subject.mask is not None or known.subject.inside:
                found.outlined.add(path)
            scene = Scene(known.caption, known.subject, known.people, {}, facts=known)
            for category in CATEGORIES.values():
                ideas = len(_WRITER.plan(category, scene).ideas)
                found.ideas[category.code, path] = found.ideas.get((category.code, path), 0) + ideas
    return found


def _known(facts: Facts, file: str, own: OwnPictures) -> Iterator[tuple[str, IdeaFacts]]:
    """Yield each photograph of the folder with what is stated for pairs made from it."""
    beside = file.rpartition("/")[0]
    place: dict[str, str] = {}
    for key in facts.images:
        try:
            place[key] = own.path_of(key, beside)
        except BadRow:
            continue  # a photograph that the folder lacks or holds twice
    for key, path in place.items():
        if facts.images[key].pairs is not None:
            yield path, resolved(facts.images, key, place)


def _without_model(category: IdeaCategory, stated: _StatedPairs) -> WayOfMaking:
    ideas = [number for (code, _), number in stated.ideas.items() if code == category.code and number]
    lacks = None if ideas else f"no facts file states {_STATED[category.way]}"
    if not ideas and category.code == "E2":
        lacks = "facts cannot state it: faces are changed by an editor that follows instructions"
    return WayOfMaking(len(ideas), sum(ideas), lacks)


def _by_model(category: IdeaCategory, own: OwnPictures, stated: _StatedPairs, missing: str | None) -> WayOfMaking:
    """Return the material for a model: photographs of people, as far as facts state whether they show people."""
    about_people = category.high.name != "scenario"
    usable = [
        path
        for path in own.paths
        if not (about_people and stated.people.get(path) == 0)
        and not (category.code == "E2" and stated.people.get(path, 1) > 1)
    ]
    lacks = missing
    if not own.paths:
        lacks = "it needs photographs"
    elif not usable:
        one = " one person" if category.code == "E2" else " people"
        lacks = f"it needs photographs of{one}; the facts state none"
    note = _outline_note(usable, stated) if lacks is None and category.way == "background" else None
    return WayOfMaking(len(usable) if lacks is None else 0, None, lacks, note)


def _outline_note(usable: Sequence[str], stated: _StatedPairs) -> str | None:
    """Return the note about cutting out subjects; None if all are outlined or this machine has SAM."""
    outlined = sum(path in stated.outlined for path in usable)
    if outlined == len(usable) or any(weights_on_this_machine(name) is not None for name in _SAM):
        return None
    return (
        f"facts outline the subject of {outlined} of {counted(len(usable), 'picture')}; for the others put the weights "
        f"of {_SAM[0]} on this machine, outline it in the browser (`mark`), or take `masks: {{box_alone: true}}`, "
        "which leaves torn outlines out"
    )


def _missing_weights(task: str) -> str | None:
    """Return which weights and packages of a task this machine lacks, and how to get them; None if it has them all."""
    names = names_of("inpaint" if task == "inpaint" else "instruct")
    if not any(weights_on_this_machine(PRESETS[name].hub) is not None for name in names):
        first = PRESETS[names[0]].hub
        return f"put weights such as those of {first} on this machine, into ${FOLDER} or the hub's cache"
    lacking = [package for package in ("torch", "diffusers") if find_spec(package) is None]
    return f"install {' and '.join(lacking)}" if lacking else None


def pairs_text(survey: PairSurvey) -> str:
    """Return the survey as text for readers."""
    lines = ["MVP-Bench's pairs, by category: without a model | with an API that edits pictures | with weights here"]
    lines += [f"  not read: {words}" for words in survey.unread]
    for each in survey.categories:
        ways = " | ".join(_cell(each.ways[name]) for name in MAKINGS)
        lines.append(f"  {each.category.code}  {each.category.title:32} {ways}")
    for making in MAKINGS:
        lacking: dict[str, list[str]] = {}
        for each in survey.categories:
            if (lacks := each.ways[making].lacks) is not None:
                lacking.setdefault(lacks, []).append(each.category.code)
        lines += [f"  {_IN_WORDS[making]}, {', '.join(codes)}: {lacks}" for lacks, codes in lacking.items()]
        noted: dict[str, list[str]] = {}
        for each in survey.categories:
            if (note := each.ways[making].note) is not None:
                noted.setdefault(note, []).append(each.category.code)
        lines += [f"  {_IN_WORDS[making]}, {', '.join(codes)}: {note}" for note, codes in noted.items()]
    told = ", ".join(f"{len(survey.fed(making))} {_IN_WORDS[making]}" for making in MAKINGS)
    total = counted(len(survey.categories), "category", "categories")
    run = "`benchwright run mvp-bench --images DIR`, or examples/mvp-bench-with-{api,models}.yaml"
    return "\n".join([*lines, f"of {total}: {told}: {run}"])


def _cell(way: WayOfMaking) -> str:
    if way.lacks is not None:
        return "no"
    pictures = counted(way.pictures, "picture")
    return pictures if way.ideas is None else f"{counted(way.ideas, 'idea')} of {pictures}"
